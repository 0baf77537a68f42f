import { describe, expect, it } from 'vitest'
import { createSandbox, type World } from '../../../src/tools/sandbox/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { UNKNOWN_STATUS } from '../../support/fixtures.js'
import { caller, trigger } from '../calls.js'

const START = Date.UTC(2030, 0, 1)
const state = (after: number, status: string) => ({ after, status, steps: [{ id: 's1', status }] })
const FIRST = [state(0, 'running'), state(1_000, 'succeeded')]
const SECOND = [state(0, UNKNOWN_STATUS), state(300, 'running'), state(500, 'failed')]
const GIVEN = [state(0, 'waking'), state(200, 'done')]

/** A playbook with two recorded runs, one without, and a run that was there before. */
const world: World = {
  bakery: {
    workspace: { id: 'ws_1', name: 'Bakery' },
    keys: { valid: { value: 'key_valid' } },
    playbooks: {
      bake: { playbook: { id: 'pb_bread' }, steps: [{}], timelines: [FIRST, SECOND] },
      clean: { playbook: { id: 'pb_clean' }, steps: [{}] },
    },
    providers: [],
    runs: [{ id: 'run_0', playbook_id: 'pb_bread', started_at: '2030-01-01T00:00:00Z', timeline: GIVEN }],
  },
}

const standing = (options: object) => {
  const sandbox = createSandbox({ world, plan: false, clock: { now: () => START }, ...options })
  const status = async (id: string) => (await caller(sandbox)(`/runs/${id}`)).body.status
  const start = async (playbook: string) => (await trigger(sandbox, playbook)).body.id as string
  return { sandbox, status, start }
}

describe('runs that follow a recording', () => {
  it('runs follow the time lines of their playbook in turn, whatever else runs', async () => {
    const { status, start } = standing({ progress: 'clock' })
    const started: string[] = []
    for (const playbook of ['pb_bread', 'pb_clean', 'pb_bread', 'pb_bread']) started.push(await start(playbook))
    const [first, , second, third] = started
    expect(await Promise.all([first, second, third].map((id) => status(id!)))).toEqual([
      'running',
      UNKNOWN_STATUS,
      'running',
    ])
  })

  it.each([1, 4])('recorded runs change at their times with the speed %d', async (speed) => {
    const { sandbox, status, start } = standing({ progress: 'clock', speed })
    await start('pb_bread')
    const id = await start('pb_bread')
    const nextChangeIn = () => engineOf(sandbox).runs.view(id)?.nextChangeIn
    const seen: unknown[] = []
    for (const ms of [0, 299, 1, 199, 1, 1_000]) {
      sandbox.advance(ms / speed)
      seen.push([await status(id), nextChangeIn()])
    }
    const waits = [300, 1, 200, 1, undefined, undefined].map((ms) => ms && ms / speed)
    const shown = [UNKNOWN_STATUS, UNKNOWN_STATUS, 'running', 'running', 'failed', 'failed']
    expect(seen).toEqual(shown.map((each, index) => [each, waits[index]]))
    expect(engineOf(sandbox).runs.view(id)?.changes).toBeUndefined()
  })

  it('recorded runs change with each GET without a clock, from the first state on', async () => {
    const { status, start } = standing({ progress: 'poll' })
    await start('pb_bread')
    const id = await start('pb_bread')
    const seen: string[] = []
    for (let poll = 0; poll < 4; poll++) seen.push(await status(id))
    expect(seen).toEqual(['running', 'failed', 'failed', 'failed'])
    expect([await status('run_0'), await status('run_0'), await status('run_0')]).toEqual(['waking', 'done', 'done'])
  })

  it('recorded runs cannot be approved or rejected', async () => {
    const { sandbox } = standing({ progress: 'poll' })
    expect(() => sandbox.approve('run_0')).toThrow(
      'The run run_0 follows the states that its world defines. Remove them from the world to decide the run.',
    )
  })

  it.each([1, 4])('recorded runs are exported with their later states, at the speed %d', async (speed) => {
    const { sandbox, start } = standing({ progress: 'clock', speed })
    await start('pb_clean')
    sandbox.advance(50 / speed)
    const runs = sandbox.export().bakery?.runs
    expect(runs?.[0]).toEqual({
      ...{ id: 'run_0', playbook_id: 'pb_bread', started_at: '2030-01-01T00:00:00Z', inputs: {}, number: 0 },
      timeline: [state(0, 'waking'), state(150, 'done')],
    })
    expect(runs?.[1]).not.toHaveProperty('timeline')
  })

  it('recorded runs are exported from the state that the last GET showed', async () => {
    const { sandbox, status, start } = standing({ progress: 'poll' })
    await start('pb_bread')
    await status(await start('pb_bread'))
    const timelines = sandbox.export().bakery?.runs?.map(({ timeline }) => timeline)
    expect(timelines).toEqual([GIVEN, FIRST, [state(0, 'running'), state(200, 'failed')]])
  })
})
