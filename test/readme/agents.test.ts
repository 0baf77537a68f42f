import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { finish, repository, tsc } from '../support/project.js'

const text = readFileSync(join(repository, 'AGENTS.md'), 'utf8')
const snippets = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const sandbox = createSandbox({ seed: 1 })
let folder: string
let server: SandboxServer

beforeAll(async () => {
  server = await listen(sandbox)
  folder = mkdtempSync(join(tmpdir(), 'agents-'))
  mkdirSync(join(folder, 'node_modules/@workflow-automation'), { recursive: true })
  symlinkSync(repository, join(folder, 'node_modules/@workflow-automation/contract'))
  symlinkSync(join(repository, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  for (const [index, code] of snippets.entries())
    writeFileSync(join(folder, `snippet-${index}.ts`), code.replace(':4010/', `:${server.port}/`))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

it('every snippet of AGENTS.md compiles in strict mode', async () => {
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const files = snippets.map((_, index) => `snippet-${index}.ts`)
  expect(await tsc(folder, ...options, ...files)).toEqual({ code: 0, printed: '' })
})

const OUTPUTS = [/Welcome a customer[\s\S]*404$/, /^$/, /^true \/inputs\/order$/, /^{ id: 'ws_1', name: 'Example' }$/]

it.each([...OUTPUTS.entries()])('snippet %i of AGENTS.md runs', async (index, output) => {
  const tsx = join(repository, 'node_modules/tsx/dist/esm/index.mjs')
  const file = join(folder, `snippet-${index}.ts`)
  const { code, printed } = await finish(process.execPath, ['--import', tsx, file], folder, {
    WORKFLOW_API_KEY: sandbox.keys.valid,
  })
  expect({ code, printed: printed.trim() }).toEqual({ code: 0, printed: expect.stringMatching(output) })
})

it('AGENTS.md has no other snippets, names files and scripts that exist, and fits on a page', () => {
  expect(snippets).toHaveLength(OUTPUTS.length)
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([script])
  for (const [, file = ''] of text.matchAll(/\]\((\S+)\)/g)) readFileSync(join(repository, file))
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80)
})
