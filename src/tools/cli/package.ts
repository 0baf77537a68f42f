import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** The package.json of this package. */
export const manifest = JSON.parse(
  readFileSync(require.resolve('@workflow-automation/contract/package.json'), 'utf8'),
) as { name: string; version: string; peerDependencies: Record<string, string> }

/** The packaged OpenAPI document. */
export const documentPath = (): string => require.resolve('@workflow-automation/contract/openapi.yaml')
