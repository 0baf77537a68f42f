import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { VERSION } from '../../support/fixtures.js'

const SOURCE = `import { createClient } from '../../../src/index.js'
const client = createClient({ baseUrl: 'http://localhost${VERSION}', apiKey: 'wk_1' })
const run = await client.getRun('run_1')
const step = run.steps[0]
const waited = await client.waitForRun('run_1')
const triggered = await client.triggerRun('pb_1', { inputs: {} })
const list = await client.listPlaybooks()
const both = await client.withResponse.getRun('run_1')
const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
for await (const playbook of client.paginate('listPlaybooks')) playbook
const wrong: number = run
await client.getRun('run_1', { /* here */ })
`

const file = join(import.meta.dirname, 'hovered.ts')

/** What an editor knows about the source. */
function languageService(): ts.LanguageService {
  const root = join(import.meta.dirname, '../../..')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const read = (path: string) => (path === file ? SOURCE : ts.sys.readFile(path))
  return ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = read(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: read,
  })
}

it('an editor and the compiler call what the client resolves to by its name, and options are completed', () => {
  const service = languageService()
  const hover = (name: string) =>
    ts.displayPartsToString(
      service.getQuickInfoAtPosition(file, SOURCE.search(`\\b${name}\\b( =| of| })`))?.displayParts,
    )
  const names = ['run', 'step', 'waited', 'triggered', 'list', 'both', 'data', 'playbook']
  expect(names.map(hover)).toEqual([
    'const run: Run',
    'const step: Step | undefined',
    'const waited: Run',
    'const triggered: StartedRun',
    'const list: PlaybookList',
    'const both: WithResponse<Run>',
    'const data: Run | undefined',
    'const playbook: Playbook',
  ])
  expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([
    "Type 'Run' is not assignable to type 'number'.",
  ])
  const completions = service.getCompletionsAtPosition(file, SOURCE.indexOf('/* here */'), {})
  expect(completions?.entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['timeout', 'signal', 'retry']))
})
