import { afterEach, describe, expect, it } from 'vitest'
import { errorInternal as internalError, errorRateLimited as rateLimited } from '../../generated/examples.js'
import { createClient } from '../../src/index.js'
import { createSandbox, type Fault, type Sandbox } from '../../src/tools/sandbox/index.js'
import { engineOf } from '../../src/tools/sandbox/sandbox.js'
import { caller, trigger } from './calls.js'
import { endAll, KEY, serve } from './ports.js'

afterEach(endAll)

/** The status of each of some calls. */
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

const injected = (status: number) => ({ error: 'injected_fault', message: `The sandbox injected a ${status}.` })

describe('which calls fail', () => {
  it('a fault sets the status of the next calls of one operation', async () => {
    const sandbox = createSandbox()
    const call = caller(sandbox)
    sandbox.inject({ operation: 'listProviders', status: 500, times: 2 })
    expect((await call('/playbooks')).status).toBe(200)
    expect(await call('/providers')).toMatchObject({ status: 500, body: { error: 'internal_error' } })
    expect(await statusesOf(sandbox, 2)).toEqual([500, 200])
  })

  it('a fault is applied before the key is checked and takes no token', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 1 } })
    sandbox.inject({ status: 500, times: 5 })
    for (let count = 0; count < 5; count++) expect((await caller(sandbox, 'nobody')('/providers')).status).toBe(500)
    expect((await caller(sandbox)('/providers')).status).toBe(200)
  })

  it('a fault with untilCleared stays in sandbox.faults until it is cleared', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, untilCleared: true })
    expect(await statusesOf(sandbox, 3)).toEqual([500, 500, 500])
    expect(sandbox.faults).toEqual([{ number: 1, fault: { status: 500, untilCleared: true }, left: undefined }])
    sandbox.clearFaults()
    expect(await statusesOf(sandbox, 1)).toEqual([200])
  })

  it('a fault with skip lets the first calls pass', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, skip: 2, times: 2 })
    expect(await statusesOf(sandbox, 5)).toEqual([200, 200, 500, 500, 200])
  })

  it('faults are removed by their number, and brief() lists them without long bodies', () => {
    const sandbox = createSandbox()
    const { faults } = engineOf(sandbox)
    const long = { body: 'x'.repeat(1_000), headers: { 'x-a': 'b' }, status: 500 }
    for (const fault of [{ drop: true }, long, { cutOff: true }]) sandbox.inject(fault)
    const brief = { number: 2, fault: { status: 500, body: '…', headers: {}, sequence: [] }, left: 1 }
    expect(faults.brief(2)).toEqual({ count: 3, faults: [{ number: 1, fault: { drop: true }, left: 1 }, brief] })
    expect(faults.remove(2)).toBe(true)
    expect(sandbox.faults.map(({ number }) => number)).toEqual([1, 3])
    expect(faults.remove(2)).toBe(false)
  })

  it('faults take a few megabytes together', () => {
    const sandbox = createSandbox()
    const large = { status: 500, body: 'x'.repeat(1_000_000) }
    for (let count = 0; count < 2; count++) sandbox.inject(large)
    expect(() => sandbox.inject(large)).toThrow('too many or too large: clear some of the 2.')
  })

  it('a fault follows its sequence, whose empty effects let a call pass', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ sequence: [{ status: 500 }, {}, { drop: true }], times: 2 })
    expect(await statusesOf(sandbox, 7)).toEqual([500, 200, 'dropped', 500, 200, 'dropped', 200])
  })

  it('a fault is likely as its probability says, and the same for the same seed', async () => {
    const fault: Fault = { status: 500, probability: 0.25, times: Number.POSITIVE_INFINITY }
    const of = async (seed: number) => {
      const sandbox = createSandbox({ seed, plan: false })
      sandbox.inject(fault)
      return statusesOf(sandbox, 100)
    }
    const first = await of(1)
    const failed = first.filter((status) => status === 500).length
    expect(failed).toBeGreaterThan(10)
    expect(failed).toBeLessThan(40)
    expect(await of(1)).toEqual(first)
    expect(await of(2)).not.toEqual(first)
  })

  it('a fault fails for one key, for one run, or for one playbook and its runs only', async () => {
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
    sandbox.clearFaults()
    sandbox.inject({ run: sandbox.playbooks.succeeds, status: 500, untilCleared: true })
    expect((await trigger(sandbox, sandbox.playbooks.succeeds)).status).toBe(201)
  })

  it('a fault ignores requests outside the contract', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 500, untilCleared: true })
    expect((await caller(sandbox)('/nothing')).status).toBe(404)
  })

  it('chaos makes calls fail in many ways, the same for the same seed and after each reset', async () => {
    const clock = { now: () => 0, setTimeout: (run: () => void) => setTimeout(run), clearTimeout: () => {} }
    const sandbox = createSandbox({ chaos: 0.6, plan: false, seed: 4, clock })
    const outcomes = async () => {
      const found: unknown[] = []
      for (let index = 0; index < 60; index++)
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

describe('what a fault does', () => {
  it('a fault sets the wait in header and body', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 429, retryAfter: 3 })
    sandbox.inject({ status: 503, retryAfter: 4 })
    const limited = await caller(sandbox)('/providers')
    expect([limited.headers.get('retry-after'), limited.body.retry_after]).toEqual(['3', 3])
    const away = await caller(sandbox)('/providers')
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '4'])
  })

  const wait = rateLimited.retry_after
  it.each<[fault: Fault, status: number, headers: Record<string, string | null>, body: unknown]>([
    [{ status: 418 }, 418, { 'retry-after': null, location: null }, injected(418)],
    [{ status: 503, retryAfter: 0 }, 503, { 'retry-after': '0' }, injected(503)],
    [{ status: 500 }, 500, { 'retry-after': null }, internalError],
    [{ status: 429 }, 429, { 'retry-after': `${wait}` }, rateLimited],
    ...[301, 302, 303, 307, 308].map((status): [Fault, number, Record<string, string>, unknown] => [
      { status },
      status,
      { location: './providers' },
      injected(status),
    ]),
    [{ body: 'text' }, 200, { 'content-type': 'text/plain; charset=utf-8', date: expect.any(String) }, 'text'],
    [{ body: [1] }, 200, { 'content-type': 'application/json', date: expect.any(String) }, [1]],
    [{ status: 500, headers: { 'X-Note': 'own' } }, 500, { 'x-note': 'own' }, internalError],
  ])('the response of %j', async (fault, status, headers, body) => {
    const { fetch, baseUrl, inject } = createSandbox()
    inject(fault)
    const response = await fetch(`${baseUrl}/providers`, { headers: KEY, redirect: 'manual' })
    expect(response.status).toBe(status)
    for (const [name, value] of Object.entries(headers))
      expect([name, response.headers.get(name)]).toEqual([name, value])
    expect(await response.text()).toBe(typeof body === 'string' ? body : JSON.stringify(body))
  })

  it('the ways in which chaos fails a call are together as likely as it is', () => {
    const ways = createSandbox({ chaos: 0.7 }).faults.map(({ fault }) => fault.probability ?? 0)
    expect(ways.reduce((sum, each) => sum + each)).toBeCloseTo(0.7)
  })

  it('a dropped connection and a reset are one sentence each in the errors of the client', async () => {
    const sandbox = createSandbox()
    const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.valid, fetch: sandbox.fetch })
    const message = () => client.listProviders({}, { retry: false }).catch((error) => error.message)
    sandbox.inject({ drop: true })
    expect(await message()).toMatch(/: The sandbox dropped the connection because of an injected fault\.$/)
    sandbox.inject({ delay: 60_000 })
    const reset = message()
    await expect.poll(() => sandbox.faults).toEqual([])
    sandbox.reset()
    expect(await reset).toMatch(/: The sandbox was reset while this request was in progress\.$/)
  })

  it('a fault delays the response, and aborting the request ends the delay', async () => {
    const { fetch, baseUrl, inject } = createSandbox()
    inject({ delay: 20 })
    expect((await fetch(`${baseUrl}/providers`, { headers: KEY })).status).toBe(200)
    inject({ delay: 1e9 })
    const controller = new AbortController()
    const response = fetch(`${baseUrl}/providers`, { headers: KEY, signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(response).rejects.toThrow('enough')
    await expect(fetch(`${baseUrl}/providers`, { signal: controller.signal })).rejects.toThrow('enough')
  })

  it('a fault delays by a time between two, which the seed chooses', async () => {
    let delays: number[] = []
    const clock = {
      now: () => performance.now(),
      setTimeout: (run: () => void, ms: number) => {
        delays.push(ms)
        return setTimeout(run, 0)
      },
      clearTimeout: (timer: unknown) => clearTimeout(timer as number),
    }
    const delaysOf = async (seed: number) => {
      delays = []
      const sandbox = createSandbox({ clock, seed })
      sandbox.inject({ delay: [1_000, 2_000], times: 3 })
      await statusesOf(sandbox, 3)
      return delays
    }
    const chosen = await delaysOf(1)
    expect(chosen).toHaveLength(3)
    for (const delay of chosen) expect(delay >= 1_000 && delay <= 2_000, `${delay} ms`).toBe(true)
    expect(await delaysOf(1)).toEqual(chosen)
    expect(await delaysOf(2)).not.toEqual(chosen)
  })

  it('a fault after the effect loses the response of a trigger whose run exists, and one before it leaves no run', async () => {
    const sandbox = createSandbox()
    for (const [fault, count] of [
      [{ drop: true }, 1],
      [{ drop: true, after: 'effect' }, 2],
    ] as const) {
      sandbox.inject({ operation: 'triggerRun', ...fault })
      await expect(trigger(sandbox, sandbox.playbooks.succeeds)).rejects.toThrow('fetch failed')
      expect(sandbox.state.workspaces[0]?.runs).toHaveLength(count)
    }
    const { run } = sandbox.state.workspaces[0]!.runs[1]!
    expect((await caller(sandbox)(`/runs/${run.id}`)).status).toBe(200)
  })

  it.each([
    ['before', {}, 1],
    ['after', { after: 'effect' }, 2],
  ] as const)('a delay is %s the effect', async (_, when, runs) => {
    const waits: number[] = []
    const clock = {
      now: () => performance.now(),
      setTimeout: (_: () => void, ms: number) => waits.push(ms),
      clearTimeout() {},
    }
    const sandbox = createSandbox({ clock })
    sandbox.inject({ delay: 60_000, operation: 'triggerRun', ...when })
    const delayed = trigger(sandbox, sandbox.playbooks.succeeds).catch(({ message }) => message)
    await expect.poll(() => waits).toEqual([60_000])
    expect(sandbox.state.workspaces[0]?.runs).toHaveLength(runs)
    sandbox.reset()
    expect(await delayed).toBe('fetch failed')
  })

  it('a fault after the effect replaces the response by a status, and takes a token', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 5 } })
    sandbox.inject({ status: 502, after: 'effect' })
    expect((await caller(sandbox)('/providers')).status).toBe(502)
    expect(sandbox.state.workspaces[0]?.tokens).toBeCloseTo(4, 1)
  })

  it('a malformed response has a body that is no JSON', async () => {
    const { fetch, baseUrl, inject } = createSandbox()
    inject({ malformed: true })
    const response = await fetch(`${baseUrl}/providers`, { headers: KEY })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    await expect(response.json()).rejects.toThrow(SyntaxError)
  })

  it('a fault has its own body and headers, as that of a gateway', async () => {
    const { fetch, baseUrl, inject } = createSandbox()
    inject({ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'Content-Type': 'text/html' } })
    const response = await fetch(`${baseUrl}/providers`, { headers: KEY })
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html'])
    expect(await response.text()).toBe('<h1>Bad gateway</h1>')
    inject({ body: { data: 'no list' } })
    const other = await fetch(`${baseUrl}/providers`, { headers: KEY })
    expect([other.status, await other.json()]).toEqual([200, { data: 'no list' }])
  })
})

