import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transitions } from '../../generated/operations.js'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'
import { type CallResult, caller, trigger } from './calls.js'

const PLAN = { requestsPerMinute: 60, burst: 8 }
const PLAYBOOKS = ['succeeds', 'needsApproval', 'fails', 'slow', 'otherWorkspace'] as const
const KEYS = ['valid', 'readOnly', 'otherWorkspace'] as const
type Key = (typeof KEYS)[number]

const workspaceOf = (key: Key | (typeof PLAYBOOKS)[number]) => (key === 'otherWorkspace' ? 'other' : 'main')

type Step =
  | { do: 'trigger'; key: Key; playbook: (typeof PLAYBOOKS)[number] }
  | { do: 'poll'; key: Key; run: number }
  | { do: 'decide'; run: number; approve: boolean }
  | { do: 'list'; key: Key }
  | { do: 'wait'; ms: number }

const key = fc.constantFrom<Key>('valid', 'valid', 'valid', ...KEYS)
const playbook = fc.constantFrom<(typeof PLAYBOOKS)[number]>('needsApproval', 'needsApproval', ...PLAYBOOKS)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('trigger' as const),
      key,
      playbook,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('poll' as const), key, run: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('decide' as const), run: fc.nat(2), approve: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list' as const), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 20_000 }) }) },
)

interface Seen {
  id: string
  workspace: string
  status: string
  steps: { id: string; status: string }[]
  /** The steps that somebody has decided on. */
  decided: Set<string>
}

/** What the model knows: who owns which run, how far each was seen, and how many tokens there are at most. */
function createModel() {
  const runs: Seen[] = []
  const tokens: Record<string, number> = { main: PLAN.burst, other: PLAN.burst }
  const next = (kind: 'Run' | 'Step', status: string): readonly string[] => {
    const known: Record<string, { next?: readonly string[]; terminal?: true }> = transitions[kind]
    return [status, ...(known[status]?.next ?? [])]
  }
  /** A status may have gone through others between two looks. */
  const reachable = (kind: 'Run' | 'Step', from: string): Set<string> => {
    const found = new Set([from])
    for (const status of found) for (const each of next(kind, status)) found.add(each)
    return found
  }
  return {
    runs,
    refill(ms: number) {
      for (const name of Object.keys(tokens))
        tokens[name] = Math.min(PLAN.burst, (tokens[name] ?? 0) + (ms * PLAN.requestsPerMinute) / 60_000)
    },
    /** A request either takes a token that is there, or there is none. */
    spend(workspace: string, { status, headers, body }: CallResult) {
      const left = tokens[workspace] ?? 0
      if (status === 429) {
        expect(left).toBeLessThan(1)
        expect(headers.get('retry-after')).toBe(String(body.retry_after))
        expect(body.retry_after).toBe(Math.ceil(((1 - left) * 60) / PLAN.requestsPerMinute - 1e-6))
      } else {
        expect(left).toBeGreaterThan(1 - 1e-6)
        tokens[workspace] = left - 1
      }
    },
    see(run: Seen, now: Pick<Seen, 'status' | 'steps'>, jumps: boolean) {
      const may = (kind: 'Run' | 'Step', from: string) => (jumps ? [...reachable(kind, from)] : next(kind, from))
      expect(may('Run', run.status)).toContain(now.status)
      if (!jumps) expect(now.steps.length - run.steps.length).toBeLessThanOrEqual(1)
      expect(now.steps.length).toBeGreaterThanOrEqual(run.steps.length)
      for (const [index, { id, status }] of run.steps.entries()) {
        expect(now.steps[index]?.id).toBe(id)
        expect(may('Step', status)).toContain(now.steps[index]?.status)
        if (status === 'waiting_approval' && !run.decided.has(id)) expect(now.steps[index]?.status).toBe(status)
      }
      const ended = now.steps.map(({ status }) => status)
      if (now.status === 'succeeded') expect(new Set(ended)).toEqual(new Set(['succeeded']))
      expect(now.status === 'failed').toBe(ended.includes('failed'))
      Object.assign(run, { status: now.status, steps: now.steps })
    },
  }
}

async function perform(steps: Step[], progress: 'poll' | 'clock', seed: number): Promise<string> {
  const sandbox = createSandbox({ plan: PLAN, progress, seed, clock: { now: () => Date.UTC(2030, 0, 1) } })
  const model = createModel()
  const responses: unknown[] = []
  for (const each of steps) responses.push(await take(each, sandbox, model, progress === 'clock'))
  return JSON.stringify([responses, sandbox.state])
}

async function take(
  each: Step,
  sandbox: Sandbox<Key, (typeof PLAYBOOKS)[number]>,
  model: ReturnType<typeof createModel>,
  jumps: boolean,
): Promise<unknown> {
  if (each.do === 'wait') {
    sandbox.advance(each.ms)
    return model.refill(each.ms)
  }
  if (each.do === 'decide') {
    const run = model.runs[each.run]
    if (!run) return undefined
    try {
      const now = sandbox[each.approve ? 'approve' : 'reject'](run.id)
      const decided = now.steps.findLast(({ capability, status }) => capability === undefined && status !== 'running')
      run.decided.add(decided?.id ?? '')
      model.see(run, now, true)
      return now
    } catch (error) {
      return String(error)
    }
  }
  if (each.do === 'trigger') {
    const mine = workspaceOf(each.key) === workspaceOf(each.playbook)
    const { status, body } = await trigger(sandbox, sandbox.playbooks[each.playbook], undefined, sandbox.keys[each.key])
    expect(status).toBe(each.key === 'readOnly' ? 403 : mine ? 201 : 404)
    if (status === 201) model.runs.push({ ...body, workspace: workspaceOf(each.key), decided: new Set() })
    return body
  }
  const workspace = workspaceOf(each.key)
  const call = caller(sandbox, sandbox.keys[each.key])
  if (each.do === 'list') {
    const response = await call('/playbooks')
    model.spend(workspace, response)
    if (response.status === 200) expect(response.body.meta.total).toBe(workspace === 'main' ? 4 : 1)
    return response.body
  }
  const run = model.runs[each.run]
  const response = await call(`/runs/${run?.id ?? 'run_none'}`)
  model.spend(workspace, response)
  if (response.status === 429) return response.body
  expect(response.status).toBe(run?.workspace === workspace ? 200 : 404)
  if (run && response.status === 200) model.see(run, response.body, jumps)
  return response.body
}

describe('any sequence of calls, decisions and waits', () => {
  it.each(['poll', 'clock'] as const)(
    'any sequence of calls, decisions and waits matches the model, with the same bytes for the same seed (%s)',
    async (progress) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), fc.integer(), async (steps, seed) => {
          expect(await perform(steps, progress, seed)).toBe(await perform(steps, progress, seed))
        }),
        { numRuns: 100, seed: 4 },
      )
    },
  )

  it('every run gets an id of its own', async () => {
    for (const seed of [0, 1, -5, 2 ** 40]) {
      const sandbox = createSandbox({ seed, plan: false })
      const ids = new Set<string>()
      for (let count = 0; count < 2_000; count++) ids.add((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id)
      expect(ids.size).toBe(2_000)
    }
  })
})
