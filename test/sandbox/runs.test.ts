import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { caller, trigger } from './calls.js'

const statuses = (run: { status: string; steps: { status: string }[] }) =>
  [run.status, ...run.steps.map(({ status }) => status)].join(' ')

describe('runs that move with each GET', () => {
  const begin = async (name: 'succeeds' | 'needsApproval' | 'fails' | 'slow') => {
    const sandbox = createSandbox()
    const { body } = await trigger(sandbox, sandbox.playbooks[name])
    return { sandbox, id: body.id as string, poll: async () => (await caller(sandbox)(`/runs/${body.id}`)).body }
  }

  it('succeed step by step and then change no more', async () => {
    const { poll } = await begin('succeeds')
    const seen = []
    for (let count = 0; count < 4; count++) seen.push(statuses(await poll()))
    expect(seen).toEqual(['running running', 'running succeeded running', 'succeeded succeeded succeeded', seen[2]])
  })

  it('wait for approval as long as nobody decides', async () => {
    const { sandbox, id, poll } = await begin('needsApproval')
    await poll()
    for (let count = 0; count < 5; count++) expect(statuses(await poll())).toBe('running succeeded waiting_approval')
    expect((await poll()).steps[1]).not.toHaveProperty('capability')
    expect(statuses(sandbox.approve(id))).toBe('running succeeded succeeded')
    await poll()
    await poll()
    expect(statuses(await poll())).toBe('succeeded succeeded succeeded succeeded succeeded')
  })

  it('fail when the approval is rejected', async () => {
    const { sandbox, id, poll } = await begin('needsApproval')
    await poll()
    await poll()
    expect(statuses(sandbox.reject(id))).toBe('failed succeeded failed')
    expect(statuses(await poll())).toBe('failed succeeded failed')
  })

  it('fail where the script says so', async () => {
    const { poll } = await begin('fails')
    await poll()
    await poll()
    expect(statuses(await poll())).toBe('failed succeeded failed')
    expect(statuses(await poll())).toBe('failed succeeded failed')
  })

  it('refuse a decision that nobody waits for, and say how far the run is', async () => {
    const { sandbox, id } = await begin('needsApproval')
    expect(() => sandbox.approve(id)).toThrow(/does not wait for approval: it is running, with 0 of 4 steps begun/)
    expect(() => sandbox.reject('run_0')).toThrow(/no run with the id "run_0"/)
  })

  it("are the run of the contract's examples from the start", async () => {
    const poll = async () => (await caller(sandbox)('/runs/run_8Zt4Lm2c')).body
    const sandbox = createSandbox()
    const { run, runWaitingApproval, runSucceeded } = await import('../../generated/examples.js')
    expect(await poll()).toEqual(run)
    expect(await poll()).toEqual(runWaitingApproval)
    sandbox.approve(run.id)
    await poll()
    await poll()
    expect(await poll()).toEqual(runSucceeded)
  })
})

describe('runs that move with time', () => {
  const begin = async (speed = 1) => {
    const sandbox = createSandbox({ progress: 'clock', speed, clock: { now: () => Date.UTC(2030, 0, 1) } })
    const { body } = await trigger(sandbox, sandbox.playbooks.needsApproval)
    return { sandbox, id: body.id as string, poll: async () => (await caller(sandbox)(`/runs/${body.id}`)).body }
  }

  it('stay as they are however often they are polled, and move when the clock does', async () => {
    const { sandbox, poll } = await begin()
    for (let count = 0; count < 5; count++) expect(statuses(await poll())).toBe('running')
    sandbox.advance(500)
    expect(statuses(await poll())).toBe('running running')
    sandbox.advance(60_000)
    expect(statuses(await poll())).toBe('running succeeded waiting_approval')
  })

  it('go on from the moment of the approval', async () => {
    const { sandbox, id, poll } = await begin()
    sandbox.advance(3_600_000)
    sandbox.approve(id)
    expect(statuses(await poll())).toBe('running succeeded succeeded running')
    sandbox.advance(10_000)
    expect(statuses(await poll())).toBe('succeeded succeeded succeeded succeeded succeeded')
  })

  it('go as many times as fast as told', async () => {
    const { sandbox, poll } = await begin(1_000)
    sandbox.advance(2)
    expect(statuses(await poll())).toBe('running succeeded waiting_approval')
  })

  it('are stamped with the clock, each with the second in which it began', async () => {
    const { sandbox, poll } = await begin()
    const next = async () => (await trigger(sandbox, sandbox.playbooks.succeeds)).body.started_at
    expect((await poll()).started_at).toBe('2030-01-01T00:00:00Z')
    sandbox.advance(999)
    expect(await next()).toBe('2030-01-01T00:00:00Z')
    sandbox.advance(1)
    expect(await next()).toBe('2030-01-01T00:00:01Z')
    sandbox.advance(60_000)
    expect(await next()).toBe('2030-01-01T00:01:01Z')
    expect((await poll()).started_at).toBe('2030-01-01T00:00:00Z')
  })
})

describe('what is kept', () => {
  it('forgets the oldest runs when there are more than maxRuns', async () => {
    const sandbox = createSandbox({ maxRuns: 3 })
    const ids: string[] = []
    for (let count = 0; count < 6; count++) ids.push((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id)
    const found = await Promise.all(ids.map(async (id) => (await caller(sandbox)(`/runs/${id}`)).status))
    expect(found).toEqual([404, 404, 404, 200, 200, 200])
    expect(sandbox.state.workspaces[0]?.runs.map(({ run }) => run.id)).toEqual(ids.slice(3))
  })

  it('shows the inputs of a run in the state, and does not move it by reading the state', async () => {
    const sandbox = createSandbox()
    const { body } = await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { order: '42' } })
    for (let count = 0; count < 3; count++)
      expect(sandbox.state.workspaces[0]?.runs.at(-1)).toMatchObject({
        run: { id: body.id, status: 'running', steps: [] },
        inputs: { order: '42' },
      })
  })

  it('returns to its first state after a reset', async () => {
    const sandbox = createSandbox()
    const before = JSON.stringify(sandbox.state)
    const first = await trigger(sandbox, sandbox.playbooks.succeeds)
    sandbox.inject({ status: 500 })
    sandbox.reset()
    expect(JSON.stringify(sandbox.state)).toBe(before)
    expect(sandbox.requests).toEqual([])
    expect((await trigger(sandbox, sandbox.playbooks.succeeds)).body).toEqual(first.body)
  })
})
