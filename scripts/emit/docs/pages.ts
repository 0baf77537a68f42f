import type { Graphviz } from '@hpcc-js/wasm-graphviz'
import type { BasisEntry, Contract } from '../../contract/index.js'
import { RELIABLE_CELL, RELIABLE_ROW } from '../../lint/prose.js'
import { frontMatter } from '../text.js'
import type { Guide, Guides } from './guides.js'
import { REGISTER, withBasisLinks } from './links.js'
import { areaOf, paragraphsOf, registerText } from './parts/register.js'
import { stateDiagram } from './parts/transitions.js'
import { withPrograms } from './programs.js'

/** The site's additions to the guides: diagrams, badges, runnable code, and other words by which the search finds a page. */
export function sitePages(
  contract: Contract,
  { start, groups }: Guides,
  graphviz: Graphviz,
  words: Readonly<Record<string, string>>,
): Map<string, string> {
  const guides = groups.flatMap(({ guides }) => guides)
  const decorate = ({ name, title, summary, text }: Guide): [string, string] => {
    const ran = withPrograms(name, text)
    const drawn = ran.replaceAll(/<!-- states (\w+) -->/g, (_, schema) => stateDiagram(graphviz, contract, schema))
    const decorated = (DECORATIONS[name] ?? String)(drawn, contract.register)
    const outline = name === REGISTER && { outline: 2 }
    const settings = { title, description: summary, pageClass: name, words: words[name], ...outline }
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
  changelog: (text) => withFoldedSections(text),
}

/** The changelog with each section of a release behind one line that opens, what to change in the newest one open, and the words of a table in full. */
function withFoldedSections(text: string): string {
  let opened = false
  return text
    .replaceAll('| where | old | new |', '| Where | Before | After |')
    .replaceAll(/(?<=^\|.*)\| [a-z](?=[\w-]* )/gm, (start) => start.toUpperCase())
    .replaceAll(/^### (.+)\n([\s\S]*?)(?=^##|(?![\s\S]))/gm, (_, title: string, notes: string) => {
      const isBreaking = title === 'What to change'
      const label = isBreaking ? ` ${badge('no', 'breaking')}` : ''
      const open = isBreaking && !opened ? ' open' : ''
      opened ||= isBreaking
      return `<details${open}><summary>${title}${label}</summary>\n\n${notes.trim()}\n\n</details>\n\n`
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
    `<p class="source">${source}</p>`,
    '</div>',
  ].join('\n\n')
}

/** Whether something is reliable as a badge, and the reason beside it. The prose lint reports rows that begin otherwise. */
function withBadges(text: string): string {
  const legend = text.replaceAll(/\*\*(yes|no|assumed|not known)\*\*/gi, (_, word: string) =>
    badge(word.toLowerCase().split(' ')[0] ?? '', word),
  )
  return legend.replaceAll(RELIABLE_ROW, (row, question, cell: string, basis) => {
    const [whole = '', outcome = '', assumed] = RELIABLE_CELL.exec(cell) ?? []
    if (!outcome) return row
    const [kind = ''] = /^\w+/.exec(outcome.toLowerCase()) ?? []
    return `${question}${badge(kind, assumed ? `${assumed} (assumed)` : outcome)} ${cell.slice(whole.length)}${basis}`
  })
}

const badge = (kind: string, words: string) =>
  `<span class="badge ${kind}">${words.replace(/^./, (letter) => letter.toUpperCase())}</span>`
