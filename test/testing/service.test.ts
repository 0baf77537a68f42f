import { expect, it, onTestFinished, test, vi } from 'vitest'
import type { Run } from '../../generated/types.js'
import type { Client } from '../../src/client/index.js'
import {
  createClient,
  createFetch,
  type Middleware,
  RunTimeoutError,
  TimeoutError,
  type WaitForRunOptions,
} from '../../src/index.js'
import { isTerminalRunStatus } from '../../src/status/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { listen } from '../../src/tools/sandbox/port/index.js'
import {
  createTestService,
  serviceFixture,
  type TestService,
  type TestServiceOptions,
} from '../../src/tools/testing/index.js'

/** Work that takes real time, which no clock of a test knows. */
const work = () => new Promise((resolve) => setTimeout(resolve, 20))

it('a 429 is waited out on the clock by which the sandbox counts its limits', async () => {
  using service = createTestService({ plan: { requestsPerMinute: 60, burst: 5 } })
  const { client, sandbox } = service
  await Promise.all(Array.from({ length: 30 }, () => client.getCurrentWorkspace()))
  const statuses = sandbox.requests().map(({ response }) => response?.status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses).toContain(429)
})

it('a retry after a 500 backs off without a real wait', async () => {
  using service = createTestService()
  service.sandbox.inject({ operation: 'getCurrentWorkspace', status: 500, times: 3 })
  expect(await service.client.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
  expect(service.sandbox.requests()).toHaveLength(4)
})

it('a delay of the sandbox ends an attempt by its timeout, and a shorter delay does not', async () => {
  using service = createTestService({ client: { retry: false } })
  const { client, sandbox } = service
  sandbox.inject({ delay: 60_000 })
  await expect(client.getCurrentWorkspace({ timeout: 5_000 })).rejects.toThrow(TimeoutError)
  sandbox.inject({ delay: 4_000 })
  expect(await client.getCurrentWorkspace({ timeout: 5_000 })).toMatchObject({ id: expect.any(String) })
  // The time still passes after both.
  await expect(client.waitForRun('run_unknown')).rejects.toThrow('404')
})

it('the deadline of a run that waits for approval is reached in less than two seconds', async () => {
  using service = createTestService({ progress: 'clock' })
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: {} })
  const start = performance.now()
  await expect(client.waitForRun(id)).rejects.toThrow(RunTimeoutError)
  expect(performance.now() - start).toBeLessThan(2_000)
  const polls = sandbox.requests().length
  await work()
  expect(sandbox.requests()).toHaveLength(polls)
})

/** A fetch whose bodies come some tasks after their headers, as over any network, and in Firefox from memory too. */
const withLateBodies =
  (fetch: typeof globalThis.fetch, tasks: number): typeof globalThis.fetch =>
  async (...call) => {
    const response = await fetch(...call)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return new Response(lateStream(bytes, tasks), response)
  }

const lateStream = (bytes: Uint8Array, tasks: number) =>
  new ReadableStream({
    async pull(controller) {
      for (let task = 0; task < tasks; task++) await new Promise((resolve) => setImmediate(resolve))
      controller.enqueue(bytes)
      controller.close()
    },
  })

/** A response without a stream, which its client reads with `text()`, as that of some libraries. */
const withoutStream = (response: Response) =>
  new Proxy(response, { get: (of, name) => (name === 'body' ? undefined : bound(of, name)) })

const bound = (of: Response, name: string | symbol): unknown => {
  const value: unknown = Reflect.get(of, name)
  return typeof value === 'function' ? value.bind(of) : value
}

