import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { repository } from '../../support/project.js'

/** The program of a user. A caret stands before each name that is hovered over. */
const MARKED = `import { createClient, type Run, type RunStatus } from '@workflow-automation/contract'
import type { paths } from '@workflow-automation/contract/types'
import { isErrorBody, isTriggeredRun } from '@workflow-automation/contract/validators'
import createOpenApiFetch from 'openapi-fetch'
const client = ^createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key' })
export const run: ^Run = await client.^getRun('run_1')
export const ^started = await client.^triggerRun('pb_1', { inputs: {} })
await client.^waitForRun(started)
for await (const playbook of client.^paginate('listPlaybooks')) playbook.^description
await client.^listPlaybooks({ ^page: 1 })
export const status: ^RunStatus = run.^status
for (const step of run.^steps) step.^capability
export type Get = paths['/runs/{id}']['^get']
const { error } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
if (error) error.^error
export const asked = (value: unknown): boolean[] => [^isTriggeredRun(value), ^isErrorBody(value)]
const { data } = await createOpenApiFetch<paths>().GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
data?.^status
`
const PROGRAM = MARKED.replaceAll('^', '')

/** Below the repository, so that the name of the package leads to what was built. */
const file = join(repository, 'hovered.ts')

function languageService(): ts.LanguageService {
  const textOf = (path: string) => (path === file ? PROGRAM : ts.sys.readFile(path))
  return ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      types: [],
    }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = textOf(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => repository,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: textOf,
  })
}

it('hovers say what a thing is, then what that rests on', async () => {
  const service = languageService()
  expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([])
  const carets = [...MARKED.matchAll(/\^/g)].map(({ index }, before) => index - before)
  const hovers = carets.map((position) => {
    const info = service.getQuickInfoAtPosition(file, position)
    const tags = info?.tags?.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`) ?? []
    const shown = [info?.displayParts, info?.documentation].map((parts) => ts.displayPartsToString(parts))
    return `${[...shown, ...tags].filter(Boolean).join('\n\n')}\n`
  })
  await expect(hovers.join(`\n${'-'.repeat(80)}\n\n`)).toMatchFileSnapshot('../../types/hovers.txt')
})

const declarations = readdirSync(join(repository, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.d.ts'))
  .map((name) => [name, readFileSync(join(repository, 'dist', name), 'utf8')] as const)

it('no hover has an id of the register', () => {
  const comments = declarations.flatMap(([name, text]) =>
    [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) => `${name}: ${comment}`),
  )
  expect(comments.length).toBeGreaterThan(0)
  expect(comments.filter((comment) => /\b[SODA]\d\d\b/.test(comment))).toEqual([])
})

it('no type has a name that the bundler made', () => {
  const made = declarations.flatMap(([name, text]) =>
    [...text.matchAll(/\b(?:type|interface|class|enum) (\w+\$\d+)/g)].map(([, type]) => `${name}: ${type}`),
  )
  expect(made).toEqual([])
})

it('each field of each resource and query has a hover', () => {
  const text = declarations.find(([name]) => name === 'generated/types.d.ts')?.[1] ?? ''
  const source = ts.createSourceFile('types.d.ts', text, ts.ScriptTarget.Latest, true)
  const silent: string[] = []
  const visit = (node: ts.Node, owner: string): void => {
    if (ts.isPropertySignature(node) && ts.getJSDocCommentsAndTags(node).length === 0)
      silent.push(`${owner}.${node.name.getText()}`)
    node.forEachChild((child) => visit(child, owner))
  }
  for (const each of source.statements) if (ts.isTypeAliasDeclaration(each)) visit(each, each.name.text)
  expect(silent).toEqual([])
})
