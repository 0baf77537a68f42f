import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, consumer, NAME } from './consumer.js'

let project: Consumer
beforeAll(async () => {
  project = await consumer()
})
afterAll(() => project.remove())

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
    ofContract: inputs[`${own}generated/operations.js`]?.bytesInOutput ?? 0,
    modules: left.filter((path) => path.startsWith(own)).map((path) => path.slice(own.length)),
    others: left.filter((path) => !path.startsWith(own)),
  }
}

describe('a bundle', () => {
  it('a bundle of an unused import is empty', async () => {
    const entries = [
      '',
      '/sandbox',
      '/conformance',
      '/redis',
      '/validators',
      '/examples',
      '/types',
      '/status',
      '/testing',
    ]
    for (const entry of entries) expect((await bundled(`import '${NAME}${entry}'`)).size, entry).toBeLessThan(5)
  })

  it('a bundle of one small export contains its module and the one that it imports, not the client', async () => {
    const { modules, others, size } = await bundled(
      `import { isTerminalRunStatus } from '${NAME}'; console.log(isTerminalRunStatus('running'))`,
    )
    expect(modules.sort()).toEqual(['generated/operations.js', 'src/client/runs/statuses.js'])
    expect(others).toEqual([])
    expect(size).toBeLessThan(200)
  })

  it('a bundle of a type guard of a status takes less than 200 bytes', async () => {
    for (const guard of ['isTerminalRunStatus', 'isTerminalStepStatus']) {
      const { size } = await bundled(`import { ${guard} } from '${NAME}/status'; console.log(${guard}('running'))`)
      expect(size).toBeLessThan(200)
    }
  })

  it('a bundle of one error class contains no other part of the client', async () => {
    const { modules } = await bundled(`import { RateLimitError } from '${NAME}'; console.log(RateLimitError.name)`)
    const needed = [
      'src/client/errors.js',
      'src/internal/retry-after.js',
      'src/internal/status.js',
      'generated/operations.js',
    ]
    expect(modules.filter((path) => !needed.includes(path))).toEqual([])
  })

  it('a bundle of the client contains no sandbox, validators, examples, conformance kit, command or register', async () => {
    const { modules, others, size, ofContract } = await bundled(
      `import { createClient } from '${NAME}'; console.log(createClient({ baseUrl: 'http://localhost/v1', apiKey: 'k' }))`,
    )
    expect(
      modules.filter((path) => !/^(?:src\/index\.js|src\/(?:client|internal)\/|generated\/operations)/.test(path)),
    ).toEqual([])
    expect(others).toEqual([expect.stringMatching(/node_modules\/openapi-fetch\/dist\/index\.mjs$/)])
    expect(size - ofContract).toBeLessThan(46_600)
  })

  it('a bundle of one fixture contains no other', async () => {
    const { size } = await bundled(`import { workspace } from '${NAME}/examples'; console.log(workspace)`)
    expect(size).toBeLessThan(200)
  })

  it('a bundle of the sandbox contains no server and no client', async () => {
    const { modules, others } = await bundled(
      `import { createSandbox } from '${NAME}/sandbox'; console.log(createSandbox())`,
    )
    expect(modules.filter((path) => /client|conformance|cli|node\.js/.test(path))).toEqual([])
    expect(others).toEqual([])
  })
})
