import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it, vi } from 'vitest'
import { assumedValues } from '../../../generated/contract.js'
import { errorNotFound } from '../../../generated/examples.js'
import type { CallOptions, Run, Step } from '../../../src/index.js'
import { OTHER_UNKNOWN_STATUS, UNKNOWN_STATUS } from '../../support/fixtures.js'
import { RUN, rejection } from '../../support/server.js'
import { inVirtualTime, withoutJitter } from '../../support/virtual-time.js'

withoutJitter()

const run = (status: string, more: object = {}) => Response.json({ ...RUN, status, ...more })
const runningUntil = (poll: number) => (index: number) => run(index < poll ? 'running' : 'succeeded')

it('polls of a run follow after 1 s, and each time after half as long again, up to 10 s', async () => {
  const { client, sent } = inVirtualTime(runningUntil(9))
  await client.waitForRun('run_1')
  const waits = sent.slice(1).map(({ at }, index) => at - sent[index]!.at)
  expect(waits).toEqual([1_000, 1_500, 2_250, 3_375, 5_063, 7_594, 10_000, 10_000, 10_000])
})

it.each([
  [{ minInterval: 100, maxInterval: 200 }, [0, 100, 250, 450, 650]],
  [{ minInterval: 60_000 }, [0, 60_000, 120_000, 180_000, 240_000]],
])('a run is polled at the times that %j says', async (polling, times) => {
  const { client, sent } = inVirtualTime(runningUntil(4), { polling })
  await client.waitForRun('run_1')
  expect(sent.map(({ at }) => at)).toEqual(times)
})

it('a run is polled sooner again when another watcher comes', async () => {
  const { client, sent, pass } = inVirtualTime(runningUntil(9))
  const first = client.waitForRun('run_1')
  // The polls are at 0 s, 1 s, 2.5 s, 4.75 s and 8.125 s; the next would be at 13.188 s.
  await pass(9_000)
  await Promise.all([first, client.waitForRun('run_1')])
  expect(sent.slice(4, 8).map(({ at }) => at)).toEqual([8_125, 9_125, 10_625, 12_875])
})

it('a run that was watched before is polled from the first interval on', async () => {
  const { client, sent } = inVirtualTime((index) => run(index % 3 === 2 ? 'succeeded' : 'running'))
  await client.waitForRun('run_1')
  await client.waitForRun('run_1')
  expect(sent.map(({ at }) => at)).toEqual([0, 1_000, 2_500, 2_500, 3_500, 5_000])
})

it.each<[string, CallOptions, CallOptions, number]>([
  ['the same headers in another order', { headers: { a: '1', b: '2' } }, { headers: { b: '2', a: '1' } }, 1],
  ['the same headers in other forms', { headers: { 'X-A': '1' } }, { headers: [['x-a', '1']] as never }, 1],
  ['other headers', { headers: { a: '1' } }, { headers: { a: '2' } }, 2],
  ['another release', { serviceVersion: '2026-11-21' }, { serviceVersion: '2026-11-22' }, 2],
])('watchers of a run with %s share its polls only when these are the same', async (_, one, other, polls) => {
  const { client, sent } = inVirtualTime(runningUntil(0))
  await Promise.all([client.waitForRun('run_1', one), client.waitForRun('run_1', other)])
  expect(sent).toHaveLength(polls)
})

it('a watcher sends its own headers and release', async () => {
  const { client, sent } = inVirtualTime(runningUntil(0))
  await client.waitForRun('run_1', { headers: { 'x-trace': 'abc' }, serviceVersion: '2026-11-21' })
  expect(sent[0]?.init.headers).toMatchObject({ 'x-trace': 'abc', 'service-version': '2026-11-21' })
})

it.each([60_000, Infinity])(
  'a run may be unreadable for its first 10 s, and not for longer: timeout %s',
  async (timeout) => {
    const missing = () => Response.json(errorNotFound, { status: 404 })
    const late = inVirtualTime((index) => (index === 0 ? missing() : run('succeeded')))
    expect(await late.client.waitForRun('run_1', { timeout })).toMatchObject({ status: 'succeeded' })
    const { client, now } = inVirtualTime(missing)
    expect(await rejection(client.waitForRun('run_1', { timeout }))).toMatchObject({ name: 'NotFoundError' })
    expect(now()).toBeGreaterThanOrEqual(assumedValues.readableAtOnce * 1_000)
  },
)

