import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Fault, type Sandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { caller, trigger } from './calls.js'

const statusesOf = async (sandbox: Sandbox, count: number): Promise<(number | string)[]> => {
  const statuses: (number | string)[] = []
  for (let index = 0; index < count; index++)
    statuses.push(
      await caller(sandbox)('/providers').then(
        ({ status }) => status,
        () => 'dropped',
      ),
    )
  return statuses
}

const unlimited = (seed = 1) => createSandbox({ seed, plan: false })

describe('a fault after the effect', () => {
  it('loses the response of a trigger whose run exists', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
    await expect(trigger(sandbox, sandbox.playbooks.succeeds)).rejects.toThrow('fetch failed')
    const runs = sandbox.state.workspaces[0]?.runs ?? []
    expect(runs).toHaveLength(2)
    expect((await caller(sandbox)(`/runs/${runs[1]?.run.id}`)).status).toBe(200)
  })

  it('replaces the response by a status, and takes a token', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 5 } })
    sandbox.inject({ status: 502, after: 'effect' })
    expect((await caller(sandbox)('/providers')).status).toBe(502)
    expect(sandbox.state.workspaces[0]?.tokens).toBeCloseTo(4, 1)
  })

  it('has no effect without after', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ operation: 'triggerRun', drop: true })
    await expect(trigger(sandbox, sandbox.playbooks.succeeds)).rejects.toThrow('fetch failed')
    expect(sandbox.state.workspaces[0]?.runs).toHaveLength(1)
  })
})

describe('the response of a fault', () => {
  const get = ({ fetch, baseUrl, keys }: Sandbox) =>
    fetch(`${baseUrl}/providers`, { headers: { authorization: `Bearer ${keys.valid}` } })

  it('has its own body and headers, as that of a gateway', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'Content-Type': 'text/html' } })
    const response = await get(sandbox)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      502,
      'text/html',
      '<h1>Bad gateway</h1>',
    ])
    sandbox.inject({ body: { data: 'no list' } })
    const other = await get(sandbox)
    expect([other.status, await other.json()]).toEqual([200, { data: 'no list' }])
  })

  it('breaks off in the middle of its body', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ cutOff: true })
    const response = await get(sandbox)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(TypeError)
    expect((await get(sandbox)).status).toBe(200)
  })

  it('names the location of a redirect, which repeats the request', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 307 })
    const response = await get(sandbox)
    const location = response.headers.get('location') ?? ''
    expect(new URL(location, `${sandbox.baseUrl}/providers`).href).toBe(`${sandbox.baseUrl}/providers`)
  })

  it.each([204, 205, 304])('has no body with the status %i', async (status) => {
    const sandbox = createSandbox()
    sandbox.inject({ status })
    const response = await get(sandbox)
    expect([response.status, await response.text()]).toEqual([status, ''])
  })
})

