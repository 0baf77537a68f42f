import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import getPort from 'get-port'
import { createClient } from '../../../src/index.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { run } from './run.js'

/** What a runtime or a compiler found. */
export interface Outcome {
  passed: number
  failed: string[]
  /** Why nothing was tried. */
  skipped?: string
}

/** One line of the table. */
export interface Row {
  name: string
  run(): Promise<Outcome>
}

export interface Site {
  /** The folder of the downloaded packages. */
  tools: string
  /** The project that has installed the package; the suite is in its folder `suite`. */
  project: string
  /** The base URL of a sandbox on a port. */
  server: string
}

/** Node, Bun and Deno, which run the suite as it is, and listen as well. */
export function processRows({ tools, project, server }: Site): Row[] {
  const row = (name: string, binary: string, args: string[] = []): Row => ({
    name,
    async run() {
      const command = join(tools, binary)
      const suite = await outcomeOf(command, [...args, 'suite/process.js', server], project)
      const listening = await outcomeOf(command, [...args, 'suite/listen.js'], project)
      return { passed: suite.passed + listening.passed, failed: [...suite.failed, ...listening.failed] }
    },
  })
  const quiet = '--disable-warning=ExperimentalWarning'
  return [
    ...['20', '22', '24', '26'].map((version) => row(`Node ${version}`, `node${version}/bin/node`, [quiet])),
    row('Bun', '@oven/bun-linux-x64/bin/bun'),
    row('Deno', '@deno/linux-x64-glibc/deno', DENO),
  ]
}

const DENO = [
  'run',
  '--no-prompt',
  '--no-lock',
  '--node-modules-dir=manual',
  '--allow-net',
  '--allow-read',
  '--allow-env',
]

const outcomeOf = async (command: string, args: string[], cwd: string): Promise<Outcome> => {
  const { code, stdout, stderr } = await run(command, args, cwd)
  const last = stdout.trim().split('\n').at(-1) ?? ''
  try {
    if (code === 0) return JSON.parse(last) as Outcome
  } catch {}
  return { passed: 0, failed: [`ended with ${code}: ${(stderr || stdout).trim().slice(-2_000)}`] }
}

/** MSW 3, whose packages are beside the runtimes: the script lies there too, and gets the package by its file. */
export const mswRow = ({ tools, project }: Site): Row => ({
  name: 'MSW 3, Node 22',
  async run() {
    const script = join(tools, '../msw.mjs')
    await copyFile(join(project, 'suite/msw.js'), script)
    const sandbox = join(project, 'node_modules/@workflow-automation/contract/dist/src/tools/sandbox/index.js')
    return outcomeOf(join(tools, 'node22/bin/node'), [script, sandbox], project)
  },
})

/** Node whose prototypes SES has frozen, as in the wallets and plug-in hosts that run the code of others. */
export const sesRow = ({ tools, project, server }: Site): Row => ({
  name: 'SES, Node 22',
  run: () => outcomeOf(join(tools, 'node22/bin/node'), ['suite/ses.js', join(tools, 'ses/index.js'), server], project),
})

/** Cloudflare's runtime, with the suite in one module, because it has no packages. */
export const workerRow = ({ tools, project, server }: Site, bundle: (entry: string) => Promise<string>): Row => ({
  name: 'workerd',
  async run() {
    const port = await getPort({ host: '127.0.0.1' })
    await writeFile(join(project, 'worker.js'), await bundle('worker.js'))
    await writeFile(join(project, 'worker.capnp'), workerConfig(port))
    const binary = join(tools, '@cloudflare/workerd-linux-64/bin/workerd')
    const child = spawn(binary, ['serve', 'worker.capnp'], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    try {
      const response = await answerOf(`http://127.0.0.1:${port}/?server=${encodeURIComponent(server)}`, child)
      if (!response.ok) throw new Error(`responded with ${response.status}`)
      const suite = (await response.json()) as Outcome
      const shared = await concurrently(`http://127.0.0.1:${port}`, server)
      return { passed: suite.passed + shared.passed, failed: [...suite.failed, ...shared.failed] }
    } catch (error) {
      return { passed: 0, failed: [`${(error as Error).message}: ${printed.trim().slice(-2_000)}`] }
    } finally {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
  },
})

/** Requests to the worker that use one client at the same time: calls, waiters of its queue, and watchers of one run. */
async function concurrently(worker: string, server: string): Promise<Outcome> {
  const client = createClient({ baseUrl: server, apiKey: 'key_valid' })
  const { id } = await client.triggerRun(createSandbox().playbooks.succeeds, { inputs: { order: '42' } })
  const query = new URLSearchParams({ server, key: 'key_valid', run: id })
  const outcome: Outcome = { passed: 0, failed: [] }
  for (const [path, times] of Object.entries({ wait: 3, run: 2, list: 3, queue: 12 })) {
    const requests = Array.from({ length: times }, async () => {
      const signal = AbortSignal.timeout(30_000)
      const response = await fetch(`${worker}/shared/${path}?${query}`, { signal })
      return response.ok ? [] : [(await response.text()).slice(0, 500)]
    })
    const failed = (await Promise.all(requests.map((each) => each.catch((error) => [String(error)])))).flat()
    if (failed.length === 0) outcome.passed++
    else outcome.failed.push(`${times} requests at once to ${path}: ${failed.length} failed: ${failed[0]}`)
  }
  return outcome
}

/** Asks until the server listens. */
async function answerOf(url: string, child: ChildProcess): Promise<Response> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++)
    try {
      return await fetch(url, { signal: AbortSignal.timeout(60_000) })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await setTimeout(100)
    }
  throw new Error('workerd does not listen')
}

const workerConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "suite", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["local", "private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "suite")],
);
`
