import { expect, it } from 'vitest'
import { type OperationId, transitions } from '../../../../generated/contract.js'
import { createSandbox, type Fault, type PlanChoice, type Sandbox } from '../../../../src/tools/sandbox/index.js'
import { validateResponse } from '../../../../src/validators/index.js'
import { randomNumbers } from '../../../support/random.js'

const SEEDS = 24
/** How many requests each seed sends. */
const REQUESTS = 250

it('random requests, faults, decisions and clocks keep the contract, and the same seed gives the same bytes', async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const first = await perform(seed)
    if (seed % 8 === 0) expect(await perform(seed)).toBe(first)
  }
})

function randomFrom(seed: number) {
  const next = randomNumbers(seed)
  const below = (most: number) => Math.floor(next() * most)
  const pick = <T>(...values: T[]): T => values[below(values.length)] as T
  return { below, pick, chance: (probability: number) => next() < probability }
}
type Random = ReturnType<typeof randomFrom>

/** A run as it was last seen: its status and those of its steps by their names. */
type Runs = Map<string, Map<string, string>>

/** Sends the requests of a seed. Returns the responses and what became of the sandbox. */
async function perform(seed: number): Promise<string> {
  const random = randomFrom(seed)
  const clock = { at: Date.UTC(2026, 10, 22) }
  const sandbox = createSandbox({
    seed,
    plan: random.pick<PlanChoice>('pro', false, { requestsPerMinute: 60, burst: 10 }),
    progress: random.pick('poll', 'clock'),
    // A late response takes no real time.
    clock: { now: () => clock.at, setTimeout: (run) => setTimeout(run), clearTimeout: () => {} },
    maxRequests: 50,
    chaos: random.pick(0, 0, 0.05),
  })
  const runs: Runs = new Map()
  for (let count = 0; count < REQUESTS; count++) {
    disturb(sandbox, runs, random, clock)
    try {
      await request(sandbox, runs, random)
    } catch (error) {
      throw new Error(`Request ${count} with the seed ${seed}`, { cause: error })
    }
  }
  return JSON.stringify([sandbox.state, sandbox.requests().map(({ response }) => response)])
}

/** Moves time, which may go back, decides, injects, and goes on from a snapshot. */
function disturb(sandbox: Sandbox, runs: Runs, random: Random, clock: { at: number }): void {
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
      expect(String(error)).toContain('is not waiting for approval')
    }
  }
  if (chance(0.005)) {
    const state = sandbox.state
    sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())))
    expect(sandbox.state).toEqual(state)
  }
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

async function request(sandbox: Sandbox, runs: Runs, { pick, chance, below }: Random): Promise<void> {
  const playbook = pick(...Object.values(sandbox.playbooks), 'pb_none')
  const id = runs.size > 0 && chance(0.9) ? pick(...runs.keys()) : 'run_none'
  const inputs = pick('{"inputs":{"a":"1"}}', '{"inputs":{}}', '', '{', '{"inputs":{"a":1}}')
  const [operation, path, body] = pick<[OperationId, string, string?]>(
    ['triggerRun', `/playbooks/${playbook}/runs`, inputs],
    ['getRun', `/runs/${id}`],
    ['getRun', `/runs/${id}`],
    ['listPlaybooks', `/playbooks?page=${below(4)}`],
    ['listProviders', '/providers'],
    ['getCurrentWorkspace', '/workspaces/me'],
  )
  const { valid, otherWorkspace } = sandbox.keys
  const key = chance(0.7) ? valid : pick(...Object.values(sandbox.keys), 'key_of_nobody')
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const before = sandbox.requests().at(-1)?.number ?? 0
  const response = await sandbox
    .fetch(sandbox.baseUrl + path, body === undefined ? { headers } : { method: 'POST', headers, body })
    .catch((error) => error as Error)
  const [record] = sandbox.requests({ after: before })
  const text = response instanceof Response ? await response.text().catch(() => undefined) : undefined
  expect(JSON.stringify(record)).not.toContain('key_')
  if (record?.reason?.type === 'fault') return
  if (!(response instanceof Response) || text === undefined)
    throw new Error(`${operation} failed without a fault: ${response}`)
  const { status } = response
  const value = JSON.parse(text)
  const problems = validateResponse(operation, { status, headers: response.headers, body: value })
  expect([operation, status, problems]).toEqual([operation, status, []])
  if (key === 'key_of_nobody') return expect(status).toBe(401)
  if (key === otherWorkspace) return expect(runs.has(value.id)).toBe(false)
  if (status === 201 || (status === 200 && operation === 'getRun')) seeRun(runs, value)
  if (operation === 'getRun' && status === 404 && key === valid && runs.has(id))
    throw new Error(`The run ${id} is gone.`)
}

function seeRun(runs: Runs, run: { id: string; status: string; steps: { id: string; status: string }[] }): void {
  const known = runs.get(run.id) ?? new Map<string, string>()
  const see = (kind: 'Run' | 'Step', name: string, status: string) => {
    expect([...reachable(kind, known.get(name) ?? status)]).toContain(status)
    known.set(name, status)
  }
  see('Run', '', run.status)
  for (const { id, status } of run.steps) see('Step', id, status)
  const steps = new Set(run.steps.map(({ status }) => status))
  expect(run.status === 'failed').toBe(steps.has('failed'))
  if (run.status === 'succeeded') expect([...steps]).toEqual(['succeeded'])
  runs.set(run.id, known)
}

const reachable = (kind: 'Run' | 'Step', from: string): Set<string> => {
  const known: Record<string, { next?: readonly string[]; terminal?: true }> = transitions[kind]
  const found = new Set([from])
  for (const status of found) for (const next of known[status]?.next ?? []) found.add(next)
  return found
}
