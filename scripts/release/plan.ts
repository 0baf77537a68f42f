import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { parse } from 'yaml'
import { entriesOf } from '../emit/dist.js'
import { frozenPath, type Release, releasesOf } from './frozen.js'
import { brokenTypes } from './types.js'
import { type Change, greatest, type Impact, wireChanges } from './wire.js'

/** What has changed since the last release, and what the next one has to be. */
export interface Comparison {
  last: Release
  changes: Change[]
  brokenTypes: string[]
  /** Undefined when nothing has changed. */
  impact: Impact | undefined
  /** The smallest version that may be released. */
  version: string
  /** Whether the contract needs a release date of its own. */
  newDate: boolean
}

/** The last frozen release, undefined before the first. */
export const lastRelease = (root: string): Release | undefined => releasesOf(root).at(-1)

/** The version of the last release, whether the contract was frozen for it or not. */
export function lastVersion(root: string): string {
  const changelog = join(root, 'CHANGELOG.md')
  const text = existsSync(changelog) ? readFileSync(changelog, 'utf8') : ''
  const released = [...text.matchAll(/^## (\d+\.\d+\.\d+) - /gm)].map(([, version = '']) => version)
  return semver.rsort([...released, ...releasesOf(root).map(({ version }) => version), '0.0.0'])[0] ?? '0.0.0'
}

/** Compares the `generated/` and `dist/` below a folder with the last release. */
export async function compare(root: string, folder: string, last: Release): Promise<Comparison> {
  const changes = await wireChanges(root, frozenPath(root, last, 'yaml'), join(folder, 'generated/openapi.yaml'))
  const frozenTypes = readFileSync(frozenPath(root, last, 'types.txt'), 'utf8')
  const broken = await brokenTypes(join(folder, 'types'), join(folder, 'dist'), frozenTypes, entriesOf(root))
  const impact = greatest([
    ...changes.map((change) => change.impact),
    ...(broken.length > 0 ? (['major'] as const) : []),
  ])
  return {
    last,
    changes,
    brokenTypes: broken,
    impact,
    version: semver.inc(lastVersion(root), impact ?? 'patch') ?? '',
    newDate: impact === 'minor' || impact === 'major',
  }
}

/** The version of the contract as `openapi/openapi.yaml` says it. */
export const contractVersion = (root: string): string =>
  parse(readFileSync(join(root, 'openapi/openapi.yaml'), 'utf8')).info.version
