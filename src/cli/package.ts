import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Option } from 'commander'
import { releases } from '../../generated/operations.js'

const require = createRequire(import.meta.url)

/** What this package says of itself. */
export const manifest = JSON.parse(
  readFileSync(require.resolve('@workflow-automation/contract/package.json'), 'utf8'),
) as { version: string; peerDependencies: Record<string, string> }

/** The packaged OpenAPI document, as it is or as a release froze it. */
export const documentPath = (release?: string): string =>
  require.resolve(`@workflow-automation/contract/${release === undefined ? 'openapi' : `releases/${release}`}.yaml`)

/** The option that chooses a frozen release. */
export const releaseOption = (): Option =>
  new Option('--release <date>', 'a frozen release of the contract instead of this one').choices(releases)
