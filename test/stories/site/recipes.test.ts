import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import express from 'express'
import { JSDOM } from 'jsdom'
import { Agent, interceptors, request, fetch as undiciFetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startVitest } from 'vitest/node'
import { type Client, createClient, type FetchOptions, triggerOutcome } from '../../../src/index.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { createTestService } from '../../../src/tools/testing/index.js'
import { launch } from '../../support/browser.js'
import { VERSION } from '../../support/fixtures.js'
import { repository, tsc } from '../../support/project.js'
import { programFolder } from './guide-programs.js'

// biome-ignore lint/suspicious/noExplicitAny: the programs of the guide are loaded when the test runs
type Loaded = any

/** The named programs of the guide, as files whose imports lead to the sources. */
const guide = readFileSync(join(repository, 'docs/guides/recipes.md'), 'utf8')
const programs = [...guide.matchAll(/```(tsx?) name=(\S+)\n([\s\S]*?)```/g)].map(([, type, name, code = '']) => ({
  file: `${name}.${type}`,
  code,
}))

let folder: Awaited<ReturnType<typeof programFolder>>
beforeAll(async () => {
  folder = await programFolder()
  for (const { file, code } of programs) {
    const built = code.replaceAll(/'(@workflow-automation\/contract[^']*)'/g, (_, name) =>
      JSON.stringify(sourceOf(name)),
    )
    await writeFile(join(folder.path, file), built)
  }
})
afterAll(() => folder.remove())

/** The source of an entry of the package. */
const sourceOf = (name: string) => {
  const { types } = exports[`.${name.slice('@workflow-automation/contract'.length)}`]
  return join(repository, types.replace('./dist/', '').replace('.d.ts', '.js'))
}
const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const load = (file: string): Promise<Loaded> => import(/* @vite-ignore */ join(folder.path, file))

it('every program compiles', async () => {
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'react', types: ['node'] },
    include: ['*'],
  }
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
  expect(await tsc(folder.path, '-p', '.', '--pretty', 'false')).toMatchObject({ code: 0, printed: '' })
})

describe('React and TanStack Query', () => {
  /** The hooks of the guide over a sandbox, and what renders a component with them. */
  async function setUp() {
    const { window } = new JSDOM('<div id="root"></div>')
    const { document, navigator } = window
    for (const [name, value] of Object.entries({ window, document, navigator, IS_REACT_ACT_ENVIRONMENT: true }))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    const { createElement: h, StrictMode, act } = await import('react')
    const { createRoot } = await import('react-dom/client')
    const { QueryClient, QueryClientProvider } = await import('@tanstack/react-query')
    const { createHooks } = await load('react.tsx')
    const sandbox = createSandbox()
    const { baseUrl, fetch, keys } = sandbox
    const hooks = createHooks(createClient({ baseUrl, apiKey: keys.valid, fetch, cache: false }))
    const queryClient = new QueryClient()
    const root = createRoot(document.getElementById('root') as Loaded)
    const render = (Page: () => Loaded, Around: Loaded = StrictMode) =>
      act(async () => root.render(h(Around, null, h(QueryClientProvider, { client: queryClient }, h(Page)))))
    return { act, h, hooks, queryClient, render, root, sandbox }
  }

  it.each([
    [403, 1],
    // For ten seconds.
    [404, 6],
  ])('a run whose polls get a %i is polled %i times in a minute', async (status, polls) => {
    const { act, hooks, render, root, sandbox } = await setUp()
    sandbox.inject({ operation: 'getRun', status, untilCleared: true })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const Page = () => hooks.useRun('run_1').data?.status
    await render(Page, 'div')
    await act(async () => void (await vi.advanceTimersByTimeAsync(60_000)))
    expect(sandbox.requests({ operation: 'getRun' })).toHaveLength(polls)
    await act(async () => root.unmount())
  })

  it('under StrictMode, lists are cached once, a trigger is sent once, and an unmount aborts without an unhandled error', async () => {
    const { act, h, hooks, queryClient, render, root, sandbox } = await setUp()
    let seen: Loaded = {}
    const Page = () => {
      const trigger = hooks.useTrigger()
      const run = hooks.useRun(trigger.data?.id)
      const pages = hooks.usePlaybookPages()
      seen = { playbooks: hooks.usePlaybooks().data, pages, trigger, run: run.data }
      return h('p', null, run.data?.status ?? 'none')
    }
    await render(Page)
    await expect.poll(() => seen.playbooks?.data.length).toBe(4)
    expect([seen.pages.data?.pages.length, seen.pages.hasNextPage]).toEqual([1, false])
    await act(async () => seen.trigger.mutate({ playbook: sandbox.playbooks.slow, inputs: { order: '42' } }))
    await expect.poll(() => seen.run?.status).toBe('running')
    expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
    // The first mount of StrictMode aborts its call, which may have been sent.
    expect(sandbox.requests({ operation: 'listPlaybooks' }).length).toBeLessThanOrEqual(4)
    await act(async () => void queryClient.invalidateQueries({ queryKey: ['playbooks'] }))
    await act(async () => root.unmount())
    expect(sandbox.clientRules().passed).toBe(true)
  })
})

