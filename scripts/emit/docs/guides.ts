import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { slug } from '../../../site/slug.js'
import type { Contract } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../support/diagnostics.js'
import { OPERATIONS, operationLink, outsideCode, REGISTER, withBasisLinks } from './links.js'
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
  /** Markdown without the title, with the generated parts; links name files of the folder. */
  text: string
}

/** The prose of the site, in the order of its navigation. */
export type Guides = Navigation<Guide>

interface Navigation<Page> {
  start: Page
  groups: { name: string; guides: Page[] }[]
}

const FOLDER = 'openapi/guides'

/** The Markdown of the guides by name, sorted. */
export const readMarkdown = (root: string): Map<string, string> =>
  new Map(
    readdirSync(join(root, FOLDER))
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => [file.slice(0, -3), readFileSync(join(root, FOLDER, file), 'utf8')]),
  )

/**
 * Reads the guides in the order of `openapi/guides/index.yaml`. A guide that is not listed there follows in the first
 * group, by name.
 *
 * @throws BuildError for a guide that is listed but not there, an unknown generated part or a link that leads nowhere
 */
export async function readGuides(root: string, contract: Contract): Promise<Guides> {
  const { start, groups }: Navigation<string> = parse(readFileSync(join(root, FOLDER, 'index.yaml'), 'utf8'))
  const written = readMarkdown(root)
  const about = aboutPages(root, contract)
  const pages = new Map([...written, ...about])
  const listed = [start, ...groups.flatMap(({ guides }) => guides)]
  throwIfProblems(listed.filter((name) => !pages.has(name)).map(missing))
  groups[0]?.guides.push(...[...written.keys()].filter((name) => !listed.includes(name)))
  groups.push({ name: 'About the contract', guides: [...about.keys()] })
  const diagnostics: Diagnostic[] = []
  const site = { root, contract, pages }
  const read = (name: string) => guideOf(name, site, (message) => diagnostics.push(problem(`${name}.md`, message)))
  const guides = { start: read(start), groups: groups.map(({ name, guides }) => ({ name, guides: guides.map(read) })) }
  throwIfProblems(diagnostics)
  return guides
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

/** What readers of a release do not have yet. */
const UNRELEASED = /^## Unreleased\n[\s\S]*?(?=^## )/m

/** The pages that show a file of the repository, by that file. */
const SHOWN: Readonly<Record<string, string>> = {
  'openapi/basis.yaml': REGISTER,
  'openapi/openapi.yaml': OPERATIONS,
  'test/interop/results.yaml': 'other-languages',
  [CHANGELOG]: 'changelog',
}

/** What the parts and the links of a page lead to. */
interface Site {
  root: string
  contract: Contract
  pages: Map<string, string>
}

type AddProblem = (message: string) => void

function guideOf(name: string, site: Site, addProblem: AddProblem): Guide {
  const [, title, rest = ''] = (site.pages.get(name) ?? '').match(/^# (.+)\n([\s\S]*)$/) ?? []
  if (!title) addProblem('The first line is no heading. Begin with "# " and the title.')
  const folder = name === 'changelog' ? '.' : FOLDER
  const noTarget =
    'leads nowhere. Link to a guide (name.md#heading) or to an operation (../paths/file.yaml#operationId).'
  const link = (target: string) => linkTo(folder, target, site) ?? addProblem(`"${target}" ${noTarget}`)
  const text = outsideCode(rest, (prose) =>
    prose
      .replaceAll(/\]\((?!https?:)([^)\s]+)\)/g, (_, target: string) => `](${link(target)})`)
      .replaceAll(/^\[.+\]\(\S+ "(.+)"\)$/gm, (_, part: string) => partOf(part, site, addProblem)),
  )
  const linked = withBasisLinks(text.trim(), site.contract.register)
  return { name, title: title ?? name, summary: summaryOf(linked), text: linked }
}

/** The first sentence of a page as text. */
function summaryOf(text: string): string {
  const [paragraph = ''] = text.split('\n\n').filter((each) => /^[\w`"*[]/.test(each))
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')
  return /^.{30,}?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

/** The generated part that the title of a link names, which is a paragraph. */
function partOf(part: string, { root, contract }: Site, addProblem: AddProblem): string {
  const [kind, schema = ''] = part.split(' ')
  if (kind === 'states' && contract.document.components.schemas[schema]?.['x-transitions'])
    return `<!-- states ${schema} -->\n\n${statesText(contract, schema)}`
  const table = TABLES[part]
  if (table) return table(contract, root)
  addProblem(
    `"${part}" is no generated part. Use ${Object.keys(TABLES).join(', ')}, or states with the name of a schema.`,
  )
  return ''
}

/** What a link in a file of the repository leads to, from the folder of the pages; undefined when nothing is there. */
function linkTo(folder: string, target: string, { root, pages, contract }: Site): string | undefined {
  const [file = '', fragment = ''] = target.split('#')
  if (file === '') return target
  const path = join(folder, file)
  if (!existsSync(join(root, path))) return undefined
  if (dirname(path) === 'openapi/paths')
    return contract.operations.some(({ id }) => id === fragment) ? operationLink(fragment) : undefined
  if (dirname(path) === 'generated') return `../../${path}`
  if (dirname(path) === 'docs') return `../${basename(path)}`
  const name = SHOWN[path] ?? (dirname(path) === FOLDER ? basename(path, '.md') : '')
  const source = pages.get(name)
  if (source === undefined) return undefined
  const headings = [...source.matchAll(/^###? (.+)$/gm)].map(([, heading = '']) => slug(heading))
  if (fragment && !headings.includes(fragment)) return undefined
  return fragment ? `${name}.md#${fragment}` : `${name}.md`
}

const missing = (name: string): Diagnostic =>
  problem('index.yaml', `"${name}" is listed but ${FOLDER}/${name}.md is not there. Write it or remove it.`)

const problem = (file: string, message: string): Diagnostic => ({ file: `${FOLDER}/${file}`, rule: 'guides', message })
