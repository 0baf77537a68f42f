import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import getPort from 'get-port'
import { Hono } from 'hono'
import { serve } from 'srvx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkConformance } from '../../src/conformance/index.js'
import { mountProblems } from '../matrix/suite/mounted.js'
import { repository as root, tsc } from '../support/project.js'
import { bundled, EXAMPLE, PACKAGE, snippets } from './guide.js'

let folder: string
beforeAll(async () => {
  await mkdir(join(root, '.build'), { recursive: true })
  folder = await mkdtemp(join(root, '.build/mounts-'))
  await writeFile(join(folder, 'service.ts'), `export { service } from '${EXAMPLE.replace(/ts$/, 'js')}'\n`)
})
afterAll(() => rm(folder, { recursive: true }))

/** A snippet of the guide, with the example as its `./service.js` unless another folder is given. */
const load = async (heading: string, port?: number, own = folder) =>
  import(/* @vite-ignore */ pathToFileURL(await bundled(heading, own, port)).href)

/** What the conformance kit finds wrong at a port; its findings of what is assumed count as well. */
async function problemsAt(port: number) {
  const { complete, findings, summary } = await checkConformance({
    depth: 'quick',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'key_demo',
    readOnlyKey: 'key_reader',
    trigger: 'pb_welcome',
  })
  const problems = findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'contradicted')
  return { complete, triggered: summary.exercised > 30, problems: problems.map(({ message }) => message) }
}
const NOTHING = { complete: true, triggered: true, problems: [] }

const workerd = join(root, '.matrix/tools/node_modules/@cloudflare/workerd-linux-64/bin/workerd')
const why = existsSync(workerd) ? '' : ', skipped: npm run test:matrix downloads it'

