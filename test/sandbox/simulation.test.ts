import { expect, it } from 'vitest'
import { providerList } from '../../generated/examples.js'
import { type OperationId, transitions } from '../../generated/operations.js'
import { validateResponse } from '../../generated/validators.js'
import { createSandbox, type Fault, type PlanChoice, type Sandbox, type World } from '../../src/sandbox/index.js'
import { randomNumbers } from '../support/random.js'

function randomFrom(seed: number) {
  const next = randomNumbers(seed)
  const below = (most: number) => Math.floor(next() * most)
  const pick = <T>(...values: T[]): T => values[below(values.length)] as T
  return { below, pick, chance: (probability: number) => next() < probability }
}
type Random = ReturnType<typeof randomFrom>

function randomWorld({ below, pick, chance }: Random): World {
  const playbookOf = (id: string) => ({
    playbook: { id, name: `Playbook ${id}` },
    steps: Array.from({ length: 1 + below(4) }, () => ({
      ...(chance(0.3) && { approval: true }),
      ...(chance(0.15) && { fails: true }),
      ...(chance(0.5) && { capability: 'mail.send' }),
      duration: below(5_000),
    })),
  })
  const workspaceOf = (index: number): World[string] => ({
    workspace: { id: `ws_${index}`, name: `Workspace ${index}` },
    plan: pick<PlanChoice>('pro', 'hobby', false, { requestsPerMinute: 60, burst: below(30) }),
    keys: {
      [`all${index}`]: { value: `key_all_${index}` },
      [`some${index}`]: { value: `key_some_${index}`, operations: ['listPlaybooks', 'getRun'] },
    },
    playbooks: { [`first${index}`]: playbookOf(`pb_${index}1`), [`second${index}`]: playbookOf(`pb_${index}2`) },
    providers: providerList.data,
  })
  return { w0: workspaceOf(0), w1: workspaceOf(1) }
}

const randomFault = ({ below, pick, chance }: Random): Fault => ({
  ...pick<Fault>(
    { status: pick(200, 204, 302, 400, 401, 404, 429, 500, 503) },
    { drop: true },
    { cutOff: true },
    { malformed: true },
    { body: 'no JSON', status: 502 },
    { sequence: [{ status: 500 }, {}, { drop: true }] },
  ),
  ...(chance(0.4) && { operation: pick<OperationId>('triggerRun', 'getRun', 'listPlaybooks') }),
  ...(chance(0.3) && { skip: below(3) }),
  ...(chance(0.3) && { probability: below(11) / 10 }),
  times: 1 + below(4),
})

/** A sandbox, and what has been seen of it. */
interface Known {
  sandbox: Sandbox
  world: World
  runs: Map<string, { workspace: string; statuses: Map<string, string> }>
}

const reachable = (kind: 'Run' | 'Step', from: string): Set<string> => {
  const known: Record<string, { next?: readonly string[]; terminal?: true }> = transitions[kind]
  const found = new Set([from])
  for (const status of found) for (const next of known[status]?.next ?? []) found.add(next)
  return found
}

function seeRun(
  { runs }: Known,
  run: { id: string; status: string; steps: { id: string; status: string }[] },
  workspace: string,
) {
  const known = runs.get(run.id) ?? { workspace, statuses: new Map<string, string>() }
  expect(known.workspace).toBe(workspace)
  for (const [name, kind, status] of [
    ['', 'Run', run.status],
    ...run.steps.map((step) => [step.id, 'Step', step.status]),
  ] as [string, 'Run' | 'Step', string][]) {
    const before = known.statuses.get(name)
    if (before !== undefined) expect([...reachable(kind, before)]).toContain(status)
    known.statuses.set(name, status)
  }
  const steps = new Set(run.steps.map(({ status }) => status))
  expect(run.status === 'failed').toBe(steps.has('failed'))
  if (run.status === 'succeeded') expect([...steps]).toEqual(['succeeded'])
  runs.set(run.id, known)
}

