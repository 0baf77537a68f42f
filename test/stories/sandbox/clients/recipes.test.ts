import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../../../../src/tools/sandbox/index.js'
import { endAll, serve } from '../../../sandbox/ports.js'
import { launch } from '../../../support/browser.js'
import { VERSION } from '../../../support/fixtures.js'
import { repository as root } from '../../../support/project.js'
import { recipes } from '../guide.js'

afterEach(endAll)

const run = promisify(execFile)
let folder: string

beforeAll(async () => {
  await mkdir(join(root, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(root, 'test/.build/recipes-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The package's names, as what is there now. */
const ALIASES = {
  '@workflow-automation/contract/testing': join(root, 'src/tools/testing/index.ts'),
  '@workflow-automation/contract/sandbox/node': join(root, 'src/tools/sandbox/port/index.ts'),
  '@workflow-automation/contract/sandbox': join(root, 'src/tools/sandbox/index.ts'),
  '@workflow-automation/contract': join(root, 'src/index.ts'),
}

describe('the recipes of the guide', () => {
  it('the recipes for vitest pass in vitest, and those with a clock of their own wait for none of the minutes that they test', async () => {
    const own = await mkdtemp(join(folder, 'recipes-'))
    const blocks = [...recipes('ts').values()].flat().filter((code) => /^it\(/m.test(code))
    expect(blocks.length).toBeGreaterThan(1)
    const [underTest = ''] = (recipes('ts').get('The code under test creates its own client') ?? []).filter((code) =>
      code.startsWith('// refund.ts'),
    )
    await writeFile(join(own, 'refund.ts'), underTest)
    for (const [index, code] of blocks.entries()) await writeFile(join(own, `recipe${index}.test.ts`), code)
    await writeFile(join(own, 'worlds.test.ts'), worldTests())
    const server = await serve()
    const { testResults } = JSON.parse(await vitest(own, { SANDBOX_URL: server.url })) as { testResults: TestFile[] }
    expect(testResults.map(({ status, message }) => [status, message])).toEqual(
      [...blocks, 'worlds'].map(() => ['passed', '']),
    )
    const fast = testResults.find(({ assertionResults }) => assertionResults.length === 5)
    const durations = fast?.assertionResults.map(({ duration }) => duration) ?? []
    expect(durations.reduce((sum, each) => sum + each, 0)).toBeLessThan(10_000)
  })

  it('the recipe with a world per test gives each test its own in Playwright', async () => {
    const own = await mkdtemp(join(folder, 'worlds-'))
    await writeFile(join(own, 'worlds.spec.ts'), worldTests().replace("'vitest'", "'@playwright/test'"))
    const cli = join(root, 'test/node_modules/@playwright/test/cli.js')
    const args = [cli, 'test', '--reporter', 'line', '--output', join(own, 'results'), 'spec']
    // Playwright refuses to run where it believes to be in another runner.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|JEST)/.test(name)))
    const server = await serve()
    const withUrl = { ...env, SANDBOX_URL: server.url }
    const { stdout } = await run(process.execPath, args, { cwd: own, env: withUrl }).catch((error) => error)
    expect(stdout).toMatch(/2 passed/)
  })

  it('the recipes for curl work in a shell', async () => {
    const server = await serve({}, createSandbox({ progress: 'clock', speed: 10 }))
    const commands = (recipes('bash').get('From a shell') ?? [])
      .flatMap((block) => block.split('\n\n'))
      .filter((command) => command.startsWith('curl'))
    expect(commands).toHaveLength(7)
    for (const command of commands) {
      const asked = command.replace('http://127.0.0.1:4010', server.url)
      const { stdout } = await run('sh', ['-c', asked.replace('curl', 'curl --silent --fail-with-body')])
      expect(JSON.parse(stdout)).toBeDefined()
    }
  })

  it('the recipe for MSW passes the requests of a page to the sandbox, and a dropped connection is a network error', async () => {
    const server = await servePage(recipes('ts').get('In a browser')?.[0] ?? '')
    const browser = await launch()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await page.waitForFunction('globalThis.ready === true')
      const seen = await page.evaluate(async (version) => {
        const headers = { Authorization: 'Bearer key_valid', 'Content-Type': 'application/json' }
        const base = `https://workflow-automation.example${version}`
        const json = async (path: string, init = {}) => (await fetch(base + path, { headers, ...init })).json()
        const { id } = await json('/playbooks/pb_7hQ2vn/runs', { method: 'POST', body: '{"inputs":{}}' })
        const statuses = []
        for (let count = 0; count < 3; count++) statuses.push((await json(`/runs/${id}`)).status)
        const refused = (await fetch(`${base}/playbooks`)).status
        const { sandbox } = globalThis as unknown as { sandbox: Sandbox }
        sandbox.inject({ drop: true })
        const dropped = await fetch(`${base}/playbooks`, { headers }).then(String, ({ name }) => name)
        return { statuses, refused, dropped }
      }, VERSION)
      expect(seen).toEqual({
        statuses: ['running', 'running', 'succeeded'],
        refused: 401,
        dropped: 'TypeError',
      })
    } finally {
      await browser.close()
      await new Promise((closed) => server.close(closed))
    }
  })
})

/** Runs the tests of a folder in vitest, with the package as it is now. Resolves to its report. */
async function vitest(own: string, env: Record<string, string>): Promise<string> {
  const alias = Object.entries(ALIASES).map(([find, replacement]) => ({ find, replacement }))
  const config = join(own, 'vitest.config.js')
  await writeFile(config, `export default ${JSON.stringify({ root: own, resolve: { alias } })}`)
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, '--reporter', 'json']
  const options = { cwd: own, env: { ...process.env, ...env, NO_COLOR: '1' } }
  const { stdout } = await run(process.execPath, args, options).catch((error: { stdout: string }) => error)
  return stdout
}

interface TestFile {
  status: string
  message: string
  assertionResults: { duration: number }[]
}

/** Two tests with the fixture of the guide. */
function worldTests(): string {
  const [fixture = ''] = (recipes('ts').get('Tests in parallel on one port') ?? []).filter((code) =>
    code.includes('worldFixture'),
  )
  return `${fixture}\n${WORLD_TESTS}`.replace('import { test as base }', 'import { expect, test as base }')
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
async function servePage(recipe: string): Promise<Server> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${recipe}\nObject.assign(globalThis, { ready: true, sandbox })`,
      resolveDir: join(root, 'test'),
      loader: 'ts',
    },
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
      await readFile(join(root, 'test/node_modules/msw/lib/mockServiceWorker.js'), 'utf8'),
    ],
  }
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', '']
    response.writeHead(files[url] ? 200 : 404, { 'content-type': type }).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}
