import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { installed } from '../support/browser.js'
import { finish, repository } from '../support/project.js'
import { canRun, install, packed } from './example.js'

const examples = join(repository, 'examples')
let tarball: string
beforeAll(async () => {
  tarball = await packed()
})

/** Runs the tests of an example with the package as its users get it. */
async function testExample(name: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const folder = await install(name, tarball)
  const { code, printed } = await finish('npm', ['test'], folder, { NODE_OPTIONS: '', ...env })
  expect(code, printed).toBe(0)
  return printed
}

describe('the tests of the examples', () => {
  it('the Express worker triggers nothing twice, however often it is killed', async () => {
    expect(await testExample('express-worker')).toMatch(/pass 5\n/)
  })

  it('the tests of the vitest project pass', () => testExample('vitest'))

  it('the tests of the Jest project, which is CommonJS, pass', () => testExample('jest'))

  it('the tests of the Playwright project pass, each in a world of its own', async () => {
    const [port, sandboxPort] = [await getPort(), await getPort()]
    const { executablePath = '', env = {} } = await installed()
    const ports = { PORT: `${port}`, SANDBOX_PORT: `${sandboxPort}` }
    await testExample('playwright', { ...(env as NodeJS.ProcessEnv), CHROMIUM: executablePath, ...ports })
  })

  it('Next builds and starts the page, which visitors read', async () => {
    await testExample('next', { PORT: `${await getPort()}`, NEXT_TELEMETRY_DISABLED: '1' })
  })

  it.each([
    ['pytest', 'python3', '-m', 'pytest', '--version'],
    ['go-test', 'go', 'version'],
  ])('the tests of %s pass on a sandbox that requires worlds', async (name, tool = '', ...args) => {
    const server = await listen(createSandbox(), { requireWorld: true })
    try {
      expect(await canRun(tool, ...args), `${tool} is not installed on this machine`).toBe(true)
      await testExample(name, { SANDBOX_URL: server.url })
    } finally {
      await server.close()
    }
  })
})

describe('the other examples', () => {
  it('the steps of the GitHub workflow check a service and write a report', async () => {
    const folder = await install('github-workflow', tarball)
    const workflow = parse(readFileSync(join(folder, '.github/workflows/verify.yml'), 'utf8'))
    const steps: { run?: string }[] = workflow.jobs.verify.steps
    const sandbox = createSandbox()
    const server = await listen(sandbox)
    try {
      for (const { run } of steps.filter(({ run }) => run && run !== 'npm install')) {
        const env = { BASE_URL: server.baseUrl, WORKFLOW_API_KEY: sandbox.keys.valid }
        const { code, printed } = await finish('sh', ['-c', run ?? ''], folder, env)
        expect(code, printed).toBe(0)
      }
      expect(readFileSync(join(folder, 'verify.xml'), 'utf8')).toContain('<testsuite')
    } finally {
      await server.close()
    }
  })

  it('the command and the health check of the compose file work, here without a container', async () => {
    const folder = await install('sandbox-compose', tarball)
    const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'))
    const port = `${await getPort()}`
    const [command = '', ...args] = services.sandbox.command.replace('4010', port).split(' ')
    const child = spawn(join(folder, command), args, { stdio: 'ignore' })
    try {
      const [, , , check] = services.sandbox.healthcheck.test
      const healthy = () => finish(process.execPath, ['-e', check.replace('4010', port)], folder)
      await expect.poll(async () => (await healthy()).code, { timeout: 20_000 }).toBe(0)
    } finally {
      child.kill('SIGTERM')
    }
  })

  it('the index of the examples lists every folder', () => {
    const index = readFileSync(join(examples, 'README.md'), 'utf8')
    for (const { name } of readdirSync(examples, { withFileTypes: true }).filter((each) => each.isDirectory()))
      expect(index, name).toContain(`](${name}`)
  })
})
