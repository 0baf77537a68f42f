import { describe, expect, it } from 'vitest'
import { run, runSucceeded, runWaitingApproval } from '../../../generated/examples.js'
import { createSandbox, type World } from '../../../src/tools/sandbox/index.js'
import { caller, trigger } from '../calls.js'

const statuses = (run: { status: string; steps: { status: string }[] }) =>
  [run.status, ...run.steps.map(({ status }) => status)].join(' ')

describe('runs that progress with each GET', () => {
  const begin = async (name: 'succeeds' | 'needsApproval' | 'fails' | 'slow') => {
    const sandbox = createSandbox()
    const { body } = await trigger(sandbox, sandbox.playbooks[name])
    return { sandbox, id: body.id as string, poll: async () => (await caller(sandbox)(`/runs/${body.id}`)).body }
  }

  it.each([
    ['succeeds', ['running running', 'running succeeded running', 'succeeded succeeded succeeded']],
    ['fails', ['running running', 'running succeeded running', 'failed succeeded failed']],
  ] as const)(
    'a run of the playbook that %s goes there step by step and then stays the same',
    async (name, expected) => {
      const { poll } = await begin(name)
      for (const each of [...expected, expected[2]]) expect(statuses(await poll())).toBe(each)
    },
  )

  it('a run waits for approval until it is approved', async () => {
    const { sandbox, id, poll } = await begin('needsApproval')
    await poll()
    for (let count = 0; count < 5; count++) expect(statuses(await poll())).toBe('running succeeded waiting_approval')
    expect((await poll()).steps[1]).not.toHaveProperty('capability')
    expect(statuses(sandbox.approve(id))).toBe('running succeeded succeeded')
    await poll()
    await poll()
    expect(statuses(await poll())).toBe('succeeded succeeded succeeded succeeded succeeded')
  })

  it('a run fails when its approval is rejected', async () => {
    const { sandbox, id, poll } = await begin('needsApproval')
    await poll()
    await poll()
    expect(statuses(sandbox.reject(id))).toBe('failed succeeded failed')
    expect(statuses(await poll())).toBe('failed succeeded failed')
  })

  it('approving a run that does not wait for approval is refused with its progress and what to do', async () => {
    const { sandbox, id } = await begin('needsApproval')
    expect(() => sandbox.approve(id)).toThrow(
      /is not waiting for approval: it is running, with 0 of 4 steps started.* GET it until a step waits\./,
    )
    expect(() => sandbox.reject('run_0')).toThrow(/no run with the id "run_0"/)
    const clock = createSandbox({ progress: 'clock', clock: { now: () => Date.UTC(2026, 10, 21, 9, 30) } })
    expect(() => clock.approve('run_8Zt4Lm2c')).toThrow('Advance the clock until a step waits.')
  })

  it('a step is approved once it waits, has its capability only when it does not, and the run is over with the last', async () => {
    const world: World = {
      bakery: {
        workspace: { id: 'ws_1', name: 'Bakery' },
        keys: { valid: { value: 'key_valid' } },
        playbooks: { bake: { playbook: { id: 'pb_bread' }, steps: [{ approval: true, capability: 'oven.heat' }] } },
        providers: [{ id: 'oven' }],
      },
    }
    const sandbox = createSandbox({ world })
    const { id } = (await trigger(sandbox, 'pb_bread')).body
    expect(() => sandbox.approve(id)).toThrow(
      `The run ${id} is not waiting for approval: it is running, with 0 of 1 steps started. GET it until a step waits.`,
    )
    await caller(sandbox)(`/runs/${id}`)
    const steps = () => sandbox.state.workspaces[0]?.runs[0]?.run.steps
    expect(steps()).toStrictEqual([{ id: 'step_1', status: 'waiting_approval' }])
    sandbox.approve(id)
    expect(steps()).toStrictEqual([{ id: 'step_1', status: 'succeeded', capability: 'oven.heat' }])
    expect(() => sandbox.approve(id)).toThrow(
      new Error(`The run ${id} is not waiting for approval: it is succeeded, with 1 of 1 steps started.`),
    )
  })

  it("the first run is that of the contract's examples at each step", async () => {
    const poll = async () => (await caller(sandbox)('/runs/run_8Zt4Lm2c')).body
    const sandbox = createSandbox()
    expect(await poll()).toEqual(run)
    expect(await poll()).toEqual(runWaitingApproval)
    sandbox.approve(run.id)
    await poll()
    await poll()
    expect(await poll()).toEqual(runSucceeded)
  })
})

