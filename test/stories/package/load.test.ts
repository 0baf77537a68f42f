import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, consumer, entriesOf, NAME } from '../../package/consumer.js'

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

  it('the installed package prints nothing, and a function or class of several entries is the same object in each', async () => {
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
       console.log([...shared].join())`,
    )
    const { printed } = await project.node('same.mjs')
    expect(printed).toMatch(/^[\w,]*InvalidResponseError[\w,]*\n$/)
  })

  it('importing the package starts no timer, opens nothing, draws no random value and changes no global', async () => {
    project.write(
      'quiet.mjs',
      `for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch'])
         globalThis[name] = () => { throw new Error(name + ' at import') }
       Math.random = () => { throw new Error('Math.random at import') }
       crypto.getRandomValues = crypto.randomUUID = () => { throw new Error('crypto at import') }
       Date.now = () => { throw new Error('Date.now at import') }
       const names = () => [globalThis, Array.prototype, Object.prototype, Promise.prototype, Response.prototype]
         .flatMap((each) => Reflect.ownKeys(each).map(String)).sort().join()
       const before = names()
       for (const entry of ${JSON.stringify(entries.filter((entry) => !entry.endsWith('/node')))}) await import(entry)
       if (names() !== before) throw new Error('a global has changed')
       console.log(process.getActiveResourcesInfo().filter((each) => !/FSReqPromise|CloseReq|Pipe|TTY/.test(each)))`,
    )
    expect(await project.node('quiet.mjs')).toEqual({ code: 0, printed: '[]\n' })
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

  it('a resolver that reads no `exports` finds the main entry, and none of the others, as the guide says', async () => {
    const resolve = createRequire(import.meta.url)('resolve') as { sync(id: string, options: object): string }
    const found = entries.flatMap((entry) => {
      try {
        return [[entry, resolve.sync(entry, { basedir: project.root })]]
      } catch {
        return []
      }
    })
    expect(found).toEqual([[NAME, join(project.installed, 'dist/src/index.js')]])
    const { main, types } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    expect([main, types]).toEqual(['./dist/src/index.js', './dist/src/index.d.ts'])
    expect(readFileSync(join(project.installed, 'docs/guides/package-reference.md'), 'utf8')).toMatch(
      /Bundlers that ignore `exports`\s+Parcel/,
    )
  })

  it('the installed package does not resolve modules that are not exported', async () => {
    project.write('inside.mjs', `await import('${NAME}/dist/src/index.js')`)
    expect((await project.node('inside.mjs')).printed).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})

/** Bundles an application of one line, minified, and returns which of the package's modules are left and how large it is. */
async function bundled(line: string) {
  project.write('app.js', line)
  const { metafile, outputFiles } = await build({
    absWorkingDir: project.root,
    entryPoints: ['app.js'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    metafile: true,
    outfile: 'out.js',
  })
  const inputs = metafile.outputs['out.js']?.inputs ?? {}
  const left = Object.entries(inputs)
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && path !== 'app.js')
    .map(([path]) => path)
  const own = `node_modules/${NAME}/dist/`
  return {
    size: outputFiles[0]?.contents.length ?? 0,
    /** How much of the size grows with the contract. */
    ofContract: inputs[`${own}generated/contract.js`]?.bytesInOutput ?? 0,
    modules: left.filter((path) => path.startsWith(own)).map((path) => path.slice(own.length)),
    others: left.filter((path) => !path.startsWith(own)),
  }
}

describe('a bundle', () => {
  it('a bundle of an unused import is empty', async () => {
    for (const entry of entries.filter((each) => !each.endsWith('/node')))
      expect((await bundled(`import '${entry}'`)).size, entry).toBeLessThan(5)
  })

  // Of the problems of validators only which of them were reported.
  const CLIENT =
    /^src\/index\.js|^src\/(?:client|status|internal|shared)\/|^src\/runtime\/problems\.js|^generated\/contract\.js/
  it.each([
    [
      'a type guard of a status contains its module and the one that it imports',
      `import { isTerminalStepStatus } from '${NAME}/status'; console.log(isTerminalStepStatus('running'))`,
      /^generated\/contract\.js$|^src\/status\/index\.js$|^src\/shared\/run-status\.js$/,
      200,
    ],
    [
      'one error class contains no other part of the client',
      `import { RateLimitError } from '${NAME}'; console.log(RateLimitError.name)`,
      /^src\/client\/errors\.js$|^src\/internal\/(?:http\/retry-after|contract\/status)\.js$|^generated\/contract\.js$/,
      Number.POSITIVE_INFINITY,
    ],
    [
      'one fixture contains no other',
      `import { workspace } from '${NAME}/examples'; console.log(workspace)`,
      /^generated\/examples\.js$/,
      200,
    ],
    [
      'the client contains no sandbox, validators, examples, conformance kit, command or register, and only openapi-fetch',
      `import { createClient } from '${NAME}'; console.log(createClient({ baseUrl: 'http://localhost/v1', apiKey: 'k' }))`,
      CLIENT,
      Number.POSITIVE_INFINITY,
      /node_modules\/openapi-fetch\/dist\/index\.mjs$/,
    ],
    [
      'the sandbox contains no server and no client',
      `import { createSandbox } from '${NAME}/sandbox'; console.log(createSandbox())`,
      /^(?!.*(?:src\/client|conformance|cli\/|node\.js))/,
      Number.POSITIVE_INFINITY,
    ],
    [
      'the remote client of the sandbox contains no engine and no server',
      `import { connectSandbox } from '${NAME}/sandbox/remote'; console.log(connectSandbox('http://127.0.0.1:4010'))`,
      /^src\/(?:internal|tools\/sandbox\/remote)\/|^src\/tools\/sandbox\/runs\/shared\/approvals\.js$|^generated\/contract\.js$/,
      25_000,
    ],
  ])('a bundle of %s', async (_, line, own, most, other = /^$/) => {
    const { modules, others, size, ofContract } = await bundled(line)
    expect(modules.filter((path) => !own.test(path))).toEqual([])
    expect(others.filter((path) => !other.test(path))).toEqual([])
    expect(size - ofContract).toBeLessThan(most)
  })
})