describe.each(['in process', 'on a port'])('the response of a fault %s', (where) => {
  const open = async () => {
    const sandbox = createSandbox()
    const { fetch, baseUrl } =
      where === 'in process' ? sandbox : { ...(await serve({}, sandbox)), fetch: globalThis.fetch }
    return {
      inject: sandbox.inject,
      baseUrl,
      get: (path = '/providers') => fetch(`${baseUrl}${path}`, { headers: KEY, redirect: 'manual' }),
    }
  }

  it.each([204, 205, 304])('a fault with the status %i has no body, and the next call passes', async (status) => {
    const { inject, get } = await open()
    inject({ status })
    const response = await get()
    expect([response.status, await response.text()]).toEqual([status, ''])
    expect((await get()).status).toBe(200)
  })

  it('a response that is cut off breaks in the middle of its body, and the next call passes', async () => {
    const { inject, get } = await open()
    inject({ cutOff: true })
    const response = await get()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow(TypeError)
    expect((await get()).status).toBe(200)
  })

  it('a redirect names a location that repeats the request', async () => {
    const { inject, get, baseUrl } = await open()
    for (const path of ['/providers', '/providers?page=2&per_page=3', '/providers?after=a/b', '/runs/a:b?x=/']) {
      inject({ status: 307 })
      const location = (await get(path)).headers.get('location') ?? ''
      expect(new URL(location, baseUrl + path).href).toBe(`${baseUrl}${path}`)
    }
  })
})

it('a request of no operation uses up no fault', async () => {
  const sandbox = createSandbox()
  sandbox.inject({ status: 500 })
  expect((await caller(sandbox)('/nothing')).status).toBe(404)
  expect(await statusesOf(sandbox, 2)).toEqual([500, 200])
})
