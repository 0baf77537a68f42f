import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { parse } from 'yaml'
import type { Contract } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../diagnostics.js'
import { basisLink, operationLink, outsideCode, slug, withBasisLinks } from './links.js'
import { REGISTER_PAGE, registerPage } from './register.js'
import { TABLES } from './tables.js'
import { stateDiagram } from './transitions.js'

/** A page of prose. */
export interface Guide {
  /** The file without its ending, by which links name the page. */
  name: string
  title: string
  /** Markdown without the title; with the generated parts, and links as the page needs them. */
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
  const site = { root, contract, pages, start, graphviz: await Graphviz.load() }
  const read = (name: string) => guideOf(name, site, (message) => diagnostics.push(problem(`${name}.md`, message)))
  const guides = { start: read(start), groups: groups.map(({ name, guides }) => ({ name, guides: guides.map(read) })) }
  throwIfProblems(diagnostics)
  return guides
}

/** The Markdown of the pages at the end, which no guide is written for. */
function aboutPages(root: string, { register }: Contract): Map<string, string> {
  const changelog = join(root, CHANGELOG)
  const pages = {
    [REGISTER_PAGE]: registerPage(register),
    changelog: existsSync(changelog) ? readFileSync(changelog, 'utf8').replace(UNRELEASED, '') : undefined,
  }
  return new Map(Object.entries(pages).flatMap(([name, text]) => (text ? [[name, text]] : [])))
}

const CHANGELOG = 'CHANGELOG.md'

/** What readers of a release do not have yet. */
const UNRELEASED = /^## Unreleased\n[\s\S]*?(?=^## )/m

/** The pages that show a file of the repository, by that file. */
const SHOWN: Readonly<Record<string, string>> = {
  'openapi/basis.yaml': REGISTER_PAGE,
  'test/interop/results.yaml': 'other-languages',
  [CHANGELOG]: 'changelog',
}

/** What the parts and the links of a page lead to. */
interface Site {
  root: string
  contract: Contract
  pages: Map<string, string>
  start: string
  graphviz: Graphviz
}

type Report = (message: string) => void

function guideOf(name: string, site: Site, report: Report): Guide {
  const [, title, rest = ''] = (site.pages.get(name) ?? '').match(/^# (.+)\n([\s\S]*)$/) ?? []
  if (!title) report('The first line is no heading. Begin with "# " and the title.')
  const folder = name === 'changelog' ? '.' : FOLDER
  const noTarget =
    'leads nowhere. Link to a guide (name.md#heading) or to an operation (../paths/file.yaml#operationId).'
  const link = (target: string) => linkTo(folder, target, site) ?? report(`"${target}" ${noTarget}`)
  const text = outsideCode(rest, (prose) =>
    prose
      .replaceAll(/\]\((?!https?:|#\/)([^)\s]+)\)/g, (_, target: string) => `](${link(target)})`)
      .replaceAll(/^\[.+\]\(\S+ "(.+)"\)$/gm, (_, part: string) => partOf(part, site, report)),
  )
  return { name, title: title ?? name, text: withBasisLinks(text.trim(), site.contract.register) }
}

/** The generated part that the title of a link names, which is a paragraph of its own. */
function partOf(part: string, { root, contract, graphviz }: Site, report: Report): string {
  const [kind, schema = ''] = part.split(' ')
  const table = TABLES[part]
  if (table) return table(contract, root)
  if (kind === 'states' && contract.document.components.schemas[schema]?.['x-transitions'])
    return stateDiagram(graphviz, contract, schema)
  report(`"${part}" is no generated part. Use ${Object.keys(TABLES).join(', ')}, or states with the name of a schema.`)
  return ''
}

/** Where the page has what a link in a file of the repository leads to; undefined when nothing is there. */
function linkTo(folder: string, target: string, { root, pages, start, contract }: Site): string | undefined {
  const [file = '', fragment = ''] = target.split('#')
  const path = join(folder, file)
  if (!existsSync(join(root, path))) return undefined
  if (dirname(path) === 'openapi/paths') return operationLink(contract, fragment)
  if (dirname(path) === 'generated') return basename(path)
  const name = SHOWN[path] ?? (dirname(path) === FOLDER ? basename(path, '.md') : '')
  const source = pages.get(name)
  if (source === undefined) return undefined
  if (name === REGISTER_PAGE && fragment) return basisLink(contract.register, fragment.toUpperCase())
  const headings = [...source.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => slug(heading))
  if (fragment && !headings.includes(fragment)) return undefined
  if (name === start) return fragment ? `#/section/${fragment}` : '#/'
  return fragment ? `#/${name}/${fragment}` : `#/${name}`
}

const missing = (name: string): Diagnostic =>
  problem('index.yaml', `"${name}" is listed but ${FOLDER}/${name}.md is not there. Write it or remove it.`)

const problem = (file: string, message: string): Diagnostic => ({ file: `${FOLDER}/${file}`, rule: 'guides', message })