it('waitForRun gives up after 15 minutes unless it has another timeout', async () => {
  const { client, now } = inVirtualTime(() => run('running'))
  expect(await rejection(client.waitForRun('run_1'))).toMatchObject({
    name: 'RunTimeoutError',
    message: 'Run run_1 did not finish within 900000 ms (last status: running; seen 9.2 s ago).',
    runId: 'run_1',
    run: RUN,
  })
  expect(now()).toBe(900_000)
})

describe('a wait whose polls fail', () => {
  const outage = () => Response.json({ message: 'Down.' }, { status: 503 })
  const limited = () => Response.json({ message: 'Slow.' }, { status: 429, headers: { 'retry-after': '3600' } })

  it.each([
    [
      'a wait of 400 digits that a 503 asks for',
      () => Response.json({ message: 'Down.' }, { status: 503, headers: { 'retry-after': '9'.repeat(400) } }),
      'getRun failed with 503 (GET /runs/{id}): Down',
      { name: 'ServerError', status: 503 },
    ],
    ['an outage', outage, 'getRun failed with 503 (GET /runs/{id}): Down', { name: 'ServerError', status: 503 }],
    [
      'a long wait that a 429 asks for',
      limited,
      'getRun failed with 429 (GET /runs/{id}): Slow',
      { name: 'RateLimitError' },
    ],
    [
      'a broken connection',
      () => Promise.reject(new TypeError('fetch failed')),
      'getRun got no complete response (GET /runs/{id} at localhost): fetch failed',
      { name: 'ConnectionError', sent: true },
    ],
  ])('ends with %s as its cause, for each of its watchers', async (_, respond, reason, cause) => {
    const { client } = inVirtualTime(respond)
    const waits = [1, 2].map(() => rejection(client.waitForRun('run_1', { timeout: 20_000 })))
    for (const error of await Promise.all(waits)) {
      const message = `Run run_1 did not finish within 20000 ms (no poll succeeded: ${reason}).`
      expect(error).toMatchObject({ name: 'RunTimeoutError', message, run: undefined, cause })
    }
  })

  it('goes on after a 503 that asks for a longer wait than a call believes, and keeps that wait', async () => {
    const busy = () => new Response(null, { status: 503, headers: { 'retry-after': '300' } })
    const { client, sent } = inVirtualTime((index) => (index === 1 ? busy() : runningUntil(2)(index)))
    const waits = [1, 2].map(() => client.waitForRun('run_1', { timeout: 900_000 }))
    for (const ended of await Promise.all(waits)) expect(ended).toMatchObject({ status: 'succeeded' })
    expect(sent.map(({ at }) => at)).toEqual([0, 1_000, 301_000])
  })

  it('says how long ago the run was seen, and why polls fail since', async () => {
    const { client } = inVirtualTime((index) => (index < 2 ? run('running') : outage()))
    const error = await rejection(client.waitForRun('run_1', { timeout: 20_000 }))
    const since = 'since then: getRun failed with 503 (GET /runs/{id}): Down'
    const message = `Run run_1 did not finish within 20000 ms (last status: running; seen 19 s ago; ${since}).`
    expect(error).toMatchObject({ message, run: RUN, cause: { status: 503 } })
  })

  it('has no cause once a poll has succeeded again', async () => {
    const { client } = inVirtualTime((index) => (index === 1 ? outage() : run('running')))
    const error = await rejection(client.waitForRun('run_1', { timeout: 20_000 }))
    expect(error).toMatchObject({ name: 'RunTimeoutError', run: RUN })
    expect(error).not.toHaveProperty('cause')
  })
})

it('waitForRun with throwOnFailure resolves with a run that has succeeded, or that has not ended', async () => {
  const { client } = inVirtualTime((index) => run(index === 0 ? 'running' : 'succeeded'))
  const options = { throwOnFailure: true, until: () => true }
  expect(await client.waitForRun('run_1', options)).toMatchObject({ status: 'running' })
  expect(await client.waitForRun('run_1', options)).toMatchObject({ status: 'succeeded' })
})

it('a watcher whose signal is aborted already sends nothing', async () => {
  const { client, sent } = inVirtualTime(runningUntil(0))
  const signal = AbortSignal.abort('Enough.')
  expect(await rejection(client.waitForRun('run_1', { signal }))).toBe('Enough.')
  expect(await rejection(client.watchRun('run_1', { signal }).next())).toBe('Enough.')
  expect(sent).toEqual([])
})

