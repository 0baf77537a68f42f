import type { Change } from './wire.js'

const HEADING = '# Changelog'
const INTRODUCTION = `${HEADING}

What has changed for those who use the contract, by release. A release that is not frozen changed nothing on the wire.
`

export interface Section {
  version: string
  /** The date of the release, and whether the contract has a new one. */
  date: string
  pinned: boolean
  changes: Change[]
  brokenTypes: string[]
  /** What those have to do whom the release breaks, Markdown. */
  migration: string | undefined
  /** What to say when nothing is compared, or nothing of the contract has changed. */
  note: string
}

/** The section of one release: what breaks first, then the rest, by operation. */
export function sectionText({ version, date, pinned, changes, brokenTypes, migration, note }: Section): string {
  const breaking = changes.filter(({ impact }) => impact === 'major')
  const others = changes.filter(({ impact }) => impact !== 'major')
  return [
    `## ${version} - ${date}`,
    pinned
      ? `Frozen as ${date}. To pin a request to it, send \`Service-Version: ${date}\`; which dates a service knows is assumed (A26).`
      : '',
    changes.length + brokenTypes.length === 0 ? note : '',
    ...(breaking.length + brokenTypes.length > 0
      ? ['### Breaking', ...bySubject(breaking), ...typeList(brokenTypes)]
      : []),
    ...(migration ? ['### How to migrate', migration.trim()] : []),
    ...(others.length > 0 ? ['### Changed', ...bySubject(others)] : []),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The changelog with a section put before all others. */
export function withSection(changelog: string, section: string): string {
  const older = changelog.indexOf('\n## ')
  return `${INTRODUCTION}\n${section}\n${older === -1 ? '' : changelog.slice(older)}`
}

function bySubject(changes: Change[]): string[] {
  const subjects = [...new Set(changes.map(({ subject }) => subject))].sort()
  return subjects.map((subject) => {
    const texts = new Set(changes.filter((change) => change.subject === subject).map(({ text }) => text))
    return [`**${subject}**`, '', ...[...texts].map((text) => `- ${text}`)].join('\n')
  })
}

const typeList = (brokenTypes: string[]): string[] =>
  brokenTypes.length > 0 ? [['**Types**', '', ...brokenTypes.map((text) => `- ${text}`)].join('\n')] : []
