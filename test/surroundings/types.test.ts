import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What the compiler says of a program that imports the built package. */
function problemsOf(source: string, options: ts.CompilerOptions): string[] {
  const file = join(import.meta.dirname, 'compiled.ts')
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, getSourceFile } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.readFile = (path) => (path === file ? source : readFile(path))
  host.getSourceFile = (path, target) =>
    path === file ? ts.createSourceFile(path, source, target) : getSourceFile(path, target)
  const program = ts.createProgram([file], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${file?.fileName.replace(root, '')}: ${text}`
  })
}

const STRICT: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  exactOptionalPropertyTypes: true,
  types: [],
}

const CLIENT = `import { createClient, RunFailedError } from '../../dist/src/index.js'
export const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'wk_1' })
export const run = await client.waitForRun('run_1')
export const error: Error = new RunFailedError('It failed.', { run })
`

it('the types compile without skipLibCheck where lib is older than ES2022', () => {
  const lib = ['lib.es2021.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
  expect(problemsOf(CLIENT, { ...STRICT, lib, skipLibCheck: false })).toEqual([])
})

it('the fetch of undici, the global one and a wrapper fit the option', () => {
  const source = `import { createClient } from '../../dist/src/index.js'
import { fetch as undiciFetch } from 'undici'
for (const own of [
  undiciFetch,
  fetch,
  (url: string, init: RequestInit) => fetch(url, init),
  async (url: string, init: RequestInit = {}) => fetch(new Request(url, { ...init, headers: { ...init.headers, a: 'b' } })),
  async () => Response.json({}),
])
  createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'wk_1', fetch: own })
createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'wk_1', fetch: undiciFetch })
`
  const lib = ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
  expect(problemsOf(source, { ...STRICT, lib, types: ['node'], skipLibCheck: true })).toEqual([])
})
