import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { launch } from '../support/browser.js'
import { recipes } from './guide.js'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  await mkdir(join(root, '.build'), { recursive: true })
  folder = await mkdtemp(join(root, '.build/recipes-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The package's names, as what is there now. */
const ALIASES = {
  '@workflow-automation/contract/sandbox/node': join(root, 'src/sandbox/node.ts'),
  '@workflow-automation/contract/sandbox': join(root, 'src/sandbox/index.ts'),
  '@workflow-automation/contract': join(root, 'src/index.ts'),
}

describe('the recipes of the guide', () => {
  it('for vitest pass in vitest', async () => {
    const blocks = [...recipes('ts').values()].flat().filter((code) => /^it\(/m.test(code))
    expect(blocks).toHaveLength(4)
    for (const [index, code] of blocks.entries()) await writeFile(join(folder, `recipe${index}.test.ts`), code)
    const aliases = Object.entries(ALIASES).map(([find, replacement]) => ({ find, replacement }))
    await writeFile(
      join(folder, 'vitest.config.js'),
      `export default { root: ${JSON.stringify(folder)}, resolve: { alias: ${JSON.stringify(aliases)} } }`,
    )
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--config', join(folder, 'vitest.config.js'), '--reporter', 'json']
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }).catch(
      (error: { stdout: string }) => error,
    )
    const { testResults } = JSON.parse(stdout) as { testResults: { status: string; message: string }[] }
    expect(testResults.map(({ status, message }) => [status, message])).toEqual(blocks.map(() => ['passed', '']))
  })

  it('for a world per test in vitest give each test its own', async () => {
    const server = await listen(createSandbox())
    const fixture = worldFixture("from 'vitest'")
    const file = join(folder, 'worlds.test.ts')
    await writeFile(
      file,
      `${fixture}\n${WORLD_TESTS}`.replace('import { test as base }', 'import { expect, test as base }'),
    )
    const config = join(folder, 'worlds.config.js')
    const aliases = Object.entries(ALIASES).map(([find, replacement]) => ({ find, replacement }))
    await writeFile(
      config,
      `export default { root: ${JSON.stringify(folder)}, resolve: { alias: ${JSON.stringify(aliases)} }, test: { include: ['worlds.test.ts'] } }`,
    )
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config]
    const env = { ...process.env, SANDBOX_URL: server.url }
    try {
      expect((await run(process.execPath, args, { cwd: folder, env })).stdout).toMatch(/2 passed/)
    } finally {
      await rm(file)
      await server.close()
    }
  })

  it('for a world per test in Playwright give each test its own', async () => {
    const server = await listen(createSandbox())
    const fixture = worldFixture("from '@playwright/test'").replace('http://127.0.0.1:4010', server.url)
    const own = join(folder, 'playwright')
    await mkdir(own)
    await writeFile(
      join(own, 'worlds.spec.ts'),
      `${fixture}\n${WORLD_TESTS}`.replace('import { test as base }', 'import { expect, test as base }'),
    )
    const args = [
      join(root, 'node_modules/@playwright/test/cli.js'),
      'test',
      '--reporter',
      'line',
      '--output',
      join(own, 'results'),
      own,
    ]
    // Playwright refuses to run where it believes to be in another runner.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|JEST)/.test(name)))
    try {
      const { stdout } = await run(process.execPath, args, { cwd: own, env }).catch((error) => error)
      expect(stdout).toMatch(/2 passed/)
    } finally {
      await server.close()
    }
  })

  it('for curl work in a shell', async () => {
    const sandbox = createSandbox({ progress: 'clock', speed: 10 })
    const server = await listen(sandbox)
    const commands = (recipes('bash').get('From a shell') ?? [])
      .flatMap((block) => block.split('\n\n'))
      .filter((command) => command.startsWith('curl'))
    expect(commands).toHaveLength(7)
    for (const command of commands) {
      const asked = command.replace('http://127.0.0.1:4010', server.url)
      const { stdout } = await run('sh', ['-c', asked.replace('curl', 'curl --silent --fail-with-body')])
      expect(JSON.parse(stdout)).toBeDefined()
    }
    await server.close()
  })

  it('for MSW hands what a page sends to the sandbox', async () => {
    const server = await serve(recipes('ts').get('In a browser')?.[0] ?? '')
    const browser = await launch()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await page.waitForFunction('globalThis.ready === true')
      const seen = await page.evaluate(async () => {
        const headers = { Authorization: 'Bearer key_valid', 'Content-Type': 'application/json' }
        const base = 'https://api.example.com/v1'
        const json = async (path: string, init = {}) => (await fetch(base + path, { headers, ...init })).json()
        const { id } = await json('/playbooks/pb_7hQ2vn/runs', { method: 'POST', body: '{"inputs":{}}' })
        const statuses = []
        for (let count = 0; count < 3; count++) statuses.push((await json(`/runs/${id}`)).status)
        return { statuses, refused: (await fetch(`${base}/playbooks`)).status }
      })
      expect(seen).toEqual({ statuses: ['running', 'running', 'succeeded'], refused: 401 })
    } finally {
      await browser.close()
      await new Promise((closed) => server.close(closed))
    }
  })
})

/** The fixture of the guide that imports a runner. */
function worldFixture(runner: string): string {
  const found = (recipes('ts').get('Tests in parallel on one port') ?? []).filter((code) => code.includes(runner))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

const WORLD_TESTS = `
for (const name of ['one', 'another'])
  test(name, async ({ world }) => {
    const headers = { authorization: \`Bearer \${world.keys.valid}\`, 'content-type': 'application/json' }
    await fetch(\`\${world.baseUrl}/playbooks/\${world.playbooks.succeeds}/runs\`, { method: 'POST', headers, body: '{"inputs":{}}' })
    expect((await world.requests()).length).toBe(1)
  })
`

/** A page that runs the recipe, with MSW's worker beside it. */
async function serve(recipe: string): Promise<Server> {
  const { outputFiles } = await build({
    stdin: { contents: `${recipe}\nglobalThis.ready = true`, resolveDir: root, loader: 'ts' },
    alias: ALIASES,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  const files: Record<string, [string, string]> = {
    '/': ['text/html', '<!doctype html><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    '/mockServiceWorker.js': [
      'text/javascript',
      await readFile(join(root, 'node_modules/msw/lib/mockServiceWorker.js'), 'utf8'),
    ],
  }
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', '']
    response.writeHead(files[url] ? 200 : 404, { 'content-type': type }).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}
