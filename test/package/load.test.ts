import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, consumer, entriesOf, NAME } from './consumer.js'

let project: Consumer
let entries: string[]
beforeAll(async () => {
  project = await consumer()
  entries = entriesOf(project.installed)
    .map(([entry]) => entry)
    .filter((entry) => !/\.(?:json|yaml)$/.test(entry))
    .map((entry) => join(NAME, entry))
})
afterAll(() => project.remove())

describe('the installed package', () => {
  it('the installed package loads with import and prints nothing', async () => {
    project.write('load.mjs', entries.map((entry) => `await import('${entry}')`).join('\n'))
    expect(await project.node('load.mjs')).toEqual({ code: 0, printed: '' })
  })

  it('the installed package loads with require(), with the same exports and objects as with import', async () => {
    project.write(
      'load.cjs',
      `const entries = ${JSON.stringify(entries)}
       const load = async () => {
         for (const entry of entries) {
           const required = require(entry)
           const imported = await import(entry)
           for (const name of Object.keys(imported)) if (required[name] !== imported[name]) throw new Error(entry + name)
           console.log(entry, Object.keys(imported).length)
         }
       }
       load()`,
    )
    const { code, printed } = await project.node('--disable-warning=ExperimentalWarning', 'load.cjs')
    const counts = Object.fromEntries(printed.split('\n').map((line) => line.split(' ')))
    expect({ code, printed }).toMatchObject({ code: 0 })
    expect(Object.keys(counts).filter(Boolean).sort()).toEqual([...entries].sort())
    for (const entry of ['', '/sandbox', '/redis', '/validators', '/examples', '/status', '/testing'])
      expect(Number(counts[`${NAME}${entry}`]), entry).toBeGreaterThan(0)
  })

  it('a function or class that several entries export is the same object in each', async () => {
    project.write(
      'same.mjs',
      `const seen = new Map()
       const shared = new Set()
       for (const entry of ${JSON.stringify(entries)})
         for (const [name, value] of Object.entries(await import(entry))) {
           if (typeof value !== 'function') continue
           if (seen.has(name)) shared.add(name + (seen.get(name) === value ? '' : ' twice'))
           seen.set(name, value)
         }
       console.log([...shared].sort().join())`,
    )
    const { printed } = await project.node('same.mjs')
    expect(printed).toContain('InvalidResponseError')
    expect(printed).not.toContain('twice')
  })

  it('importing the package starts no timer, opens nothing and draws no random value', async () => {
    project.write(
      'quiet.mjs',
      `import { register } from 'node:module'
       for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch'])
         globalThis[name] = () => { throw new Error(name + ' at import') }
       Math.random = () => { throw new Error('Math.random at import') }
       crypto.getRandomValues = crypto.randomUUID = () => { throw new Error('crypto at import') }
       Date.now = () => { throw new Error('Date.now at import') }
       for (const entry of ${JSON.stringify(entries.filter((entry) => !/\/(?:node|releases\/.*)$/.test(entry)))}) await import(entry)
       console.log(process.getActiveResourcesInfo().filter((each) => !/FSReqPromise|CloseReq|Pipe|TTY/.test(each)))`,
    )
    expect(await project.node('quiet.mjs')).toEqual({ code: 0, printed: '[]\n' })
  })

  it('importing the package changes no global and no prototype', async () => {
    project.write(
      'globals.mjs',
      `const names = () => [globalThis, Array.prototype, Object.prototype, Promise.prototype, Response.prototype]
         .flatMap((each) => Reflect.ownKeys(each).map(String)).sort().join()
       const before = names()
       for (const entry of ${JSON.stringify(entries.filter((entry) => !/\/(?:node|releases\/.*)$/.test(entry)))}) await import(entry)
       if (names() !== before) throw new Error('a global has changed')`,
    )
    expect(await project.node('globals.mjs')).toEqual({ code: 0, printed: '' })
  })

  it('the installed package exports the document as JSON, also plain and as OpenAPI 3.0, and as a file', async () => {
    project.write(
      'document.mjs',
      `import spec from '${NAME}/openapi.json' with { type: 'json' }
       import plain from '${NAME}/openapi.plain.json' with { type: 'json' }
       import old from '${NAME}/openapi-3.0.json' with { type: 'json' }
       import { readFileSync } from 'node:fs'
       import { fileURLToPath } from 'node:url'
       const yaml = readFileSync(fileURLToPath(import.meta.resolve('${NAME}/openapi.yaml')), 'utf8')
       console.log(spec.openapi, plain.openapi, old.openapi, spec.paths['/runs/{id}'].get.operationId, /openapi: 3\\.1/.test(yaml))`,
    )
    const finished = await project.node('--disable-warning=ExperimentalWarning', 'document.mjs')
    expect(finished).toEqual({ code: 0, printed: '3.1.0 3.1.0 3.0.3 getRun true\n' })
  })

  it('the installed package does not resolve modules that are not exported', async () => {
    project.write('inside.mjs', `await import('${NAME}/dist/src/index.js')`)
    expect((await project.node('inside.mjs')).printed).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  it('a stack trace shows lines of the installed module', async () => {
    project.write(
      'trace.mjs',
      `import { createSandbox } from '${NAME}/sandbox'
       try { createSandbox({ seed: 0.5 }) } catch (error) { console.log(error.stack) }`,
    )
    expect((await project.node('trace.mjs')).printed).toMatch(/dist\/src\/sandbox\/\S+\.js:\d+:\d+/)
  })
})
