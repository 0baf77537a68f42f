import { setTimeout as realTime } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, createClient, createMemoryCache, createRateLimiter } from '../../src/index.js'
import { aMoment, stopTime, travel } from './clock.js'
import { clientOf, KEY, RUN, rateLimited, rejection, serve } from './server.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const LIST = { data: [{ id: 'pb_1' }], meta: { total: 1, page: 1, per_page: 20 } }
const LOCAL = { baseUrl: 'http://localhost/v1' }
const stubbed = (fetch: ClientOptions['fetch'], options: Partial<ClientOptions> = {}) =>
  clientOf(LOCAL, { fetch, ...options })

/** A fetch with one reply for each request; the last is repeated. */
const replies = (...all: (() => Response | Promise<Response>)[]) => {
  let index = 0
  return vi.fn(async (_url: string, _init: RequestInit) => all[Math.min(index++, all.length - 1)]!())
}

const tooMany = (seconds?: number, message = 'Slow down.') =>
  Response.json(
    { error: 'rate_limit_exceeded', message, ...(seconds !== undefined && { retry_after: seconds }) },
    { status: 429, headers: seconds === undefined ? {} : { 'retry-after': String(seconds) } },
  )

/** Lets time pass until the promise is settled. */
async function unfold<T>(promise: Promise<T>, step = 250): Promise<T> {
  let settled = false
  const mark = () => {
    settled = true
  }
  promise.then(mark, mark)
  while (!settled) await travel(step)
  return promise
}

