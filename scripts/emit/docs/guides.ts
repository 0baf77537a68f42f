import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { slug } from '../../../site/slug.js'
import type { Contract } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../support/diagnostics.js'
import { OPERATIONS, outsideCode, REGISTER, withBasisLinks } from './links.js'
import { operationsText } from './parts/operations.js'
import { registerText } from './parts/register.js'
import { TABLES } from './parts/tables.js'
import { statesText } from './parts/transitions.js'

/** A page of prose. */
export interface Guide {
  /** The file without its ending, by which links name the page. */
  name: string
  title: string
  /** Its first sentence, as text. */
  summary: string
  /** Markdown without the title; links name files of the folder of the guides. */
  text: string
}

/** The prose of the site, in the order of its navigation. */
export interface Guides extends Navigation<Guide> {
  /** The files of the guides with their generated parts and their links to the register, by name. */
  files: Map<string, string>
  /** Where former guides are now, as `name.md#heading`, by their names. */
  moved: Map<string, string>
}

interface Navigation<Page> {
  start: Page
  groups: { name: string; guides: Page[] }[]
}

/** What `site/guides.yaml` has. */
interface Order extends Navigation<string> {
  moved?: Record<string, string>
}

/** The guides: written by hand, and filled in place between comments. */
export const GUIDES = 'docs/guides'

/** The home page, whose name is that of its file, and the order of the guides: what only the site has. */
export const HOME = 'site/home.md'
const ORDER = 'site/guides.yaml'

/** The pages in the folder of the guides that are generated as a whole. */
const WHOLE = ['README', OPERATIONS, REGISTER]

/** The Markdown of the guides that are written by hand, by name, sorted. */
export const readMarkdown = (root: string): Map<string, string> =>
  new Map(
    readdirSync(join(root, GUIDES))
      .filter((file) => file.endsWith('.md') && !WHOLE.includes(basename(file, '.md')))
      .sort()
      .map((file) => [file.slice(0, -3), readFileSync(join(root, GUIDES, file), 'utf8')]),
  )

/** Says in a generated page that it is one. */
export const GENERATED_PAGE = '<!-- Generated from openapi/ by `npm run build`. Edit that, not this. -->'

/**
 * Reads the guides in the order of `site/guides.yaml`, and fills what is generated in them. A guide that is not listed there
 * follows in the first group, by name.
 *
 * @throws BuildError for a guide that is listed but not there, an unknown generated part or a link that leads nowhere
 */
export async function readGuides(root: string, contract: Contract): Promise<Guides> {
  const { start, groups, moved = {} }: Order = parse(readFileSync(join(root, ORDER), 'utf8'))
  const written = readMarkdown(root)
  const about = aboutPages(root, contract)
  const pages = new Map([...written, ...about, [start, readFileSync(join(root, HOME), 'utf8')]])
  const listed = groups.flatMap(({ guides }) => guides)
  const missing = listed.filter((name) => !pages.has(name))
  throwIfProblems(
    missing.map((name) =>
      problem(ORDER, `"${name}" is listed but ${GUIDES}/${name}.md is not there. Write it or remove it.`),
    ),
  )
  groups[0]?.guides.push(...[...written.keys()].filter((name) => !listed.includes(name)))
  groups.push({ name: 'About the contract', guides: [...about.keys()] })
  const diagnostics: Diagnostic[] = []
  for (const [name, target] of Object.entries(moved))
    if (pages.has(name) || !linkTo(GUIDES, target, root, pages))
      diagnostics.push(problem(ORDER, `moved: ${name} is still there, or "${target}" leads nowhere.`))
  const files = new Map<string, string>()
  const read = (name: string): Guide => {
    const file = name === start ? HOME : name === 'changelog' ? CHANGELOG : `${GUIDES}/${name}.md`
    const filled = filledIn(pages.get(name) ?? '', contract, root, (message) =>
      diagnostics.push(problem(file, message)),
    )
    if (written.has(name)) files.set(name, withBasisLinks(filled, contract.register))
    const link = (target: string) => linkTo(dirname(file), target, root, pages)
    const guide = guideOf(name, filled, link, (message) => diagnostics.push(problem(file, message)))
    return { ...guide, text: withBasisLinks(guide.text, contract.register) }
  }
  const guides = { start: read(start), groups: groups.map(({ name, guides }) => ({ name, guides: guides.map(read) })) }
  throwIfProblems(diagnostics)
  return { ...guides, files, moved: new Map(Object.entries(moved)) }
}