/** Runs the guide's worker with the service of a folder while a function runs. */
async function runWorker(port: number, own: string, run: () => Promise<unknown>): Promise<void> {
  const file = await bundled('Workers', own)
  await writeFile(join(own, 'worker.capnp'), workerConfig(basename(file), port))
  const child = spawn(workerd, ['serve', 'worker.capnp'], { cwd: own, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await responds(port, child)
    await run()
  } finally {
    child.kill('SIGKILL')
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
const closed = (server: Server) =>
  new Promise((done) => {
    server.close(done)
    server.closeAllConnections()
  })

describe('the guide for providers', () => {
  it('the guide for providers shows the example unchanged', async () => {
    expect(snippets.get('A complete provider')).toBe(await readFile(EXAMPLE, 'utf8'))
  })

  it('every snippet of the guide for providers compiles', async () => {
    for (const [heading, code] of snippets)
      await writeFile(join(folder, `${heading.replaceAll(' ', '-')}.ts`), `${code}\nexport {}\n`)
    const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    expect(await tsc(folder, '-p', '.', '--pretty', 'false')).toEqual({ code: 0, printed: '' })
  })

  it('a route of Hono validates a body with a Standard Schema', async () => {
    const { app } = await load('Validators in other frameworks')
    const post = (body: string) =>
      app.request('/v1/playbooks/pb_1/runs', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect(await (await post('{"inputs":{"order":"42"}}')).json()).toEqual({ id: 'run_1', inputs: { order: '42' } })
    const refused = await post('{"inputs":{"order":42}}')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: [{ message: 'the body property "inputs.order" must be a string', path: ['inputs', 'order'] }],
    })
  })
})

describe.concurrent('a provider in each framework', () => {
  it('a provider in Hono passes the conformance kit', async () => {
    const { default: app } = await load('A complete provider')
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', silent: true })
    await server.ready()
    expect(await problemsAt(portOf(server.node?.server as Server))).toEqual(NOTHING)
    expect((await fetch(`${server.url}health`)).status).toBe(200)
    await server.close(true)
  })

  it('a provider on Node with srvx passes the conformance kit', async () => {
    const port = await getPort()
    const { listening } = await load('Node', port)
    await listening.ready()
    expect(await problemsAt(port)).toEqual(NOTHING)
    await listening.close(true)
  })

  it('a provider in Express 5 passes the conformance kit', async () => {
    const { listening } = await load('Express 5')
    if (!listening.listening) await once(listening, 'listening')
    expect(await problemsAt(portOf(listening))).toEqual(NOTHING)
    await closed(listening)
  })

  it('a provider with a basePath in Express 5 responds below it only, and sees the whole URL', async () => {
    const { listening } = await load('Express 5 with a basePath', 0, await folderWithBasePath())
    if (!listening.listening) await once(listening, 'listening')
    const origin = `http://127.0.0.1:${portOf(listening)}`
    const get = (path: string) => fetch(origin + path, { headers: { authorization: 'Bearer key_demo' } })
    const response = await get('/api/v1/workspaces/me?page=1')
    expect([response.status, await response.json()]).toEqual([200, { name: `${origin}/api/v1/workspaces/me?page=1` }])
    expect((await get('/api/v1/v1/workspaces/me')).status).toBe(404)
    await closed(listening)
  })

  it('a provider in Fastify 5 passes the conformance kit', async () => {
    const { app } = await load('Fastify 5')
    expect(await problemsAt(portOf(app.server))).toEqual(NOTHING)
    await app.close()
  })

  it('a provider as a route handler of Next passes the conformance kit', async () => {
    const route = await load('Next')
    // As Next calls it: HEAD is GET, the second argument has the parameters, and other methods are a 405 of its own.
    const server = serve({
      fetch(request) {
        const handler = route[request.method === 'HEAD' ? 'GET' : request.method]
        const path = new URL(request.url).pathname.split('/').slice(2)
        return handler ? handler(request, { params: Promise.resolve({ path }) }) : new Response(null, { status: 405 })
      },
      port: 0,
      hostname: '127.0.0.1',
      silent: true,
    })
    await server.ready()
    expect(await problemsAt(portOf(server.node?.server as Server))).toEqual(NOTHING)
    await server.close(true)
  })

  it.skipIf(why !== '')(`a provider in Workers with workerd passes the conformance kit${why}`, async () => {
    const port = await getPort()
    await runWorker(port, folder, async () => expect(await problemsAt(port)).toEqual(NOTHING))
  })
})

describe.concurrent('requests that no client sends', () => {
  const close = (server: Server) => () => closed(server)
  const starts: Record<string, (own: string, port: number) => Promise<() => unknown>> = {
    async Node(own, port) {
      const { listening } = await load('Node', port, own)
      await listening.ready()
      return () => listening.close(true)
    },
    async 'Express 5'(own, port) {
      const { listening } = await load('Express 5', port, own)
      if (!listening.listening) await once(listening, 'listening')
      return close(listening)
    },
    async 'Fastify 5'(own, port) {
      const { app } = await load('Fastify 5', port, own)
      return () => app.close()
    },
    async Hono(own, port) {
      const { service } = await import(/* @vite-ignore */ pathToFileURL(join(own, 'service.js')).href)
      const app = new Hono().all('/v1/*', (c) => service.fetch(c.req.raw))
      const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1', silent: true })
      await server.ready()
      return () => server.close(true)
    },
  }

  it.each(Object.entries(starts))('do no harm to a service on %s', async (name, start) => {
    const port = await getPort()
    const stop = await start(await folderWithMounted(name), port)
    expect(await mountProblems(port)).toEqual([])
    await stop()
  })

  it.skipIf(why !== '')(`do no harm to a service on Workers${why}`, async () => {
    const port = await getPort()
    await runWorker(port, await folderWithMounted('Workers'), async () => {
      expect(await mountProblems(port)).toEqual([])
    })
  })
})

/** A folder whose service shows the errors that it reported. */
async function folderWithMounted(name: string): Promise<string> {
  const own = await mkdtemp(join(folder, `${name.replaceAll(' ', '-')}-`))
  const code = `import { createService } from '@workflow-automation/contract/service'
import { createMounted } from '${join(root, 'test/matrix/suite/mounted.js')}'
export const service = createMounted(createService)
`
  await writeFile(join(own, 'source.ts'), code)
  await build({
    entryPoints: [join(own, 'source.ts')],
    alias: PACKAGE,
    external: ['node:net'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    outfile: join(own, 'service.js'),
  })
  return own
}

/** A folder whose service has a basePath and names the workspace after the URL of the request. */
async function folderWithBasePath(): Promise<string> {
  const based = await mkdtemp(join(folder, 'based-'))
  const code = `import { createService } from '@workflow-automation/contract/service'
const missing = () => ({ status: 404 as const })
export const service = createService({
  basePath: '/api/v1',
  authenticate: (_key, { url }) => ({ context: { url } }),
  operations: {
    getCurrentWorkspace: ({ context }) => ({ status: 200, body: { name: context.url } }),
    listPlaybooks: () => ({ status: 403 }),
    listProviders: () => ({ status: 403 }),
    triggerRun: missing,
    getRun: missing,
  },
})
`
  await writeFile(join(based, 'service.ts'), code)
  return based
}

async function responds(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/playbooks`).catch(() => undefined)
    if (response) return
    await setTimeout(20)
  }
  throw new Error(`workerd ended with ${child.exitCode}.`)
}

const workerConfig = (file: string, port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "provider", worker = (modules = [(name = "worker", esModule = embed "${file}")], compatibilityDate = "2026-11-01")),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "provider")],
);
`
