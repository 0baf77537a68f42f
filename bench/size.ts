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

const UNWANTED = ['sandbox', 'validators', 'examples']

/** The bundle sizes of the client and of its peers. */
export async function size(): Promise<boolean> {
  const rows = []
  let passed = true
  for (const [name, contents] of Object.entries(MODULES)) {
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      metafile: true,
      logLevel: 'error',
    })
    const code = outputFiles[0]?.contents ?? new Uint8Array()
    const gzip = gzipSync(code, { level: 9 }).length
    rows.push({ module: name, 'min (B)': code.length, 'min + gzip (B)': gzip })
    if (name !== 'this client') continue
    const strangers = Object.keys(metafile.inputs).filter((input) => UNWANTED.some((part) => input.includes(part)))
    passed = gzip <= 15_500 && strangers.length === 0
    if (strangers.length > 0) process.stdout.write(`createClient pulls in ${strangers.join(', ')}\n`)
  }
  printTable('Size of the main export, esbuild; this client: at most 15,500 B', rows)
  return passed
}