describe('runs that progress with time', () => {
  const begin = async (speed = 1) => {
    const sandbox = createSandbox({ progress: 'clock', speed, clock: { now: () => Date.UTC(2030, 0, 1) } })
    const { body } = await trigger(sandbox, sandbox.playbooks.needsApproval)
    return { sandbox, id: body.id as string, poll: async () => (await caller(sandbox)(`/runs/${body.id}`)).body }
  }

  it('polling does not move a run that progresses with time, and the clock does', async () => {
    const { sandbox, poll } = await begin()
    for (let count = 0; count < 5; count++) expect(statuses(await poll())).toBe('running')
    sandbox.advance(500)
    expect(statuses(await poll())).toBe('running running')
    sandbox.advance(60_000)
    expect(statuses(await poll())).toBe('running succeeded waiting_approval')
  })

  it('a run continues from the moment of its approval', async () => {
    const { sandbox, id, poll } = await begin()
    sandbox.advance(3_600_000)
    sandbox.approve(id)
    expect(statuses(await poll())).toBe('running succeeded succeeded running')
    sandbox.advance(10_000)
    expect(statuses(await poll())).toBe('succeeded succeeded succeeded succeeded succeeded')
  })

  it('speed multiplies the progress of a run', async () => {
    const { sandbox, poll } = await begin(1_000)
    sandbox.advance(2)
    expect(statuses(await poll())).toBe('running succeeded waiting_approval')
  })

  it('started_at is the second of the clock in which the run was triggered', async () => {
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

describe('kept runs', () => {
  it.each([-5, 2 ** 40])('every run of a sandbox with the seed %d has an id of its own', async (seed) => {
    const sandbox = createSandbox({ seed, plan: false })
    const ids = new Set<string>()
    for (let count = 0; count < 100; count++) ids.add((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id)
    expect(ids.size).toBe(100)
  })

  it('the oldest runs are dropped when there are more than maxRuns', async () => {
    const sandbox = createSandbox({ maxRuns: 3 })
    const ids: string[] = []
    for (let count = 0; count < 6; count++) ids.push((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id)
    const found = await Promise.all(ids.map(async (id) => (await caller(sandbox)(`/runs/${id}`)).status))
    expect(found).toEqual([404, 404, 404, 200, 200, 200])
    expect(sandbox.state.workspaces[0]?.runs.map(({ run }) => run.id)).toEqual(ids.slice(3))
  })

  it('a run keeps the beginning of long inputs, and how much is left out', async () => {
    const sandbox = createSandbox({ plan: false })
    const inputsOf = async (inputs: Record<string, string>) => {
      await trigger(sandbox, sandbox.playbooks.succeeds, { inputs })
      return sandbox.state.workspaces[0]?.runs.at(-1)?.inputs
    }
    const whole = { order: '42', note: 'x'.repeat(3_900) }
    expect(await inputsOf(whole)).toEqual(whole)
    expect(await inputsOf({ order: '42', note: 'x'.repeat(5_000), more: '1', last: '2' })).toEqual({
      order: '42',
      note: expect.stringMatching(/^x{3953}… \(5000 characters\)$/),
      '…': '2 more',
    })
    const many = await inputsOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${index}`, ''])))
    expect(Object.keys(many ?? {}).length).toBeLessThan(200)
    expect(many?.['…']).toMatch(/^4\d{3} more$/)
  })
})