describe('which calls fail', () => {
  it('skips the first calls', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, skip: 2, times: 2 })
    expect(await statusesOf(sandbox, 5)).toEqual([200, 200, 500, 500, 200])
  })

  it('follows a sequence, whose empty effects let a call pass', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ sequence: [{ status: 500 }, {}, { drop: true }], times: 2 })
    expect(await statusesOf(sandbox, 7)).toEqual([500, 200, 'dropped', 500, 200, 'dropped', 200])
  })

  it('is likely as its probability says, and the same for the same seed', async () => {
    const fault: Fault = { status: 500, probability: 0.25, times: Number.POSITIVE_INFINITY }
    const of = async (seed: number) => {
      const sandbox = unlimited(seed)
      sandbox.inject(fault)
      return statusesOf(sandbox, 200)
    }
    const first = await of(1)
    const failed = first.filter((status) => status === 500).length
    expect(failed).toBeGreaterThan(25)
    expect(failed).toBeLessThan(75)
    expect(await of(1)).toEqual(first)
    expect(await of(2)).not.toEqual(first)
  })

  it('fails for one key, for one run, or for one playbook and its runs only', async () => {
    const sandbox = createSandbox()
    const { id } = (await trigger(sandbox, sandbox.playbooks.slow)).body
    const other = (await trigger(sandbox, sandbox.playbooks.succeeds)).body.id
    const call = caller(sandbox)
    const statuses = async () => [
      (await caller(sandbox, sandbox.keys.readOnly)(`/runs/${id}`)).status,
      (await call(`/runs/${id}`)).status,
      (await call(`/runs/${other}`)).status,
      (await call('/providers')).status,
    ]
    sandbox.inject({ key: 'readOnly', status: 500, untilCleared: true })
    expect(await statuses()).toEqual([500, 200, 200, 200])
    sandbox.clearFaults()
    sandbox.inject({ run: other, status: 500, untilCleared: true })
    expect(await statuses()).toEqual([200, 200, 500, 200])
    sandbox.clearFaults()
    sandbox.inject({ playbook: sandbox.playbooks.slow, status: 500, untilCleared: true })
    expect(await statuses()).toEqual([500, 500, 200, 200])
    expect((await trigger(sandbox, sandbox.playbooks.slow)).status).toBe(500)
    expect((await trigger(sandbox, sandbox.playbooks.succeeds)).status).toBe(201)
  })

  it('delays by a time between two, which the seed chooses', async () => {
    const delays: number[] = []
    const clock = {
      now: () => 0,
      setTimeout: (run: () => void, ms: number) => {
        delays.push(ms)
        return setTimeout(run, 0)
      },
      clearTimeout: (timer: unknown) => clearTimeout(timer as number),
    }
    const sandbox = createSandbox({ clock: { ...clock, now: () => performance.now() } })
    sandbox.inject({ delay: [100, 101], times: 3 })
    await statusesOf(sandbox, 3)
    expect(delays.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...delays)).toBeLessThanOrEqual(101)
  })

  it.each<[object, string]>([
    [{}, 'it needs status, body, headers, delay, drop, malformed, cutOff or sequence'],
    [{ status: 99 }, 'status must be a whole number from 200 to 599'],
    [{ status: 500, times: 0 }, 'times must be a whole number'],
    [{ status: 500, times: 3, untilCleared: true }, 'times and untilCleared exclude each other'],
    [{ status: 500, time: 3 }, 'there is no option "time"; these are: status, '],
    [{ status: 500, operation: 'fly' }, 'operation must be one of getCurrentWorkspace'],
    [{ status: 500, operation: ['getRun'] }, 'operation must be one of getCurrentWorkspace'],
    [{ drop: 'yes' }, 'drop must be true or false'],
    [{ delay: -1 }, 'delay must be'],
    [{ key: 'nobody', status: 500 }, 'the world has no key "nobody", only valid'],
    [{ status: 500, probability: 2 }, 'probability must be a number from 0 to 1'],
    [{ sequence: [] }, 'sequence must be a list of effects'],
    [{ sequence: [{ status: 1 }] }, 'sequence/0/status must be a whole number from 200 to 599'],
    [{ status: 500, sequence: [{}] }, 'a sequence has its own effects'],
    [{ delay: [5, 1] }, 'delay must be'],
    [{ headers: { 'a b': 'c' } }, 'headers must be an object of headers'],
    [{ after: 'effect' }, 'it needs status'],
    [{ body: 10n }, 'body must be a text or a JSON value'],
    [{ body: () => {} }, 'body must be a text or a JSON value'],
  ])('the fault %o is refused', (fault, reason) => {
    expect(() => createSandbox().inject(fault as Fault)).toThrow(reason)
  })
})

describe('chaos', () => {
  it('makes calls fail in many ways, the same for the same seed and after each reset', async () => {
    const sandbox = createSandbox({
      chaos: 0.6,
      plan: false,
      seed: 4,
      clock: { now: () => 0, setTimeout: (run) => setTimeout(run), clearTimeout: () => {} },
    })
    const outcomes = async () => {
      const found: unknown[] = []
      for (let index = 0; index < 100; index++)
        found.push(
          await caller(sandbox)('/providers').then(
            ({ status }) => status,
            (error) => error.constructor.name,
          ),
        )
      return found
    }
    const first = await outcomes()
    expect(new Set(first).size).toBeGreaterThan(3)
    expect(first).toContain(200)
    sandbox.reset()
    expect(await outcomes()).toEqual(first)
    sandbox.clearFaults()
    expect(new Set(await outcomes())).toEqual(new Set([200]))
  })
})

describe('faults on a port', () => {
  let server: SandboxServer
  const sandbox = createSandbox()
  beforeAll(async () => {
    server = await listen(sandbox)
  })
  afterAll(() => server.close())
  const get = (redirect: RequestRedirect = 'manual') =>
    fetch(`${server.baseUrl}/providers`, { headers: { authorization: `Bearer ${sandbox.keys.valid}` }, redirect })

  it.each([204, 205, 304])(
    'a fault with the status %i has no body, and its connection can be used again',
    async (status) => {
      sandbox.inject({ status })
      const response = await get()
      expect([response.status, await response.text()]).toEqual([status, ''])
      expect((await get()).status).toBe(200)
    },
  )

  it('a connection breaks in the middle of the body', async () => {
    sandbox.inject({ cutOff: true })
    const response = await get()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect((await get()).status).toBe(200)
  })

  it('a client that follows a redirect repeats its request', async () => {
    sandbox.inject({ status: 307 })
    expect((await get('follow')).status).toBe(200)
  })

  it('a lost response leaves its run', async () => {
    const world = await server.world('lost')
    await world.inject({ operation: 'triggerRun', drop: true, after: 'effect', times: Number.POSITIVE_INFINITY })
    await expect(trigger(world, world.playbooks.succeeds)).rejects.toThrow()
    expect((await world.state()).workspaces[0]?.runs).toHaveLength(2)
  })
})

it('keeps a bounded number of faults, and events of them short', async () => {
  const sandbox = createSandbox()
  expect(() => sandbox.inject({ status: 500, body: 'x'.repeat(2 ** 22) })).toThrow('too large')
  for (let count = 0; count < 1_000; count++) sandbox.inject({ status: 500 })
  expect(() => sandbox.inject({ status: 500 })).toThrow('There are too many faults')
  expect(sandbox.faults).toHaveLength(1_000)
})
