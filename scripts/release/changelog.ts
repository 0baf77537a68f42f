import type { Comparison } from './plan.js'
import type { Impact } from './wire.js'

const INTRODUCTION = `# Changelog

Changes for users of the contract, by release. A release that is not frozen changed nothing on the wire.

## Unreleased
`
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** One difference between a release and the one before, as `changes.json` has it. */
export interface ReleaseChange {
  /** An operation, a package, a command, the types of an entry, or what the notes name. */
  where: string
  what: string
  impact: Impact
  /** Whether the compiler reports code that has to change. */
  compileError: boolean
  /** What replaces it. */
  instead?: string
}

export interface Section {
  version: string
  date: string
  comparison: Pick<Comparison, 'last' | 'newDate'>
  changes: ReleaseChange[]
  /** Written by hand: what users have to do, and what is new. Markdown. */
  notes: string
}

/** What the changelog has under "Unreleased": notes that become part of the next release's section. */
export const unreleasedNotes = (changelog: string): string => UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''

/**
 * What has changed as data. The tables of the notes with the columns `where`, `old` and `new`, or `what`, `before` and `now`, say what replaces
 * something; a row that belongs to none of the changes found is a change of behaviour, which no compiler reports.
 */
export function releaseChanges(
  { changes, brokenTypes }: Pick<Comparison, 'changes' | 'brokenTypes'>,
  notes: string,
): ReleaseChange[] {
  const types = brokenTypes.map(
    ({ name, entry, gone }): ReleaseChange => ({
      where: `types of \`${entry}\``,
      what: `${gone ? 'removed' : 'modified'} \`${name}\``,
      impact: 'major',
      compileError: true,
    }),
  )
  const found = [
    ...changes.map(
      ({ subject, text, impact, compiles }): ReleaseChange => ({
        where: subject,
        what: text,
        impact,
        compileError: !compiles,
      }),
    ),
    ...new Map(types.map((each) => [`${each.where} ${each.what}`, each])).values(),
  ]
  const others = migrationRows(notes).filter((row) => {
    const names = namesIn(row.old)
    const replaced = found.filter(
      ({ where, what, impact }) =>
        impact === 'major' && sameEntry(row.where, where) && names.includes(namesIn(what)[0] ?? ''),
    )
    for (const each of replaced) each.instead = replacementOf(namesIn(each.what)[0] ?? '', row)
    return replaced.length === 0
  })
  const behaviour = others.map(
    (row): ReleaseChange => ({
      where: row.where,
      what: row.old,
      impact: 'major',
      compileError: false,
      instead: row.new,
    }),
  )
  return [...found, ...behaviour]
}

/** The new name beside an old one in two lists of the same length, or all that the row says. */
function replacementOf(name: string, row: MigrationRow): string {
  const old = row.old.split(', ')
  const replacements = row.new.split(', ')
  const index = old.indexOf(`\`${name}\``)
  return (old.length === replacements.length && replacements[index]) || row.new
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Whether a row may be about the types of an entry: those that name no entry are about the package's own. */
const sameEntry = (row: string, where: string): boolean =>
  !where.startsWith('types of') || namesIn(where)[0] === (namesIn(row).find((name) => name.startsWith('./')) ?? '.')

interface MigrationRow {
  where: string
  old: string
  new: string
}

/** The rows of the tables whose columns are `where`, `old` and `new`, or `what`, `before` and `now`. */
const migrationRows = (notes: string): MigrationRow[] =>
  [...notes.matchAll(/^\| (?:where|what) \| (?:old|before) \| (?:new|now) \|\n\|[-| ]+\|\n((?:\|.*\n?)+)/gm)].flatMap(
    ([, rows = '']) =>
      rows
        .trim()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
        .map(([, where = '', old = '', replacement = '']) => ({ where, old, new: replacement })),
  )

/** The section of one release: the notes, then what breaks, then the rest. */
export function sectionText({ version, date, comparison, changes, notes }: Section): string {
  const { last, newDate } = comparison
  const breaking = changes.filter(({ impact }) => impact === 'major')
  // Behaviour is in the notes.
  const tables = tablesOf(breaking, notes, changes)
  return [
    `## ${version} - ${date}`,
    newDate &&
      `Frozen as ${date}. To pin a request to it, send \`Service-Version: ${date}\`; which dates a service knows is assumed (A26).`,
    notes || (tables.length === 0 && (last ? 'Nothing of the contract has changed.' : 'The first release.')),
    ...tables,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function tablesOf(breaking: ReleaseChange[], notes: string, changes: ReleaseChange[]): string[] {
  const rows = migrationRows(notes)
  const isNote = ({ where, what }: ReleaseChange) => rows.some((row) => row.where === where && row.old === what)
  const listed = grouped(breaking.filter((each) => !isNote(each)))
  // The notes say which options are new; changes.json lists every member.
  const isMember = ({ where, what }: ReleaseChange) => /^types of/.test(where) && /^added `\w+\.\w+`$/.test(what)
  const others = grouped(changes.filter((each) => each.impact !== 'major' && !isMember(each)))
  return [
    ...(listed.length > 0
      ? [
          '### Breaking',
          table(
            ['where', 'what', 'instead', 'compile error'],
            listed.map((each) => [each.where, each.what, each.instead ?? '', each.compileError ? 'yes' : '**no**']),
          ),
        ]
      : []),
    ...(others.length > 0
      ? [
          '### Changed',
          table(
            ['where', 'what'],
            others.map(({ where, what }) => [where, what]),
          ),
        ]
      : []),
  ]
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|')).join(' | ')} |`)
    .join('\n')

/** By location; names of types that have nothing more to say share a row. */
function grouped(changes: ReleaseChange[]): ReleaseChange[] {
  const rows = new Map<string, ReleaseChange>()
  for (const change of changes.toSorted((a, b) => a.where.localeCompare(b.where))) {
    const [, verb, name] = /^(\w+) (`[^`]+`)$/.exec(change.what) ?? []
    const key = JSON.stringify(verb && !change.instead ? [change.where, verb, change.compileError] : change)
    const row = rows.get(key)
    rows.set(key, row && name ? { ...row, what: `${row.what}, ${name}` } : change)
  }
  return [...rows.values()]
}

/** The changelog with a section inserted before all others, below an "Unreleased" that is empty again. */
export function withSection(changelog: string, section: string): string {
  const released = changelog.replace(UNRELEASED, '')
  const older = released.indexOf('\n## ')
  return `${INTRODUCTION}\n${section}\n${older === -1 ? '' : released.slice(older)}`
}
