import { expect, it } from 'vitest'
import { createClient, createMemoryCache, createRateLimiter } from '../../src/index.js'
import { checkConformance } from '../../src/tools/conformance/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { createService } from '../../src/tools/service/index.js'
import { createTestService } from '../../src/tools/testing/index.js'

/**
 * Objects as users write them: instances of classes whose methods need `this`. A method that is called alone fails on its
 * private fields.
 */
class UserClock {
  #offset = Date.parse('2030-01-01T00:00:00Z') - performance.now()
  #timers = new Set<unknown>()
  now() {
    return this.#offset + performance.now()
  }
  setTimeout(run: () => void, ms: number) {
    const timer = setTimeout(run, ms)
    this.#timers.add(timer)
    return timer
  }
  clearTimeout(timer: unknown) {
    this.#timers.delete(timer)
    clearTimeout(timer as NodeJS.Timeout)
  }
  wallTime() {
    return this.#offset + performance.now()
  }
  date() {
    return this.#offset + performance.now()
  }
  sleep(ms: number) {
    this.#offset += ms
    return new Promise<void>((resolve) => this.#timers.add(setTimeout(resolve, 0)))
  }
  advance() {
    this.#offset += 0
  }
}

class UserStore {
  #entries = new Map<string, unknown>()
  uses = 0
  get(key: string) {
    this.uses++
    return this.#entries.get(key)
  }
  set(key: string, value: unknown) {
    this.#entries.set(key, value)
  }
  delete(key: string) {
    return this.#entries.delete(key)
  }
  clear() {
    this.#entries.clear()
  }
}

class UserLimiter {
  #costs: number[] = []
  #waits: number[] = []
  async acquire(cost: number) {
    this.#costs.push(cost)
  }
  penalize(wait: number) {
    this.#waits.push(wait)
  }
  get seen() {
    return { costs: this.#costs.length, waits: this.#waits }
  }
}

class UserHandlers {
  #name = 'Of a class'
  getCurrentWorkspace() {
    return { status: 200 as const, body: { id: 'ws_1', name: this.#name } }
  }
}

const KEY = 'key_valid'

it('a client keeps `this` of the methods of a clock, a cache and a rate limiter', async () => {
  const { baseUrl, fetch, inject } = createSandbox()
  const [cache, rateLimiter] = [new UserStore(), new UserLimiter()]
  const client = createClient({ baseUrl, apiKey: KEY, fetch, clock: new UserClock(), cache, rateLimiter })
  for (const _ of ['sent', 'cached']) expect((await client.listPlaybooks()).meta.total).toBe(4)
  inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 0 })
  expect((await client.getCurrentWorkspace()).name).toBe('Acme Operations')
  expect(cache.uses).toBeGreaterThan(0)
  expect(rateLimiter.seen).toEqual({ costs: 3, waits: [expect.any(Number)] })
  await client.cache.clear()
})

it('a cache and a rate limiter in memory keep `this` of the methods of a clock', async () => {
  const clock = new UserClock()
  const cache = createMemoryCache(10, 1_000, clock)
  cache.set('a', 'b', 1_000)
  expect(cache.get('a')).toBe('b')
  await createRateLimiter('pro', clock).acquire(1, {} as never)
})

it('a sandbox keeps `this` of the methods of a clock and of handlers, also of those that a class has', async () => {
  const { baseUrl, fetch, advance } = createSandbox({
    clock: new UserClock(),
    progress: 'clock',
    handlers: new UserHandlers(),
  })
  const response = await fetch(`${baseUrl}/workspaces/me`, { headers: { authorization: `Bearer ${KEY}` } })
  expect(await response.json()).toEqual({ id: 'ws_1', name: 'Of a class' })
  expect(response.headers.get('date')).toMatch(/2030/)
  advance(1_000)
})

it('a service keeps `this` of the methods of its operations', async () => {
  const service = createService({
    authenticate: () => ({ context: 1 }),
    operations: new UserHandlers(),
    otherwise: 501,
  })
  const request = new Request('http://localhost/v1/workspaces/me', { headers: { authorization: `Bearer ${KEY}` } })
  expect(await (await service.fetch(request)).json()).toMatchObject({ name: 'Of a class' })
})

it('a test service keeps `this` of the methods of handlers and of a rate limiter', async () => {
  using service = createTestService({ handlers: new UserHandlers(), client: { rateLimiter: new UserLimiter() } })
  expect(await service.client.getCurrentWorkspace()).toMatchObject({ name: 'Of a class' })
})

it('verify keeps `this` of the methods of a clock, also of the one for the time of day', async () => {
  const { baseUrl, fetch, playbooks } = createSandbox({ clock: new UserClock() })
  const report = await checkConformance({
    ...{ baseUrl, fetch, apiKey: KEY, depth: 'quick', trigger: playbooks.succeeds, clock: new UserClock() },
  })
  expect(report.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  expect(report.summary.exercised).toBeGreaterThan(20)
})
