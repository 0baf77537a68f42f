import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entriesOf } from '../../scripts/emit/dist.js'
import { NATIVE_TSC, run } from '../../scripts/process.js'
import { collectTypes, typeChanges } from '../../scripts/release/types.js'
import { repository } from '../support/project.js'

const entries = entriesOf(repository)
let declarations: string
let frozen: string
beforeAll(async () => {
  mkdirSync(join(repository, '.build'), { recursive: true })
  declarations = mkdtempSync(join(repository, '.build/declarations-'))
  const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declarations]
  await run(process.execPath, [NATIVE_TSC, ...args], { cwd: repository })
  frozen = collectTypes(declarations, entries)
})
afterAll(() => rmSync(declarations, { recursive: true }))

/** A copy of the declarations, which stands for those of the next release. */
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(repository, '.build/types-'))
  cpSync(declarations, join(folder, 'dist'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

function edit(file: string, from: string | RegExp, to: string): void {
  const path = join(folder, 'dist', file)
  const before = readFileSync(path, 'utf8')
  const after = before.replace(from, to)
  expect(after, `${file} contains ${from}`).not.toBe(before)
  writeFileSync(path, after)
}

async function compare(): Promise<string[]> {
  const { broken } = await typeChanges(join(folder, 'types'), join(folder, 'dist'), frozen, entries)
  return broken.map(({ name, entry, reason }) => `"${name}" of ${entry}: ${reason}`)
}

describe('the comparison of public types', () => {
  it('the comparison of public types reports what client.GET resolves to, a removed option, a removed export and a narrowed overload', async () => {
    edit('src/client/openapi-fetch.d.ts', 'data: Init extends', 'result: Init extends')
    edit('src/client/options.d.ts', /resendPost\?:.*/, '')
    edit('src/index.d.ts', ' isContractError,', '')
    edit('src/sandbox/index.d.ts', '(options: SandboxOptions): Sandbox', '(options: { seed: string }): Sandbox')
    const broken = await compare()
    expect(broken).toContain('"RetryOptions" of .: its "resendPost" is gone')
    expect(broken).toContain('"isContractError" of .: it is no longer exported')
    expect(broken).toContainEqual(expect.stringMatching(/^"Client" of \.: GET \/runs\/\{id\}: /))
    expect(broken).toContainEqual(expect.stringMatching(/^"createSandbox" of \.\/sandbox: /))
  })

  it('the comparison of public types fails when the declarations cannot be read, as it would find nothing else', async () => {
    edit('src/client/options.d.ts', 'resendPost?:', 'resendPost? no type:')
    await expect(compare()).rejects.toThrow(/^The types cannot be compared\. new\/src\/client\/options\.d\.ts:\d+: /)
  })

  it('the comparison of public types reports a new required option of client.GET', async () => {
    edit(
      'src/client/openapi-fetch.d.ts',
      "GET: PathMethod<'get', Options>",
      "GET: PathMethod<'get', Options & { tag: string }>",
    )
    expect(await compare()).toContainEqual(expect.stringMatching(/^"Client" of \.: GET \/playbooks: /))
  })

  it('the comparison of public types ignores a comment, an added option, an added operation and a renamed alias', async () => {
    edit('src/index.d.ts', 'export {', '/** The public names. */\nexport {')
    edit('src/client/options.d.ts', 'maxRetries?:', 'jitter?: boolean | undefined;\n    maxRetries?:')
    edit('src/client/openapi-fetch.d.ts', /\bInitOf\b/g, 'RequestInit')
    edit(
      'generated/client/methods.d.ts',
      'export interface OperationMethods<Options extends object> {',
      'export interface OperationMethods<Options extends object> {\n    deleteRun(id: string, options?: Options): Promise<undefined>;',
    )
    edit('generated/validators.d.ts', 'export interface Schemas {', 'export interface Schemas {\n    RunList: object;')
    edit(
      'generated/types.d.ts',
      'export interface paths {',
      'export interface paths {\n    "/runs": { get: { responses: { 200: { content: { "application/json": string } } } } };',
    )
    expect(await compare()).toEqual([])
  })
})
