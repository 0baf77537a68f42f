import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox, type World, type WorldRun } from '../../../src/tools/sandbox/index.js'
import type { RemoteWorld } from '../../../src/tools/sandbox/port/index.js'
import { randomId } from '../../../src/tools/sandbox/runs/random.js'
import { caller, messageOf, trigger } from '../calls.js'
import { control, endAll, serve } from '../ports.js'

afterEach(endAll)

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
      },
      providers: [{ id: 'oven' }],
      runs,
    },
  }) satisfies World

const at = { id: 'run_1', playbook_id: 'pb_bread', started_at: '2026-01-01T00:00:00Z' }
const runIn = (sandbox: Sandbox) => sandbox.state.workspaces[0]?.runs[0]

it.each(['poll', 'clock'] as const)('a run of a world waits for approval from the start (%s)', async (progress) => {
  const world = bakery({ ...at, status: 'waiting_approval', inputs: { flour: 'rye' } })
  const sandbox = createSandbox({ world, progress })
  expect(runIn(sandbox)).toMatchObject({
    run: { status: 'running', steps: [{ status: 'succeeded' }, { status: 'waiting_approval' }] },
    inputs: { flour: 'rye' },
  })
  expect(sandbox.approve('run_1').steps[1]?.status).toBe('succeeded')
})

it('the runs of a world keep their ids, also when there are many that the seed would choose', async () => {
  const runs = Array.from({ length: 1_000 }, (_, number) => ({ ...at, id: `run_${randomId(1, number)}` }))
  const sandbox = createSandbox({ world: bakery(...runs) })
  const { body } = await trigger(sandbox, 'pb_bread', undefined, 'key_baker')
  expect(body.id).toBe(`run_${randomId(1, 1_000)}`)
  expect(runIn(sandbox)?.run.id).toBe(runs[0]?.id)
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
  it('a snapshot restores time, runs, limits and faults, as plain JSON', async () => {
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

  it('a snapshot is exported as a world that has the same runs', async () => {
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

it('a snapshot of another world, or with a time that is no number, is refused, and nothing changes', async () => {
  const sandbox = createSandbox()
  const before = sandbox.snapshot()
  const other = createSandbox({ world: bakery({ ...at }) }).snapshot()
  expect(() => sandbox.restore(other)).toThrow('a run of the playbook "pb_bread", which the world does not have')
  expect(() => sandbox.restore({ ...before, time: { ...before.time, runs: Number.NaN } })).toThrow('restore expects')
  expect(sandbox.snapshot().runs).toEqual(before.runs)
})

it('a snapshot with a fault that could not be injected is refused', async () => {
  const sandbox = createSandbox()
  sandbox.inject({ status: 500, key: 'readOnly', times: Number.POSITIVE_INFINITY })
  const snapshot = sandbox.snapshot()
  sandbox.restore(JSON.parse(JSON.stringify(snapshot)))
  Object.assign(snapshot.faults.waiting[0]!.fault, { status: 99 })
  expect(() => sandbox.restore(snapshot)).toThrow('status must be an integer from 200 to 599')
  expect(sandbox.faults).toMatchObject([{ fault: { status: 500 } }])
})

it('a world on a port is snapshot, restored and exported, also with more than 1 MiB, up to 128 MiB', async () => {
  const server = await serve({})
  const world = await server.world('large', { plan: false })
  const first = await world.snapshot()
  const inputs = { letter: 'x'.repeat(4_000) }
  for (let run = 0; run < 300; run++) await trigger(world, world.playbooks.succeeds, { inputs })
  const runsOf = async (each: RemoteWorld) => (await each.state()).workspaces[0]?.runs.length
  const [snapshot, exported] = [await world.snapshot(), await world.export()]
  expect(JSON.stringify(snapshot).length).toBeGreaterThan(2 ** 20)
  await world.restore(first)
  expect(await runsOf(world)).toBe(1)
  await world.restore(snapshot)
  expect(await runsOf(world)).toBe(301)
  await world[Symbol.asyncDispose]()
  const copy = await server.world('copy', { world: exported })
  expect(await runsOf(copy)).toBe(301)
  const tooLarge = await control({ url: `${server.url}/w/copy` }, 'restore', Buffer.alloc(2 ** 27 + 1))
  expect(await tooLarge.json()).toMatchObject({ message: 'The body is larger than 134217728 bytes.' })
})

const RESTORE = 'restore expects a snapshot from this version of the sandbox'

it.each<[act: (sandbox: ReturnType<typeof createSandbox>) => unknown, message: string]>([
  [(s) => s.restore({} as never), RESTORE],
  ...[
    { version: 2 },
    { time: 5 },
    { runs: [] },
    { faults: null },
    { limits: {} },
    { runs: { count: 0, runs: {} } },
    { faults: { count: 0, waiting: {} } },
    { time: { limits: 0, runs: '0', paused: false } },
    { time: { limits: -1, runs: 0, paused: false } },
  ].map((change): [(sandbox: ReturnType<typeof createSandbox>) => unknown, string] => [
    (s) => s.restore({ ...s.snapshot(), ...change } as never),
    RESTORE,
  ]),
])('%s is refused with a sentence', (act, message) => {
  expect(messageOf(() => act(createSandbox()))).toBe(`TypeError: ${message}.`)
})

it.each<[change: object, message: string]>([
  [{ playbook_id: 'pb_lost' }, 'The snapshot has a run of the playbook "pb_lost", which the world does not have.'],
  [{ workspace: 'lost' }, 'The snapshot has a run of the playbook "pb_3kX9wq", which the world does not have.'],
  [{ startedSteps: 30 }, 'The snapshot has a run with 30 steps, more than its playbook has.'],
])('a snapshot with a run of another world is refused, and nothing changes: %j', (change, message) => {
  const sandbox = createSandbox()
  const before = sandbox.snapshot()
  const snapshot = structuredClone(before)
  Object.assign(snapshot.runs.runs[0]!, change)
  expect(messageOf(() => sandbox.restore(snapshot))).toBe(`TypeError: ${message}`)
  expect(sandbox.snapshot().runs).toEqual(before.runs)
})
