import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import getPort from 'get-port'
import { Hono } from 'hono'
import { serve } from 'srvx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkConformance } from '../../../src/tools/conformance/index.js'
import { load, snippets, writeModule } from '../../service/guide.js'
import { mountProblems } from '../../suites/matrix/suite/mounted.js'
import { VERSION } from '../../support/fixtures.js'
import { repository as root, tsc } from '../../support/project.js'

const EXAMPLE = join(root, 'examples/provider-hono/app.ts')

let folder: string
beforeAll(async () => {
  await mkdir(join(root, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(root, 'test/.build/mounts-'))
  await writeModule(join(folder, 'service.ts'), await readFile(EXAMPLE, 'utf8'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What the conformance kit finds wrong at a port; its findings of what is assumed count as well. */
async function problemsAt(port: number) {
  const { complete, findings, summary } = await checkConformance({
    depth: 'quick',
    baseUrl: `http://127.0.0.1:${port}${VERSION}`,
    apiKey: 'key_demo',
    readOnlyKey: 'key_reader',
    trigger: 'pb_welcome',
  })
  const problems = findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'contradicted')
  return { complete, triggered: summary.exercised > 30, problems: problems.map(({ message }) => message) }
}
const NOTHING = { complete: true, triggered: true, problems: [] }

const workerd = join(root, '.matrix/tools/node_modules/@cloudflare/workerd-linux-64/bin/workerd')
const why = existsSync(workerd) ? '' : ', skipped: npm run suite -- matrix downloads it'

/** Runs the guide's worker with the service of a folder while a function runs. */
async function runWorker(port: number, own: string, run: () => Promise<unknown>): Promise<void> {
  // Workers have no packages.
  await build({
    stdin: { contents: snippets.get('Workers') ?? '', loader: 'ts', resolveDir: own },
    external: ['node:net'],
    bundle: true,
    platform: 'neutral',
    target: 'es2022',
    outfile: join(own, 'worker.mjs'),
  })
  await writeFile(join(own, 'worker.capnp'), workerConfig(port))
  const child = spawn(workerd, ['serve', 'worker.capnp'], { cwd: own, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await responds(port, child)
    await run()
  } finally {
    child.kill('SIGKILL')
  }
}

/** Serves what has a `fetch` on a port, and returns what stops it. */
async function listen(port: number, fetch: (request: Request) => Response | Promise<Response>) {
  const server = serve({ fetch, port, hostname: '127.0.0.1', silent: true })
  await server.ready()
  return () => server.close(true)
}

const listening = (heading: string) => async (own: string, port: number) => {
  const { listening } = await load(heading, own, port)
  if (!listening.listening) await once(listening, 'listening')
  return async () => {
    listening.close()
    listening.closeAllConnections()
    await once(listening, 'close')
  }
}

/** Mounts the service of a folder as the guide does, and returns what stops it. */
const starts: Record<string, (own: string, port: number) => Promise<() => unknown>> = {
  async Node(own, port) {
    const { listening } = await load('Node', own, port)
    await listening.ready()
    return () => listening.close(true)
  },
  'Node with createServer': listening('Node with createServer'),
  'Express 5': listening('Express 5'),
  'Koa 3': listening('Koa 3'),
  async 'h3 2'(own, port) {
    const { listening } = await load('h3 2', own, port)
    await listening.ready()
    return () => listening.close(true)
  },
  async 'Fastify 5'(own, port) {
    const { app } = await load('Fastify 5', own, port)
    return () => app.close()
  },
}

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
    const { app } = await load('Validators in other frameworks', folder)
    const post = (body: string) =>
      app.request(`${VERSION}/playbooks/pb_1/runs`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
    expect(await (await post('{"inputs":{"order":"42"}}')).json()).toEqual({ id: 'run_1', inputs: { order: '42' } })
    const refused = await post('{"inputs":{"order":42}}')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: [{ message: 'the body property "inputs.order" must be a string', path: ['inputs', 'order'] }],
    })
  })

  it('a route of Fastify with the validator of the guide converts parameters, and refuses a body of other types', async () => {
    const { app } = await load('Types of a body in Fastify', folder)
    const inputs = { type: 'object', additionalProperties: { type: 'string' } }
    const schema = {
      querystring: { type: 'object', properties: { page: { type: 'integer' } } },
      body: { type: 'object', properties: { inputs } },
    }
    app.post('/runs', { schema }, ({ query }: { query: object }) => query)
    const post = (value: unknown) =>
      app.inject({ method: 'POST', url: '/runs?page=2', payload: { inputs: { a: value } } })
    expect((await post('1')).json()).toEqual({ page: 2 })
    expect((await post(1)).statusCode).toBe(400)
  })
})