describe('behind your own proxy', () => {
  async function behind(own: Partial<FetchOptions> = {}) {
    const { proxyTo } = await load('proxy.ts')
    const { clientOf } = await load('browser-client.ts')
    const sandbox = createSandbox()
    const { baseUrl, keys, fetch } = sandbox
    const handler = proxyTo(
      { baseUrl, apiKey: keys.valid, fetch, ...own },
      async (_: Request, path: string) => path !== '/providers',
    )
    const seen: Headers[] = []
    const client: Client = clientOf('https://app.example').withOptions({
      fetch: (url: string, init: RequestInit) => {
        seen.push(new Headers(init.headers))
        return handler(new Request(url, init))
      },
    })
    return { client, seen, handler, sandbox }
  }

  it('the page has a client without the key, and reads pages, triggers and waits with it', async () => {
    const { client, seen, sandbox } = await behind()
    expect((await client.listPlaybooks({ per_page: 2 })).data).toHaveLength(2)
    const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: { order: '42' } })
    expect((await client.getRun(id)).id).toBe(id)
    for (const headers of seen) expect(headers.get('authorization')).toBe('Bearer behind-the-proxy')
  })

  it('the page is refused what its user may not do, and learns that a lost trigger may have started a run', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const { client, sandbox } = await behind()
    await expect(client.listProviders()).rejects.toMatchObject({ status: 404 })
    sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
    const error = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} }).catch((thrown) => thrown)
    expect([error.status, triggerOutcome(error)]).toEqual([502, 'unknown'])
    expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
  })

  const triggerBy = ({ playbooks }: ReturnType<typeof createSandbox>) => {
    const url = `https://app.example/api/workflow${VERSION}/playbooks/${playbooks.succeeds}/runs`
    return new Request(url, { method: 'POST', body: '{"inputs":{}}' })
  }
  const { baseUrl } = createSandbox()
  /** A service that responds to each request with this. */
  const responding = (respond: () => Response) => behind({ fetch: async () => respond() })
  const to = (status: number, location: string) => new Response(null, { status, headers: { location } })
  it.each<[string, () => Response]>([
    ['a Location alone', () => to(201, '../runs/run_1')],
    ['a 303 to it', () => to(303, `${baseUrl}/runs/run_1`)],
    ['run_id', () => Response.json({ run_id: 'run_1' }, { status: 202 })],
  ])('the page learns the id of a run that the service names by %s', async (_, respond) => {
    const { client } = await responding(respond)
    expect((await client.triggerRun('pb_1', { inputs: {} })).id).toBe('run_1')
  })

  it('the page learns that a run was started without a body, and reads a response to HEAD', async () => {
    const { client, handler } = await responding(() => new Response(null, { status: 204 }))
    const error = await client.triggerRun('pb_1', { inputs: {} }).catch((thrown) => thrown)
    expect([error.name, triggerOutcome(error)]).toEqual(['MissingRunIdError', 'started'])
    const url = `https://app.example/api/workflow${VERSION}/workspaces/me`
    expect((await handler(new Request(url, { method: 'HEAD' }))).status).toBe(204)
  })

  it.each([
    ['GET', true],
    ['POST', false],
  ])('a page that leaves during a %s ends it: %s', async (method, ends) => {
    const page = new AbortController()
    let isEnded: boolean | undefined
    const { handler } = await behind({
      fetch: async (_: string, { signal }: RequestInit) => {
        page.abort()
        isEnded = signal?.aborted
        return new Response(null, { status: 204 })
      },
    })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const url = `https://app.example/api/workflow${VERSION}/playbooks/pb_1/runs`
    await handler(new Request(url, { method, signal: page.signal }))
    expect(isEnded).toBe(ends)
  })

  it('a trigger is not sent when the page no longer waits for it, which may send it again', async () => {
    const { handler, sandbox } = await behind()
    sandbox.inject({ operation: 'triggerRun', status: 429, retryAfter: 90 })
    // Two visitors: the second one is told the wait that is left, and nothing is sent for it.
    for (let visitor = 0; visitor < 2; visitor++) expect((await handler(triggerBy(sandbox))).status).toBe(429)
    expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
  })

  it('the page learns that a trigger was not sent', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const { handler, sandbox } = await behind({ retry: false, fetch: () => Promise.reject(refused) })
    expect(triggerOutcome(await handler(triggerBy(sandbox)))).toBe('safe')
  })
})