describe('the limiter', () => {
  it('the limiter continues when all queued calls are aborted while the event loop is busy', async () => {
    const client = stubbed(async () => Response.json(RUN), { plan: { requestsPerMinute: 600, burst: 3 } })
    const controller = new AbortController()
    const calls = Array.from({ length: 40 }, () =>
      client.getRun('run_1', { signal: controller.signal }).catch((error: unknown) => error),
    )
    await aMoment()
    // The bucket fills up, and no timer fires.
    for (const end = performance.now() + 1_000; performance.now() < end; );
    controller.abort('Enough.')
    expect((await Promise.all(calls)).slice(4)).toEqual(Array(36).fill('Enough.'))
    const later = Array.from({ length: 8 }, () => client.getRun('run_2', { totalTimeout: 3_000 }))
    expect(await Promise.all(later)).toHaveLength(8)
  })

  it('a trigger that meets a 429 pauses triggers, and no reads', async () => {
    stopTime()
    const fetch = vi.fn(async (url: string, _init: RequestInit) =>
      url.includes('playbooks/') && fetch.mock.calls.length === 1 ? tooMany(30) : Response.json({ ...RUN, id: 'r' }),
    )
    const client = stubbed(fetch)
    const first = client.triggerRun('pb_1', { inputs: {} })
    await travel(1)
    const second = client.triggerRun('pb_1', { inputs: {} })
    await client.getRun('run_1')
    await client.getRun('run_2')
    expect(fetch).toHaveBeenCalledTimes(3)
    await unfold(Promise.all([first, second]))
    expect(fetch).toHaveBeenCalledTimes(5)
  })

  it('the client forgets the limit that it guessed after a 429 that states none', async () => {
    stopTime()
    const fetch = replies(
      () => tooMany(1),
      () => Response.json(RUN),
    )
    const client = stubbed(fetch)
    await unfold(client.getRun('run_1'))
    await travel(61_000)
    await Promise.all(Array.from({ length: 500 }, () => client.getRun('run_2')))
    expect(fetch).toHaveBeenCalledTimes(502)
  })

  it('forgets a guessed limit also while a queue waits, which counts on it', async () => {
    stopTime()
    const fetch = replies(
      () => tooMany(1),
      () => Response.json(RUN),
    )
    const client = stubbed(fetch)
    await unfold(client.getRun('run_0'))
    const begun = performance.now()
    // Each may wait for less than the guess would take.
    const calls = Array.from({ length: 300 }, () => client.getRun('run_1', { totalTimeout: 65_000 }))
    await unfold(Promise.all([...calls, client.waitForRun('run_2', { timeout: 90_000, until: () => true })]))
    expect(performance.now() - begun).toBeLessThanOrEqual(60_250)
    expect(fetch).toHaveBeenCalledTimes(303)
  })

  it('a 429 that states no limit changes nothing when a plan is given', async () => {
    stopTime()
    const fetch = replies(
      () => tooMany(1),
      () => Response.json(RUN),
    )
    const apiKey = 'wk_given_plan'
    await unfold(stubbed(fetch, { apiKey }).getRun('run_1'))
    const planned = stubbed(fetch, { apiKey, plan: { requestsPerMinute: 6_000, burst: 100 } })
    const begun = performance.now()
    await unfold(Promise.all(Array.from({ length: 200 }, () => planned.getRun('run_2'))), 50)
    expect(performance.now() - begun).toBeLessThan(2_500)
  })

  it('watchers poll while callers are busy all the time', async () => {
    stopTime()
    let polls = 0
    const fetch = async (url: string, _init: RequestInit) => {
      if (url.endsWith('watched')) polls++
      return Response.json(RUN)
    }
    const client = stubbed(fetch, { plan: { requestsPerMinute: 600, burst: 1 }, totalTimeout: Infinity })
    const controller = new AbortController()
    const watched = rejection(client.waitForRun('watched', { signal: controller.signal }))
    const busy = async () => {
      while (!controller.signal.aborted) await client.getRun('busy')
    }
    const callers = Array.from({ length: 6 }, busy)
    for (let step = 0; step < 600; step++) await travel(50)
    controller.abort()
    await unfold(Promise.all([watched, ...callers]))
    expect(polls).toBeGreaterThanOrEqual(4)
  })

  it('calls reject at once when the queue is longer than their total timeout', async () => {
    stopTime()
    const client = stubbed(async () => Response.json(RUN), {
      plan: { requestsPerMinute: 60, burst: 1 },
      totalTimeout: 3_000,
    })
    const all = Array.from({ length: 50 }, () => client.getRun('run_1').catch((error: unknown) => error))
    const late = await Promise.all(all.slice(3))
    expect(late).toHaveLength(47)
    for (const error of late) expect(error).toMatchObject({ name: 'TimeoutError', sent: false })
    await unfold(Promise.all(all))
  })

  it('createRateLimiter rejects a cost above its burst and continues', async () => {
    const limiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 })
    expect(await rejection(limiter.acquire(5, {}))).toBeInstanceOf(RangeError)
    await limiter.acquire(2, {})
  })

  it('onWait is called once for each call that meets a 429', async () => {
    stopTime()
    const onWait = vi.fn()
    let limited = 0
    const fetch = async () => (limited++ < 3 ? tooMany(1) : Response.json(RUN))
    const client = stubbed(fetch, { onWait })
    await unfold(Promise.all([1, 2, 3].map((id) => client.getRun(`run_${id}`))))
    expect(onWait).toHaveBeenCalledTimes(3)
    for (const [event] of onWait.mock.calls) expect(event).toMatchObject({ reason: 'retry-after', status: 429 })
  })

  it('the key function is called when the request leaves the queue', async () => {
    stopTime()
    let key = 'wk_old'
    const fetch = replies(() => Response.json(RUN))
    const client = stubbed(fetch, { apiKey: () => key, plan: { requestsPerMinute: 60, burst: 1 } })
    await client.getRun('run_1')
    const queued = client.getRun('run_2')
    await travel(100)
    key = 'wk_new'
    await unfold(queued)
    expect(new Headers(fetch.mock.calls[1]?.[1].headers).get('authorization')).toBe('Bearer wk_new')
  })
})