it('leaving a loop over watchRun ends its request, and a later watcher polls again', async () => {
  const { client, sent } = inVirtualTime((index, { init }) =>
    index === 1
      ? new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
      : run(index === 0 ? 'running' : 'succeeded'),
  )
  const runs = client.watchRun('run_1')
  await runs.next()
  const pending = runs.next()
  while (sent.length < 2) await new Promise((resolve) => setImmediate(resolve))
  await runs.return()
  expect(await pending).toEqual({ value: undefined, done: true })
  expect(sent[1]?.init.signal?.aborted).toBe(true)
  expect(await client.waitForRun('run_1')).toMatchObject({ status: 'succeeded' })
})

it('a poll goes on for the watchers that are left', async () => {
  const { client, clock, sent } = inVirtualTime(
    () => new Promise((resolve) => void clock.setTimeout(() => resolve(run('succeeded')), 2_000)),
  )
  const short = rejection(client.waitForRun('run_1', { timeout: 1_000 }))
  const long = client.waitForRun('run_1')
  expect(await short).toMatchObject({ name: 'RunTimeoutError', run: undefined })
  expect(await long).toMatchObject({ status: 'succeeded' })
  expect(sent).toHaveLength(1)
  expect(sent[0]?.init.signal?.aborted).toBe(false)
})

it('a watcher that comes after another has left shares the polls of a third', async () => {
  const { client, sent } = inVirtualTime(runningUntil(2))
  const last = client.waitForRun('run_1')
  await client.waitForRun('run_1', { until: () => true })
  await Promise.all([last, client.waitForRun('run_1')])
  expect(sent).toHaveLength(3)
})

it('a page in the place of a run is no update of it', async () => {
  const { client } = inVirtualTime((index) => (index === 1 ? new Response('<p>Soon</p>') : runningUntil(2)(index)))
  const statuses: string[] = []
  await client.waitForRun('run_1', { onUpdate: ({ status }) => statuses.push(status) })
  expect(statuses).toEqual(['running', 'succeeded'])
})

it('waitForRun with until: approval waits for the status of a step, whatever else the steps are', async () => {
  const steps = ['none', [], [null], [{ id: 'a', status: 'running' }], [{ id: 'a', status: 'waiting_approval' }]]
  const { client, sent } = inVirtualTime((index) => run('running', { steps: steps[index] }))
  expect(await client.waitForRun('run_1', { until: 'approval' })).toMatchObject({ steps: steps.at(-1) })
  expect(sent).toHaveLength(steps.length)
})

it('a run that has ended in time is returned although onUpdate, onStep or until takes longer', async () => {
  const { client, pass } = inVirtualTime(() => run('failed', { steps: [{ id: 'a' }] }))
  const slow = () => pass(2_000)
  expect(await client.waitForRun('run_1', { timeout: 1_000, onUpdate: slow })).toMatchObject({ status: 'failed' })
  const until = () => slow().then(() => false)
  for (const callback of [{ onStep: slow }, { until }]) {
    const error = await rejection(client.waitForRun('run_1', { ...callback, timeout: 1_000, throwOnFailure: true }))
    expect(error).toMatchObject({ name: 'RunFailedError' })
  }
})

it('until may be a function that returns a promise', async () => {
  const { client, sent } = inVirtualTime((index) => run('running', { steps: [{ id: `step_${index}` }] }))
  await client.waitForRun('run_1', { until: async () => sent.length === 2 })
  expect(sent).toHaveLength(2)
  const failing = client.waitForRun('run_1', { until: () => Promise.reject(new Error('No.')) })
  expect(await rejection(failing)).toMatchObject({ message: 'No.' })
})

it('a redirect ends every watcher of a run', async () => {
  const { client } = inVirtualTime((index) =>
    index === 0 ? run('running') : new Response(null, { status: 302, headers: { location: '/login' } }),
  )
  const watchers = [client.waitForRun('run_1'), client.watchRun('run_1', {})] as const
  expect(await watchers[1].next()).toMatchObject({ value: RUN })
  const errors = await Promise.all([rejection(watchers[0]), rejection(watchers[1].next())])
  for (const error of errors) expect(error).toMatchObject({ name: 'RedirectError', status: 302 })
})

