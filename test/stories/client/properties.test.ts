import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContractError } from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, RUN } from '../../support/server.js'

// The clock of the runtime, as the tests of users replace it.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** What a service may do to a request. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ status: fc.constant(200), asked: fc.constant(0) }) },
  { weight: 4, arbitrary: fc.record({ status: fc.constant(429), asked: fc.integer({ min: 0, max: 150 }) }) },
  fc.record({ status: fc.constantFrom(500, 502, 503, 504), asked: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ status: fc.constantFrom(400, 401, 404), asked: fc.constant(0) }),
  fc.record({ status: fc.constant(0), asked: fc.constant(0) }),
)

const plan = fc.constantFrom('auto' as const, 'pro' as const, false as const)

const message = 'The limit of 60 requests per minute is exceeded.'

function reply({ status, asked }: { status: number; asked: number }): Response {
  if (status === 0) throw new TypeError('fetch failed', { cause: new Error('closed') })
  if (status === 200) return Response.json(RUN)
  const headers = { 'retry-after': String(asked) }
  return Response.json({ error: 'e', message, retry_after: asked }, status === 200 ? {} : { status, headers })
}

describe('any sequence of responses', () => {
  it('no sequence of responses makes the client early, exceed its attempts or never settle', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 0, max: 5 }),
        fc.array(fc.constantFrom('GET', 'POST'), { minLength: 1, maxLength: 6 }),
        plan,
        async (steps, maxRetries, methods, plan) => {
          let index = 0
          const heldUntil = { runs: 0, requests: 0 }
          let early = 0
          const sent = new Map<string, number>()
          const fetch = async (url: string, _init: RequestInit) => {
            const at = performance.now()
            const quota = url.includes('playbooks') ? 'runs' : 'requests'
            if (at < heldUntil[quota]) early++
            sent.set(url, (sent.get(url) ?? 0) + 1)
            const next = steps[index++] ?? { status: 200, asked: 0 }
            if (next.status === 429) heldUntil[quota] = Math.max(heldUntil[quota], at + next.asked * 1_000)
            return reply(next)
          }
          const client = clientOf({ baseUrl: `http://localhost${VERSION}` }, { fetch, plan, retry: { maxRetries } })
          for (const [number, method] of methods.entries()) {
            const id = `id_${number}`
            const call = method === 'GET' ? client.getRun(id) : client.triggerRun(id, { inputs: {} })
            const outcome = call.then(
              () => 'value',
              (error: unknown) => (error instanceof ContractError ? 'error' : error),
            )
            await vi.runAllTimersAsync()
            expect(['value', 'error']).toContain(await outcome)
          }
          expect(early).toBe(0)
          for (const count of sent.values()) expect(count).toBeLessThanOrEqual(maxRetries + 1)
          expect(vi.getTimerCount()).toBe(0)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('any interleaving of calls, aborts, 429s, key changes and clock jumps', () => {
  /** What a caller or the world does next. */
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('get' as const), aborts: fc.boolean() }) },
    fc.record({ do: fc.constant('list' as const), aborts: fc.boolean() }),
    fc.record({ do: fc.constant('trigger' as const), aborts: fc.boolean() }),
    fc.record({ do: fc.constant('watch' as const), aborts: fc.constant(true) }),
    fc.record({ do: fc.constant('abort' as const) }),
    fc.record({ do: fc.constant('key' as const) }),
    fc.record({ do: fc.constant('jump' as const), by: fc.integer({ min: -100_000, max: 100_000 }) }),
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 5_000 }) }) },
  )

  it('no interleaving leaves a call unsettled, sends one early, blocks the limiter or leaks a listener or timer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 40 }),
        fc.array(step, { maxLength: 20 }),
        fc.constantFrom(1, 2, 10),
        fc.integer({ min: 0, max: 900 }),
        async (actions, steps, burst, latency) => {
          let index = 0
          let early = 0
          let key = 0
          const pauses: { quota: string; from: number; until: number }[] = []
          const fetch = async (url: string, { signal }: RequestInit) => {
            const quota = url.includes('/runs') && url.includes('playbooks') ? 'runs' : 'requests'
            const at = performance.now()
            if (pauses.some((pause) => pause.quota === quota && at > pause.from && at < pause.until)) early++
            const next = steps[index++] ?? { status: 200, asked: 0 }
            await new Promise((resolve) => setTimeout(resolve, latency))
            // Nobody sees the response to a request that was aborted.
            signal?.throwIfAborted()
            const from = performance.now()
            if (next.status === 429) pauses.push({ quota, from, until: from + next.asked * 1_000 })
            return reply(next)
          }
          const client = clientOf(
            { baseUrl: `http://localhost${VERSION}` },
            { fetch, apiKey: async () => `wk_${key}`, plan: { requestsPerMinute: 600, burst } },
          )
          let controller = new AbortController()
          const signals = [controller.signal]
          const outcomes: Promise<boolean>[] = []
          for (const each of actions) {
            if (each.do === 'pass') await vi.advanceTimersByTimeAsync(each.ms)
            else if (each.do === 'jump') vi.setSystemTime(Date.now() + each.by)
            else if (each.do === 'key') key++
            else if (each.do === 'abort') {
              controller.abort('gone')
              controller = new AbortController()
              signals.push(controller.signal)
            } else {
              const options = each.aborts ? { signal: controller.signal } : {}
              const call = {
                get: () => client.getRun('run_1', options),
                list: () => client.listPlaybooks({}, options),
                trigger: () => client.triggerRun('pb_1', { inputs: {} }, options),
                watch: () => client.waitForRun('run_1', { ...options, timeout: 20_000 }),
              }[each.do]()
              outcomes.push(
                call.then(
                  () => true,
                  (error: unknown) => error === 'gone' || error instanceof ContractError,
                ),
              )
            }
          }
          await vi.runAllTimersAsync()
          expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => true))
          expect(early).toBe(0)
          const last = client.getRun('run_2', {
            totalTimeout: Infinity,
            retry: { maxRetryAfter: Infinity, maxRetries: 99 },
          })
          const alive = last.then(
            () => true,
            (error: unknown) =>
              error instanceof ContractError && [400, 401, 404].includes(Number(Reflect.get(error, 'status'))),
          )
          await vi.runAllTimersAsync()
          expect(await alive).toBe(true)
          expect(vi.getTimerCount()).toBe(0)
          for (const signal of signals) expect(getEventListeners(signal, 'abort')).toEqual([])
        },
      ),
      { numRuns: 150 },
    )
  })
})
