import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../../src/tools/sandbox/index.js'
import { connectControl } from '../../../src/tools/sandbox/remote/control.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { caller, trigger } from '../calls.js'
import { endAll, serve } from '../ports.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())
afterEach(endAll)

/** A sandbox, and what a console on it is told. */
function watched(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options)
  const { events, end, runs, log } = engineOf(sandbox)
  const told: unknown[] = []
  const unsubscribe = events.subscribe(
    (event, number) => told.push([number, event]),
    () => told.push('ended'),
  )
  return { sandbox, events, end, runs, log, told, unsubscribe }
}

describe('the events of a sandbox', () => {
  it('events report when time was moved or paused', () => {
    const { sandbox, told } = watched()
    sandbox.pause()
    sandbox.advance(5)
    sandbox.resume()
    expect(told).toEqual([true, true, false].map((paused, index) => [index + 1, { type: 'clock', paused }]))
  })

  it('an event reports a decision with the inputs of its run, and the beginning of long ones', async () => {
    const { sandbox, told, unsubscribe, runs, events } = watched({ plan: false })
    unsubscribe()
    for (const letter of ['x', 'x'.repeat(10_000)]) {
      const { id } = (await trigger(sandbox, sandbox.playbooks.needsApproval!, { inputs: { letter } })).body
      for (let poll = 0; poll < 2; poll++) await caller(sandbox)(`/runs/${id}`)
      events.subscribe(
        (event) => told.push(event),
        () => {},
      )
      sandbox.approve(id)
      const inputs = { letter: letter.length > 1 ? `${'x'.repeat(4_000)}… (10000 characters)` : letter }
      expect(told.at(-1)).toEqual({ type: 'run', workspace: 'main', ...runs.view(id), inputs })
    }
    expect(runs.view('run_0')).toBeUndefined()
  })

  it('events report each run that time moved within a quarter of a second, and no other', async () => {
    const { sandbox, told, runs } = watched({ progress: 'clock', clock: { now: () => Date.UTC(2030, 0, 1) } })
    const { id } = (await trigger(sandbox, sandbox.playbooks.slow!)).body
    await trigger(sandbox, sandbox.playbooks.needsApproval!)
    vi.advanceTimersByTime(250)
    told.length = 0
    vi.advanceTimersByTime(1_000)
    expect(told).toEqual([])
    sandbox.advance(60_000)
    const slow = () => told.filter((each) => (each as [number, { run?: { id: string } }])[1].run?.id === id)
    expect(slow()).toEqual([])
    vi.advanceTimersByTime(250)
    expect(slow()).toMatchObject([[expect.any(Number), { type: 'run', workspace: 'main', ...runs.view(id) }]])
    vi.advanceTimersByTime(1_000)
    expect(slow()).toHaveLength(1)
  })

  it('runs are polled for events only while somebody listens and time moves runs', () => {
    const { events, unsubscribe } = watched({ progress: 'clock' })
    const other = events.subscribe(
      () => {},
      () => {},
    )
    expect([vi.getTimerCount(), events.observed()]).toEqual([1, true])
    unsubscribe()
    unsubscribe()
    expect(vi.getTimerCount()).toBe(1)
    other()
    expect([vi.getTimerCount(), events.observed()]).toEqual([0, false])
    watched({ progress: 'poll' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('an event that nobody received has no number', () => {
    const { sandbox, events, told, unsubscribe } = watched()
    sandbox.advance(1)
    unsubscribe()
    sandbox.advance(1)
    expect([events.last(), told.length]).toEqual([1, 1])
  })

  it('events report a request, its limit and its run, if it has them', async () => {
    const types = async (path: string, plan?: false) => {
      const { sandbox, told } = watched({ plan })
      await caller(sandbox)(path)
      return told.map((each) => (each as [number, { type: string }])[1].type)
    }
    expect(await types('/providers')).toEqual(['request', 'limit'])
    expect(await types('/providers', false)).toEqual(['request'])
    expect(await types('/runs/none', false)).toEqual(['request'])
    expect(await types('/runs/run_8Zt4Lm2c', false)).toEqual(['request', 'run'])
  })

  it('events report a fault as soon as a call has used it up, while the call is delayed', async () => {
    const { sandbox, told } = watched()
    sandbox.inject({ delay: 60_000 })
    told.length = 0
    const ended = new AbortController()
    const call = sandbox.fetch(`${sandbox.baseUrl}/providers`, { signal: ended.signal }).catch(() => {})
    await expect.poll(() => sandbox.faults).toEqual([])
    expect(told).toEqual([[2, { type: 'faults', count: 0, faults: [] }]])
    ended.abort()
    await call
  })

  it('events report that an exercise has started', () => {
    const { sandbox, told } = watched()
    sandbox.exercise()
    expect(told).toEqual([[1, { type: 'exercise' }]])
  })

  it('the console receives an event whose texts have other line separators', async () => {
    const sandbox = createSandbox()
    const server = await serve({}, sandbox)
    const ended = new AbortController()
    const texts: unknown[] = []
    let isLive = false
    const followed = connectControl(server.url, undefined).follow(
      '',
      {
        changed: () => {},
        connection: (connection) => {
          isLive ||= connection === 'live'
        },
        event: (event) => event.type === 'request' && texts.push(event.request.request.body),
      },
      ended.signal,
    )
    await expect.poll(() => isLive).toBe(true)
    const body = { inputs: { text: 'one\u2028two\u2029three' } }
    await trigger(sandbox, sandbox.playbooks.succeeds, body)
    await trigger(sandbox, sandbox.playbooks.succeeds, {})
    await expect.poll(() => texts).toEqual([body, {}])
    ended.abort()
    await followed
  })

  it('events end with the sandbox', () => {
    const { end, told } = watched()
    end()
    expect(told).toEqual([[1, { type: 'reset' }], 'ended'])
  })

  it('the event of a request has its record of the log', async () => {
    const { sandbox, told } = watched({ plan: false })
    for (const text of ['short', 'x'.repeat(10_000)]) await trigger(sandbox, 'pb', { inputs: { text } })
    const requests = told.filter((each) => (each as [number, { type: string }])[1].type === 'request')
    expect(requests).toEqual(sandbox.requests().map((request, index) => [index + 1, { type: 'request', request }]))
  })
})
