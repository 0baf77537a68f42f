import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotFoundError, type Run, RunFailedError, RunTimeoutError } from '../../src/index.js'
import { aMoment, stopTime, travel, until } from '../support/clock.js'
import { clientOf, RUN, rateLimited, rejection, serve } from '../support/server.js'

beforeEach(stopTime)

afterEach(() => {
  vi.useRealTimers()
})

const ended = { ...RUN, status: 'succeeded' }
const waiting = { ...RUN, steps: [{ id: 'step_1', status: 'waiting_approval' }] }

/** Responds with the given runs one after the other, the last one for ever. */
const story = (...runs: object[]) => serve((_, index) => ({ body: runs[Math.min(index, runs.length - 1)] }))

/** Lets time pass in small steps until the promise is settled. */
async function unfold<T>(promise: Promise<T>, step = 250): Promise<T> {
  let settled = false
  const mark = () => {
    settled = true
  }
  promise.then(mark, mark)
  while (!settled) {
    await travel(step)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return promise
}

describe('waitForRun', () => {
  it('waitForRun polls until the run has finished, and reports each change once', async () => {
    const server = await story(RUN, RUN, waiting, waiting, ended)
    const updates: Run[] = []
    const run = await unfold(clientOf(server).waitForRun('run_1', { onUpdate: (each) => updates.push(each) }))
    expect(run).toEqual(ended)
    expect(updates).toEqual([RUN, waiting, ended])
    expect(server.seen).toHaveLength(5)
  })

  it('polls no more often than minInterval says, also when that is above maxInterval', async () => {
    const times: number[] = []
    const server = await serve(({ at }, index) => {
      times.push(at)
      return { body: index < 4 ? RUN : ended }
    })
    await unfold(clientOf(server, { polling: { minInterval: 60_000 } }).waitForRun('run_1'), 1_000)
    const gaps = times.slice(1).map((at, index) => at - times[index]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000)
  })

  it('waitForRun with until: approval returns when a step waits for approval, or when the run finishes', async () => {
    const server = await story(RUN, waiting)
    expect(await unfold(clientOf(server).waitForRun('run_1', { until: 'approval' }))).toEqual(waiting)
    const other = await story(RUN, ended)
    expect(await unfold(clientOf(other).waitForRun('run_1', { until: 'approval' }))).toEqual(ended)
  })

  it('waitForRun returns when the until function returns true', async () => {
    const server = await story(RUN, waiting, ended)
    const until = ({ steps }: Run) => steps.length > 0
    expect(await unfold(clientOf(server).waitForRun('run_1', { until }))).toEqual(waiting)
  })

  it('waitForRun resolves with a failed run, and rejects with throwOnFailure', async () => {
    const failed = { ...RUN, status: 'failed' }
    const server = await story(failed)
    const client = clientOf(server)
    expect(await unfold(client.waitForRun('run_1'))).toEqual(failed)
    const error = await unfold(rejection(client.waitForRun('run_1', { throwOnFailure: true })))
    expect(error).toBeInstanceOf(RunFailedError)
    expect(error).toMatchObject({ run: failed, message: 'Run run_1 ended as failed.' })
  })

  it('waitForRun continues at an unknown status, and reports it once', async () => {
    const paused = { ...RUN, status: 'paused' }
    const server = await story(paused, paused, ended)
    const onUnknownStatus = vi.fn()
    const client = clientOf(server, { onUnknownStatus })
    expect(await unfold(client.waitForRun('run_1'))).toEqual(ended)
    expect(onUnknownStatus).toHaveBeenCalledTimes(1)
    expect(onUnknownStatus).toHaveBeenCalledWith({ status: 'paused', run: paused })
  })

  it('waitForRun does not keep a long unknown status, so it reports it at each poll', async () => {
    const long = { ...RUN, status: 'x'.repeat(101) }
    const onUnknownStatus = vi.fn()
    const client = clientOf(await story(long, long, ended), { onUnknownStatus })
    expect(await unfold(client.waitForRun('run_1'))).toEqual(ended)
    expect(onUnknownStatus).toHaveBeenCalledTimes(2)
  })

  it.each(['constructor', '__proto__', 'toString'])('waitForRun treats the status %s as unknown', async (status) => {
    const server = await story({ ...RUN, status }, ended)
    expect(await unfold(clientOf(server).waitForRun('run_1'))).toEqual(ended)
  })

  it('waitForRun rejects at the deadline with the run as last seen, and aborts the open request', async () => {
    let closed = 0
    const server = await serve((_, index, { response }) => {
      response.on('close', () => {
        if (!response.writableEnded) closed++
      })
      return index === 0 ? { body: waiting } : undefined
    })
    const call = rejection(clientOf(server).waitForRun('run_1', { timeout: 5_000 }))
    await travel(1)
    await until(() => server.seen.length === 1)
    await aMoment()
    await travel(1_200)
    await until(() => server.seen.length === 2)
    await travel(5_000)
    const error = await call
    expect(error).toBeInstanceOf(RunTimeoutError)
    expect(error).toMatchObject({ run: waiting, runId: 'run_1' })
    await until(() => closed === 1)
  })

  it('several watchers of one run share its polling, and each gets its own object', async () => {
    const server = await story(RUN, RUN, ended)
    const client = clientOf(server)
    const runs = await unfold(Promise.all([1, 2, 3].map(() => client.waitForRun('run_1'))))
    expect(server.seen).toHaveLength(3)
    expect(new Set(runs).size).toBe(3)
  })

  it('waitForRun rejects with the error of a poll', async () => {
    const server = await serve(() => ({ status: 404, body: {} }))
    expect(await unfold(rejection(clientOf(server).waitForRun('run_1')))).toBeInstanceOf(NotFoundError)
  })

  it('waitForRun refuses a malformed id and a malformed timeout', async () => {
    const server = await story(RUN)
    expect(await unfold(rejection(clientOf(server).waitForRun('..')))).toBeInstanceOf(TypeError)
    expect(await rejection(clientOf(server).waitForRun('run_1', { timeout: -1 }))).toBeInstanceOf(TypeError)
    expect(server.seen).toEqual([])
  })
})

describe('watchRun', () => {
  it('watchRun yields each change and ends with the run', async () => {
    const server = await story(RUN, RUN, waiting, ended)
    const seen: Run[] = []
    const watch = async () => {
      for await (const run of clientOf(server).watchRun('run_1')) seen.push(run)
    }
    await unfold(watch())
    expect(seen).toEqual([RUN, waiting, ended])
  })
})

describe('many watchers', () => {
  const limit = { requestsPerMinute: 60, burst: 2 }

  it('many watchers together use half of the rate', async () => {
    const server = await story(RUN)
    const client = clientOf(server, { plan: limit })
    const controller = new AbortController()
    const { signal } = controller
    const all = Array.from({ length: 20 }, (_, index) => rejection(client.waitForRun(`run_${index}`, { signal })))
    for (let second = 0; second < 60; second++) {
      await travel(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await aMoment()
    expect(server.seen.length).toBeGreaterThanOrEqual(27)
    expect(server.seen.length).toBeLessThanOrEqual(31)
    expect(new Set(server.seen.map(({ url }) => url)).size).toBe(20)
    controller.abort()
    await Promise.all(all)
  })

  it('polls are sent after ordinary calls', async () => {
    const server = await story(RUN)
    const client = clientOf(server, { plan: limit, polling: { rateShare: 1 } })
    const controller = new AbortController()
    const { signal } = controller
    const all = Array.from({ length: 10 }, (_, index) => rejection(client.waitForRun(`run_${index}`, { signal })))
    await travel(1)
    await until(() => server.seen.length === 2)
    await aMoment()
    const calls = [client.listPlaybooks({ page: 1 }), client.listPlaybooks({ page: 2 })]
    // How long a full bucket waits with its refill.
    await travel(250)
    for (const page of [1, 2]) {
      await travel(1_000)
      await until(() => server.seen.length === 2 + page)
      expect(server.seen.at(-1)?.url).toBe(`/v1/playbooks?page=${page}`)
    }
    await Promise.all(calls)
    controller.abort()
    await Promise.all(all)
  })

  it('watchers poll freely while the plan is unknown, and share the smallest plan after a 429', async () => {
    let limited = false
    const server = await serve(() => (limited ? rateLimited(1, 'some') : { body: RUN }))
    const client = clientOf(server, { polling: { minInterval: 1_000, maxInterval: 1_000 } })
    const controller = new AbortController()
    const { signal } = controller
    const all = Array.from({ length: 100 }, (_, index) => rejection(client.waitForRun(`run_${index}`, { signal })))
    await travel(1)
    await until(() => server.seen.length === 100)
    await aMoment()
    await travel(1_101)
    await until(() => server.seen.length === 200)
    await aMoment()
    limited = true
    await travel(1_101)
    await aMoment()
    limited = false
    const before = server.seen.length
    await travel(12_000)
    await aMoment()
    // 60 a minute.
    expect(server.seen.length - before).toBeLessThan(16)
    controller.abort()
    await Promise.all(all)
  })

  it('a poll may be queued for longer than the total timeout of a call', async () => {
    const server = await serve((_, index) => (index === 0 ? rateLimited(1) : { body: ended }))
    const client = clientOf(server, { plan: { requestsPerMinute: 1, burst: 1 }, polling: { rateShare: 1 } })
    const runs = Promise.all(['run_1', 'run_2', 'run_3', 'run_4', 'run_5', 'run_6'].map((id) => client.waitForRun(id)))
    expect(await unfold(runs, 5_000)).toHaveLength(6)
    expect(performance.now()).toBeGreaterThan(300_000)
  })
})

describe('onStep', () => {
  const step = (id: string, status: string) => ({ id, status })

  it('onStep is called for each new step, and for each change of its status', async () => {
    const [one, two] = [step('step_1', 'running'), step('step_2', 'running')]
    const done = step('step_1', 'succeeded')
    const server = await story(
      RUN,
      { ...RUN, steps: [one] },
      { ...RUN, steps: [one, two] },
      { ...ended, steps: [two, done] },
    )
    const steps: unknown[] = []
    const onStep = (each: object, run: Run) => steps.push({ ...each, of: run.steps?.length })
    await unfold(clientOf(server).waitForRun('run_1', { onStep }))
    expect(steps).toEqual([
      { ...one, of: 1 },
      { ...two, of: 2 },
      { ...done, of: 2 },
    ])
  })

  it('waitForRun rejects with the error that onStep throws, and refuses an onStep that is not a function', async () => {
    const server = await story({ ...RUN, steps: [step('step_1', 'running')] })
    const onStep = () => {
      throw new Error('No disk.')
    }
    expect(String(await unfold(rejection(clientOf(server).waitForRun('run_1', { onStep }))))).toMatch(/No disk/)
    expect(String(await rejection(clientOf(server).waitForRun('run_1', { onStep: 'log' as never })))).toMatch(
      /onStep must be a function/,
    )
  })
})
