import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { createTestService } from '../../../src/tools/testing/index.js'
import { caller, trigger } from '../calls.js'
import { endAll, serve } from '../ports.js'

afterEach(endAll)

const START = Date.UTC(2026, 10, 22)
const END = Date.UTC(10_000, 0)

/** The time of a sandbox, as its responses have it, in ms since 1970. */
const timeOf = async (sandbox: Parameters<typeof caller>[0]) =>
  Date.parse((await caller(sandbox)('/providers')).headers.get('date')!)

describe('a clock that steps back', () => {
  it('a clock that goes back and forth refills no limit', async () => {
    let now = START
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 2 }, clock: { now: () => now } })
    const statuses: number[] = []
    for (let count = 0; count < 40; count++) {
      now = START + (count % 2 === 0 ? -1_000 : 1_000)
      statuses.push((await caller(sandbox)('/providers')).status)
    }
    // One at the first time, and a burst of two at the later one.
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  })

  it('a clock that goes back and forth ends no step, and does not change when later runs start', async () => {
    let now = START
    const sandbox = createSandbox({ progress: 'clock', plan: false, clock: { now: () => now } })
    const { id } = (await trigger(sandbox, sandbox.playbooks.slow)).body
    const steps = async () => (await caller(sandbox)(`/runs/${id}`)).body.steps.length
    for (let count = 0; count < 40; count++) {
      now = START + (count % 2 === 0 ? -1_000 : 1_000)
      expect(await steps()).toBeLessThanOrEqual(1)
    }
    for (const time of [START + 2_000, START - 3_600_000, START + 3_000]) {
      now = time
      await steps()
    }
    expect((await trigger(sandbox, sandbox.playbooks.slow)).body.started_at).toBe('2026-11-22T00:00:03Z')
  })
})

describe('the time of a sandbox', () => {
  it('the time of a sandbox stops at the end of the year 9999, and triggers go on', async () => {
    let now = Date.UTC(2026, 10, 22)
    const sandbox = createSandbox({ progress: 'clock', clock: { now: () => now } })
    sandbox.advance(Date.UTC(10_000, 0) - now - 1_500)
    now += 2_000
    const { status, body } = await trigger(sandbox, sandbox.playbooks.succeeds)
    expect([status, body.started_at]).toEqual([201, '9999-12-31T23:59:59Z'])
  })

  it('the time of a sandbox starts at startTime, is set to a later time, and every response has its date', async () => {
    const sandbox = createSandbox({ startTime: '2029-12-31T23:59:00Z' })
    const date = async () => (await caller(sandbox)('/providers')).headers.get('date')
    expect(await date()).toBe('Mon, 31 Dec 2029 23:59:00 GMT')
    sandbox.setTime('2030-01-01T00:00:00Z')
    expect(await date()).toBe('Tue, 01 Jan 2030 00:00:00 GMT')
    expect((await trigger(sandbox, sandbox.playbooks.slow)).body.started_at).toBe('2030-01-01T00:00:00Z')
    sandbox.reset()
    expect(await date()).toBe('Mon, 31 Dec 2029 23:59:00 GMT')
  })

  it('the time of a sandbox stands still for runs and limits while it is paused, unless it is moved, and goes on after a reset', async () => {
    let now = START
    const plan = { requestsPerMinute: 60, burst: 120 }
    const sandbox = createSandbox({ plan, progress: 'clock', clock: { now: () => now } })
    const call = caller(sandbox)
    const { id } = (await trigger(sandbox, sandbox.playbooks.slow)).body
    for (let count = 0; count < 20; count++) await call('/playbooks')
    const state = async () => ({
      tokens: sandbox.state.workspaces[0]?.tokens,
      steps: sandbox.state.workspaces[0]?.runs.find(({ run }) => run.id === id)?.run.steps.length,
    })
    sandbox.pause()
    now += 600_000
    expect(await state()).toEqual({ tokens: 100, steps: 0 })
    sandbox.advance(1_000)
    expect(await state()).toEqual({ tokens: 101, steps: 1 })
    sandbox.resume()
    expect(await state()).toEqual({ tokens: 101, steps: 1 })
    now += 2_000
    expect(await state()).toMatchObject({ tokens: 103 })
    sandbox.pause()
    sandbox.reset()
    now += 1_000
    expect((await call('/playbooks')).headers.get('date')).toBe('Sun, 22 Nov 2026 00:10:03 GMT')
  })

  it('the functions of a world move the time of a sandbox on a port', async () => {
    const server = await serve({}, createSandbox({ progress: 'clock' }))
    const world = await server.world('late', { startTime: '2030-01-01T00:00:00Z' })
    await world.pause()
    await world.setTime('2031-01-01T00:00:00Z')
    expect((await caller(world)('/providers')).headers.get('date')).toBe('Wed, 01 Jan 2031 00:00:00 GMT')
    await world.resume()
    await expect(world.setTime('2030-01-01T00:00:00Z')).rejects.toThrow('setTime() expects a time from 2031')
  })

  it('a test service has the time of its sandbox', async () => {
    const service = createTestService()
    service.sandbox.setTime('2030-01-01T00:00:00Z')
    const { started_at } = await service.client.triggerRun(service.sandbox.playbooks.succeeds, { inputs: {} })
    expect(started_at).toBe('2030-01-01T00:00:00Z')
    service[Symbol.dispose]()
  })
})

it('the first call reports a clock that does not return a time', async () => {
  const sandbox = createSandbox({ clock: { now: () => 'noon' as never } })
  await expect(trigger(sandbox, sandbox.playbooks.succeeds)).rejects.toThrow(
    'The clock of the sandbox must return a time in ms, but returned "noon".',
  )
})

