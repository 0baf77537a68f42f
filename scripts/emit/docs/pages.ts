import type { Graphviz } from '@hpcc-js/wasm-graphviz'
import { slug } from '../../../site/slug.js'
import type { BasisEntry, Contract } from '../../contract/index.js'
import { BuildError } from '../../diagnostics.js'
import { type PackageEntry, REFERENCE } from './entries.js'
import type { Guide, Guides } from './guides.js'
import { outsideCode, REGISTER, withBasisLinks } from './links.js'
import { programOf } from './programs.js'
import { areaOf, paragraphsOf, registerText } from './register.js'
import { stateDiagram } from './transitions.js'

/** What the site adds to the guides, which are Markdown for any reader: diagrams, badges, and the code that runs. */
export function sitePages(contract: Contract, { start, groups }: Guides, graphviz: Graphviz): Map<string, string> {
  const guides = groups.flatMap(({ guides }) => guides)
  const decorate = ({ name, title, summary, text }: Guide): [string, string] => {
    const ran = withPrograms(name, text)
    const drawn = ran.replaceAll(/<!-- states (\w+) -->/g, (_, schema) => stateDiagram(graphviz, contract, schema))
    const decorated = (DECORATIONS[name] ?? String)(drawn, contract.register)
    const settings = { title, description: summary, pageClass: name, ...(name === REGISTER && { outline: 2 }) }
    return [`guides/${name}.md`, `${frontMatter(settings)}# ${title}\n\n${decorated}\n`]
  }
  const home = withPrograms(start.name, homeText(start, '/console.png'))
  const settings = {
    title: start.title,
    titleTemplate: false,
    pageClass: 'home',
    sidebar: false,
    aside: false,
    outline: false,
    prev: false,
    next: false,
  }
  return new Map([['index.md', `${frontMatter(settings)}# ${start.title}\n\n${home}\n`], ...guides.map(decorate)])
}

/** The text of the home page, whose links lead from the root of the site; `picture` is the address of its picture. */
export const homeText = ({ text }: Pick<Guide, 'text'>, picture: string): string =>
  text.replaceAll(/\]\(([\w-]+\.md)/g, '](guides/$1').replaceAll('](../console.png)', `](${picture})`)

const DECORATIONS: Readonly<Record<string, (text: string, register: BasisEntry[]) => string>> = {
  [REGISTER]: (_, register) => withBasisLinks(registerText(register, entryHtml, [FILTER]), register),
  'what-may-i-rely-on': withBadges,
  changelog: withOlderFolded,
}

/** The changelog with each release below the newest behind one line that opens. */
function withOlderFolded(text: string): string {
  return text
    .split(/^(?=## )/m)
    .map((release, at) => (at < 2 ? release : foldedRelease(release)))
    .join('')
}

function foldedRelease(release: string): string {
  const [heading, ...paragraphs] = release.replaceAll(/^###/gm, '####').trim().split('\n\n')
  const notes = paragraphs.join('\n\n')
  return notes.includes('####')
    ? `${heading}\n\n<details><summary>What changed</summary>\n\n${notes}\n\n</details>\n\n`
    : `${heading}\n\n${notes}\n\n`
}

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
    const exported = folded(withMethods(withOwnAnchors(condensed(reference.get(page) ?? ''))))
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
const withMethods = (text: string): string =>
  text.replaceAll(/^#### Returns .*\n\n\[`(\w+)`\]\(#\w+\)$/gm, (returns, type: string) => {
    const [, members = ''] = text.split(new RegExp(`^### ${type} .*$`, 'm'))
    const [own = ''] = members.split(/^### /m)
    const methods = [...own.matchAll(/^##### (\w+\(\)) \{(#.+)\}$/gm)].map(([, name, to]) => `[\`${name}\`](${to})`)
    return methods.length > 0 ? `${returns}, with the methods ${methods.join(', ')}` : returns
  })

/** Shows functions in full, and of every other export its name and one sentence, behind which the rest opens. */
function folded(text: string): string {
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
  markdown
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\\([<>|[\]{}])/g, '$1')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
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

const frontMatter = (settings: object): string =>
  `---\n${Object.entries(settings)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n`

/** Code that prints or sends something. */
const DOES = /\bawait |\bconsole\./

/** Names the program in the first line of each block that the page can run. */
function withPrograms(guide: string, text: string): string {
  const { runnable = 0 } = programOf(guide, text) ?? {}
  let block = 0
  return text.replaceAll(/^```ts\n([\s\S]*?)^```$/gm, (whole, code: string) => {
    const at = block++
    return at < runnable && DOES.test(code) ? whole.replace('```ts', `\`\`\`ts run=${guide}/${at}`) : whole
  })
}

const FILTER = '<register-filter></register-filter>'

/** An entry of the register, set apart, so that it can be filtered. */
function entryHtml(entry: BasisEntry): string {
  const { kind } = entry
  const { says, source } = paragraphsOf(entry)
  return [
    `<div class="entry" data-kind="${kind}" data-area="${areaOf(entry)}">`,
    ...says,
    `<p class="source"><span class="badge ${kind}">${kind}</span> ${source}</p>`,
    '</div>',
  ].join('\n\n')
}

/** Whether something is reliable as a badge, and the reason beside it. @throws BuildError for a row that begins otherwise */
function withBadges(text: string): string {
  return text.replaceAll(
    /^(\| (?!Question|---).+? \| )(.+?)( \| [^|]+ \|)$/gm,
    (row, question, cell: string, basis) => {
      const [whole = '', outcome = ''] = /^(yes|no|assumed|not known)\b[,:;]? ?/.exec(cell) ?? []
      if (!outcome) throw new BuildError([{ file: RELIABLE, rule: 'badge', message: `${NO_BADGE}: ${row}` }])
      const kind = outcome === 'not known' ? 'unknown' : outcome
      return `${question}<span class="badge ${kind}">${outcome}</span> ${cell.slice(whole.length)}${basis}`
    },
  )
}

const RELIABLE = 'openapi/guides/what-may-i-rely-on.md'
const NO_BADGE = 'The second cell of a row must begin with yes, no, assumed or not known'