it.each<[string, (response: Response) => Response]>([
  ['as a stream', (response) => response],
  ['with text()', withoutStream],
  ['from a clone', (response) => response.clone()],
])('the clock stands still until a body that comes 200 tasks after its headers is read %s', async (_, read) => {
  using service = createTestService()
  const late = withLateBodies(service.sandbox.fetch, 200)
  const client = service.createClient({ fetch: async (...call) => read(await late(...call)) })
  const { id } = await client.triggerRun(service.sandbox.playbooks.succeeds, { inputs: {} })
  expect((await client.waitForRun(id)).status).toBe('succeeded')
  expect(service.sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
})

it('a body that nobody reads does not stop the clock', async () => {
  using service = createTestService()
  const late = withLateBodies(service.sandbox.fetch, 200)
  const unread: Response[] = []
  const client = service.createClient({
    async fetch(...call) {
      unread.push(await late(...call))
      return new Response('', { status: 500 })
    },
  })
  await expect(client.getCurrentWorkspace()).rejects.toThrow('500')
  expect(service.sandbox.requests().length).toBeGreaterThan(1)
})

it.each<[string, Middleware]>([
  ['onRequest', { onRequest: async () => void (await work()) }],
  ['onResponse', { onResponse: async () => void (await work()) }],
])('the clock stands still while %s of middleware takes real time', async (_, middleware) => {
  using service = createTestService()
  const { client, sandbox } = service
  client.use(middleware)
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  expect((await client.waitForRun(id)).status).toBe('succeeded')
  expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
})

it('the clock stands still while a request body that is a stream is read', async () => {
  const { clock, sandbox } = createTestService()
  const { baseUrl } = sandbox
  const fetch: typeof globalThis.fetch = (...call) => clock.during(() => sandbox.fetch(...call))
  const send = createFetch({ baseUrl, apiKey: sandbox.keys.valid, fetch, clock })
  const response = await send(`${baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: lateStream(new TextEncoder().encode('{"inputs":{}}'), 200),
    duplex: 'half',
  } as RequestInit)
  expect(response.status).toBe(201)
})

it('a delay of the sandbox passes for a request that no client sends', async () => {
  using service = createTestService()
  const { sandbox } = service
  sandbox.inject({ delay: 60_000 })
  const headers = { authorization: `Bearer ${sandbox.keys.valid}` }
  expect((await sandbox.fetch(`${sandbox.baseUrl}/workspaces/me`, { headers })).status).toBe(200)
})

it('a wait that would never end is reported', async () => {
  const polling = { minInterval: 600_000, maxInterval: 600_000 }
  using service = createTestService({ progress: 'clock', client: { polling } })
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: {} })
  await expect(client.waitForRun(id, { timeout: Infinity })).rejects.toThrow('Does a run wait for an approval?')
})

it('a waiting run continues when it is approved while others wait', async () => {
  using service = createTestService({ progress: 'clock' })
  const { client, sandbox } = service
  const inputs = {}
  const ids = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const playbook = index % 2 === 0 ? sandbox.playbooks.needsApproval : sandbox.playbooks.slow
      return (await client.triggerRun(playbook, { inputs })).id
    }),
  )
  const follow = async (id: string) => {
    const run = await client.waitForRun(id, { until: 'approval', timeout: 7_000_000 })
    if (isTerminalRunStatus(run.status)) return run.status
    sandbox.approve(id)
    return (await client.waitForRun(id, { timeout: 7_000_000 })).status
  }
  expect(new Set(await Promise.all(ids.map(follow)))).toEqual(new Set(['succeeded']))
})

it('clock.during lets time stand still while onUpdate or onStep works, also in several calls at once', async () => {
  using service = createTestService()
  const { client, sandbox, clock } = service
  const follow = async (options: (approve: (run: Run) => Promise<void>) => WaitForRunOptions) => {
    const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: {} })
    const approve = async ({ steps }: Run) => {
      await clock.during(work)
      if (steps.some(({ status }) => status === 'waiting_approval')) sandbox.approve(id)
    }
    return (await client.waitForRun(id, options(approve))).status
  }
  const updates = Array.from({ length: 2 }, () => follow((approve) => ({ onUpdate: approve })))
  const steps = follow((approve) => ({ onStep: (_, run) => approve(run).catch(() => {}) }))
  expect(await Promise.all([...updates, steps])).toEqual(Array(3).fill('succeeded'))
})

it('time stands still while a key function and the callbacks of a wait take real time', async () => {
  using service = createTestService()
  const { sandbox, clock } = service
  const key = sandbox.keys.valid
  const client = service.createClient({ apiKey: () => work().then(() => key) })
  const { id } = await client.triggerRun(sandbox.playbooks.slow, { inputs: {} })
  const begun = clock.now()
  const ended = await client.waitForRun(id, { onUpdate: work, onStep: work })
  expect(ended.status).toBe('succeeded')
  expect(clock.now() - begun).toBeLessThan(600_000)
})

it('a callback that calls the client does not stop the clock forever', async () => {
  using service = createTestService()
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 60 })
  let workspace: unknown
  const onUpdate = async () => {
    workspace ??= await client.getCurrentWorkspace()
  }
  expect((await client.waitForRun(id, { onUpdate })).status).toBe('succeeded')
  expect(workspace).toMatchObject({ id: expect.any(String) })
})

it('clock.during resolves and rejects as its work does, and time goes on after both', async () => {
  using service = createTestService()
  const { client, clock, sandbox } = service
  expect(await clock.during(() => 5)).toBe(5)
  await expect(clock.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 60 })
  expect(await client.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
})

it.each<[string, (work: () => Promise<unknown>, service: TestService) => TestServiceOptions['client']]>([
  [
    'the function of the key',
    (work, { clock, sandbox }) => ({ apiKey: () => clock.during(() => work().then(() => sandbox.keys.valid)) }),
  ],
  [
    'a rate limiter',
    (work, { clock }) => ({ rateLimiter: { acquire: () => clock.during(work) as never, penalize() {} } }),
  ],
  ['a fetch, without it', (work) => ({ fetch: (...call) => work().then(() => createSandbox().fetch(...call)) })],
])('time stands still while %s works', async (_, optionsOf) => {
  let calls = 0
  using service = createTestService()
  const client = service.createClient({
    retry: false,
    totalTimeout: 1_000,
    ...optionsOf(async () => {
      calls++
      await work()
    }, service),
  })
  expect((await client.listPlaybooks()).meta.total).toBeGreaterThan(0)
  expect(calls).toBeGreaterThan(0)
})

it('middleware runs in the order of its registration, and can be removed again', async () => {
  using service = createTestService({ client: { retry: false } })
  const { client, clock } = service
  const seen: string[] = []
  const middleware = (name: string) => ({
    async onRequest() {
      await clock.during(work)
      seen.push(name)
    },
  })
  const first = middleware('first')
  client.use(first)
  await client.GET('/workspaces/me', { middleware: [middleware('own')] })
  client.eject(first)
  await client.getCurrentWorkspace()
  expect(seen).toEqual(['first', 'own'])
})

it('a client that the test makes itself waits on the clock of the service', async () => {
  using service = createTestService()
  const { sandbox, clock } = service
  const { baseUrl, keys } = sandbox
  const own = createClient({
    baseUrl,
    apiKey: keys.valid,
    clock,
    fetch: (...call) => clock.during(() => sandbox.fetch(...call)),
  })
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 60 })
  const before = clock.now()
  expect(await own.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
  expect(clock.now() - before).toBeGreaterThanOrEqual(60_000)
})

it('a service lets clients with the same key share one limit, as they do outside of tests', async () => {
  const lists = (client: Client) => Array.from({ length: 50 }, () => client.getCurrentWorkspace())
  for (const options of [{}, { workspace: 'acme' }]) {
    using service = createTestService({ client: { plan: 'pro', totalTimeout: Infinity, ...options } })
    await Promise.all([service.client, service.createClient(), service.createClient()].flatMap(lists))
    expect(service.sandbox.requests({ status: 429 })).toEqual([])
  }
})

it('the clock goes on while calls share the refresh of a key that waits for a 429', async () => {
  using service = createTestService()
  const { sandbox } = service
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 5 })
  let refresh: Promise<string> | undefined
  const refreshed = () => service.client.getCurrentWorkspace().then(() => sandbox.keys.valid)
  const client = service.createClient({ apiKey: () => (refresh ??= refreshed()) })
  const lists = await Promise.all([client.listProviders(), client.listPlaybooks()])
  expect(lists.every(({ data }) => data.length > 0)).toBe(true)
})

it('what a callback throws is reported', async () => {
  using service = createTestService()
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  const onUpdate = () => {
    throw new Error('at once')
  }
  await expect(client.waitForRun(id, { onUpdate })).rejects.toThrow('at once')
  await expect(client.waitForRun(id, { onUpdate: () => Promise.reject(new Error('later')) })).rejects.toThrow('later')
  expect((await client.waitForRun(id)).status).toBe('succeeded')
})

it('an aborted call rejects with the reason of its signal, and the others continue', async () => {
  using service = createTestService({ progress: 'clock' })
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.slow, { inputs: {} })
  const controller = new AbortController()
  const reason = new Error('no longer wanted')
  const aborted = client.waitForRun(id, { signal: controller.signal, onUpdate: () => controller.abort(reason) })
  const other = client.waitForRun(id)
  await expect(aborted).rejects.toBe(reason)
  expect((await other).status).toBe('succeeded')
})

it('advancing the sandbox advances the clients: cached responses expire', async () => {
  using service = createTestService()
  const { client, sandbox } = service
  await client.listPlaybooks()
  await client.listPlaybooks()
  expect(sandbox.requests()).toHaveLength(1)
  sandbox.advance(61_000)
  await client.listPlaybooks()
  expect(sandbox.requests()).toHaveLength(2)
  expect(() => sandbox.advance(-1)).toThrow(TypeError)
})

it('a reset clears limits, caches and time, for clients that were made before it too', async () => {
  using service = createTestService({ client: { plan: 'auto' } })
  const { client, sandbox } = service
  const waits: number[] = []
  const other = client.withOptions({ onWait: ({ wait }) => void waits.push(wait) })
  const reader = service.createClient({ apiKey: sandbox.keys.readOnly })
  const startedAt = async () => {
    const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
    return (await client.getRun(id)).started_at
  }
  const first = await startedAt()
  await client.listPlaybooks()
  await reader.getCurrentWorkspace()
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 600 })
  await expect(other.getCurrentWorkspace()).rejects.toThrow('429')
  sandbox.reset()
  waits.length = 0
  expect(await other.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
  expect(waits).toEqual([])
  await client.listPlaybooks()
  expect(sandbox.requests().map(({ operation }) => operation)).toEqual(['getCurrentWorkspace', 'listPlaybooks'])
  await expect(reader.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })).rejects.toThrow('403')
  expect(await startedAt()).toBe(first)
})

it('two services share no limit', async () => {
  using one = createTestService()
  using another = createTestService()
  one.sandbox.inject({ status: 429, retryAfter: 100 })
  const seen: string[] = []
  await Promise.all([
    one.client.getCurrentWorkspace().then(() => seen.push('one')),
    another.client.getCurrentWorkspace().then(() => seen.push('another')),
  ])
  expect(seen).toEqual(['another', 'one'])
})

it('a disposed service sends nothing more', async () => {
  const service = createTestService()
  const { client, sandbox } = service
  {
    await using _ = service
    sandbox.inject({ status: 500, untilCleared: true })
    client.getCurrentWorkspace().catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  const sent = sandbox.requests().length
  await work()
  expect(sandbox.requests()).toHaveLength(sent)
  await expect(client.getCurrentWorkspace()).rejects.toThrow('disposed')
})

it('the sandbox of the service can be served on a port, to which a client with a fetch of its own sends', async () => {
  using service = createTestService()
  const { baseUrl, close } = await listen(service.sandbox)
  onTestFinished(close)
  const over = service.createClient({ baseUrl, fetch: (...call) => fetch(...call) })
  service.sandbox.inject({ status: 429, retryAfter: 30 })
  expect(await over.getCurrentWorkspace()).toEqual(await service.client.getCurrentWorkspace())
})

const withService = test.extend<{ service: TestService }>(serviceFixture({ seed: 3 }))
for (const name of ['one test', 'another test'])
  withService(`the fixture gives ${name} a service of its own`, async ({ service: { client, sandbox } }) => {
    await client.listPlaybooks()
    expect(sandbox.requests()).toHaveLength(1)
  })

it('functions taken from a client are reset too, and a spy can replace them', async () => {
  const { client, sandbox } = createTestService()
  const { listPlaybooks, cache, withOptions } = client
  const { getCurrentWorkspace } = withOptions({ retry: false })
  await listPlaybooks()
  sandbox.reset()
  await listPlaybooks()
  cache.clear()
  await listPlaybooks()
  await getCurrentWorkspace()
  expect(sandbox.requests()).toHaveLength(3)
  expect(client).toHaveProperty('waitForRun')
  using spy = vi.spyOn(client, 'listPlaybooks').mockRejectedValue(new Error('replaced'))
  await expect(client.listPlaybooks()).rejects.toThrow('replaced')
  expect(spy).toHaveBeenCalledOnce()
})

it.each<[string, (service: TestService) => void]>([
  ['reset()', (service) => service.reset()],
  ['sandbox.reset()', (service) => service.sandbox.reset()],
])(
  '%s removes the middleware of every client on the clock, and the deprecations that were reported',
  async (_, reset) => {
    const deprecated = createSandbox().fetch
    using service = createTestService({
      client: {
        onDeprecation: () => void reported++,
        fetch: async (...call) => {
          const { status, headers, body } = await deprecated(...call)
          return new Response(body, { status, headers: [...headers, ['deprecation', '@1700000000']] })
        },
      },
    })
    let reported = 0
    let seen = 0
    const { client } = service
    const other = client.withOptions({ timeout: 5_000 })
    for (const each of [client, service.createClient()]) each.use({ onRequest: () => void seen++ })
    await other.getCurrentWorkspace()
    await service.createClient().getCurrentWorkspace()
    expect([seen, reported]).toEqual([1, 2])
    reset(service)
    await other.getCurrentWorkspace()
    await other.getCurrentWorkspace()
    expect([seen, reported]).toEqual([1, 3])
  },
)

it('what waits at a reset never ends and sends nothing to the next test, which waits for the same run and the same list', async () => {
  using service = createTestService()
  const { client, sandbox } = service
  const settled: string[] = []
  const note = (name: string) => [() => settled.push(name), () => settled.push(name)] as const
  const inputs = {}
  const first = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs })
  client.waitForRun(first.id).then(...note('the run'))
  sandbox.inject({ operation: 'listProviders', delay: 60_000 })
  client.listProviders().then(...note('the list'))
  sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 60 })
  client.getCurrentWorkspace().then(...note('the pause'))
  await new Promise((resolve) => setImmediate(resolve))
  service.reset()
  const again = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs })
  expect(again.id).toBe(first.id)
  await client.waitForRun(again.id, { until: 'approval' })
  sandbox.approve(again.id)
  expect((await client.waitForRun(again.id)).status).toBe('succeeded')
  expect((await client.listProviders()).data.length).toBeGreaterThan(0)
  expect(await client.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
  await work()
  expect(settled).toEqual([])
  expect(sandbox.requests({ operation: 'listProviders' })).toHaveLength(1)
  expect(sandbox.requests({ operation: 'getCurrentWorkspace' })).toHaveLength(1)
})

it('an option of a client that is undefined gets the default', async () => {
  using service = createTestService({ client: { baseUrl: undefined, timeout: 60_000 } as object })
  const { sandbox } = service
  const options = { apiKey: undefined, baseUrl: undefined, fetch: undefined, timeout: undefined }
  for (const client of [service.client, service.createClient(options as never)]) {
    sandbox.inject({ delay: 50_000 })
    expect(await client.getCurrentWorkspace()).toMatchObject({ id: expect.any(String) })
  }
  expect(sandbox.requests().map(({ key }) => key)).toEqual(['valid', 'valid'])
})

it.each<[string, (options: object) => unknown]>([
  ['createTestService', (options) => createTestService(options)],
  ['the option client', (client) => createTestService({ client })],
  ['createClient', (options) => createTestService().createClient(options)],
])('%s refuses a clock, a store as its cache, and what is no object', (_, make) => {
  const clock = { now: () => 0, setTimeout() {}, clearTimeout() {} }
  expect(() => make({ clock })).toThrow('creates the clock')
  expect(() => make({ cache: new Map() })).toThrow('cache must be true or false')
  for (const options of [5, null, 'pro', []])
    expect(() => make(options as object)).toThrow(/^[\w ]+: the options must be an object\.$/)
})