describe('times that a sandbox takes', () => {
  const standing = () => createSandbox({ progress: 'clock', clock: { now: () => START } })

  it.each([0, 1_000, END - START - 1_000])('advance takes %d', async (ms) => {
    const sandbox = standing()
    sandbox.advance(ms)
    expect(await timeOf(sandbox)).toBe(START + ms)
  })

  it.each([
    [-1, '-1'],
    [Number.NaN, 'NaN'],
    ['5', '"5"'],
    [END - START, `${END - START}`],
    [Infinity, 'Infinity'],
  ])('advance refuses %o, and nothing changes', async (ms, shown) => {
    const sandbox = standing()
    const takes = 'advance() expects a non-negative number of milliseconds that ends before the year 10000, but got'
    expect(() => sandbox.advance(ms as number)).toThrow(new TypeError(`${takes} ${shown}.`))
    expect(await timeOf(sandbox)).toBe(START)
  })

  it.each([
    ...[START, new Date(START), END - 1_000],
    ...['2026-11-22T00:00:00Z', '2026-11-22', '2026-11-22T01:00+01:00', '2026-11-21T23:30:00.00-00:30'],
  ])('setTime takes %o', async (time) => {
    const sandbox = standing()
    sandbox.setTime(time)
    expect(await timeOf(sandbox)).toBe(typeof time === 'number' ? time : START)
  })

  it.each([
    [START - 1, `${START - 1}`],
    ...['soon', '2030-01-01T00:00:00', '2030-02-30', '2030-02-30T00:00:00Z', '2030-13-01', 'July 1 2030', '2030'].map(
      (text): [string, string] => [text, `"${text}"`],
    ),
    [Number.NaN, 'NaN'],
    [END, `${END}`],
  ])('setTime refuses %o, and nothing changes', async (time, shown) => {
    const sandbox = standing()
    const takes = 'setTime() expects a time from 2026-11-22T00:00:00.000Z and before the year 10000, but got'
    expect(() => sandbox.setTime(time)).toThrow(new TypeError(`${takes} ${shown}.`))
    expect(await timeOf(sandbox)).toBe(START)
  })

  it.each([0, END - 1_000])('a sandbox starts at %d, by option or by its clock', async (time) => {
    expect(await timeOf(createSandbox({ startTime: time }))).toBe(time)
    expect(await timeOf(createSandbox({ clock: { now: () => time } }))).toBe(time)
  })

  it.each(['2030-01-01T00:00:00', '2030-02-30', 'July 1 2030'])('a sandbox does not start at %s', (startTime) => {
    expect(() => createSandbox({ startTime })).toThrow('startTime must be')
  })

  it.each([-1, END, Number.NaN])('a sandbox does not start at %d', async (time) => {
    expect(() => createSandbox({ startTime: time })).toThrow('startTime must be')
    const sandbox = createSandbox({ clock: { now: () => time } })
    await expect(timeOf(sandbox)).rejects.toThrow(`must return a time in ms, but returned ${time}.`)
  })
})

describe('the clock of a sandbox', () => {
  it('a clock is moved by its own function, but not while the sandbox is paused', async () => {
    let now = START
    const moved: number[] = []
    const advance = (ms: number) => {
      moved.push(ms)
      now += ms
    }
    const sandbox = createSandbox({ clock: { now: () => now, advance } })
    sandbox.advance(1_000)
    expect([await timeOf(sandbox), moved]).toEqual([START + 1_000, [1_000]])
    sandbox.pause()
    sandbox.advance(2_000)
    expect([await timeOf(sandbox), moved]).toEqual([START + 3_000, [1_000]])
  })

  it('a clock stands still after the restore of a snapshot that was paused, until a reset', async () => {
    let now = START
    const sandbox = createSandbox({ clock: { now: () => now } })
    const { clock } = engineOf(sandbox)
    const isPaused = [clock.isPaused()]
    sandbox.resume()
    expect(await timeOf(sandbox)).toBe(START)
    sandbox.pause()
    const snapshot = sandbox.snapshot()
    sandbox.resume()
    isPaused.push(clock.isPaused())
    sandbox.restore(snapshot)
    now += 5_000
    isPaused.push(clock.isPaused())
    expect(await timeOf(sandbox)).toBe(START)
    sandbox.reset()
    isPaused.push(clock.isPaused())
    expect([isPaused, await timeOf(sandbox)]).toEqual([[false, false, true, false], now])
  })

  it('a clock has the real time by default, which nobody sets; the time of runs is fixed unless they progress with it', async () => {
    vi.useFakeTimers({ now: START, toFake: ['Date', 'performance'] })
    try {
      const [clock, poll] = (['clock', 'poll'] as const).map((progress) => createSandbox({ progress }))
      vi.advanceTimersByTime(5_000)
      vi.setSystemTime(START + 3_600_000)
      expect(await timeOf(clock!)).toBe(START + 5_000)
      const ofRuns = poll!.state.workspaces[0]?.runs[0]?.run.started_at
      expect(await timeOf(poll!)).toBe(Date.parse(ofRuns!))
      for (const each of [clock, poll]) expect(each!.requests()[0]?.time).toBe('2026-11-22T00:00:05.000Z')
      const started = async (sandbox: typeof clock) =>
        (await trigger(sandbox!, sandbox!.playbooks.succeeds!)).body.started_at
      expect(await started(clock)).toBe('2026-11-22T00:00:05Z')
      expect(await started(poll)).toBe(ofRuns)
    } finally {
      vi.useRealTimers()
    }
  })

  it('a clock delays faults only when it can end its timers', async () => {
    const setTimeout = () => expect.fail('it was used')
    const sandbox = createSandbox({ clock: { now: () => START, setTimeout } })
    sandbox.inject({ delay: 1 })
    expect(await timeOf(sandbox)).toBe(START)
  })
})
