import type { BasisEntry } from '../../contract/index.js'
import { inlineHtml } from './html.js'
import { basisLink } from './links.js'

/** The page of the register, by which links name it. */
export const REGISTER_PAGE = 'basis'

const KINDS = {
  stated: 'The source specification says so. These hold.',
  observed: 'A value was seen, and the full list is not known. Expect more of them.',
  derived: 'It follows from what is stated, for the reason given.',
  assumed:
    'The source specification is silent, and this is our choice. Nothing that rests on an assumption alone is required, so code that compiles against the types works without it. Each entry says what you would see if the choice is wrong.',
}

/** The register as Markdown, by kind. */
export function registerPage(register: BasisEntry[]): string {
  const counts = Object.keys(KINDS).map((kind) => `${register.filter((entry) => entry.kind === kind).length} ${kind}`)
  return [
    '# What this contract rests on',
    `Every part of the contract names the entries of this register that it rests on: ${counts.join(', ')}. "Section" is the section of the source specification that an entry was read from. The command \`workflow-automation verify\` finds out which assumptions a live service confirms.`,
    ...Object.entries(KINDS).map(([kind, meaning]) =>
      [
        `## ${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
        meaning,
        ...register.filter((entry) => entry.kind === kind).map(entryHtml),
      ].join('\n\n'),
    ),
  ].join('\n\n')
}

/** An entry with an anchor of its own. */
function entryHtml({ id, kind, section, text, question, choice = '', because = '', ifWrong = '' }: BasisEntry): string {
  const parts = question
    ? [
        `<strong>${inlineHtml(question)}</strong> ${inlineHtml(choice)}`,
        inlineHtml(because),
        `If it is wrong: ${inlineHtml(ifWrong)}`,
      ]
    : [inlineHtml(text)]
  const [first, ...others] = [...parts.slice(0, -1), `${parts.at(-1)} <small>Section ${section}</small>`]
  const link = `<a href="${basisLink([{ id, kind }], id)}">${id}</a>`
  return `<div class="entry" id="${id.toLowerCase()}"><p>${link}: ${first}</p>${others.map((each) => `<p>${each}</p>`).join('')}</div>`
}
