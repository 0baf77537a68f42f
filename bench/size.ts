/**
 * How many bytes does an application download for this client, and how many for its peers?
 *
 *     npm --prefix bench ci && npx tsx bench/size.ts
 *
 * `budgets.json` is the limit of this client, and `npm run check` holds it. The peers here are no goal: they do less or other work.
 */
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { printTable } from './table.js'

const MODULES: Record<string, string> = {
  'this client': "export { createClient } from '../src/index.js'",
  'openapi-fetch': "export { default } from 'openapi-fetch'",
  ky: "export { default } from 'ky'",
  openai: "export { default } from 'openai'",
  octokit:
    "export { Octokit } from '@octokit/core'; export { retry } from '@octokit/plugin-retry'; export { throttling } from '@octokit/plugin-throttling'",
}

const rows = []
for (const [name, contents] of Object.entries(MODULES)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  rows.push({ module: name, 'min (B)': code.length, 'min + gzip (B)': gzipSync(code, { level: 9 }).length })
}
printTable('Size of the main export, esbuild', rows)