it.each([
  [429, 'safe'],
  [404, 'safe'],
  [502, 'unknown'],
])('beside a dispatcher that throws for a %i, the outcome of a trigger is %s', async (status, outcome) => {
  const { outcomeOf } = await load('outcome.ts')
  const sandbox = createSandbox()
  const server = await listen(sandbox, { port: 0 })
  const dispatcher = new Agent().compose(interceptors.responseError())
  onTestFinished(async () => {
    await dispatcher.close()
    await server.close()
  })
  const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
  const init = { method: 'POST' as const, headers, body: '{"inputs":{}}', dispatcher }
  const url = `${server.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`
  for (const send of [undiciFetch, request]) {
    sandbox.inject({ operation: 'triggerRun', status })
    expect(outcomeOf(await send(url, init).catch((error: unknown) => error))).toBe(outcome)
  }
})

it('waits, retries and durations are metrics', async () => {
  process.env.WORKFLOW_BASE_URL = `https://workflow-automation.example${VERSION}`
  process.env.WORKFLOW_API_KEY = 'key'
  const { metricsHooks } = await load('metrics.ts')
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const { createClient, sandbox } = createTestService()
  sandbox.inject({ status: 429, retryAfter: 30 })
  await createClient(metricsHooks(meter)).getCurrentWorkspace()
  await reader.forceFlush()
  const values = Object.fromEntries(
    exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics }) =>
          metrics.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value]),
        ),
      ),
  )
  expect(values['workflow.client.waited']).toBeGreaterThan(29_000)
  expect(values['workflow.client.retries']).toBe(1)
  expect(values['workflow.client.duration']).toMatchObject({ count: expect.any(Number) })
  await reader.shutdown()
})

it('the id of the request that is being handled is sent', async () => {
  const { requestId, sendRequestId } = await load('request-ids.ts')
  const { client, sandbox } = createTestService()
  sendRequestId(client)
  await requestId.run('req_1', () => client.getCurrentWorkspace())
  await client.getCurrentWorkspace()
  expect(sandbox.requests().map(({ request }) => request.headers['x-request-id'])).toEqual(['req_1', undefined])
})

