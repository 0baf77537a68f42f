import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { repository } from '../../support/project.js'

/** What a project takes its functions from, as in `const { getRun } = client`. */
const PROGRAM = `
import { createClient, createMemoryCache, createRateLimiter } from '@workflow-automation/contract'
import { createRedisLimit, createRedisRateLimiter } from '@workflow-automation/contract/redis'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'
import { connectSandbox } from '@workflow-automation/contract/sandbox/remote'
import type { Service } from '@workflow-automation/contract/service'
import { createTestService } from '@workflow-automation/contract/testing'
export const client = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key' })
export const all = { client, cache: client.cache, withResponse: client.withResponse, paginate: client.paginate }
export const changes = client.watchRun('run_1')
export const cache = createMemoryCache()
export const limiter = createRateLimiter('pro')
export declare const redis: ReturnType<typeof createRedisRateLimiter>
export declare const redisLimit: ReturnType<typeof createRedisLimit>
export const sandbox = createSandbox()
export const server = await listen(sandbox)
export const connection = connectSandbox(server.url)
export const world = await server.world('refunds')
export const testService = createTestService()
export const clock = testService.clock
export declare const service: Service
`

it('typescript-eslint lets every function be taken from what the package makes', () => {
  // Its rule unbound-method reports what is declared as a method, because that may use \`this\`.
  const file = join(repository, 'destructured.ts')
  const options: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.readFile = (path) => (path === file ? PROGRAM : readFile(path))
  host.getSourceFile = (path, ...more) =>
    path === file ? ts.createSourceFile(path, PROGRAM, ts.ScriptTarget.ES2022) : getSourceFile(path, ...more)
  const program = ts.createProgram([file], { ...options, types: [] }, host)
  const source = program.getSourceFile(file)!
  expect(ts.getPreEmitDiagnostics(program, source).map(({ messageText }) => messageText)).toEqual([])
  const checker = program.getTypeChecker()
  const methodsOf = (type: ts.Type, path: string): string[] =>
    type.getProperties().flatMap((property) => {
      const name = `${path}.${property.name}`
      if (path === 'all') return methodsOf(checker.getTypeOfSymbol(property), name)
      const isMethod = property.declarations?.some(
        (each) =>
          (ts.isMethodSignature(each) || ts.isMethodDeclaration(each)) &&
          // Users implement it, and a method lets theirs take narrower parameters.
          !(ts.isInterfaceDeclaration(each.parent) && each.parent.name.text === 'Clock'),
      )
      return isMethod && !property.name.startsWith('__@') ? [name] : []
    })
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
  expect(exported.length).toBe(14)
  const members = exported.flatMap((symbol) => methodsOf(checker.getTypeOfSymbol(symbol), symbol.name))
  expect(members.filter((name) => !/\.(apply|call|bind|toString)$/.test(name))).toEqual([])
})