it('onStep receives each step that is new or has another status, and onUpdate each run that differs', async () => {
  const runs = [
    { steps: [{ id: 'a', status: 'running' }] },
    { steps: [{ id: 'a', status: 'running' }] },
    { steps: [{ id: 'a', status: 'running', provider: 'x' }, null, { id: 'b', status: 'running' }] },
    {
      steps: [
        { id: 'a', status: 'succeeded' },
        { id: 'b', status: 'running' },
      ],
    },
    { status: 'succeeded', steps: 'none' },
  ]
  const { client } = inVirtualTime((index) => Response.json({ ...RUN, ...runs[index] }))
  const steps: [string, string][] = []
  const onUpdate = vi.fn()
  const onStep = (step: Step, { id }: Run) => steps.push([`${step?.id} ${step?.status}`, id])
  await client.waitForRun('run_1', { onStep, onUpdate })
  expect(steps.filter(([step]) => !step.startsWith('undefined'))).toEqual([
    ['a running', 'run_1'],
    ['b running', 'run_1'],
    ['a succeeded', 'run_1'],
  ])
  expect(onUpdate).toHaveBeenCalledTimes(4)
})

it('watchers go on when a page of JSON stands in for the service, and take a run without an id', async () => {
  const { client } = inVirtualTime((index) => Response.json([RUN, {}, { status: 'succeeded', steps: [] }][index]))
  expect(await client.waitForRun('run_1')).toEqual({ status: 'succeeded', steps: [] })
})

it('onUnknownStatus receives a run of its own, once for each status, and the run is polled on', async () => {
  const unknown = [UNKNOWN_STATUS, OTHER_UNKNOWN_STATUS, 'constructor', '__proto__', 'toString', 'x'.repeat(100)]
  const onUnknownStatus = vi.fn()
  const again = unknown.map((status) => (status.length < 100 ? status : `${status}y`))
  const { client } = inVirtualTime((index) => run([...unknown, ...again, 'succeeded'][index]!), { onUnknownStatus })
  const updates: Run[] = []
  await client.waitForRun('run_1', { onUpdate: (each) => updates.push(each) })
  expect(onUnknownStatus.mock.calls).toEqual(unknown.map((status) => [{ status, run: { ...RUN, status } }]))
  expect(updates[0]).not.toBe(onUnknownStatus.mock.calls[0]?.[0].run)
  expect(updates.at(-1)).toMatchObject({ status: 'succeeded' })
})

describe('a callback of a watcher', () => {
  const watched = (...statuses: string[]) =>
    inVirtualTime((index) => run(statuses[Math.min(index, statuses.length - 1)]!))

  it('a callback that never returns delays neither the deadline of waitForRun nor an abort', async () => {
    const { client, clock, now } = watched('running')
    const onUpdate = () => new Promise(() => {})
    expect(await rejection(client.waitForRun('run_1', { timeout: 300, onUpdate }))).toMatchObject({
      name: 'RunTimeoutError',
    })
    expect(now()).toBe(300)
    const controller = new AbortController()
    clock.setTimeout(() => controller.abort('Enough.'), 200)
    expect(await rejection(client.waitForRun('run_1', { signal: controller.signal, onUpdate }))).toBe('Enough.')
  })

  it.each(['onUpdate', 'until'])('a callback that changes its run does not affect waitForRun: %s', async (name) => {
    const { client, sent } = watched('running', 'running', 'succeeded')
    const change = (run: Run) => {
      run.status = 'failed'
      return false
    }
    expect(await client.waitForRun('run_1', { [name]: change })).toMatchObject({ status: 'succeeded' })
    expect(sent).toHaveLength(3)
  })

  it('a callback that throws the timeout of another wait ends its own with it, also when the run has ended', async () => {
    const { client } = inVirtualTime((_, { url }) => {
      const isOther = url.endsWith('run_2')
      return run(isOther ? 'running' : 'succeeded', { id: isOther ? 'run_2' : 'run_1' })
    })
    const onUpdate = () => client.waitForRun('run_2', { timeout: 1_000 })
    const error = await rejection(client.waitForRun('run_1', { onUpdate }))
    expect(error).toMatchObject({ name: 'RunTimeoutError', runId: 'run_2' })
  })

  it('a callback that rejects without a reason ends its wait, also when the run has ended', async () => {
    const onUpdate = () => Promise.reject()
    expect(await rejection(watched('succeeded').client.waitForRun('run_1', { onUpdate }))).toBeUndefined()
  })

  it('a callback is called soon for each of 20,000 steps', async () => {
    const onStep = vi.fn()
    const steps = Array.from({ length: 20_000 }, (_, index) => ({ id: `step_${index}` }))
    await inVirtualTime(() => run('failed', { steps })).client.waitForRun('run_1', { onStep })
    expect(onStep).toHaveBeenCalledTimes(20_000)
  })
})

