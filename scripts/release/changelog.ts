import type { Comparison } from './plan.js'
import type { BrokenType } from './types.js'
import type { Change } from './wire.js'

const INTRODUCTION = `# Changelog

What has changed for those who use the contract, by release. A release that is not frozen changed nothing on the wire.
`
const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

export interface Section {
  version: string
  date: string
  /** Whether the contract is frozen under the date. */
  pinned: boolean
  /** With the last release; undefined for the first. */
  comparison: Pick<Comparison, 'changes' | 'brokenTypes'> | undefined
  /** Written by hand: what those have to do whom the release breaks, and what is new. Markdown. */
  notes: string
}

/** What the changelog has under "Unreleased": notes that become part of the next release's section. */
export const unreleasedNotes = (changelog: string): string => UNRELEASED.exec(changelog)?.[1]?.trim() ?? ''

/** The section of one release: the notes, then what breaks, then the rest by operation. */
export function sectionText({ version, date, pinned, comparison, notes }: Section): string {
  const { changes, brokenTypes } = comparison ?? { changes: [], brokenTypes: [] }
  const breaking = changes.filter(({ impact }) => impact === 'major')
  const others = changes.filter(({ impact }) => impact !== 'major')
  const isEmpty = changes.length + brokenTypes.length === 0 && notes === ''
  return [
    `## ${version} - ${date}`,
    pinned
      ? `Frozen as ${date}. To pin a request to it, send \`Service-Version: ${date}\`; which dates a service knows is assumed (A26).`
      : '',
    isEmpty ? (comparison ? 'Nothing of the contract has changed.' : 'The first release.') : '',
    notes,
    ...(breaking.length + brokenTypes.length > 0
      ? ['### Breaking', ...bySubject(breaking), ...byEntry(brokenTypes)]
      : []),
    ...(others.length > 0 ? ['### Changed', ...bySubject(others)] : []),
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

function bySubject(changes: Change[]): string[] {
  const subjects = [...new Set(changes.map(({ subject }) => subject))].sort()
  return subjects.map((subject) => {
    const texts = new Set(changes.filter((change) => change.subject === subject).map(({ text }) => text))
    return [`**${subject}**`, '', ...[...texts].map((text) => `- ${text}`)].join('\n')
  })
}

/** Names alone: what the compiler says of each is for the maintainer. */
function byEntry(brokenTypes: BrokenType[]): string[] {
  const lists = [true, false].flatMap((gone) =>
    [...new Set(brokenTypes.map(({ entry }) => entry))].sort().flatMap((entry) => {
      const found = brokenTypes.filter((each) => each.gone === gone && each.entry === entry)
      const names = [...new Set(found.map(({ name }) => `\`${name}\``))].sort()
      return names.length > 0
        ? [`- ${gone ? 'no longer exported from' : 'changed in'} \`${entry}\`: ${names.join(', ')}`]
        : []
    }),
  )
  return lists.length > 0 ? [['**Types**', '', ...lists].join('\n')] : []
}
