import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The package.json of this package. */
export const manifest = JSON.parse(
  readFileSync(require.resolve('@workflow-automation/contract/package.json'), 'utf8'),
) as { name: string; version: string; peerDependencies: Record<string, string> }

/** The path of a file that the package exports, such as `openapi.yaml`. */
export const packagedFile = (name: string): string => require.resolve(`@workflow-automation/contract/${name}`)
