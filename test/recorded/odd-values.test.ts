import { describe, expect, it } from 'vitest'
import { worldFromTraffic } from '../../src/tools/conformance/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { listOf } from '../support/fixtures.js'
import { randomNumbers } from '../support/random.js'
import { archiveOf, pageOf, type Sent, WORKSPACE } from './recordings.js'
import { replayOnItsWorld } from './replayer.js'

const runOf = (id: string, more: object = {}) => {
  const steps = [{ id: 's0', status: 'succeeded', capability: 'crm.find' }]
  return { id, status: 'running', playbook_id: 'pb_1', started_at: '2026-11-21T09:30:00Z', steps, ...more }
}
const trigger = { path: '/playbooks/pb_1/runs', method: 'POST', sent: { inputs: {} }, status: 201 }

const RECORDED: Sent[] = [
  { path: '/workspaces/me', body: WORKSPACE },
  { path: '/playbooks', body: pageOf({ id: 'pb_1', name: 'Refund', description: 'An order' }, { id: 'pb_2' }) },
  ...[1, 2].map((page) => ({
    path: '/providers',
    query: `?page=${page}&per_page=1`,
    body: listOf([{ id: `crm${page}`, name: 'CRM' }], { total: 2, page, per_page: 1 }),
  })),
  { path: '/runs/run_given', body: runOf('run_given', { playbook_id: 'pb_2' }) },
  { ...trigger, body: runOf('run_1') },
  { path: '/runs/run_1', body: runOf('run_1', { status: 'succeeded' }) },
  { path: '/runs/run_2', status: 404, body: { error: 'not_found', message: 'There is no such run.' } },
]

/** The world of a recording, as the sandbox accepts it. */
async function worldOf(...sent: Sent[]) {
  const made = await worldFromTraffic({ har: archiveOf(sent) })
  const world = JSON.parse(JSON.stringify(made.world)) as typeof made.world
  createSandbox({ world })
  const { recorded } = world
  if (!recorded) throw new Error('A world of a recording has one workspace.')
  return { ...made, recorded }
}

describe('a world of a recording', () => {
  it.each([
    ['2026-11-21T09:30:00Z'],
    ['2026-11-21t09:30:00.1234567+00:00'],
    ['2026-11-21T09:30Z', '2026-11-21T09:30:00.000Z'],
    ['20261121T093000Z', '2026-11-21T09:30:00.000Z'],
    ['2026-325T09:30:00,5Z', '2026-11-21T09:30:00.500Z'],
    ['2026-W47-6T09.25Z', '2026-11-21T09:15:00.000Z'],
    ['2027W011T0930.5+00', '2027-01-04T09:30:30.000Z'],
    ['2026-11-21T24:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['2026-12-31T23:59:60-00:00', '2027-01-01T00:00:00.000Z'],
  ])('a world of a recording has a run that started at %s', async (started_at, expected = started_at) => {
    const { recorded, contradictions } = await worldOf({ path: '/runs/run_1', body: runOf('run_1', { started_at }) })
    expect(contradictions).toEqual([])
    expect(recorded.runs).toMatchObject([{ started_at: expected }])
  })

  it('a world of a recording has an item once that was on two pages, and each playbook although names are as ids', async () => {
    const page = (number: number, ...data: object[]) => listOf(data, { total: 3, page: number, per_page: 2 })
    const { recorded } = await worldOf(
      { path: '/providers', body: page(1, { id: 'crm' }, { id: 'mail' }) },
      { path: '/providers', body: page(2, { id: 'mail' }) },
      { path: '/playbooks', body: page(1, { id: 'pb_1', name: 'Refund' }, { id: 'refund', name: 'Close' }) },
      { path: '/playbooks', body: page(2, { id: 'refund', name: 'Refund' }) },
    )
    expect(recorded.providers).toEqual([{ id: 'crm' }, { id: 'mail' }])
    expect(Object.keys(recorded.playbooks)).toEqual(['pb_1', 'close'])
  })

  it('a world of a recording keeps the order of states in which a field of the service is named as one of the world', async () => {
    const { recorded } = await worldOf({ path: '/runs/run_1', body: runOf('run_1', { after: 'another run' }) })
    expect(recorded.runs).toMatchObject([{ timeline: [{ after: 0 }] }])
  })

  it.each<[what: string, sent: Sent, message: string]>([
    [
      'an id',
      { path: '/workspaces/me', body: { id: 5 } },
      'getCurrentWorkspace 200: the body property "id" must be a string',
    ],
    [
      'a name',
      { path: '/playbooks', body: pageOf({ id: 'pb_1', name: null }) },
      'listPlaybooks 200: the body property "data.0.name" must be a string',
    ],
    [
      'steps',
      { ...trigger, body: runOf('run_1', { steps: null }) },
      'triggerRun 201: the body property "steps" must be an array',
    ],
    [
      'an error',
      { path: '/runs/run_2', status: 404, body: { error: 5 } },
      'getRun 404: the body property "error" must be a string',
    ],
  ])(
    'a world of a recording leaves out %s of another form than the contract has, and says so',
    async (_, sent, message) => {
      const { contradictions, remarks, recorded } = await worldOf(sent, sent, {
        path: '/providers',
        body: pageOf(),
      })
      expect([...contradictions, ...remarks]).toContainEqual(expect.stringContaining(message))
      expect(recorded.workspace).toEqual({ name: 'Recorded' })
    },
  )
})

const VALUES = [
  5,
  -1,
  2 ** 53,
  null,
  true,
  {},
  [],
  [null],
  [{}],
  '',
  '..',
  'a/b',
  '\ud800',
  '__proto__',
  'x'.repeat(5_000),
]

/** Replaces some values of a body, or has an item twice. */
function changed(body: unknown, random: () => number): unknown {
  const pick = <Item>(all: readonly Item[]) => all[Math.floor(random() * all.length)]
  if (random() < 0.1) return pick(VALUES)
  if (typeof body !== 'object' || body === null) return body
  const own = Object.entries(body).map(([name, each]) => [name, changed(each, random)] as const)
  if (!Array.isArray(body))
    return Object.fromEntries(random() < 0.1 ? [...own, [pick(['after', '__proto__']), pick(VALUES)]] : own)
  const items = own.map(([, each]) => each)
  return random() < 0.1 ? [...items, ...items] : items
}

it('a recording of any values makes a world that the sandbox accepts, and a replay of it comes to its end', async () => {
  const random = randomNumbers(7)
  for (let round = 0; round < 30; round++) {
    const har = archiveOf(
      RECORDED.map((sent) => ({ ...sent, body: random() < 0.5 ? sent.body : changed(sent.body, random) })),
    )
    const { sent, leftOut } = (await replayOnItsWorld({ har })).replayed
    const all = Object.values(leftOut).reduce((sum, each) => sum + each, sent)
    expect(all, JSON.stringify(har)).toBe(RECORDED.length)
  }
})
