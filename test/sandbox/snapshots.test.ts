import { describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox, type World, type WorldRun } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { randomId } from '../../src/sandbox/runs/random.js'
import { caller, trigger } from './calls.js'

const bakery = (...runs: WorldRun[]) =>
  ({
    bakery: {
      workspace: { id: 'ws_1', name: 'Bakery' },
      keys: { baker: { value: 'key_baker' } },
      playbooks: {
        bake: {
          playbook: { id: 'pb_bread' },
          steps: [{ capability: 'oven.heat' }, { approval: true }, { capability: 'oven.bake' }],
        },
        burn: { playbook: { id: 'pb_burn' }, steps: [{}, { fails: true }, {}] },
      },
      providers: [{ id: 'oven' }],
      runs,
    },
  }) satisfies World

const at = { id: 'run_1', playbook_id: 'pb_bread', started_at: '2026-01-01T00:00:00Z' }
const runIn = (sandbox: Sandbox) => sandbox.state.workspaces[0]?.runs[0]

describe('the runs of a world', () => {
  it.each(['poll', 'clock'] as const)('wait for approval from the start (%s)', async (progress) => {
    const world = bakery({ ...at, status: 'waiting_approval', inputs: { flour: 'rye' } })
    const sandbox = createSandbox({ world, progress })
    expect(runIn(sandbox)).toMatchObject({
      run: { status: 'running', steps: [{ status: 'succeeded' }, { status: 'waiting_approval' }] },
      inputs: { flour: 'rye' },
    })
    expect(sandbox.approve('run_1').steps[1]?.status).toBe('succeeded')
  })

  it.each<[Partial<WorldRun>, string, string[]]>([
    [{ status: 'succeeded' }, 'succeeded', ['succeeded', 'succeeded', 'succeeded']],
    [{ status: 'failed' }, 'failed', ['succeeded', 'failed']],
    [{ steps: [{ status: 'running' }] }, 'running', ['running']],
    [{ steps: [{ status: 'succeeded' }, { status: 'failed' }] }, 'failed', ['succeeded', 'failed']],
    [{ decisions: [{ step: 'step_2', approved: true }] }, 'running', ['succeeded', 'succeeded']],
    [{ decisions: [{ step: 'step_2', approved: false }] }, 'failed', ['succeeded', 'failed']],
    [{ playbook_id: 'pb_burn', status: 'failed' }, 'failed', ['succeeded', 'failed']],
  ])('stand where %j says', (run, status, steps) => {
    const found = runIn(createSandbox({ world: bakery({ ...at, ...run }) }))?.run
    expect([found?.status, found?.steps.map((step) => step.status)]).toEqual([status, steps])
  })

  it.each<[object, string]>([
    [{ playbook_id: 'pb_burn', status: 'waiting_approval' }, '/runs/0/status: the playbook has no such step'],
    [{ playbook_id: 'pb_burn', status: 'succeeded' }, '/runs/0/status: the step step_2 of the playbook fails'],
    [{ steps: [{ status: 'waiting_approval' }] }, '/runs/0/steps/0/status: must be running there'],
    [{ steps: [{ status: 'running' }, { status: 'failed' }] }, '/runs/0/steps/0/status: must be succeeded there'],
    [{ steps: [{ status: 'running' }], status: 'succeeded' }, '/runs/0/status: must be running'],
    [{ decisions: [{ step: 'step_1', approved: true }] }, 'is no step that was waiting'],
    [{ status: 'paused' }, '/runs/0/status: must be'],
    [{ inputs: { a: 1 } }, '/runs/0/inputs/a: must be'],
  ])('are refused where they contradict their playbook: %j', (run, message) => {
    const world = bakery({ ...at, ...run } as WorldRun)
    expect(() => createSandbox({ world })).toThrow(message)
  })

  it('keep their ids when the seed makes the same', async () => {
    const { id } = (await trigger(createSandbox({ world: bakery() }), 'pb_bread', undefined, 'key_baker')).body
    const sandbox = createSandbox({ world: bakery({ ...at, id, inputs: { mine: 'yes' } }) })
    const made = (await trigger(sandbox, 'pb_bread', undefined, 'key_baker')).body.id
    expect(made).not.toBe(id)
    expect(runIn(sandbox)).toMatchObject({ run: { id }, inputs: { mine: 'yes' } })
  })

  it('may have any number of ids that the seed would choose', async () => {
    const runs = Array.from({ length: 20_000 }, (_, number) => ({ ...at, id: `run_${randomId(1, number)}` }))
    const sandbox = createSandbox({ world: bakery(...runs), maxRuns: 30_000 })
    const { body } = await trigger(sandbox, 'pb_bread', undefined, 'key_baker')
    expect(body.id).toBe(`run_${randomId(1, 20_000)}`)
  })
})

/** Whatever happens to a sandbox, and what it then is. */
async function used(progress: 'poll' | 'clock', clock: { now(): number }) {
  const sandbox = createSandbox({ progress, clock, plan: { requestsPerMinute: 60, burst: 20 } })
  const ids: string[] = []
  for (const playbook of ['needsApproval', 'fails', 'slow', 'needsApproval'] as const)
    ids.push((await trigger(sandbox, sandbox.playbooks[playbook], { inputs: { a: playbook } })).body.id)
  for (const _ of [1, 2]) for (const id of ids) await caller(sandbox)(`/runs/${id}`)
  sandbox.advance(5_000)
  sandbox.approve(ids[0] as string)
  sandbox.reject(ids[3] as string)
  sandbox.inject({ status: 500, skip: 1, times: 3 })
  return { sandbox, ids }
}

