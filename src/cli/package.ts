import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Option } from 'commander'
import { releases } from '../../generated/operations.js'

const require = createRequire(import.meta.url)

/** The package.json of this package. */
export const manifest = JSON.parse(
  readFileSync(require.resolve('@workflow-automation/contract/package.json'), 'utf8'),
) as { name: string; version: string; peerDependencies: Record<string, string> }

const RELEASES = '@workflow-automation/contract-releases'

/** The packaged OpenAPI document, as it is or as a release froze it. */
export const documentPath = (release?: string): string =>
  release === undefined ? require.resolve('@workflow-automation/contract/openapi.yaml') : frozenPath(`${release}.yaml`)

/** The path of a file of the package of frozen releases; the process ends with how to install it when it is missing. */
export function frozenPath(file: string): string {
  try {
    return require.resolve(`${RELEASES}/${file}`)
  } catch {
    process.stderr.write(
      `Frozen releases are in a package of their own. Add it: npm install --save-dev ${RELEASES}@latest\n`,
    )
    process.exit(1)
  }
}

/** The option that chooses a frozen release. */
export const releaseOption = (): Option =>
  new Option('--release <date>', 'frozen release of the contract to use').choices(releases)
