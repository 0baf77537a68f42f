import type { BasisEntry } from '../../contract/index.js'
import { entryHtml, inlineHtml } from './html.js'
import { basisLink, slug } from './links.js'

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
    `Every part of the contract names the entries of this register that it rests on: ${counts.join(', ')}. "Section" is the section of the source specification that an entry was read from; its link leads to all entries of it. The command \`workflow-automation verify\` finds out which assumptions a live service confirms.`,
    ...Object.entries(KINDS).map(([kind, meaning]) =>
      [
        `## ${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
        meaning,
        ...register.filter((entry) => entry.kind === kind).map(entryOf),
      ].join('\n\n'),
    ),
    `## ${BY_SECTION}`,
    ...[...new Set(register.map(({ section }) => section))].sort((one, other) => one - other).map(sectionOf(register)),
  ].join('\n\n')
}

const BY_SECTION = 'By section'

const sectionOf = (register: BasisEntry[]) => (section: number) => {
  const links = register.filter((entry) => entry.section === section).map(({ id }) => linkOf(register, id))
  return entryHtml([`Section ${section}: ${links.join(', ')}`], `section-${section}`)
}

const linkOf = (register: Pick<BasisEntry, 'id' | 'kind'>[], id: string) =>
  `<a href="${basisLink(register, id)}">${id}</a>`

function entryOf({ id, kind, section, text, question, choice = '', because = '', ifWrong = '' }: BasisEntry): string {
  const link = linkOf([{ id, kind }], id)
  const source = `<small><a href="#/${REGISTER_PAGE}/${slug(BY_SECTION)}#section-${section}">Section ${section}</a></small>`
  const paragraphs = question
    ? [
        `${link}: <strong>${inlineHtml(question)}</strong> ${inlineHtml(choice)}`,
        inlineHtml(because),
        `If it is wrong: ${inlineHtml(ifWrong)} ${source}`,
      ]
    : [`${link}: ${inlineHtml(text)} ${source}`]
  return entryHtml(paragraphs, id.toLowerCase())
}
