import { slug } from '../../../site/slug.js'
import { escapeHtml, frontMatter } from '../text.js'
import { type PackageEntry, REFERENCE } from './entries.js'
import type { Guide } from './guides.js'
import { outsideCode } from './links.js'
import { withPrograms } from './programs.js'

/** The pages of the package's entries: the guide's section about each, then every export. */
export function referencePages(
  entries: PackageEntry[],
  reference: Map<string, string>,
  guide: Guide,
): [string, string][] {
  const sections = new Map(
    withPrograms(guide.name, guide.text)
      .split(/^## /m)
      .map((each) => {
        const [heading = '', ...lines] = each.split('\n')
        // The pages lie in another folder than the guide.
        const text = lines.join('\n').replaceAll(/\]\((?=[\w-]+\.md)/g, '](../guides/')
        return [heading.replaceAll('`', '').trim(), text.trim()]
      }),
  )
  const pages = condensed(reference)
  return entries.map(({ name, page }) => {
    const text = withUniqueAnchors(withLinkedErrors(pages.get(page) ?? '', reference.get('contract')))
    const exported = foldedExports(withPlainParts(withMethodList(withOptions(text))))
    const settings = { title: name, outline: [2, 4], pageClass: REFERENCE }
    return [
      `${REFERENCE}/${page}.md`,
      `${frontMatter(settings)}# ${name.replaceAll('/', '/<wbr>')}\n\n${sections.get(name) ?? ''}\n\n${exported}\n`,
    ]
  })
}

/** Removals and changes in the Markdown of TypeDoc. Each applies to a page at least. */
const CONDENSED: [purpose: string, found: RegExp, by: string][] = [
  ['exports that another entry has', /^## References\b[\s\S]*$/gm, ''],
  ["comments of the compiler's own types", /^\[MDN Reference\].*\n\n/gm, ''],
  ['origins of members', /^#+ (?:Inherited from|Overrides)\n\n.+\n\n?/gm, ''],
  ['brands of classes', /^##### \\\[BRAND\\\][\s\S]*?(?=^#{2,5} |^\*\*\*$)/gm, ''],
  ['headings of accessors without any', /^#### Accessors.*\n\n(?=#{2,4} |\*\*\*)/gm, ''],
  ['heads of the tables of type parameters', /\| Type Parameter \|/g, '| Name |'],
]

/** The pages of TypeDoc without repetitions, with one list of the causes of an error. */
function condensed(reference: Map<string, string>): Map<string, string> {
  const shorter = CONDENSED.reduce(
    (texts, [purpose, found, by]) => {
      if (texts.every((text) => text.search(found) === -1))
        throw new Error(`TypeDoc no longer writes the ${purpose} (${found}): see scripts/emit/docs/reference-pages.ts.`)
      return texts.map((text) => text.replaceAll(found, by))
    },
    [...reference.values()].map(withMethodsOnce),
  )
  return new Map([...reference.keys()].map((page, index) => [page, withListedCauses(shorter[index] ?? '')]))
}

/** Lists the causes of errors, each of which TypeDoc gives the heading "Throws", below one heading. */
const withListedCauses = (text: string): string =>
  text.replaceAll(/^(#+ Throws)\n\n(.+(?:\n.+)*(?:\n\n\1\n\n.+(?:\n.+)*)+)/gm, (_, heading: string, causes: string) =>
    [heading, ...causes.split(`\n\n${heading}\n\n`).map((cause) => `- ${cause}`)].join('\n\n'),
  )

/** Leaves the methods of the interfaces that `Client` extends to `Client`. */
function withMethodsOnce(text: string): string {
  const [, parents = ''] = /^### Client \{[\s\S]*?^#### Extends\n\n((?:- .+\n)+)/m.exec(text) ?? []
  return [...parents.matchAll(/^- \[`(\w+)`/gm)].reduce(
    (shorter, [, name]) =>
      shorter.replace(
        new RegExp(`^(### ${name} [\\s\\S]*?)^#### Methods[\\s\\S]*?(?=^\\*\\*\\*$|^## )`, 'm'),
        '$1[`Client`](#client) lists its methods.\n\n',
      ),
    text,
  )
}

/** Links the errors that functions throw: to the page itself, to that of the client, or to what the language has. */
const withLinkedErrors = (text: string, client = ''): string =>
  text.replaceAll(/^#+ Throws\n\n(?:.+\n)+/gm, (causes) =>
    causes.replaceAll(/(?<![\w[`#])[A-Z]\w*Error\b(?!\])/g, (name) => {
      const heading = new RegExp(`^### ${name}$`, 'm')
      const page = heading.test(text) ? '' : heading.test(client) ? 'contract.md' : undefined
      return name === 'TypeError'
        ? `[${name}](${TYPE_ERROR})`
        : page === undefined
          ? name
          : `[${name}](${page}#${name.toLowerCase()})`
    }),
  )

const TYPE_ERROR = 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/TypeError'

/** Shows the options of a function below it; their type is folded further below. */
const withOptions = (text: string): string =>
  text.replaceAll(/^\| `options\??` \| \[`(\w+)`\]\(#\w+\) \|.*\n/gm, (row, type: string) => {
    const [, members = ''] = text.split(new RegExp(`^### ${type} .*$`, 'm'))
    const [table = ''] = /^\| Property [\s\S]*?\n(?=\n)/m.exec(members.split(/^### /m)[0] ?? '') ?? []
    return table ? `${row}\n#### Options\n\n${table.replaceAll(/<a id=[^>]*><\/a> /g, '')}` : row
  })

/** Makes the headings of an export's parts paragraphs, so that the outline lists its methods alone. */
const withPlainParts = (text: string): string =>
  text
    .replaceAll(/^#{4,6} ([A-Z]\w+(?: \w+)*)(?: \{#.*\})?$/gm, '<p class="part">$1</p>')
    .replaceAll(/^##(### .+)$/gm, '#$1')

/** Lists the methods of what a function returns, which are folded further below. */
const withMethodList = (text: string): string =>
  text.replaceAll(/^#### Returns .*\n\n\[`(\w+)`\]\(#\w+\)$/gm, (returns, type: string) => {
    const [, members = ''] = text.split(new RegExp(`^### ${type} .*$`, 'm'))
    const [inType = ''] = members.split(/^### /m)
    // As methods, and as properties that are functions.
    const listed = [
      ...inType.matchAll(/^##### (?<name>\w+)\(\) \{#(?<to>.+)\}$/gm),
      ...inType.matchAll(/^\| <a id="(?<to>[\w-]+)"><\/a> `(?<name>\w+)\??` \| \(/gm),
    ]
    const methods = listed.map(({ groups: { name, to } = {} }) => `[\`${name}()\`](#${to})`)
    return methods.length > 0 ? `${returns}, with the methods ${methods.join(', ')}` : returns
  })

/** Shows functions in full, and of every other export its name and one sentence, behind which the rest opens. */
function foldedExports(text: string): string {
  const [functions = '', ...others] = text.split(/^(?=## (?!Functions))/m)
  const parts = others
    .join('')
    .replaceAll(/^\*\*\*\n+/gm, '')
    .split(/^(?=###? )/m)
  return [
    functions.replace(/\*\*\*\s*$/, ''),
    ...parts.map((part) => (part.startsWith('### ') ? foldedExport(part) : part)),
  ].join('')
}

function foldedExport(part: string): string {
  const [heading = '', ...paragraphs] = part.trim().split('\n\n')
  const at = paragraphs.findIndex((each) => /^[\w`[(]/.test(each))
  const isFirst = at >= 0 && paragraphs.slice(0, at).every((each) => each.startsWith('> '))
  const [, sentence = '', rest = ''] =
    /^([\s\S]+?\.)(?:\s+(?=[^a-z])([\s\S]+))?$/.exec(isFirst ? (paragraphs[at] ?? '') : '') ?? []
  const body = sentence
    ? [...paragraphs.slice(0, at), ...(rest ? [rest] : []), ...paragraphs.slice(at + 1)]
    : paragraphs
  const summary = sentence ? plainHtml(sentence) : 'Members'
  return `<div class="export">\n\n${heading}\n\n<details><summary>${summary}</summary>\n\n${body.join('\n\n')}\n\n</details>\n</div>\n\n`
}

/** A sentence as HTML without links, which may not be inside what opens on a click. */
const plainHtml = (markdown: string): string =>
  escapeHtml(markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\\([<>|[\]{}])/g, '$1'))
    .replaceAll('{', '&#123;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\s+/g, ' ')

/** Makes the anchor of each heading unique: TypeDoc repeats those of members, and leaves some to others. */
function withUniqueAnchors(text: string): string {
  const seen = new Map<string, number>()
  const anchored = outsideCode(text, (prose) =>
    prose.replaceAll(/^(#+ .*?)(?: \{#([^}\n]+)\})?$/gm, (_, heading: string, given?: string) => {
      const anchor = given ?? slug(heading)
      const times = (seen.get(anchor) ?? 0) + 1
      seen.set(anchor, times)
      return `${heading} {#${anchor}${times === 1 ? '' : `--${times}`}}`
    }),
  )
  // It also links to constructors, to which it gives no anchor.
  return anchored.replaceAll(/\[([^\]]+)\]\(#([^)]+)\)/g, (link, words: string, anchor: string) =>
    seen.has(anchor) ? link : words,
  )
}

/** Links the headings of the guide to the pages of the entries. */
export const withReferenceLinks = (text: string, entries: PackageEntry[]): string =>
  entries.reduce(
    (linked, { name, label, page }) =>
      linked.replace(
        `## \`${name}\`\n`,
        `## \`${label}\` {#${slug(name)}}\n\n[All exports of \`${name}\`](../${REFERENCE}/${page}.md)\n`,
      ),
    text,
  )
