import { describe, expect, it } from 'vitest'
import { createSandbox, type World } from '../../../src/tools/sandbox/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { trigger } from '../calls.js'

const START = Date.UTC(2030, 0, 1)

/** A sandbox whose time only `advance` moves, and what the console shows of a run. */
function standing(options: object = {}) {
  const sandbox = createSandbox({ progress: 'clock', plan: false, clock: { now: () => START }, ...options })
  const view = (id: string) => {
    const { run, nextChangeIn, changes } = engineOf(sandbox).runs.view(id)!
    const round = (ms: number) => Math.round(ms * 10) / 10
    return {
      shows: [run.status, ...run.steps.map(({ status }) => status)].join(' '),
      nextChangeIn: nextChangeIn === undefined ? undefined : round(nextChangeIn),
      changes: changes?.map((at) => round(at - START)),
    }
  }
  const start = async (playbook: string) => (await trigger(sandbox, playbook)).body.id as string
  return { sandbox, view, start }
}

// Snapshots of users have them.
it.each([
  [0, 'run_00000000 run_XfWJU11J run_WtHat09G', [200, 1075, 2129], [200, 1284, 2170]],
  [1, 'run_1JPQs0em run_vXOt717e run_Udmmq0v1', [200, 1166, 2178], [200, 1017, 2168]],
  [-5, 'run_trnnr0Jg run_D1eYa0f6 run_wG7NQ38E', [200, 1292, 2386], [200, 1055, 2149]],
  [2 ** 31, 'run_N69f131s run_4X0ce1An run_XLJiu1cQ', [200, 1043, 1974], [200, 1283, 2189]],
  [2 ** 40, 'run_G8aSd2EO run_PlcES1sm run_dn5tI36V', [200, 1078, 1937], [200, 1256, 2169]],
  [2 ** 53 - 1, 'run_dTCHg4DI run_wfxhh3QH run_bTbQs0qM', [200, 1244, 2107], [200, 1190, 2358]],
])('runs have the ids and the times of their seed in every release (%d)', async (seed, ids, second, third) => {
  const { sandbox, view, start } = standing({ seed })
  const started: string[] = []
  for (let run = 0; run < 3; run++) started.push(await start(sandbox.playbooks.succeeds))
  expect(started.join(' ')).toBe(ids)
  sandbox.advance(100_000)
  const changes = started.slice(1).map((id) => view(id).changes?.map(Math.round))
  expect(changes).toEqual([second, third])
})

const STEPS = [{ capability: 'oven.heat', duration: 100 }, { approval: true }, { duration: 300 }, {}]

const bakery = (steps: object[]) =>
  ({
    bakery: {
      workspace: { id: 'ws_1', name: 'Bakery' },
      keys: { valid: { value: 'key_valid' } },
      playbooks: { bake: { playbook: { id: 'pb_bread' }, steps } },
      providers: [{ id: 'oven' }],
    },
  }) as World

describe('a run that progresses with time', () => {
  it.each([
    [1, STEPS, 'approve', [200, 93.5, undefined, 352.6, 1097.3, undefined]],
    [4, STEPS, 'approve', [50, 23.3, undefined, 88.1, 274.3, undefined]],
    [1, STEPS, 'reject', [200, 93.5, undefined, undefined]],
    [1, [{}, { fails: true, duration: 500 }, {}], 'approve', [200, 936, 459.3, undefined]],
  ] as const)('a run moves when it says, with the speed %d, steps %j and %s', async (speed, steps, decide, waits) => {
    const { sandbox, view, start } = standing({ speed, world: bakery([...steps]) })
    const id = await start('pb_bread')
    const seen: (number | undefined)[] = []
    const changes: number[] = []
    let passed = 0
    for (;;) {
      const { shows, nextChangeIn, changes: reported } = view(id)
      seen.push(nextChangeIn)
      expect(reported).toEqual(changes)
      if (nextChangeIn !== undefined) {
        sandbox.advance(nextChangeIn - 0.2)
        expect(view(id)).toMatchObject({ shows, nextChangeIn: 0.2 })
        sandbox.advance(0.3)
        passed += nextChangeIn + 0.1
        expect(view(id).shows).not.toBe(shows)
        changes.push(view(id).changes?.at(-1) as number)
        expect(Math.abs(changes.at(-1)! - passed)).toBeLessThan(1)
      } else if (shows.endsWith('waiting_approval')) {
        sandbox.advance(1_000)
        passed += 1_000
        expect(view(id).shows).toBe(shows)
        sandbox[decide](id)
        changes.push(passed)
      } else break
    }
    expect(seen).toEqual(waits)
    sandbox.advance(1e6)
    expect(view(id).changes).toEqual(changes)
  })

  it('a run has no times without a clock, or when it began before the world', async () => {
    const polled = standing({ progress: 'poll' })
    expect(polled.view(await polled.start(polled.sandbox.playbooks.succeeds))).toEqual({ shows: 'running' })
    const world = bakery(STEPS) as { bakery: World[string] }
    const run = { id: 'run_1', playbook_id: 'pb_bread', started_at: '2029-01-01T00:00:00Z' }
    world.bakery.runs = [{ ...run, status: 'waiting_approval' }]
    const { sandbox, view } = standing({ world })
    expect(view('run_1')).toEqual({ shows: 'running succeeded waiting_approval' })
    sandbox.approve('run_1')
    expect(view('run_1')).toMatchObject({ shows: 'running succeeded succeeded running', changes: undefined })
  })
})
