import { cpSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, entriesOf, link, linkedConsumer, NAME } from '../../package/consumer.js'
import { type TypeProject, tsconfigOf, typeProjects } from '../../suites/matrix/types.js'
import { budget } from '../../support/budgets.js'
import { repository } from '../../support/project.js'

let project: Consumer
beforeAll(async () => {
  project = await linkedConsumer()
  cpSync(join(repository, 'test/types'), join(project.root, 'types'), { recursive: true })
  link(project.root, '@types/node')
  link(project.root, 'undici-types')
})
afterAll(() => project.remove())

/** Checking less is part of checking more; the matrix does each, with every version of TypeScript. */
const strictest = (version: string): TypeProject[] =>
  typeProjects(version).filter(
    ({ compilerOptions }) => !compilerOptions.skipLibCheck && compilerOptions.exactOptionalPropertyTypes,
  )

const { version: native } = createRequire(import.meta.url)('typescript-native/package.json') as { version: string }

describe(`a project that TypeScript ${native} compiles`, () => {
  it.each(strictest(native))('the package compiles with the native TypeScript compiler: $name', async (each) => {
    project.write('tsconfig.json', JSON.stringify(tsconfigOf(each, 'types')))
    expect(await project.tsc('-p', '.', '--pretty', 'false')).toEqual({ code: 0, printed: '' })
  })

  it('the compiler names the missing module in CommonJS with `import`', async () => {
    const options = ['--noEmit', '--module', 'node16', '--types', 'node', '--skipLibCheck']
    const { printed } = await project.tsc('types/commonjs.cts', ...options, '--ignoreConfig')
    expect(printed).toMatch(/TS1479|TS1471|TS1541/)
  })

  it('declarations of what a project exports can name every type of the package', async () => {
    const names = entriesOf(project.installed)
      .map(([entry]) => entry)
      .filter((entry) => !/\.\w/.test(entry))
      .map((entry) => `'${NAME}${entry.slice(1)}'`)
    const lines = names.map(
      (name, index) => `import * as all${index} from ${name}\nexport const copy${index} = { ...all${index} }`,
    )
    const client = `const client = copy0.createClient({ baseUrl: 'http://localhost/v1', apiKey: 'k' })
      export const { GET, POST, use, ...more } = client
      export const spread = { ...client }
      export const read = async (id: string) => client.GET('/runs/{id}', { params: { path: { id } } })
      export const create = (init: Parameters<typeof client.POST>[1]) => init
      export const extras = (init: all0.RequestExtras) => ({ ...init })`
    project.write('types/declarations.mts', [...lines, client].join('\n'))
    const options = ['--declaration', '--emitDeclarationOnly', '--outDir', 'declared', '--strict', '--skipLibCheck']
    const lib = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--ignoreConfig']
    expect(await project.tsc('types/declarations.mts', ...options, ...lib)).toEqual({ code: 0, printed: '' })
  })
})

describe(`a project that TypeScript ${ts.version} compiles`, () => {
  it('the package compiles with nodenext, checked libraries and exact optional properties', () => {
    const each = strictest(ts.version).find(({ name }) => name === 'nodenext, libraries checked, exact') as TypeProject
    expect(problemsIn(programOf(tsconfigOf(each, 'types')))).toEqual([])
  })

  it('using the client costs the compiler no more than its budget', () => {
    project.write(
      'types/budget.ts',
      `import { createClient } from '@workflow-automation/contract'
       const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key' })
       export const id: string = (await client.getRun('run_1')).id
       export const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })`,
    )
    const [each] = typeProjects(ts.version) as [TypeProject]
    const program = programOf(tsconfigOf({ ...each, files: ['budget.ts'] }, 'types'))
    expect(problemsIn(program)).toEqual([])
    expect(program.getInstantiationCount()).toBeLessThanOrEqual(budget('compiler instantiations'))
    expect(program.getTypeCount()).toBeLessThanOrEqual(budget('compiler types'))
  })
})

function programOf(config: object): ts.Program {
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, project.root)
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => project.root
  return ts.createProgram(fileNames, options, host)
}

/** What the compiler says about a project. */
const problemsIn = (program: ts.Program): string[] =>
  ts.getPreEmitDiagnostics(program).map((problem) =>
    ts.formatDiagnostic(problem, {
      getCurrentDirectory: () => project.root,
      getCanonicalFileName: (name) => name,
      getNewLine: () => '\n',
    }),
  )

const RUN =
  "import type { Run, Step } from '@workflow-automation/contract/types'\ndeclare const run: Run\ndeclare const step: Step\n"
const SANDBOX =
  "import { createSandbox } from '@workflow-automation/contract/sandbox'\nconst sandbox = createSandbox()\n"

it.each([
  ['the known statuses of a run', `${RUN}if (run.status === '|') {}`, ['running', 'succeeded', 'failed']],
  ['the known statuses of a step', `${RUN}if (step.status === '|') {}`, ['succeeded', 'waiting_approval']],
  ['the operations of a fault', `${SANDBOX}sandbox.inject({ operation: '|' })`, ['getRun']],
  ['the keys of the sandbox', `${SANDBOX}sandbox.keys.|`, ['readOnly']],
  ['the plans', `${SANDBOX}createSandbox({ plan: '|' })`, ['pro']],
])('an editor completes %s', (_, text, names) => {
  expect(completions(text)).toEqual(expect.arrayContaining(names))
})

/** What an editor offers at the bar of a text. */
function completions(text: string): string[] {
  const { service, file } = editing(text.replace('|', ''))
  return service.getCompletionsAtPosition(file, text.indexOf('|'), {})?.entries.map(({ name }) => name) ?? []
}

const registry = ts.createDocumentRegistry()

function editing(text: string): { service: ts.LanguageService; file: string } {
  const file = join(project.root, 'editing.ts')
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    types: [],
  }
  const service = ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? text : '1'),
      getScriptSnapshot: (name) => {
        if (name === file) return ts.ScriptSnapshot.fromString(text)
        return ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, 'utf8')) : undefined
      },
      getCurrentDirectory: () => project.root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
    },
    registry,
  )
  return { service, file }
}
