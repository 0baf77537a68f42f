import type { BasisEntry } from '../../contract/index.js'
import { escapeHtml, inlineHtml, table } from './html.js'
import { basisLink } from './links.js'

/** The page of the register: its name in links, and its heading. */
export const REGISTER_PAGE = { name: 'basis', title: 'What this contract rests on' }

const KINDS = {
  stated: 'The source specification says so. These hold.',
  observed: 'A value was seen, and the full list is not known. Expect more of them.',
  derived: 'It follows from what is stated, for the reason given.',
  assumed:
    'The source specification is silent, and this is our choice. Nothing that rests on an assumption alone is required, so code that compiles against the types works without it. The last column says what you would see if the choice is wrong.',
}

/** The register as Markdown: one table for each kind, every entry with an anchor of its own. */
export function registerPage(register: BasisEntry[]): string {
  const counts = Object.keys(KINDS).map((kind) => `${register.filter((entry) => entry.kind === kind).length} ${kind}`)
  return [
    `Every part of the contract names the entries of this register that it rests on: ${counts.join(', ')}. "Section" is the section of the source specification that an entry was read from. The command \`workflow-automation verify\` finds out which assumptions a live service confirms.`,
    ...Object.entries(KINDS).map(([kind, meaning]) =>
      [
        `## ${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
        meaning,
        kindTable(register.filter((entry) => entry.kind === kind)),
      ].join('\n\n'),
    ),
  ].join('\n\n')
}

function kindTable(entries: BasisEntry[]): string {
  const assumed = entries.some(({ kind }) => kind === 'assumed')
  const columns = assumed
    ? ['Id', 'Question', 'Choice', 'Because', 'If it is wrong', 'Section']
    : ['Id', 'What it says', 'Section']
  return table(
    columns,
    entries.map((entry) => ({
      id: entry.id.toLowerCase(),
      cells: [
        `<a href="${basisLink([entry], entry.id)}">${entry.id}</a>`,
        ...(assumed
          ? [entry.question, entry.choice, entry.because, entry.ifWrong].map((text) => inlineHtml(text ?? ''))
          : [inlineHtml(entry.text)]),
        escapeHtml(String(entry.section)),
      ],
    })),
    assumed ? 'register assumptions' : 'register',
  )
}
