import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const PACKAGES = {
  redocly: '@redocly/cli',
  prism: '@stoplight/prism-cli',
  spectral: '@stoplight/spectral-cli',
  // TypeScript 7, which is native and takes a fifth of the time of the one that openapi-typescript needs.
  tsc: 'typescript-native',
}
export type Tool = keyof typeof PACKAGES

const require = createRequire(import.meta.url)

/** The script that a tool of the project starts with. */
export function toolPath(tool: Tool): string {
  const manifest = require.resolve(`${PACKAGES[tool]}/package.json`)
  const { bin } = require(manifest) as { bin: Record<string, string> | string }
  return join(dirname(manifest), typeof bin === 'string' ? bin : (bin[tool] ?? ''))
}

/**
 * Runs a tool of the project to its end and answers what it printed to standard output. Its standard error shows only
 * when it fails: Redocly prints a banner there at every call.
 */
export const run = (
  tool: Tool,
  args: string[],
  { cwd, signal }: { cwd: string; signal?: AbortSignal },
): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [toolPath(tool), ...args],
      {
        cwd,
        maxBuffer: 64 * 1024 * 1024,
        env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', REDOCLY_TELEMETRY: 'off' },
        ...(signal && { signal }),
      },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${tool} ${args[0]} failed: ${stderr.trim() || stdout.trim() || error.message}`))
        else resolve(stdout)
      },
    )
  })