async function request(known: Known, random: Random): Promise<void> {
  const { sandbox, world, runs } = known
  const { pick, chance, below } = random
  const index = below(Object.keys(world).length)
  const name = `w${index}`
  const own = world[name] as World[string]
  const playbook = pick(...Object.values(own.playbooks)).playbook.id
  const runId = runs.size > 0 && chance(0.9) ? pick(...runs.keys()) : 'run_none'
  const [operation, method, path, body] = pick<[OperationId, string, string, string?]>(
    [
      'triggerRun',
      'POST',
      `/playbooks/${chance(0.9) ? playbook : 'pb_none'}/runs`,
      chance(0.9) ? '{"inputs":{"a":"1"}}' : pick('', '{', '{"inputs":{"a":1}}'),
    ],
    ['getRun', 'GET', `/runs/${runId}`],
    ['getRun', 'GET', `/runs/${runId}`],
    ['listPlaybooks', 'GET', `/playbooks${chance(0.2) ? `?page=${below(4)}` : ''}`],
    ['listProviders', 'GET', '/providers'],
    ['getCurrentWorkspace', 'GET', '/workspaces/me'],
  )
  const key = chance(0.05) ? 'nobody' : chance(0.2) ? `key_some_${index}` : `key_all_${index}`
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const before = sandbox.requests().at(-1)?.number ?? 0
  const response = await sandbox
    .fetch(`${sandbox.baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) })
    .catch((error) => error as Error)
  const [record] = sandbox.requests({ after: before })
  const text = response instanceof Response ? await response.text().catch(() => undefined) : undefined
  if (record?.reason?.type === 'fault') return
  if (!(response instanceof Response) || text === undefined)
    throw new Error(`${operation} failed without a fault: ${response}`)
  const value = JSON.parse(text)
  const problems = validateResponse(operation, { status: response.status, headers: response.headers, body: value })
  expect([operation, response.status, problems]).toEqual([operation, response.status, []])
  expect(JSON.stringify(record)).not.toMatch(/key_(all|some)_/)
  if (key === 'nobody') return expect(response.status).toBe(401)
  if (response.status === 201 || (response.status === 200 && operation === 'getRun')) seeRun(known, value, name)
  if (operation === 'getRun' && response.status === 404 && runs.get(runId)?.workspace === name)
    throw new Error(`The run ${runId} is gone.`)
}

/** Moves time, which may go back, decides, injects, and goes on from a snapshot. */
function disturb({ sandbox, runs }: Known, random: Random, clock: { at: number }): void {
  const { below, pick, chance } = random
  if (chance(0.05)) sandbox.advance(below(10_000))
  if (chance(0.1)) clock.at += below(4_000) - 2_000
  if (chance(0.03)) sandbox.inject(randomFault(random))
  if (chance(0.02)) sandbox.clearFaults()
  if (chance(0.1) && runs.size > 0) {
    const id = pick(...runs.keys())
    try {
      sandbox[pick('approve', 'reject')](id)
    } catch (error) {
      expect(String(error)).toContain('does not wait for approval')
    }
  }
  if (chance(0.005)) {
    const state = sandbox.state
    sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())))
    expect(sandbox.state).toEqual(state)
  }
}

const SEEDS = 24
/** How many requests each seed sends. */
const REQUESTS = 250

it('random requests over random worlds, faults and clocks keep the contract, and the same seed gives the same bytes', async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const first = await perform(seed)
    if (seed % 8 === 0) expect(await perform(seed)).toBe(first)
  }
})

/** Sends the requests of a seed. Returns the responses and what became of the sandbox. */
async function perform(seed: number): Promise<string> {
  const random = randomFrom(seed)
  const world = randomWorld(random)
  const clock = { at: Date.UTC(2026, 10, 22) }
  const sandbox = createSandbox({
    world,
    seed,
    progress: random.pick('poll', 'clock'),
    // A late response takes no real time.
    clock: { now: () => clock.at, setTimeout: (run) => setTimeout(run), clearTimeout: () => {} },
    maxRequests: 50,
    chaos: random.pick(0, 0, 0.05),
  })
  const known: Known = { sandbox, world, runs: new Map() }
  for (let count = 0; count < REQUESTS; count++) {
    disturb(known, random, clock)
    try {
      await request(known, random)
    } catch (error) {
      throw new Error(`Request ${count} with the seed ${seed}`, { cause: error })
    }
  }
  return JSON.stringify([sandbox.state, sandbox.requests().map(({ response }) => response)])
}
