import { expect, it } from 'vitest'
import { workspace } from '../../../generated/examples.js'
import { createSandbox, type World, type WorldRun } from '../../../src/tools/sandbox/index.js'
import { caller, messageOf } from '../calls.js'

/** A playbook that asks for an approval, and one whose second step fails. */
const worldWith = (run: Partial<WorldRun>): World => ({
  shop: {
    workspace,
    keys: { own: { value: 'key_own' } },
    playbooks: {
      asks: { playbook: { id: 'pb_asks' }, steps: [{}, { approval: true }, {}] },
      fails: { playbook: { id: 'pb_fails' }, steps: [{}, { fails: true }, {}] },
    },
    providers: [],
    runs: [{ id: 'run_a', playbook_id: 'pb_asks', started_at: '2026-01-01T00:00:00Z', ...run }],
  },
})
const DECISION = 'decisions/0/step: is not a step that waited for approval and has ended.'
const NO_STEP = 'status: the playbook has no such undecided step.'
const steps = (...statuses: string[]) => statuses.map((status) => ({ status }))
const [approved, rejected] = [true, false].map((approved) => ({ step: 'step_2', approved }))

it.each<[run: object, problem: string]>([
  [{ steps: steps('succeeded', 'succeeded', 'succeeded', 'running') }, 'steps/3: the playbook has only 3 steps.'],
  [{ steps: steps('running', 'running') }, 'steps/0/status: must be succeeded there.'],
  [{ steps: steps('succeeded', 'running') }, 'steps/1/status: must be waiting_approval there.'],
  [
    { steps: steps('succeeded', 'waiting_approval'), status: 'succeeded' },
    'status: must be running or waiting_approval, as its steps are.',
  ],
  [{ steps: steps('running'), status: 'succeeded' }, 'status: must be running, as its steps are.'],
  [{ steps: steps('succeeded', 'failed'), status: 'running' }, 'status: must be failed, as its steps are.'],
  [
    { steps: steps('succeeded', 'succeeded', 'succeeded'), status: 'running' },
    'status: must be succeeded, as its steps are.',
  ],
  [{ steps: steps('running'), decisions: [approved] }, DECISION],
  [{ steps: steps('succeeded', 'succeeded'), decisions: [{ step: 'step_1', approved: true }] }, DECISION],
  [
    { steps: steps('succeeded', 'succeeded'), decisions: [rejected] },
    'decisions/0/approved: must be true, as its steps are.',
  ],
  [
    { steps: steps('succeeded', 'failed'), decisions: [approved] },
    'decisions/0/approved: must be false, as its steps are.',
  ],
  [{ status: 'waiting_approval', decisions: [approved] }, NO_STEP],
  [{ status: 'waiting_approval', playbook_id: 'pb_fails' }, NO_STEP],
  [{ status: 'succeeded', playbook_id: 'pb_fails' }, 'status: the step step_2 of the playbook fails.'],
  [
    { steps: steps('succeeded', 'failed', 'running'), playbook_id: 'pb_fails' },
    'status: the step step_2 of the playbook fails.',
  ],
])('a run of a world that says %j is refused', (run, problem) => {
  const create = () => createSandbox({ world: worldWith(run) })
  expect(messageOf(create)).toBe(`InvalidWorldError: The world is not valid:\n- /shop/runs/0/${problem}`)
})

it('a run of a world that has failed is refused where no step fails or asks', () => {
  const world = worldWith({ status: 'failed' })
  Object.assign(world.shop!.playbooks.asks!, { steps: [{}] })
  expect(messageOf(() => createSandbox({ world }))).toContain(
    'status: no step of the playbook fails, or can be rejected.',
  )
})

it.each<[run: object, status: string, steps: string[]]>([
  [{ status: 'succeeded' }, 'succeeded', ['succeeded', 'succeeded', 'succeeded']],
  [{ status: 'waiting_approval' }, 'running', ['succeeded', 'waiting_approval']],
  [{ status: 'failed' }, 'failed', ['succeeded', 'failed']],
  [{ status: 'failed', decisions: [rejected] }, 'failed', ['succeeded', 'failed']],
  [{ decisions: [rejected] }, 'failed', ['succeeded', 'failed']],
  [{ decisions: [approved] }, 'running', ['succeeded', 'succeeded', 'running']],
  [{ status: 'failed', playbook_id: 'pb_fails' }, 'failed', ['succeeded', 'failed']],
  [{ steps: steps('succeeded', 'waiting_approval') }, 'running', ['succeeded', 'waiting_approval']],
  [
    { steps: steps('succeeded', 'waiting_approval'), status: 'waiting_approval' },
    'running',
    ['succeeded', 'waiting_approval'],
  ],
  [
    { steps: steps('succeeded', 'succeeded', 'succeeded'), status: 'succeeded', decisions: [approved] },
    'succeeded',
    ['succeeded', 'succeeded', 'succeeded'],
  ],
  [{ steps: steps('succeeded', 'failed'), status: 'failed', decisions: [rejected] }, 'failed', ['succeeded', 'failed']],
])('a run of a world that says %j has the steps that fit', async (run, status, expected) => {
  const sandbox = createSandbox({
    world: worldWith(run),
    progress: 'clock',
    clock: { now: () => Date.parse('2026-01-01T00:00:10Z') },
  })
  sandbox.pause()
  const { body } = await caller(sandbox, 'key_own')('/runs/run_a')
  expect([body.status, body.steps.map((each: { status: string }) => each.status)]).toEqual([status, expected])
})