describe.each(['poll', 'clock'] as const)('a snapshot (%s)', (progress) => {
  it('restores time, runs, limits and faults, as plain JSON', async () => {
    const clock = { now: () => Date.UTC(2026, 10, 22) }
    const { sandbox, ids } = await used(progress, clock)
    const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot()))
    const future = async () => {
      const seen: unknown[] = [sandbox.state, sandbox.faults]
      for (const id of ids) seen.push((await caller(sandbox)(`/runs/${id}`)).body)
      sandbox.advance(700)
      seen.push((await trigger(sandbox, sandbox.playbooks.slow)).body, sandbox.state)
      return seen
    }
    const first = await future()
    sandbox.restore(snapshot)
    expect(sandbox.requests()).toEqual([])
    expect(await future()).toEqual(first)
    const other = createSandbox({ progress, clock, plan: { requestsPerMinute: 60, burst: 20 } })
    other.restore(snapshot)
    expect(other.snapshot()).toEqual(snapshot)
  })

  it('is exported as a world that has the same runs', async () => {
    const clock = { now: () => Date.UTC(2026, 10, 22) }
    const { sandbox } = await used(progress, clock)
    const world = JSON.parse(JSON.stringify(sandbox.export()))
    const other = createSandbox({ progress, clock, startTime: clock.now() + 5_000, world })
    expect(other.state.workspaces.map(({ runs }) => runs)).toEqual(sandbox.state.workspaces.map(({ runs }) => runs))
    expect(other.export()).toEqual(world)
  })
})

it.each([1, 4])(
  'an exported world shows the same as time goes on, also runs that were just triggered (speed %i)',
  async (speed) => {
    const start = Date.parse('2026-11-23T10:00:00.900Z')
    const options = { progress: 'clock', speed, clock: { now: () => start } } as const
    const sandbox = createSandbox({ ...options, world: bakery({ ...at, started_at: '2026-11-23T10:00:03Z' }) })
    for (const ms of [700, 150, 30]) {
      await trigger(sandbox, 'pb_bread', undefined, 'key_baker')
      sandbox.advance(ms / speed)
    }
    const world = JSON.parse(JSON.stringify(sandbox.export()))
    const other = createSandbox({ ...options, startTime: start + 880 / speed, world })
    expect(other.export()).toEqual(world)
    for (let step = 0; step < 100; step++) {
      expect(other.state.workspaces[0]?.runs).toEqual(sandbox.state.workspaces[0]?.runs)
      for (const each of [sandbox, other]) each.advance(50)
    }
    const next = (each: Sandbox) => trigger(each, 'pb_bread', undefined, 'key_baker')
    expect((await next(other)).body).toEqual((await next(sandbox)).body)
  },
)

it('refuses what is no snapshot, and one of another world, and stays as it was', async () => {
  const sandbox = createSandbox()
  const before = sandbox.snapshot()
  expect(() => sandbox.restore({} as never)).toThrow('restore takes a snapshot')
  const other = createSandbox({ world: bakery({ ...at }) }).snapshot()
  expect(() => sandbox.restore(other)).toThrow('a run of the playbook "pb_bread", and the world has none')
  expect(() => sandbox.restore({ ...before, time: { ...before.time, runs: Number.NaN } })).toThrow('restore takes')
  const [first, ...runs] = before.runs.runs
  const further = { ...before.runs, runs: [{ ...first!, begun: 1e9 }, ...runs] }
  expect(() => sandbox.restore({ ...before, runs: further })).toThrow('1000000000 begun steps')
  expect(sandbox.snapshot().runs).toEqual(before.runs)
})

it('refuses a snapshot with a fault that could not be injected', async () => {
  const sandbox = createSandbox()
  sandbox.inject({ status: 500, times: Number.POSITIVE_INFINITY })
  const snapshot = sandbox.snapshot()
  sandbox.restore(JSON.parse(JSON.stringify(snapshot)))
  Object.assign(snapshot.faults.waiting[0]!.fault, { status: 99 })
  expect(() => sandbox.restore(snapshot)).toThrow('status must be a whole number from 200 to 599')
  expect(sandbox.faults).toMatchObject([{ fault: { status: 500 } }])
})

it('a world on a port is snapshot, restored and exported', async () => {
  const server = await listen(createSandbox())
  try {
    const world = await server.world('saved')
    const snapshot = await world.snapshot()
    const { id } = (await trigger(world, world.playbooks.succeeds)).body
    const exported = await world.export()
    expect(exported.main?.runs?.map((run) => run.id)).toContain(id)
    await world.restore(snapshot)
    expect((await world.state()).workspaces[0]?.runs).toHaveLength(1)
    const copy = await server.world('copy', { world: exported })
    expect((await copy.state()).workspaces[0]?.runs).toHaveLength(2)
  } finally {
    await server.close()
  }
})

it('a snapshot and an exported world of more than 1 MiB return to a port, up to --max-world-bytes', async () => {
  const server = await listen(createSandbox(), { maxWorldBytes: 16 * 2 ** 20 })
  try {
    const world = await server.world('large')
    const inputs = { letter: 'x'.repeat(500_000) }
    for (let run = 0; run < 4; run++) await trigger(world, world.playbooks.succeeds, { inputs })
    const [snapshot, exported] = [await world.snapshot(), await world.export()]
    await world.reset()
    await world.restore(snapshot)
    expect((await world.state()).workspaces[0]?.runs).toHaveLength(5)
    const copy = await server.world('copy', { world: exported })
    expect((await copy.state()).workspaces[0]?.runs).toHaveLength(5)
    const tooLarge = { ...snapshot, seed: 'x'.repeat(17_000_000) } as never
    await expect(world.restore(tooLarge)).rejects.toThrow('Raise the limit with --max-world-bytes')
  } finally {
    await server.close()
  }
})
