import { describe, expect, it } from 'vitest'
import { type ClientOptions, ContractError, type Run, RunFailedError, RunTimeoutError } from '../../../src/index.js'
import { RUN, rateLimited, rejection, runAt } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

const ended = { ...RUN, status: 'succeeded' }
const waiting = { ...RUN, steps: [{ id: 'step_1', status: 'waiting_approval' }] }

/** A client whose service responds with the given runs one after the other, the last one for ever. */
const story = (runs: object[], options: Partial<ClientOptions> = {}) =>
  inVirtualTime(
    (index, { url }) => Response.json({ ...runs[Math.min(index, runs.length - 1)], id: runAt(url).id }),
    options,
  )

const tooMany = (...args: Parameters<typeof rateLimited>) => {
  const { body, ...init } = rateLimited(...args)
  return Response.json(body, init)
}

describe('waitForRun', () => {
  it('waitForRun polls until the run has finished, and reports each change once', async () => {
    const { client, sent } = story([RUN, RUN, waiting, waiting, ended])
    const updates: Run[] = []
    const run = await client.waitForRun('run_1', { onUpdate: (each) => updates.push(each) })
    expect(run).toEqual(ended)
    expect(updates).toEqual([RUN, waiting, ended])
    expect(sent).toHaveLength(5)
  })

  it('waitForRun rejects with an error that names both runs when another run comes', async () => {
    const { client } = inVirtualTime((index) => Response.json(index === 0 ? RUN : { ...ended, id: 'run_2' }))
    const error = await rejection(client.waitForRun('run_1'))
    expect(error).toBeInstanceOf(ContractError)
    expect(String(error)).toContain('with the run run_2 instead of run_1')
  })

  it('waitForRun with until: approval returns when a step waits for approval, or when the run finishes', async () => {
    for (const last of [waiting, ended])
      expect(await story([RUN, last]).client.waitForRun('run_1', { until: 'approval' })).toEqual(last)
  })

  it('waitForRun resolves with a failed run, and rejects with throwOnFailure', async () => {
    const failed = { ...RUN, status: 'failed' }
    const { client } = story([failed])
    expect(await client.waitForRun('run_1')).toEqual(failed)
    const error = await rejection(client.waitForRun('run_1', { throwOnFailure: true }))
    expect(error).toBeInstanceOf(RunFailedError)
    expect(error).toMatchObject({ run: failed, message: 'Run run_1 ended as failed.' })
  })

  it('waitForRun rejects at the deadline with the run as last seen, and aborts the open request', async () => {
    const { client, sent, now } = inVirtualTime((index) =>
      index === 0 ? Response.json(waiting) : new Promise(() => {}),
    )
    const error = await rejection(client.waitForRun('run_1', { timeout: 5_000 }))
    expect(error).toBeInstanceOf(RunTimeoutError)
    expect(error).toMatchObject({ run: waiting, runId: 'run_1' })
    expect(now()).toBe(5_000)
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([false, true])
  })

  it('several watchers of one run share its polling, and each gets its own object', async () => {
    const { client, sent } = story([RUN, RUN, ended])
    const runs = await Promise.all([1, 2, 3].map(() => client.waitForRun('run_1')))
    expect(sent).toHaveLength(3)
    expect(new Set(runs).size).toBe(3)
  })
})

it('watchRun yields each change and ends with the run', async () => {
  const { client } = story([RUN, RUN, waiting, ended])
  const seen: Run[] = []
  for await (const run of client.watchRun('run_1')) seen.push(run)
  expect(seen).toEqual([RUN, waiting, ended])
})

describe('many watchers', () => {
  const plan = { requestsPerMinute: 60, burst: 2 }
  const timeout = 60_000

  /** Watchers of so many runs, which end after a minute. */
  const watchAll = (client: ReturnType<typeof story>['client'], count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => rejection(client.waitForRun(`run_${index}`, { timeout }))))

  it('many watchers together use half of the rate', async () => {
    const { client, sent } = story([RUN], { plan })
    await watchAll(client, 20)
    expect(sent.length).toBeGreaterThanOrEqual(27)
    expect(sent.length).toBeLessThanOrEqual(31)
    expect(new Set(sent.map(({ url }) => url)).size).toBe(20)
  })

  it('many watchers together use the share of the rate that was named last', async () => {
    const { client, sent } = story([RUN], { plan })
    client.withOptions({ polling: { rateShare: 1 } })
    // One that names none changes nothing.
    client.withOptions({ timeout: 5_000 })
    await watchAll(client, 20)
    expect(sent.length).toBeGreaterThanOrEqual(57)
    expect(sent.length).toBeLessThanOrEqual(62)
  })

  it('polls are sent after ordinary calls', async () => {
    const { client, sent, pass } = story([RUN], { plan, polling: { rateShare: 1 } })
    const all = watchAll(client, 10)
    await pass(1)
    await Promise.all([client.listPlaybooks({ page: 1 }), client.listPlaybooks({ page: 2 })])
    expect(sent.slice(2, 4).map(({ url, at }) => [url.replace(/.*v\d+/, ''), at])).toEqual([
      ['/playbooks?page=1', 1_250],
      ['/playbooks?page=2', 2_250],
    ])
    await all
  })

  it('watchers poll freely while the plan is unknown, and share the limit that a 429 states', async () => {
    const respond = (_: number, { at, url }: { at: number; url: string }) =>
      at > 2_000 && at < 3_000 ? tooMany(1, '60') : Response.json(runAt(url))
    const { client, sent } = inVirtualTime(respond, { polling: { minInterval: 900, maxInterval: 900 } })
    await watchAll(client, 100)
    expect(sent.filter(({ at }) => at < 2_000).length).toBeGreaterThanOrEqual(200)
    // 60 a minute, of which watchers use a half.
    expect(sent.filter(({ at }) => at >= 4_000 && at < 16_000).length).toBeLessThan(16)
  })

  it('a poll may be queued for longer than the total timeout of a call', async () => {
    const respond = (index: number, { url }: { url: string }) =>
      index === 0 ? tooMany(1) : Response.json({ ...ended, id: runAt(url).id })
    const options = { plan: { requestsPerMinute: 1, burst: 1 }, polling: { rateShare: 1 } }
    const { client, now } = inVirtualTime(respond, options)
    await Promise.all(['run_1', 'run_2', 'run_3', 'run_4', 'run_5', 'run_6'].map((id) => client.waitForRun(id)))
    expect(now()).toBeGreaterThan(300_000)
  })
})

it('waitForRun rejects with the error that onStep throws', async () => {
  const onStep = () => {
    throw new Error('No disk.')
  }
  expect(String(await rejection(story([waiting]).client.waitForRun('run_1', { onStep })))).toMatch(/No disk/)
})
