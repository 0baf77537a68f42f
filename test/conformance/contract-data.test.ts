import { afterEach, expect, it, vi } from 'vitest'
import { basis, operations, planIds, plans, rules } from '../../generated/contract.js'
import type { ConformanceProgress } from '../../src/tools/conformance/index.js'
import { collectionOf, excusesOf, listOf } from '../../src/tools/conformance/judge/contract.js'
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

it('the runs of a playbook are runs, and the id in their path is that of a playbook', () => {
  set(operations.listPlaybooks as object, { path: '/playbooks/{id}/runs', pathParameters: ['id'] })
  expect(listOf('listPlaybooks')).toBe('runs')
  expect(collectionOf('listPlaybooks')).toBe('playbooks')
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
  expect(excusesOf(401, [400])).toContain(400)
  set(basis[rules.checkOrder], { kind: 'stated' })
  expect(excusesOf(401, [400])).toEqual([])
  expect(excusesOf(404, [400])).toContain(400)
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
