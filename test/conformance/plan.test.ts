import { describe, expect, it } from 'vitest'
import { similarKeys } from '../../src/tools/conformance/live/cases/wrong-keys.js'
import type { Check } from '../../src/tools/conformance/live/check.js'
import { CHECKS } from '../../src/tools/conformance/live/checks/index.js'
import { createPlan } from '../../src/tools/conformance/live/plan.js'
import { Session } from '../../src/tools/conformance/live/session.js'
import { type ConformanceOptions, type Depth, settingsOf } from '../../src/tools/conformance/options.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { fakeClock } from './service.js'

const DEPTHS: readonly Depth[] = ['quick', 'normal', 'thorough']

/** What each check announces, and what it sends to the sandbox. */
async function sentByChecks(depth: Depth, given: (options: ConformanceOptions) => Partial<ConformanceOptions>) {
  const clock = fakeClock()
  const { keys, playbooks, baseUrl, fetch } = createSandbox({ clock })
  const all: ConformanceOptions = {
    ...{ baseUrl, fetch, clock, depth, serviceVersion: '2026-11-21' },
    ...{ apiKey: keys.valid, readOnlyKey: keys.readOnly, otherWorkspaceKey: keys.otherWorkspace, hobbyKey: keys.hobby },
    ...{ trigger: [playbooks.succeeds, playbooks.fails], rateLimit: true, plan: 'pro' },
  }
  const settings = settingsOf({ ...all, ...given(all) })
  const { checks, allowance } = createPlan(settings)
  const session = new Session(settings, allowance, () => {})
  const sent: { check: Check; number: number; name: string; announced: number; most: number; sent: number }[] = []
  for (const check of checks) {
    const before = session.budget.requests
    for await (const _ of check.run(session));
    const { requests, most = requests } = check.cost(settings)
    const number = CHECKS.indexOf(check)
    sent.push({ check, number, name: check.name, announced: requests, most, sent: session.budget.requests - before })
  }
  return sent
}

describe('the plan of a check', () => {
  it.each(DEPTHS)('at the depth %s no check sends more than it announces, and each sends about that', async (depth) => {
    for (const given of [() => ({}), () => ({ trigger: undefined, otherWorkspaceKey: undefined, rateLimit: false })]) {
      const all = await sentByChecks(depth, given)
      expect(all.filter(({ sent, most }) => sent > most)).toEqual([])
      // Lists of the sandbox are short, and its runs end soon.
      expect(all.filter(({ sent, announced }) => sent > 1.5 * announced + 3 || sent < announced / 2 - 3)).toEqual([])
    }
  })

  it('a greater depth has all that a smaller one has', () => {
    const costs = DEPTHS.map((depth) => {
      const settings = settingsOf({ baseUrl: 'https://service.test/v1', apiKey: 'key_1', trigger: 'pb_1', depth })
      return { settings, checks: createPlan(settings).checks }
    })
    for (const [index, { settings, checks }] of costs.entries())
      for (const greater of costs.slice(index + 1))
        for (const check of checks) {
          expect(greater.checks).toContain(check)
          expect(check.cost(greater.settings).requests).toBeGreaterThanOrEqual(check.cost(settings).requests)
        }
  })
})

it.each([
  ['wfk_09af5e27c1d84b36', 'wfk_10ba6f38d2e95c47'],
  ['KEY-09AFZz', 'KEY-10BGAa'],
])('a key of the same form as %s is %s', (key, other) => {
  expect(similarKeys(key).sameForm).toBe(other)
})
