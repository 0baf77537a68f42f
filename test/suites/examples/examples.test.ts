import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import getPort from 'get-port'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { controlPath } from '../../sandbox/ports.js'
import { installed } from '../../support/browser.js'
import { describePostgres, startPostgres } from '../../support/postgres.js'
import { finish, repository } from '../../support/project.js'
import { describeRedis, startRedis } from '../../support/redis.js'
import { canRun, install, packed } from './example.js'

const examples = join(repository, 'examples')
let tarball: string
beforeAll(async () => {
  tarball = await packed()
})

const index = readFileSync(join(examples, 'README.md'), 'utf8')
/** The commands that the README shows for an example, as arguments of npm. */
const commandsOf = (name: string): string[][] => {
  const row = new RegExp(`^\\| \\[${name}\\]\\(${name}\\) \\| (.*?) \\|`, 'm').exec(index)?.[1] ?? ''
  const commands = [...row.matchAll(/`npm ([^`]+)`/g)].map(([, args]) => args!.split(' '))
  if (commands.length === 0) throw new Error(`The README shows no command for ${name}.`)
  return commands
}

/** Runs an example by the command of the README to its end, with the package as its users get it. */
async function testExample(name: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const folder = await install(name, tarball)
  const [command = []] = commandsOf(name).slice(-1)
  const { code, printed } = await finish('npm', command, folder, { NODE_OPTIONS: '', ...env })
  expect(code, printed).toBe(0)
  return printed
}

describe('the tests of the examples', () => {
  it('the Express worker triggers nothing twice, however often it is killed', async () => {
    expect(await testExample('express-worker')).toMatch(/pass 5\n/)
  })

  it('the tests of the vitest project pass', () => testExample('vitest'))

  it('the tests of the MCP server pass', () => testExample('mcp'))

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
  ])('the tests of %s pass beside the sandbox of its own command', async (name, tool = '', ...args) => {
    expect(await canRun(tool, ...args), `${tool} is not installed on this machine`).toBe(true)
    const port = `${await getPort()}`
    const folder = await install(name, tarball)
    const [sandbox = []] = commandsOf(name)
    const stop = await start(
      folder,
      [...sandbox, '--', '--port', port],
      `http://127.0.0.1:${port}${controlPath('health')}`,
    )
    await testExample(name, { SANDBOX_URL: `http://127.0.0.1:${port}` }).finally(stop)
  })
})

/** Starts a script of npm in a group of its own. Resolves, when a URL responds with 200, to what stops the group. */
async function start(folder: string, args: string[], health: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn('npm', args, {
    ...{ cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] as const },
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const stop = () => child.exitCode === null && process.kill(-child.pid!, 'SIGTERM')
  while ((await fetch(health).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`npm ${args.join(' ')} ended: ${printed}`)
    await setTimeout(100)
  }
  return stop
}

/** What verify of the packed package finds at a provider. */
const verify = (folder: string, port: string, key: string) =>
  finish('npx', ['workflow-automation', 'verify', `http://127.0.0.1:${port}/v1`, '--depth', 'quick'], folder, {
    ...{ WORKFLOW_API_KEY: key, NODE_OPTIONS: '' },
  })

describe('the providers', () => {
  it('the provider in Hono starts by its command and passes verify', async () => {
    const folder = await install('provider-hono', tarball)
    const port = `${await getPort()}`
    const [command = []] = commandsOf('provider-hono')
    const stop = await start(folder, command, `http://127.0.0.1:${port}/health`, { PORT: port })
    const { code, printed } = await verify(folder, port, 'key_demo').finally(stop)
    expect(code, printed).toBe(0)
  })

  describePostgres('over PostgreSQL', () =>
    describeRedis('with a shared limit', () => {
      it('the provider over PostgreSQL starts by its command, makes a key and passes verify', async () => {
        const folder = await install('provider-postgres', tarball)
        const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
        const port = `${await getPort()}`
        const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, PORT: port, NODE_OPTIONS: '' }
        const [migrate = [], command = []] = commandsOf('provider-postgres')
        const migrated = await finish('npm', migrate, folder, env)
        expect(migrated.code, migrated.printed).toBe(0)
        const stop = await start(folder, command, `http://127.0.0.1:${port}/health`, env)
        try {
          const pool = new pg.Pool({ connectionString: postgres.url })
          await pool.query("insert into workspaces (id, name, plan) values ('ws_1', 'Acme', 'pro')")
          await pool.end()
          const made = await finish('npm', ['run', '--silent', 'key', '--', 'ws_1'], folder, env)
          const { code, printed } = await verify(folder, port, made.printed.trim())
          expect(code, printed).toBe(0)
        } finally {
          stop()
          await Promise.all([postgres.stop(), redis.stop()])
        }
      })
    }),
  )
})

describe('the other examples', () => {
  it('the steps of the GitHub workflow check a service and write a report', async () => {
    const folder = await install('github-workflow', tarball)
    const workflow = parse(readFileSync(join(folder, '.github/workflows/verify.yml'), 'utf8'))
    const steps: { run?: string }[] = workflow.jobs.verify.steps
    const sandbox = createSandbox()
    const server = await listen(sandbox)
    try {
      const runs = steps.filter(({ run }) => run && run !== 'npm install')
      expect(runs.map(({ run }) => run)).toEqual(commandsOf('github-workflow').map((args) => `npm ${args.join(' ')}`))
      for (const { run } of runs) {
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

  it('the README lists every example with a script that its package has, which asks for the version of this package', () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    for (const { name } of readdirSync(examples, { withFileTypes: true }).filter((each) => each.isDirectory())) {
      const manifest = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
      for (const [first = '', second = ''] of commandsOf(name))
        expect(manifest.scripts, name).toHaveProperty(first === 'run' ? second : first)
      const asked = { ...manifest.dependencies, ...manifest.devDependencies }['@workflow-automation/contract']
      expect([name, asked]).toEqual([name, `^${version}`])
    }
  })
})
