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

/**
 * Reads the guides in the order of `openapi/guides/index.yaml`. A guide that is not listed there follows in the first
 * group, by name.
 *
 * @throws BuildError for a guide that is listed but not there, an unknown generated part or a link that leads nowhere
 */
export async function readGuides(root: string, contract: Contract): Promise<Guides> {
  const index: Index = parse(await readFile(join(root, FOLDER, 'index.yaml'), 'utf8'))
  const files = (await readdir(join(root, FOLDER))).filter((file) => file.endsWith('.md')).sort()
  const present = files.map((file) => file.replace(/\.md$/, ''))
  const listed = [index.start, ...index.groups.flatMap(({ guides }) => guides)]
  const diagnostics = listed
    .filter((name) => !present.includes(name))
    .map((name) =>
      diagnostic('index.yaml', `"${name}" is listed but ${FOLDER}/${name}.md is not there. Write it or remove it.`),
    )
  throwIfProblems(diagnostics)
  const unlisted = present.filter((name) => !listed.includes(name))
  const sources = new Map<string, string>()
  for (const name of present) sources.set(name, await readFile(join(root, FOLDER, `${name}.md`), 'utf8'))
  const changelog = join(root, 'CHANGELOG.md')
  sources.set(REGISTER_PAGE.name, `# ${REGISTER_PAGE.title}\n\n${registerPage(contract.register)}`)
  if (existsSync(changelog)) sources.set('changelog', await readFile(changelog, 'utf8'))
  const otherLanguages = otherLanguagesPage(root)
  if (otherLanguages) sources.set('other-languages', otherLanguages)
  const graphviz = await Graphviz.load()
  const guideOf = (name: string): Guide => {
    const report = (message: string) => diagnostics.push(diagnostic(`${name}.md`, message))
    const [, title, rest = ''] = (sources.get(name) ?? '').match(/^# (.+)\n([\s\S]*)$/) ?? []
    if (!title) report('The first line is no heading. Begin with "# " and the title.')
    const link = (target: string) => linkTo(target, sources, index.start, contract) ?? report(noTarget(target))
    const text = outsideCode(rest, (prose) =>
      prose
        .replaceAll(/^<!-- (.+) -->$/gm, (_, part: string) => partOf(part, contract, graphviz, report))
        .replaceAll(/\]\((?!https?:|#\/)([^)\s]+)\)/g, (_, target: string) => `](${link(target)})`),
    ).trim()
    return {
      name,
      title: title ?? name,
      text: name === REGISTER_PAGE.name ? text : withBasisLinks(text, contract.register),
    }
  }
  const guides: Guides = {
    start: guideOf(index.start),
    groups: [
      ...index.groups.map(({ name, guides }, at) => ({
        name,
        guides: [...guides, ...(at === 0 ? unlisted : [])].map(guideOf),
      })),
      {
        name: 'About the contract',
        guides: [REGISTER_PAGE.name, 'other-languages', 'changelog'].filter((name) => sources.has(name)).map(guideOf),
      },
    ],
  }
  throwIfProblems(diagnostics)
  return guides
}

const noTarget = (target: string): string =>
  `"${target}" leads nowhere. Link to a guide (name.md#heading) or to an operation (#operationId).`

/** `<!-- plans -->` and the like stand for what the contract says; a comment of more than two words is a comment. */
function partOf(comment: string, contract: Contract, graphviz: Graphviz, report: (message: string) => void): string {
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
function linkTo(target: string, sources: Map<string, string>, start: string, contract: Contract): string | undefined {
  const [file = '', fragment = ''] = target.split('#')
  if (file === '') return operationLinks(contract).get(fragment)
  if (/^(\.\/)?(openapi\.(yaml|json)|llms\.txt)$/.test(file)) return file
  const name = file.replace(/^(\.\/)?(openapi\/guides\/)?/, '').replace(/\.md$/, '')
  const source = sources.get(name)
  if (source === undefined) return undefined
  if (name === REGISTER_PAGE.name && fragment) return basisLink(contract.register, fragment.toUpperCase())
  const headings = [...source.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => slug(heading))
  if (fragment && !headings.includes(fragment)) return undefined
  if (name === start) return fragment ? `#/section/${fragment}` : '#/'
  return fragment ? `#/${name}/${fragment}` : `#/${name}`
}

const diagnostic = (file: string, message: string): Diagnostic => ({
  file: `${FOLDER}/${file}`,
  rule: 'guides',
  message,
})
