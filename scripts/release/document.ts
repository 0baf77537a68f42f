import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { parse } from 'yaml'
import type { BasisEntry } from '../contract/index.js'
import { loadContract } from '../contract/load.js'
import { emitDocuments } from '../emit/openapi.js'
import type { Diagnostic } from '../support/diagnostics.js'
import { type Change, greatest, type Impact } from './change.js'
import { wireChanges } from './wire.js'

/** The document as last released. */
export const RELEASED = 'openapi/released.yaml'

/** The changes of the document since the last release, and the smallest version that fits the changes. */
export interface Comparison {
  /** The last release. */
  last: string
  changes: Change[]
  /** Undefined when nothing has changed. */
  impact: Impact | undefined
  needed: string
  /** The stated entries that nothing obeys. */
  notEnforced: BasisEntry[]
}

/** Compares a generated document with the one that was released last. */
export async function compare(root: string, document: string): Promise<Comparison> {
  const changes = await wireChanges(root, join(root, RELEASED), document)
  const last = packageVersion(root)
  const impact = greatest(changes.map((change) => change.impact))
  const entries: BasisEntry[] = parse(readFileSync(document, 'utf8'))['x-basis-register'] ?? []
  const notEnforced = entries.filter((each) => each.notEnforced)
  return { last, changes, impact, needed: semver.inc(last, impact ?? 'patch') ?? '', notEnforced }
}

/** The version of the package, which is that of the last release. */
export const packageVersion = (root: string): string =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version

/** The version of the document as `openapi/openapi.yaml` has it, which leads. */
const documentVersion = (root: string): string =>
  parse(readFileSync(join(root, 'openapi/openapi.yaml'), 'utf8')).info.version

/** Problems of the document's version, and of the document that was released. */
export function versionProblems(root: string, { last, changes, impact, needed }: Comparison): Diagnostic[] {
  const { version } = parse(readFileSync(join(root, RELEASED), 'utf8')).info
  const stale = `This is the document of ${version}, and package.json is of ${last}. Only "npm run release" writes either; restore both with Git.`
  const problems = version === last ? [] : [{ file: RELEASED, rule: 'released', message: stale }]
  if (impact !== 'major' || semver.gte(documentVersion(root), needed)) return problems
  const breaking = changes.filter((change) => change.impact === 'major')
  return [
    ...problems,
    ...breaking.map((change) => ({
      file: 'openapi/openapi.yaml',
      rule: 'breaking',
      message: `${phraseOf(change)}. This breaks users of ${last}; undo it, or raise info.version to ${needed}.`,
    })),
  ]
}

const phraseOf = ({ subject, text }: Change): string => `${subject}: ${text}`

/** Who notices a change, by the half of the exchange that it is about. */
const READERS = [
  ['For code that sends requests', 'request'],
  ['For code that reads responses', 'response'],
  ['For both, and for those who implement the service', undefined],
] as const

/** The changes in words, by whom they concern; what breaks comes first. */
export function changesText({ last, changes, notEnforced }: Comparison): string {
  const stated = notEnforced.map(({ id, text, notEnforced: reason }) => `  ${id}: ${text} ${reason}`)
  const rest = stated.length > 0 ? `\nStated, and not enforced by this package:\n\n${stated.join('\n')}\n` : ''
  if (changes.length === 0) return `The document is that of ${last}.\n${rest}`
  const lines = READERS.flatMap(([title, side]) => {
    const found = changes.filter((change) => change.side === side)
    const sorted = (['major', 'minor', 'patch'] as const).flatMap((impact) =>
      found.filter((change) => change.impact === impact),
    )
    return sorted.length === 0 ? [] : [`${title}:`, ...new Set(sorted.map((change) => `  ${lineOf(change)}`))]
  })
  return `What has changed in the document since ${last}:\n\n${lines.join('\n')}\n${rest}`
}

const lineOf = (change: Change): string =>
  `${change.impact.padEnd(5)}  ${phraseOf(change)}${change.undeprecated ? ' (it was not marked as deprecated)' : ''}`

/**
 * The version that was asked for, or the greater of what `openapi/openapi.yaml` has and what the changes need.
 *
 * @throws Error when it is too small, or does not follow the last release
 */
export function chosenVersion(root: string, wanted: string | undefined, { last, impact, needed }: Comparison): string {
  const written = documentVersion(root)
  const version = wanted ?? (semver.gt(written, needed) ? written : needed)
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`"${version}" is not a version. Write three numbers, for example ${needed}.`)
  const [patch, minor, major] = (['patch', 'minor', 'major'] as const).map((impact) => semver.inc(last, impact))
  if (semver.lte(version, last))
    throw new Error(`${version} is not greater than ${last}, the last release. Release ${needed} or more.`)
  if (![patch, minor, major].includes(version))
    throw new Error(`${version} does not follow ${last}. Release ${patch}, ${minor} or ${major}.`)
  if (semver.lt(version, needed))
    throw new Error(
      `${version} is too small: the changes of the document since ${last} are ${impact ?? 'patch'}. Release ${needed} or more.`,
    )
  if (semver.lt(version, written))
    throw new Error(`${version} is less than ${written}, the info.version of openapi/openapi.yaml. Release that.`)
  return version
}

/** Keeps the document of a folder as the one that was released last. */
export async function freeze(root: string): Promise<void> {
  const comment = '# The document as last released, written by `npm run release`. `npm run check` compares with it.'
  const { 'openapi.yaml': document = '' } = emitDocuments(await loadContract(root))
  writeFileSync(join(root, RELEASED), document.replace(/^#.*/, comment))
}
