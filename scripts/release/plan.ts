import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { parse } from 'yaml'
import { generate } from '../build.js'
import { DECLARATIONS, emitDist, entriesOf } from '../emit/dist.js'
import { openStage } from '../stage.js'
import { frozenPath, type Release, releasesOf } from './frozen.js'
import { type Surface, surfaceChanges, surfaceOf } from './surface.js'
import { type BrokenType, collectTypes, type TypeChanges, typeChanges } from './types.js'
import { type Change, greatest, type Impact, wireChanges } from './wire.js'

/** What has changed since the last release, and what the next one has to be. */
export interface Comparison {
  /** Undefined before the first release, which has nothing to be compared with. */
  last: Release | undefined
  /** On the wire, in the public types that are new, and in what else is frozen. */
  changes: Change[]
  brokenTypes: BrokenType[]
  /** The exports and members that are new. */
  addedTypes: TypeChanges['added']
  /** What is frozen of today beside the document and the types. */
  surface: Surface
  /** Undefined when nothing has changed. */
  impact: Impact | undefined
  /** The smallest version that may be released. */
  version: string
  /** Whether the contract needs a release date of its own. */
  newDate: boolean
}

/** Generates the contract and its declarations as they are now, and compares them with the last release. */
export async function inspect(root: string): Promise<{ comparison: Comparison; types: string }> {
  using stage = openStage(root)
  const { files } = generate(root, stage)
  const dist = stage.step('dist', [files], () => emitDist(root, stage.folder))
  const comparison = stage.step('compare', [dist], () => compare(root, stage.folder))
  await stage.settled()
  return { comparison: await comparison, types: collectTypes(join(stage.folder, DECLARATIONS), entriesOf(root)) }
}

/** Compares the `generated/`, the declarations and the `dist/` below a folder with the last frozen release. */
export async function compare(root: string, folder: string): Promise<Comparison> {
  const last = releasesOf(root).at(-1)
  const surface = await surfaceOf(root, join(folder, 'dist/src/cli/index.js'))
  const none = { changes: [], brokenTypes: [], addedTypes: [], impact: undefined, surface }
  if (!last) return { last, ...none, version: contractVersion(root), newDate: true }
  const wire = await wireChanges(root, frozenPath(root, last.date, 'yaml'), join(folder, 'generated/openapi.yaml'))
  const frozenTypes = readFileSync(frozenPath(root, last.date, 'types.txt'), 'utf8')
  const types = await typeChanges(join(folder, 'types'), join(folder, DECLARATIONS), frozenTypes, entriesOf(root))
  const frozenSurface = frozenPath(root, last.date, 'surface.yaml')
  const rest = existsSync(frozenSurface) ? surfaceChanges(parse(readFileSync(frozenSurface, 'utf8')), surface) : []
  const changes = [...wire, ...types.added.map(newType), ...rest]
  const { broken, added } = types
  const impact = broken.length > 0 ? 'major' : greatest(changes.map((change) => change.impact))
  const version = semver.inc(lastVersion(root), impact ?? 'patch') ?? ''
  const newDate = impact === 'minor' || impact === 'major'
  return { last, changes, brokenTypes: broken, addedTypes: added, impact, version, newDate, surface }
}

const newType = ({ entry, name }: TypeChanges['added'][number]): Change => ({
  impact: 'minor',
  subject: `types of \`${entry}\``,
  text: `added \`${name}\``,
  compiles: true,
})

/** The version of the last release, whether the contract was frozen for it or not. */
function lastVersion(root: string): string {
  const released = [...changelogOf(root).matchAll(/^## (\d+\.\d+\.\d+) - /gm)].map(([, version = '']) => version)
  return semver.rsort([...released, ...releasesOf(root).map(({ version }) => version)])[0] ?? '0.0.0'
}

export const changelogOf = (root: string): string => {
  const path = join(root, 'CHANGELOG.md')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The version of the contract as `openapi/openapi.yaml` says it. */
export const contractVersion = (root: string): string =>
  parse(readFileSync(join(root, 'openapi/openapi.yaml'), 'utf8')).info.version

/** What breaks those who use the last release, each in one phrase. */
export const breakingChanges = ({ changes, brokenTypes }: Comparison): string[] => [
  ...changes.filter(({ impact }) => impact === 'major').map(({ subject, text }) => `${subject}: ${text}`),
  ...brokenTypes.map(({ name, entry, reason }) => `"${name}" of ${entry}: ${reason}`),
]

/**
 * The version that was asked for, or the greater of what `openapi/openapi.yaml` says and what the changes need.
 *
 * @throws Error when it is too small
 */
export function chosenVersion(
  root: string,
  wanted: string | undefined,
  { last, impact, version: needed }: Comparison,
): string {
  const written = contractVersion(root)
  const version = wanted ?? (semver.gt(written, needed) ? written : needed)
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`"${version}" is not a version. Write three numbers, for example ${needed}.`)
  if (last && semver.lt(version, needed))
    throw new Error(
      `${version} is too small: the changes since ${last.version} are ${impact ?? 'patch'}, and the last release is ${lastVersion(root)}. Release ${needed} or more.`,
    )
  return version
}
