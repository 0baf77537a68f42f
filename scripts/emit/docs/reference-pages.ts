import { slug } from '../../../site/slug.js'
import { escapeHtml, frontMatter } from '../text.js'
import { type PackageEntry, REFERENCE } from './entries.js'
import type { Guide } from './guides.js'
import { outsideCode } from './links.js'
import { withPrograms } from './programs.js'

/** The pages of the package's entries: what the guide says of each, then every export. */
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
        return [heading.replaceAll('`', '').trim(), lines.join('\n').trim()]
      }),
  )
  return entries.map(({ name, page }) => {
    const exported = foldedExports(withMethodList(withOwnAnchors(condensed(reference.get(page) ?? ''))))
    const settings = { title: name, outline: [2, 3], pageClass: REFERENCE }
    return [
      `${REFERENCE}/${page}.md`,
      `${frontMatter(settings)}# ${name.replaceAll('/', '/<wbr>')}\n\n${sections.get(name) ?? ''}\n\n${exported}\n`,
    ]
  })
}

/** Without what an entry exports again, the comments of the compiler's own types and headings that repeat themselves. */
const condensed = (text: string): string =>
  text
    .replace(/^## References\b[\s\S]*$/m, '')
    .replaceAll(/^\[MDN Reference\].*\n\n/gm, '')
    .replaceAll(/^#+ Inherited from\n\n.+\n\n?/gm, '')
    .replaceAll('| Type Parameter |', '| Name |')
    .replaceAll(/^(#+ Throws)\n\n(.+(?:\n.+)*(?:\n\n\1\n\n.+(?:\n.+)*)+)/gm, (_, heading: string, causes: string) =>
      [heading, ...causes.split(`\n\n${heading}\n\n`).map((cause) => `- ${cause}`)].join('\n\n'),
    )

/** Lists the methods of what a function returns, which are folded further below. */
const withMethodList = (text: string): string =>
  text.replaceAll(/^#### Returns .*\n\n\[`(\w+)`\]\(#\w+\)$/gm, (returns, type: string) => {
    const [, members = ''] = text.split(new RegExp(`^### ${type} .*$`, 'm'))
    const [own = ''] = members.split(/^### /m)
    const methods = [...own.matchAll(/^##### (\w+\(\)) \{(#.+)\}$/gm)].map(([, name, to]) => `[\`${name}\`](${to})`)
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
  const at = paragraphs.findIndex((each) => /^(?!```)[\w`[(]/.test(each))
  const isFirst = at >= 0 && paragraphs.slice(0, at).every((each) => each.startsWith('```'))
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

/** Gives each heading an anchor of its own: TypeDoc repeats those of members, and leaves some to others. */
function withOwnAnchors(text: string): string {
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
