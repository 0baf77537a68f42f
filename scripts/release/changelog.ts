import type { Comparison } from './plan.js'

const INTRODUCTION = `# Changelog

What has changed for those who use the contract, by release. A release that is not frozen changed nothing on the wire.
`
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

export interface Section {
  version: string
  date: string
  comparison: Pick<Comparison, 'last' | 'changes' | 'brokenTypes' | 'newDate'>
  /** Written by hand: what those have to do whom the release breaks, and what is new. Markdown. */
  notes: string
}

/** What the changelog has under "Unreleased": notes that become part of the next release's section. */
export const unreleasedNotes = (changelog: string): string => UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''

/** The section of one release: the notes, then what breaks, then the rest by operation. */
export function sectionText({ version, date, comparison, notes }: Section): string {
  const { last, changes, brokenTypes, newDate } = comparison
  const breaking = [...bySubject(changes.filter(({ impact }) => impact === 'major')), ...byEntry(brokenTypes)]
  const others = bySubject(changes.filter(({ impact }) => impact !== 'major'))
  return [
    `## ${version} - ${date}`,
    newDate &&
      `Frozen as ${date}. To pin a request to it, send \`Service-Version: ${date}\`; which dates a service knows is assumed (A26).`,
    notes ||
      (breaking.length + others.length === 0 && (last ? 'Nothing of the contract has changed.' : 'The first release.')),
    ...(breaking.length > 0 ? ['### Breaking', ...breaking] : []),
    ...(others.length > 0 ? ['### Changed', ...others] : []),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The changelog with a section inserted before all others, instead of "Unreleased". */
export function withSection(changelog: string, section: string): string {
  const released = changelog.replace(UNRELEASED, '')
  const older = released.indexOf('\n## ')
  return `${INTRODUCTION}\n${section}\n${older === -1 ? '' : released.slice(older)}`
}

const bySubject = (changes: Comparison['changes']): string[] =>
  grouped(changes.map(({ subject, text }) => [subject, `- ${text}`])).map(([subject, texts]) =>
    [`**${subject}**`, '', ...texts].join('\n'),
  )

/** Names alone: what the compiler says of each is for the maintainer. */
function byEntry(brokenTypes: Comparison['brokenTypes']): string[] {
  const lists = [true, false].flatMap((isGone) => {
    const found = brokenTypes.filter(({ gone }) => gone === isGone)
    return grouped(found.map(({ entry, name }) => [entry, `\`${name}\``])).map(
      ([entry, names]) =>
        `- ${isGone ? 'no longer exported from' : 'changed in'} \`${entry}\`: ${names.sort().join(', ')}`,
    )
  })
  return lists.length > 0 ? [['**Types**', '', ...lists].join('\n')] : []
}

/** The texts of each key once, by key. */
function grouped(pairs: [key: string, text: string][]): [key: string, texts: string[]][] {
  const textsOf = (key: string) => pairs.filter(([each]) => each === key).map(([, text]) => text)
  return [...new Set(pairs.map(([key]) => key))].sort().map((key) => [key, [...new Set(textsOf(key))]])
}
