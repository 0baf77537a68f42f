import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What this package says of itself. */
export const manifest = JSON.parse(
  readFileSync(require.resolve('@workflow-automation/contract/package.json'), 'utf8'),
) as { version: string; peerDependencies: Record<string, string> }

/** The packaged OpenAPI document. */
export const documentPath = (): string => require.resolve('@workflow-automation/contract/openapi.yaml')
