import {
  type Application,
  Comment,
  type CommentDisplayPart,
  CommentTag,
  Converter,
  type DeclarationReflection,
  IntersectionType,
  type Reflection,
  ReflectionKind,
  type SomeType,
} from 'typedoc'
import { MarkdownTheme, MarkdownThemeContext } from 'typedoc-plugin-markdown'

/** A plug-in of TypeDoc: what the reference shows otherwise than TypeDoc does. */
export function load({ converter, renderer }: Application): void {
  converter.on(Converter.EVENT_END, ({ project }) => {
    const errors = new Map<string, Reflection | string>([['TypeError', TYPE_ERROR]])
    for (const error of project.getReflectionsByKind(ReflectionKind.Class)) errors.set(error.name, error)
    for (const reflection of Object.values(project.reflections)) {
      // The last of several signatures accepts what any of them does.
      if (reflection.isDeclaration()) reflection.signatures?.splice(0, reflection.signatures.length - 1)
      // Only what the compiler brings, such as the type of `fetch`, has a comment there.
      if (reflection.isSignature() && reflection.parent.kindOf(ReflectionKind.TypeLiteral)) delete reflection.comment
      if (reflection.comment) listCauses(reflection.comment, !reflection.isSignature(), errors)
    }
    // A client lists the members of its parts.
    const client = project.getReflectionsByKind(ReflectionKind.Interface).find(({ name }) => name === 'Client')
    for (const type of client?.isDeclaration() ? (client.extendedTypes ?? []) : [])
      Object.assign(declarationOf(type) ?? {}, { children: undefined, groups: undefined })
  })
  renderer.defineTheme('reference', ReferenceTheme)
}

const TYPE_ERROR = 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/TypeError'

/** Makes one list of the causes of errors, in a cell one sentence, and links the errors. */
function listCauses(comment: Comment, isInCell: boolean, errors: ReadonlyMap<string, Reflection | string>): void {
  const linked = (part: CommentDisplayPart): CommentDisplayPart[] =>
    (part.kind === 'text' ? part.text.split(/\b/) : [part.text]).map((text) => {
      const target = errors.get(text)
      return target ? { kind: 'inline-tag', tag: '@link', text, target } : { ...part, text }
    })
  const content = comment
    .getTags('@throws')
    .flatMap((cause, at): CommentDisplayPart[] => [
      { kind: 'text', text: isInCell ? (at === 0 ? '' : '; ') : '\n- ' },
      ...cause.content.flatMap(linked),
    ])
  comment.removeTags('@throws')
  if (content.length > 0) comment.blockTags.push(new CommentTag('@throws', content))
}

const declarationOf = (type: SomeType | undefined): DeclarationReflection | undefined =>
  type?.type === 'reference' && type.reflection?.isDeclaration() ? type.reflection : undefined

const isCallable = ({ signatures, type }: DeclarationReflection): boolean =>
  Boolean(signatures ?? (type?.type === 'reflection' && type.declaration.signatures))

class ReferenceTheme extends MarkdownTheme {
  override getRenderContext(page: ConstructorParameters<typeof MarkdownThemeContext>[1]): MarkdownThemeContext {
    const context = new MarkdownThemeContext(this, page, this.application.options)
    const { partials, router } = context
    context.partials = {
      ...partials,
      inheritance: () => '',
      // With what an object adds to another type.
      intersectionType: ({ types }) =>
        types
          .map((type) =>
            type.type === 'reflection' && !type.declaration.signatures
              ? partials.declarationType(type.declaration, { forceCollapse: true })
              : partials.intersectionType(new IntersectionType([type])),
          )
          .join(' & '),
      // The options of a function follow its parameters. Copies have no anchors: those are at their type.
      parametersTable: (parameters) => {
        const table = partials.parametersTable(parameters)
        const options = parameters.find(({ name, parent }) => name === 'options' && isOfFunction(parent))
        const members = declarationOf(options?.type)?.children?.map((each) => ({ ...each }) as DeclarationReflection)
        return members ? [table, '#### Options', partials.propertiesTable(members)].join('\n\n') : table
      },
      // With the methods of what a function returns.
      signatureReturns: (signature, options) => {
        const returned = partials.signatureReturns(signature, options)
        const members = isOfFunction(signature) ? declarationOf(signature.type)?.children : undefined
        const methods = members?.filter(isCallable).map((each) => `[\`${each.name}()\`](${context.urlTo(each)})`)
        return methods?.length ? `${returned}, with the methods ${methods.join(', ')}` : returned
      },
      // Functions in full, and of every other export its name and one sentence, behind which the rest opens.
      memberContainer: (model, options) => {
        if (model.parent?.kind !== ReflectionKind.Module || model.kind === ReflectionKind.Function)
          return partials.memberContainer(model, options)
        const { comment = new Comment() } = model
        // What opens on a click has no links.
        const text = comment.summary.map((part) => part.text).join('')
        const [first] = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text.replaceAll('\n', ' '))
        const sentence = text.slice(0, first?.segment.length ?? 0)
        comment.summary = [{ kind: 'text', text: text.slice(sentence.length) }]
        return [
          '<div class="export">',
          `### ${partials.memberTitle(model)} {#${router.getAnchor(model)}}`,
          '<details><summary>',
          partials.comment(new Comment([{ kind: 'text', text: sentence || 'Members' }])),
          '</summary>',
          partials.member(model, options),
          '</details></div>',
        ].join('\n\n')
      },
    }
    return context
  }
}

const isOfFunction = (signature: Reflection | undefined): boolean => signature?.parent?.kind === ReflectionKind.Function
