import type { BasisEntry } from '../../../contract/index.js'

/** The kinds in words, in the order of the page: those that a reader has to check come first. */
const KINDS = {
  assumed: [
    'The source specification is silent, and this is our choice. Nothing that rests on an assumption alone is required,',
    'so code that compiles against the types works without it. Each entry says what you would see if the choice is wrong.',
  ].join(' '),
  observed: 'A value was seen, and the full list is not known. Expect more of them.',
  derived: 'It follows from what is stated, for the reason given.',
  stated: 'The source specification says so. You may rely on it.',
} as const

/** The sections of the source specification, by number. */
const AREAS = [
  'The service',
  'Resources',
  'States',
  'Endpoints',
  'Authentication',
  'Events',
  'Errors',
  'Limits and caching',
  'Versioning',
]

/** The subject of an entry: the section of the specification that it was read from, or that is silent. */
export const areaOf = ({ section }: Pick<BasisEntry, 'section'>): string => AREAS[section - 1] ?? `Section ${section}`

/** The register as Markdown, by kind: each entry as `write` has it, and `before` the kinds what a page adds. */
export function registerText(register: BasisEntry[], write = entryText, before: string[] = []): string {
  const ofKind = (kind: string) => register.filter((entry) => entry.kind === kind)
  const counts = Object.keys(KINDS).map((kind) => `${ofKind(kind).length} ${kind}`)
  return [
    [
      `Every part of the contract names the entries of this register that it rests on: ${counts.join(', ')}.`,
      "Section numbers refer to the service's specification.",
      'The command `npx @workflow-automation/contract verify` finds out which assumptions a live service confirms.',
    ].join(' '),
    ...before,
    ...Object.entries(KINDS).flatMap(([kind, meaning]) => [
      `## ${kind.replace(/^./, (letter) => letter.toUpperCase())}`,
      meaning,
      ...ofKind(kind).map(write),
    ]),
  ].join('\n\n')
}

function entryText(entry: BasisEntry): string {
  const { says, source } = paragraphsOf(entry)
  return [...says, source].join('\n\n')
}

/** An entry as paragraphs of Markdown: its heading and what it says, and where that is from. */
export function paragraphsOf(entry: BasisEntry): { says: string[]; source: string } {
  const { id, section, text, question, choice = '', because = '', ifWrong = '', notEnforced } = entry
  const says = question
    ? [`**${inline(question)}** ${inline(choice)}`, inline(because), `If it is wrong: ${inline(ifWrong)}`]
    : [inline(text), ...(notEnforced ? [`Not enforced: ${inline(notEnforced)}`] : [])]
  return { says: [`### ${id}`, ...says], source: `${areaOf(entry)}, section ${section} of the specification` }
}

/** A sentence of the register as Markdown, with the names of fields and headers as code. */
const inline = (text: string): string =>
  text.replaceAll(/`[^`]+`|\b[a-z]+(?:_[a-z]+)+\b|[<>{}]/g, (part) =>
    part.startsWith('`') ? part : /^[<>{}]$/.test(part) ? `\\${part}` : `\`${part}\``,
  )