describe.concurrent('a provider in each framework', () => {
  it.each(Object.entries(starts))('a provider on %s passes the conformance kit', async (_, start) => {
    const port = await getPort()
    const stop = await start(folder, port)
    expect(await problemsAt(port)).toEqual(NOTHING)
    await stop()
  })

  it('a provider in Hono passes the conformance kit', async () => {
    const { default: app } = await load('A complete provider', folder)
    const port = await getPort()
    const stop = await listen(port, app.fetch)
    expect(await problemsAt(port)).toEqual(NOTHING)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    await stop()
  })

  it('a provider with a basePath in Express 5 responds below it only, and sees the whole URL', async () => {
    const port = await getPort()
    const stop = await listening('Express 5 with a basePath')(await folderWithBasePath(), port)
    const origin = `http://127.0.0.1:${port}`
    const get = (path: string) => fetch(origin + path, { headers: { authorization: 'Bearer key_demo' } })
    const response = await get(`/api${VERSION}/workspaces/me?page=1`)
    expect([response.status, await response.json()]).toEqual([
      200,
      { name: `${origin}/api${VERSION}/workspaces/me?page=1` },
    ])
    expect((await get(`/api${VERSION}${VERSION}/workspaces/me`)).status).toBe(404)
    await stop()
  })

  it('a provider as a route handler of Next passes the conformance kit', async () => {
    const route = await load('Next', folder)
    const port = await getPort()
    // As Next calls it: HEAD is GET, the second argument has the parameters, and other methods are a 405 of its own.
    const stop = await listen(port, (request) => {
      const handler = route[request.method === 'HEAD' ? 'GET' : request.method]
      const path = new URL(request.url).pathname.split('/').slice(2)
      return handler ? handler(request, { params: Promise.resolve({ path }) }) : new Response(null, { status: 405 })
    })
    expect(await problemsAt(port)).toEqual(NOTHING)
    await stop()
  })

  it.skipIf(why !== '')(`a provider in Workers with workerd passes the conformance kit${why}`, async () => {
    const port = await getPort()
    await runWorker(port, folder, async () => expect(await problemsAt(port)).toEqual(NOTHING))
  })
})

describe.concurrent('requests that no client sends', () => {
  const mounts: typeof starts = {
    ...starts,
    async Hono(own, port) {
      const { service } = await import(/* @vite-ignore */ pathToFileURL(join(own, 'service.ts')).href)
      return listen(port, new Hono().all(`${VERSION}/*`, (c) => service.fetch(c.req.raw)).fetch as never)
    },
  }

  it.each(Object.entries(mounts))(
    'requests that no client sends do no harm to a service on %s',
    async (name, start) => {
      const port = await getPort()
      const stop = await start(await folderWithMounted(name), port)
      expect(await mountProblems(port)).toEqual([])
      await stop()
    },
  )

  it.skipIf(why !== '')(`requests that no client sends do no harm to a service on Workers${why}`, async () => {
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
import { createMounted } from '${join(root, 'test/suites/matrix/suite/mounted.js')}'
export const service = createMounted(createService)
`
  await writeModule(join(own, 'service.ts'), code)
  return own
}

/** A folder whose service has a basePath and names the workspace after the URL of the request. */
async function folderWithBasePath(): Promise<string> {
  const based = await mkdtemp(join(folder, 'based-'))
  const code = `import { createService } from '@workflow-automation/contract/service'
const missing = () => ({ status: 404 as const })
export const service = createService({
  basePath: '/api${VERSION}',
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
  await writeModule(join(based, 'service.ts'), code)
  return based
}

async function responds(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}${VERSION}/playbooks`).catch(() => undefined)
    if (response) return
    await setTimeout(20)
  }
  throw new Error(`workerd ended with ${child.exitCode}.`)
}

const workerConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "provider", worker = (modules = [(name = "worker", esModule = embed "worker.mjs")], compatibilityDate = "2026-11-01")),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "provider")],
);
`
