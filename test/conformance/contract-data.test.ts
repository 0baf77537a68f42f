import { afterEach, expect, it, vi } from 'vitest'
import { entries, operationNodes, rules } from '../../generated/conformance/nodes.js'
import { operations, planIds, plans } from '../../generated/operations.js'
import { collectionOf, documentedRefusals, excusesOf, listOf } from '../../src/tools/conformance/contract.js'
import { Facts } from '../../src/tools/conformance/facts.js'
import type { ConformanceProgress } from '../../src/tools/conformance/index.js'
import { fakeClock, ids, limit, refuse, tryService } from './service.js'

const undo: (() => void)[] = []
afterEach(() => {
  for (const each of undo.splice(0)) each()
})

/** Changes the contract for one test. */
function set<Node extends object>(node: Node, changes: Partial<Node>): void {
  const before = { ...node }
  undo.push(() => Object.assign(node, before))
  Object.assign(node, changes)
}

const STEP = { path: '/runs/{id}/steps/{step_id}', pathParameters: ['id', 'step_id'] }

it('a path of two ids gets a step of a run and that run', () => {
  set(operations.getRun as object, STEP)
  const facts = new Facts()
  for (const id of ['run_1', 'run_2']) {
    facts.addId('runs', id)
    facts.addParts(id, { id, steps: [{ id: `step_of_${id}` }] })
  }
  expect(collectionOf('getRun')).toBe('steps')
  expect(collectionOf('getRun', 'id')).toBe('runs')
  expect(facts.pathTo('getRun', 'step_of_run_1')).toEqual({ id: 'run_1', step_id: 'step_of_run_1' })
  expect(facts.pathTo('getRun', 'unknown')).toEqual({ id: 'run_2', step_id: 'unknown' })
})

it('the runs of a playbook are runs, and the id in their path is that of a playbook', () => {
  set(operations.listPlaybooks as object, { path: '/playbooks/{id}/runs', pathParameters: ['id'] })
  expect(listOf('listPlaybooks')).toBe('runs')
  expect(collectionOf('listPlaybooks')).toBe('playbooks')
})

it('another refusal that the contract has is as good as 400', async () => {
  const change = { trigger: 'succeeds', options: { depth: 'normal' } } as const
  const gets418 = () => tryService((it) => it.status === 400 && it.path.endsWith('/runs') && refuse(it, 418), change)
  expect(ids(await gets418(), 'fail')).toContain('S26')
  const { responses } = operationNodes.triggerRun
  const before = documentedRefusals('triggerRun')
  set(responses as object, { 418: responses[400] })
  undo.push(() => delete (responses as Record<string, unknown>)[418])
  expect(documentedRefusals('triggerRun')).toEqual([418, ...before])
  expect(ids(await gets418(), 'fail')).not.toContain('S26')
})

it.each([
  [[500], true],
  [[], false],
])('a 500 that is in %j is sent again: %s', async (retryable, isSentAgain) => {
  set(operations.listProviders as object, { retryable })
  let sent = 0
  const report = await tryService((it) => {
    if (it.path !== '/providers' || it.status !== 200) return
    if (sent++ === 0) refuse(it, 500, 'internal_error')
  })
  expect(ids(report, 'fail').includes(rules.transientError)).toBe(false)
  expect(report.findings.some(({ basis, outcome }) => basis === 'S28' && outcome === 'pass')).toBe(isSentAgain)
})

it('a request that is wrong in two ways may get either error until the order is stated', () => {
  expect(excusesOf('triggerRun', 401, [400])).toContain(400)
  set(entries[rules.checkOrder], { binding: true })
  expect(excusesOf('triggerRun', 401, [400])).toEqual([])
  expect(excusesOf('triggerRun', 404, [400])).toContain(400)
})

it('verify keeps to the plan that the contract marks, says so, and follows a limit that a 429 states', async () => {
  const warnings: string[] = []
  const onProgress = vi.fn((progress: ConformanceProgress) => {
    if (progress.type === 'plan') warnings.push(...progress.warnings)
  })
  const clock = fakeClock()
  let isLimited = false
  const report = await tryService(
    (it) => {
      if (it.status !== 200 || isLimited) return
      isLimited = true
      limit(it, 1)
      it.body.message = 'Over 6 requests per minute.'
    },
    { options: { depth: 'quick', clock, onProgress } },
  )
  const { name, requestsPerMinute } = plans[planIds.default]
  expect(warnings.join()).toContain(`requests keep to the rate of ${name}, ${requestsPerMinute} a minute`)
  // At six a minute each further request that counts waits ten seconds.
  expect(clock.now()).toBeGreaterThan(200_000)
  expect(ids(report, 'fail')).toEqual([])
})