it('a loop over watchRun that changes its run does not affect the next one', async () => {
  const { client } = inVirtualTime(runningUntil(2))
  const seen: string[] = []
  for await (const run of client.watchRun('run_1')) {
    seen.push(run.status)
    run.status = 'failed'
  }
  expect(seen).toEqual(['running', 'succeeded'])
})

it.each<[string, (() => Response)[]]>([
  ['a long outage', Array(12).fill(() => new Response('', { status: 500 }))],
  [
    'a connection that breaks',
    Array(8).fill(() => {
      throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' })
    }),
  ],
  ['statuses of a gateway', [502, 503, 504, 520, 530].map((status) => () => new Response('', { status }))],
  ['a 429 of 180 s', [() => Response.json({ retry_after: 180 }, { status: 429, headers: { 'retry-after': '180' } })]],
])('waitForRun waits out %s', async (_, failures) => {
  const { client } = inVirtualTime((index) => failures[index]?.() ?? run('succeeded'))
  expect(await client.waitForRun('run_1')).toMatchObject({ status: 'succeeded' })
})

it.each(['null', '{}', '[]', '"text"'])('waitForRun rejects the body %s, which is not a run', async (body) => {
  const { client } = inVirtualTime(() => new Response(body))
  expect(await rejection(client.waitForRun('run_1'))).toMatchObject({ name: 'ResponseParseError' })
})

describe('watchers of one run with different keys', () => {
  /** A service whose run belongs to the first key; any other one gets 404. */
  const ofOwner = (_: number, { init }: { init: RequestInit }) =>
    new Headers(init.headers).get('authorization') === 'Bearer key_owner'
      ? run('succeeded')
      : Response.json({ error: 'not_found', message: 'No such run.' }, { status: 404 })

  it.each([['owner', 'stranger'] as const, ['stranger', 'owner'] as const])(
    'each gets what its own key gets: %s first, then %s',
    async (...order) => {
      const tenant = new AsyncLocalStorage<string>()
      const { client, sent } = inVirtualTime(ofOwner, { apiKey: () => tenant.getStore()! })
      const watch = (name: string) =>
        tenant.run(`key_${name}`, () =>
          client.waitForRun('run_1').then(
            ({ status }) => status,
            ({ name }: Error) => name,
          ),
        )
      const ended = await Promise.all(order.map(async (name) => [name, await watch(name)]))
      expect(Object.fromEntries(ended)).toEqual({ owner: 'succeeded', stranger: 'NotFoundError' })
      const keys = sent.map(({ init }) => new Headers(init.headers).get('authorization'))
      expect(keys.filter((key) => key === 'Bearer key_owner')).toHaveLength(1)
    },
  )

  it('a watcher that is left polls in its own async context', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const { client } = inVirtualTime(runningUntil(3), { onRequest: () => void seen.push(context.getStore()) })
    const first = context.run('first', () => client.waitForRun('run_1', { until: () => true }))
    const second = context.run('second', () => client.waitForRun('run_1'))
    await Promise.all([first, second])
    expect(seen).toEqual(['first', 'second', 'second', 'second'])
  })

  it('a watcher that follows at first polls with the key as it is then, and not as it was when it joined', async () => {
    const { client, sent, now } = inVirtualTime(runningUntil(4), { apiKey: () => (now() < 500 ? 'wk_old' : 'wk_new') })
    await Promise.all([client.waitForRun('run_1'), client.waitForRun('run_1')])
    const keys = sent.map(({ init }) => new Headers(init.headers).get('authorization'))
    expect(keys).toEqual(['Bearer wk_old', ...Array(4).fill('Bearer wk_new')])
  })

  it('middleware, which may change a request for its caller, ends the sharing', async () => {
    const { client, sent } = inVirtualTime(() => run('succeeded'))
    client.use({ onRequest: () => {} })
    await Promise.all([client.waitForRun('run_1'), client.waitForRun('run_1')])
    expect(sent).toHaveLength(2)
  })
})
