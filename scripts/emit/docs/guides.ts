import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { parse } from 'yaml'
import type { Contract } from '../../contract/index.js'
import { type Diagnostic, throwIfProblems } from '../../diagnostics.js'
import { basisLink, operationLinks, outsideCode, slug, withBasisLinks } from './links.js'
import { otherLanguagesPage } from './other-languages.js'
import { cacheTable, exampleTable, planTable } from './plans.js'
import { REGISTER_PAGE, registerPage } from './register.js'
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
export interface Guides {
  start: Guide
  groups: { name: string; guides: Guide[] }[]
}

interface Index {
  start: string
  groups: { name: string; guides: string[] }[]
}

const FOLDER = 'openapi/guides'
/** The pages at the end, which no guide is written for. */
const ABOUT = [REGISTER_PAGE, 'other-languages', 'changelog']

/**
 * Reads the guides in the order of `openapi/guides/index.yaml`. A guide that is not listed there follows in the first
 * group, by name.
 *
 * @throws BuildError for a guide that is listed but not there, an unknown generated part or a link that leads nowhere
 */
export async function readGuides(root: string, contract: Contract): Promise<Guides> {
  const { start, groups }: Index = parse(await readFile(join(root, FOLDER, 'index.yaml'), 'utf8'))
  const pages = await readPages(root, contract)
  const listed = [start, ...groups.flatMap(({ guides }) => guides)]
  throwIfProblems(listed.filter((name) => !pages.has(name)).map(missing))
  groups[0]?.guides.push(...[...pages.keys()].filter((name) => ![...listed, ...ABOUT].includes(name)))
  groups.push({ name: 'About the contract', guides: ABOUT.filter((name) => pages.has(name)) })
  const diagnostics: Diagnostic[] = []
  const site = { contract, pages, start, graphviz: await Graphviz.load() }
  const read = (name: string) => guideOf(name, site, (message) => diagnostics.push(problem(`${name}.md`, message)))
  const guides = { start: read(start), groups: groups.map(({ name, guides }) => ({ name, guides: guides.map(read) })) }
  throwIfProblems(diagnostics)
  return guides
}

/** The Markdown of all pages by name: the guides, sorted, and what is about the contract. */
async function readPages(root: string, { register }: Contract): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  for (const file of (await readdir(join(root, FOLDER))).filter((file) => file.endsWith('.md')).sort())
    pages.set(file.slice(0, -3), await readFile(join(root, FOLDER, file), 'utf8'))
  pages.set(REGISTER_PAGE, registerPage(register))
  const changelog = join(root, 'CHANGELOG.md')
  if (existsSync(changelog)) pages.set('changelog', await readFile(changelog, 'utf8'))
  const otherLanguages = otherLanguagesPage(root)
  if (otherLanguages) pages.set('other-languages', otherLanguages)
  return pages
}

/** What the parts and the links of a page lead to. */
interface Site {
  contract: Contract
  pages: Map<string, string>
  start: string
  graphviz: Graphviz
}

type Report = (message: string) => void

function guideOf(name: string, site: Site, report: Report): Guide {
  const [, title, rest = ''] = (site.pages.get(name) ?? '').match(/^# (.+)\n([\s\S]*)$/) ?? []
  if (!title) report('The first line is no heading. Begin with "# " and the title.')
  const link = (target: string) => linkTo(target, site) ?? report(noTarget(target))
  const text = outsideCode(rest, (prose) =>
    prose
      .replaceAll(/^<!-- (.+) -->$/gm, (_, part: string) => partOf(part, site, report))
      .replaceAll(/\]\((?!https?:|#\/)([^)\s]+)\)/g, (_, target: string) => `](${link(target)})`),
  )
  return { name, title: title ?? name, text: withBasisLinks(text.trim(), site.contract.register) }
}

const noTarget = (target: string): string =>
  `"${target}" leads nowhere. Link to a guide (name.md#heading) or to an operation (#operationId).`

/** `<!-- plans -->` and the like stand for what the contract says; a comment of more than two words is a comment. */
function partOf(comment: string, { contract, graphviz }: Site, report: Report): string {
  const [kind, argument = '', ...more] = comment.split(' ')
  if (more.length > 0) return ''
  if (comment === 'plans') return planTable(contract)
  if (comment === 'examples') return exampleTable(contract)
  if (comment === 'cached') return cacheTable(contract)
  if (kind === 'states' && contract.document.components.schemas[argument]?.['x-transitions'])
    return stateDiagram(graphviz, contract, argument)
  report(`"${comment}" is no generated part. Use plans, cached, examples, or states with the name of a schema.`)
  return ''
}

/** The link of the page for `name.md#heading`, `#heading` of an operation or `basis.md#a04`. */
function linkTo(target: string, { pages, start, contract }: Site): string | undefined {
  const [file = '', fragment = ''] = target.split('#')
  if (file === '') return operationLinks(contract).get(fragment)
  if (/^(\.\/)?(openapi\.(yaml|json)|llms\.txt)$/.test(file)) return file
  const name = file.replace(/^(\.\/)?(openapi\/guides\/)?/, '').replace(/\.md$/, '')
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