it('the progress of a run reaches a browser without the key, and another user gets a 404', async () => {
  const { progressOf } = await load('progress.ts')
  const { client, sandbox } = createTestService()
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  const handler = progressOf(client, async (request: Request) => request.headers.get('cookie') === 'session=mine')
  const request = (cookie: string) => new Request('http://localhost/', { headers: { cookie } })
  expect((await handler(request('session=other'), id)).status).toBe(404)
  const events = await (await handler(request('session=mine'), id)).text()
  expect(events).toMatch(/^data: \{"status":"running"[\s\S]*data: \{"status":"succeeded"[\s\S]*event: end/)
  expect(events).not.toContain(sandbox.keys.valid)
})

it('progress that cannot be read ends for the browser, too', async () => {
  const { progressOf } = await load('progress.ts')
  const { client } = createTestService()
  const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => reported.mockRestore())
  const handler = progressOf(client, async () => true)
  const events = await (await handler(new Request('http://localhost/'), 'run_unknown')).text()
  expect(events).toBe('event: end\ndata: {"error":"unknown"}\n\n')
})

it.each([
  ['a run that ends', undefined, ['running', 'succeeded']],
  ['a run that cannot be read', 404, ['The progress is unknown: reload later.']],
])('a page follows %s over one connection, which it closes', async (_, status, expected) => {
  const { progressOf } = await load('progress.ts')
  const { client, sandbox } = createTestService()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  if (status) sandbox.inject({ operation: 'getRun', status, untilCleared: true })
  const handler = progressOf(client, async () => true)
  const [, script = ''] = /```js name=page\n([\s\S]*?)```/.exec(guide) ?? []
  let connections = 0
  const app = express()
  app.get('/', (_, res) => void res.type('html').send('<!doctype html><title>Progress</title>'))
  app.get('/runs/:id/progress', async (_, res) => {
    connections++
    const response: Response = await handler(new Request('http://localhost/'), id)
    res.writeHead(response.status, Object.fromEntries(response.headers))
    res.write('retry: 1\n\n')
    pipeline(Readable.fromWeb(response.body as never), res, () => {})
  })
  const server = app.listen(0)
  const browser = await launch()
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await browser.close()
    server.closeAllConnections()
    server.close()
  })
  const page = await browser.newPage()
  const printed: string[] = []
  page.on('console', (message) => void printed.push(message.text()))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: script })
  await expect.poll(() => page.evaluate('source.readyState'), { timeout: 20_000 }).toBe(2)
  await expect.poll(() => [...new Set(printed)]).toEqual(expected)
  expect(connections).toBe(1)
})

it('the progress of a run reaches a browser through Express, and a browser that leaves ends the watch', async () => {
  const { progressOf } = await load('progress.ts')
  const { send } = await load('progress-express.ts')
  const sandbox = createSandbox()
  const { baseUrl, fetch, keys } = sandbox
  const handler = progressOf(createClient({ baseUrl, fetch, apiKey: keys.valid }), async () => true)
  let ended = 0
  const app = express()
  app.get('/runs/:id', async (request, res) => {
    const controller = new AbortController()
    controller.signal.addEventListener('abort', () => void ended++)
    const { signal } = controller
    send(await handler(new Request('http://localhost/', { signal }), request.params.id), res, controller)
  })
  const server = app.listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`
  const run = async (playbook: string) => {
    const headers = { authorization: `Bearer ${keys.valid}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"inputs":{}}' }
    return (await (await fetch(`${baseUrl}/playbooks/${playbook}/runs`, init)).json()).id
  }
  try {
    expect(await (await globalThis.fetch(`${url}/${await run(sandbox.playbooks.succeeds)}`)).text()).toMatch(
      /event: end/,
    )
    await expect.poll(() => ended).toBe(1)
    const visit = new AbortController()
    const init = { signal: visit.signal }
    const page = await globalThis.fetch(`${url}/${await run(sandbox.playbooks.needsApproval)}`, init)
    expect(page.headers.get('content-type')).toBe('text/event-stream')
    visit.abort()
    await expect.poll(() => ended).toBe(2)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

it('one sandbox serves all tests, each with a world', async () => {
  const vitest = await startVitest('test', [], {
    ...{ root: folder.path, config: false, watch: false, reporters: [{}], include: ['global-setup-test.ts'] },
    globalSetup: [join(folder.path, 'global-setup.ts')],
  })
  const failed = vitest.state.getFiles().filter(({ result }) => result?.state !== 'pass')
  expect([vitest.state.getFiles().length, failed]).toEqual([1, []])
  await vitest.close()
})
