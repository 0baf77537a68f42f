import { describe, expect, it } from 'vitest'
import { rules } from '../../generated/contract.js'
import type { Result } from '../../src/tools/conformance/judge/result.js'
import { similarKeys } from '../../src/tools/conformance/live/cases/wrong-keys.js'
import type { Check } from '../../src/tools/conformance/live/check.js'
import { CHECKS } from '../../src/tools/conformance/live/checks/index.js'
import { forbiddenAtOnce } from '../../src/tools/conformance/live/checks/permission.js'
import { LeftOutError } from '../../src/tools/conformance/live/ended.js'
import { createPlan } from '../../src/tools/conformance/live/plan.js'
import { startOf } from '../../src/tools/conformance/live/request.js'
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

describe('of triggers that are sent at once', () => {
  async function started(spareRuns: number, run: (session: Session) => AsyncGenerator<readonly Result[], void>) {
    const clock = fakeClock()
    const sandbox = createSandbox({ clock })
    const { keys, playbooks, baseUrl, fetch } = sandbox
    // The service lets the key that may only read trigger.
    const settings = settingsOf({
      ...{ baseUrl, fetch, clock, depth: 'thorough', apiKey: keys.valid, readOnlyKey: keys.valid },
      trigger: playbooks.succeeds,
    })
    const count = () => sandbox.state.workspaces[0]?.runs.length ?? 0
    const before = count()
    const session = new Session(settings, { ...createPlan(settings).allowance, runs: 2, spareRuns }, () => {})
    const found: Result[] = []
    try {
      for await (const results of run(session)) found.push(...results)
    } catch (error) {
      expect(error).toBeInstanceOf(LeftOutError)
    }
    return { started: count() - before, found: found.map(({ basis, outcome }) => `${basis} ${outcome}`) }
  }

  it('a service that must refuse them starts no more runs than were announced', async () => {
    expect(await started(1, (session) => forbiddenAtOnce.run(session))).toEqual({ started: 1, found: [] })
    const { spareRuns = 0 } = forbiddenAtOnce.cost(settingsOf({ baseUrl: 'https://service.test/v1', apiKey: 'key_1' }))
    const all = await started(spareRuns, (session) => forbiddenAtOnce.run(session))
    expect(all).toEqual({ started: spareRuns, found: [`${rules.permission} failed`] })
  })

  it('a service that may accept them starts no more runs than were announced', async () => {
    const run = async function* (session: Session) {
      await session.sendTogether(Array(4).fill(startOf(session.settings.trigger ?? '')))
      yield []
    }
    expect(await started(0, run)).toMatchObject({ started: 2 })
  })
})

it.each([
  ['wfk_09af5e27c1d84b36', 'wfk_10ba6f38d2e95c47'],
  ['KEY-09AFZz', 'KEY-10BGAa'],
])('a key of the same form as %s is %s', (key, other) => {
  expect(similarKeys(key).sameForm).toBe(other)
})