describe('the cache', () => {
  it('a response is cached under the key that was sent', async () => {
    const keys = ['wk_a', 'wk_b', 'wk_a']
    const fetch = vi.fn(async (_: string, { headers }: RequestInit) =>
      Response.json({ ...LIST, owner: new Headers(headers).get('authorization') }),
    )
    const client = stubbed(fetch, { apiKey: () => keys.shift() ?? 'wk_a' })
    expect(await client.listPlaybooks()).toMatchObject({ owner: 'Bearer wk_b' })
    expect(await client.listPlaybooks()).toMatchObject({ owner: 'Bearer wk_a' })
  })

  it('concurrent callers of one request each keep their own deadline', async () => {
    stopTime()
    const fetch = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return Response.json(LIST)
    })
    const client = stubbed(fetch)
    const first = rejection(client.listPlaybooks({}, { totalTimeout: 500 }))
    await travel(1)
    const second = client.listPlaybooks({}, { totalTimeout: 5_000 })
    expect(await unfold(first)).toMatchObject({ name: 'TimeoutError', attempts: 1, sent: true })
    expect(await unfold(second)).toEqual(LIST)
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it.each([204, 205, 304])('a %i of a cacheable path is passed through', async (status) => {
    const client = stubbed(async () => new Response(null, { status }))
    const [one, other] = await Promise.all([client.GET('/playbooks'), client.GET('/playbooks')])
    for (const { response, data } of [one, other]) {
      expect(response.status).toBe(status)
      expect(data).toBeUndefined()
    }
  })

  it('responses in different languages are cached separately', async () => {
    const fetch = vi.fn(async (_: string, { headers }: RequestInit) =>
      Response.json({ ...LIST, language: new Headers(headers).get('accept-language') }),
    )
    const client = stubbed(fetch)
    const inLanguage = (language: string) => client.listPlaybooks({}, { headers: { 'accept-language': language } })
    expect(await inLanguage('de')).toMatchObject({ language: 'de' })
    expect(await inLanguage('fr')).toMatchObject({ language: 'fr' })
    expect(await inLanguage('de')).toMatchObject({ language: 'de' })
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it('a slow response does not replace a newer one in the cache', async () => {
    let release = (_: Response) => {}
    const slow = new Promise<Response>((resolve) => {
      release = resolve
    })
    const client = stubbed(
      replies(
        () => slow,
        () => Response.json({ ...LIST, version: 'new' }),
      ),
    )
    const old = client.listPlaybooks()
    await aMoment()
    await client.listPlaybooks({}, { cache: 'reload' })
    release(Response.json({ ...LIST, version: 'old' }))
    await old
    expect(await client.listPlaybooks()).toMatchObject({ version: 'new' })
  })

  it('the memory cache is bounded by length too', () => {
    const cache = createMemoryCache(100, 1_000)
    const entry = (length: number) => ({ headers: [], body: 'x'.repeat(length) }) satisfies object
    cache.set('large', entry(1_001), 60_000)
    expect(cache.get('large')).toBeUndefined()
    cache.set('one', entry(600), 60_000)
    cache.set('two', entry(600), 60_000)
    expect(cache.get('one')).toBeUndefined()
    expect(cache.get('two')).toBeDefined()
  })
})

describe('watching a run', () => {
  const NESTED = `${'['.repeat(5_000)}${']'.repeat(5_000)}`

  it('waitForRun accepts a response that is nested 5,000 levels deep', async () => {
    stopTime()
    const body = `{"id":"run_1","status":"succeeded","steps":${NESTED}}`
    const client = stubbed(async () => new Response(body))
    const run = await unfold(client.waitForRun('run_1'))
    expect(run.status).toBe('succeeded')
  })

  it.each([
    ['a long outage', Array(12).fill(500)],
    ['a connection that breaks', Array(8).fill(0)],
    ['statuses of a gateway', [502, 503, 504, 520, 530]],
    ['a 429 of 180 s', [429]],
  ])('waitForRun waits out %s', async (_, statuses) => {
    stopTime()
    const rest = [...(statuses as number[])]
    const fetch = async () => {
      const status = rest.shift()
      if (status === 0)
        throw Object.assign(new TypeError('fetch failed', { cause: new Error('closed') }), { code: 'ECONNRESET' })
      if (status === 429) return tooMany(180)
      return status ? new Response('', { status }) : Response.json({ ...RUN, status: 'succeeded' })
    }
    const client = stubbed(fetch)
    expect(await unfold(client.waitForRun('run_1', { timeout: 900_000 }), 1_000)).toMatchObject({ status: 'succeeded' })
  })

  it.each([400, 401, 403, 404])('waitForRun rejects at once with a %i', async (status) => {
    stopTime()
    const client = stubbed(async () => Response.json({}, { status }))
    expect(await unfold(rejection(client.waitForRun('run_1')))).toMatchObject({ status })
  })

  it('waitForRun rejects at its own deadline during an outage', async () => {
    stopTime()
    const client = stubbed(async () => new Response('', { status: 500 }))
    const error = await unfold(rejection(client.waitForRun('run_1', { timeout: 60_000 })))
    expect(error).toMatchObject({ name: 'RunTimeoutError', run: undefined })
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['null', '{}', '[]', '"text"'])('waitForRun rejects the body %s, which is not a run', async (body) => {
    stopTime()
    const client = stubbed(async () => new Response(body))
    expect(await unfold(rejection(client.waitForRun('run_1')))).toMatchObject({ name: 'ResponseParseError' })
  })
})

describe('the base URL', () => {
  it.each(['http://127.evil.com/v1', 'http://127.0.0.1.attacker.example/v1', 'http://localhost.evil.com/v1'])(
    '%s is not a loopback address',
    (baseUrl) => {
      expect(() => createClient({ baseUrl, apiKey: KEY })).toThrow(TypeError)
    },
  )
})

describe('a retry', () => {
  it('maxRetryAfter does not forbid a retry after a 500', async () => {
    stopTime()
    const fetch = replies(
      () => new Response('', { status: 500 }),
      () => Response.json(RUN),
    )
    expect(await unfold(stubbed(fetch, { retry: { maxRetryAfter: 400 } }).getRun('run_1'))).toEqual(RUN)
  })

  it('GET returns a 429 at once when its wait is too long, each time', async () => {
    const server = await serve(() => rateLimited(600))
    const client = clientOf(server)
    const init = { params: { path: { id: 'run_1' } } }
    for (let time = 0; time < 3; time++)
      expect(await client.GET('/runs/{id}', init)).toMatchObject({
        error: { error: 'rate_limit_exceeded' },
        response: { status: 429 },
      })
    expect(server.seen).toHaveLength(1)
  })

  it('a failure that no repetition fixes is not retried', async () => {
    const reference = vi.fn(async () => {
      throw new ReferenceError('x is not defined')
    })
    expect(await rejection(stubbed(reference).getRun('run_1'))).toBeInstanceOf(ReferenceError)
    expect(reference).toHaveBeenCalledTimes(1)
    const untrusted = vi.fn(async () => {
      const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
      throw new TypeError('fetch failed', { cause })
    })
    expect(await rejection(stubbed(untrusted).getRun('run_1'))).toMatchObject({ sent: false, retryable: false })
    expect(untrusted).toHaveBeenCalledTimes(1)
    const unused = vi.fn(async () => Response.json(RUN))
    const error = await rejection(stubbed(unused).getRun('run_1', { headers: { 'x-trace': 'a\nb' } }))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain('a\nb')
    expect(unused).not.toHaveBeenCalled()
  })

  const coded = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })
  it.each<[string, () => Error]>([
    ['ENETUNREACH', () => new TypeError('fetch failed', { cause: coded('ENETUNREACH', { syscall: 'connect' }) })],
    ['EHOSTUNREACH', () => new TypeError('fetch failed', { cause: coded('EHOSTUNREACH') })],
    [
      'ETIMEDOUT of connect',
      () => new TypeError('fetch failed', { cause: coded('ETIMEDOUT', { syscall: 'connect' }) }),
    ],
    [
      'several addresses',
      () => {
        const errors = ['ECONNREFUSED', 'ENETUNREACH'].map((code) => coded(code, { syscall: 'connect' }))
        return new TypeError('fetch failed', {
          cause: Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' }),
        })
      },
    ],
    ['Bun', () => coded('ConnectionRefused')],
    ['Deno', () => new TypeError('error sending request for url: client error (Connect): tcp connect error: refused')],
  ])('a POST is retried when no connection was made: %s', async (_, failure) => {
    stopTime()
    const fetch = replies(
      () => Promise.reject(failure()),
      () => Response.json({ id: 'run_1' }),
    )
    vi.stubGlobal('fetch', fetch)
    expect(await unfold(stubbed(undefined).triggerRun('pb_1', { inputs: {} }))).toEqual({ id: 'run_1' })
    vi.stubGlobal('fetch', () => Promise.reject(failure()))
    const always = stubbed(undefined, { retry: false })
    expect(await rejection(always.triggerRun('pb_1', { inputs: {} }))).toMatchObject({ sent: false })
  })

  it('a POST is not retried after a read that timed out', async () => {
    const fetch = vi.fn(() =>
      Promise.reject(new TypeError('fetch failed', { cause: coded('ETIMEDOUT', { syscall: 'read' }) })),
    )
    expect(await rejection(stubbed(fetch).triggerRun('pb_1', { inputs: {} }))).toMatchObject({ sent: true })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('a GET is retried when a compressed body was cut off', async () => {
    const whole = gzipSync(JSON.stringify({ ...RUN, note: 'x'.repeat(50_000) }))
    const server = await serve((_, index, { response }) => {
      const body = index === 0 ? whole.subarray(0, 100) : whole
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(body.length),
      })
      response.end(body)
      return undefined
    })
    expect(await clientOf(server).getRun('run_1')).toMatchObject({ id: 'run_1' })
    expect(server.seen).toHaveLength(2)
  })
})

describe('waits, keys and hooks', () => {
  it('two equal Retry-After headers are read as one', async () => {
    stopTime()
    const headers = new Headers([
      ['retry-after', '30'],
      ['retry-after', '30'],
    ])
    const fetch = replies(
      () => new Response('', { status: 429, headers }),
      () => Response.json(RUN),
    )
    const onRetry = vi.fn()
    await unfold(stubbed(fetch, { onRetry }).getRun('run_1'))
    expect(onRetry.mock.calls[0]?.[0].wait).toBeGreaterThanOrEqual(30_000)
  })

  it('the wait of a 429 is read even when the key is a digit', async () => {
    stopTime()
    const fetch = replies(
      () => tooMany(30),
      () => Response.json(RUN),
    )
    const onRetry = vi.fn()
    await unfold(stubbed(fetch, { apiKey: '3', onRetry }).getRun('run_1'))
    expect(onRetry.mock.calls[0]?.[0].wait).toBeGreaterThanOrEqual(30_000)
  })

  it('hooks that throw or reject do not affect a call', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const fails = () => {
      throw new Error('From the hook.')
    }
    const rejects = async () => fails()
    const fetch = () =>
      replies(
        () => new Response('', { status: 500 }),
        () => Response.json({ ...RUN, status: 'odd' }),
      )
    for (const hook of [fails, rejects]) {
      const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onWait: hook, onUnknownStatus: hook }
      expect(await stubbed(fetch(), hooks).getRun('run_1')).toMatchObject({ status: 'odd' })
      const until = () => true
      expect(await stubbed(fetch(), hooks).waitForRun('run_1', { until })).toMatchObject({ status: 'odd' })
    }
    await realTime(10)
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