/** The Markdown of the pages at the end, which no guide is written for. */
function aboutPages(root: string, contract: Contract): Map<string, string> {
  const changelog = join(root, CHANGELOG)
  const pages = {
    [OPERATIONS]: [
      '# Operations as text',
      'Every operation and schema on one page. The API reference has the same with samples and Try it.',
      operationsText(contract),
    ].join('\n\n'),
    [REGISTER]: `# Register of assumptions\n\n${registerText(contract.register)}`,
    changelog: existsSync(changelog) ? readFileSync(changelog, 'utf8').replace(UNRELEASED, '') : undefined,
  }
  return new Map(Object.entries(pages).flatMap(([name, text]) => (text ? [[name, text]] : [])))
}

const CHANGELOG = 'CHANGELOG.md'

/** The section that no release contains yet. */
const UNRELEASED = /^## Unreleased\n[\s\S]*?(?=^## )/m

type AddProblem = (message: string) => void

/** A generated part in a guide: what it is, between two comments. */
const PART = /^<!-- generated: (.+) -->\n[\s\S]*?^<!-- \/generated -->$/gm

/** The text of a guide with its generated parts as they are now. */
const filledIn = (text: string, contract: Contract, root: string, addProblem: AddProblem): string =>
  text.replaceAll(PART, (_, part: string) =>
    [`<!-- generated: ${part} -->`, partOf(part, contract, root, addProblem), '<!-- /generated -->'].join('\n\n'),
  )

function partOf(part: string, contract: Contract, root: string, addProblem: AddProblem): string {
  const [kind, what = ''] = part.split(' ')
  if (kind === 'states' && contract.document.components.schemas[what]?.['x-transitions'])
    return statesText(contract, what)
  const example = kind === 'example' ? join(root, 'examples', what) : ''
  if (example && existsSync(example)) return `\`\`\`ts\n${readFileSync(example, 'utf8')}\`\`\``
  const table = TABLES[part]
  if (table) return table(contract, root)
  addProblem(
    `"${part}" is not a generated part. Use ${Object.keys(TABLES).join(', ')}, states with the name of a schema, or example with a file below examples/.`,
  )
  return ''
}

/** A guide as the site shows it: its links name pages, and of the comments only those of diagrams stay. */
function guideOf(
  name: string,
  filled: string,
  link: (target: string) => string | undefined,
  addProblem: AddProblem,
): Guide {
  const [, title, rest = ''] = filled.match(/^# (.+)\n([\s\S]*)$/) ?? []
  if (!title) addProblem('The first line is not a heading. Begin with "# " and the title.')
  const noTarget = 'leads nowhere. Link to a guide (name.md#heading) or to an operation (operations.md#getrun).'
  const text = outsideCode(rest, (prose) =>
    prose
      .replaceAll(/\]\((?!https?:)([^)\s]+)\)/g, (_, target: string) => {
        const found = link(target)
        if (found === undefined) addProblem(`"${target}" ${noTarget}`)
        return `](${found})`
      })
      .replaceAll(/<!-- generated: (states \w+) -->/g, '<!-- $1 -->')
      .replaceAll(/^<!-- (?:generated: .+|\/generated) -->\n\n?/gm, ''),
  ).trim()
  return { name, title: title ?? name, summary: summaryOf(text), text }
}

/** The first sentence of a page as text. */
function summaryOf(text: string): string {
  const [paragraph = ''] = text.split('\n\n').filter((each) => /^[\w`"*[]/.test(each))
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return /^.{30,}?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

/** The target of a link in a file of the repository, from the folder of the guides; undefined when nothing is there. */
function linkTo(folder: string, target: string, root: string, pages: Map<string, string>): string | undefined {
  const [file = '', fragment = ''] = target.split('#')
  if (file === '') return target
  const path = join(folder, file)
  const name = path === CHANGELOG ? 'changelog' : dirname(path) === GUIDES ? basename(path, '.md') : undefined
  if (name === undefined) {
    if (!existsSync(join(root, path))) return undefined
    if (dirname(path) === 'generated') return `../../${path}`
    return dirname(path) === 'docs' ? `../${basename(path)}` : undefined
  }
  const source = pages.get(name)
  if (source === undefined) return undefined
  const headings = [...source.matchAll(/^###? (.+)$/gm)].map(([, heading = '']) => slug(heading))
  if (fragment && !headings.includes(fragment)) return undefined
  return fragment ? `${name}.md#${fragment}` : `${name}.md`
}

const problem = (file: string, message: string): Diagnostic => ({ file, rule: 'guides', message })
