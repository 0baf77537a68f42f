import type { ConformanceSettings } from '../options.js'
import { type Check, type CheckName, type Cost, isWithin } from './check.js'
import { CHECKS } from './checks/index.js'
import type { Allowance } from './http/budget.js'
import { clearTextWarnings } from './start.js'

export interface CheckPlan {
  checks: readonly Check[]
  allowance: Allowance
  requests: number
  /** What keeping to the rate and waiting for runs takes, in ms. The rate limit refills while a run is waited for. */
  duration: number
  /** What the depth leaves out; undefined for nothing. */
  omittedByDepth: string | undefined
}

/** The checks of the depth that have what they need, and what they cost together. */
export function createPlan(settings: ConformanceSettings): CheckPlan {
  const checks = checksOf(settings)
  const costs = checks.map((check) => check.cost(settings))
  const sum = (count: (cost: Cost) => number) => costs.reduce((total, cost) => total + count(cost), 0)
  const requests = sum((cost) => cost.requests)
  const most = sum((cost) => cost.most ?? cost.requests) + REPETITIONS + requests / 4
  const { requestsPerMinute, burst } = settings.pace
  const waits = sum((cost) => cost.waits ?? 0)
  const atRate = ((sum(pacedRequests) - burst) / requestsPerMinute) * 60_000
  return {
    checks,
    omittedByDepth: omittedOf(checks, settings),
    requests,
    duration: Math.max(waits, atRate) + sum((cost) => cost.unpaced ?? 0),
    allowance: {
      requests: Math.min(Math.ceil(most), settings.maxRequests),
      runs: sum((cost) => cost.runs ?? 0),
      spareRuns: Math.max(...costs.map(({ spareRuns = 1 }) => spareRuns), 1),
    },
  }
}

const checksOf = (settings: ConformanceSettings): Check[] =>
  CHECKS.filter(({ depth = 'quick', needs }) => isWithin(depth, settings) && (needs?.(settings) ?? true))

/** The names of the checks, in their order. */
export const checkNames = (checks: readonly Check[]): CheckName[] => [...new Set(checks.map(({ name }) => name))]

/** The requests that keep to the rate. Triggers take nothing from it, and the rate limit is reached on purpose. */
const pacedRequests = ({ requests, triggers = 0, unpaced }: Cost): number => (unpaced ? 0 : requests - triggers)

/** What the depth leaves out: how many requests of each check. */
function omittedOf(checks: readonly Check[], settings: ConformanceSettings): string | undefined {
  const thorough = { ...settings, depth: 'thorough' as const }
  const all = checksOf(thorough)
  const count = (own: readonly Check[], name: CheckName, of: ConformanceSettings) =>
    own.filter((check) => check.name === name).reduce((sum, check) => sum + check.cost(of).requests, 0)
  const left = checkNames(all).flatMap((name) => {
    const most = count(all, name, thorough)
    const missing = most - count(checks, name, settings)
    return missing > 0 ? [`${name} (${missing} of ${most} requests)`] : []
  })
  return left.length > 0
    ? `Left out at the depth ${settings.depth}, and tried with a greater depth: ${left.join(', ')}.`
    : undefined
}

/** How many requests may be repeated after a 429, a 5xx or a broken connection, or sent to see whether a right one gets a 5xx, too. */
const REPETITIONS = 60

export function warningsOf(settings: ConformanceSettings, { allowance, omittedByDepth }: CheckPlan): string[] {
  const { trigger, triggers, rateLimit, maxWait, serviceVersion } = settings
  const { runs, spareRuns } = allowance
  return [
    ...clearTextWarnings(settings),
    trigger === undefined
      ? `Nothing is triggered: every POST goes to an id that does not exist. ${startedAnyway(spareRuns)}`
      : `At most ${runs + spareRuns} runs of ${triggers.length > 1 ? 'the playbooks' : 'the playbook'} ${triggers.join(', ')} are started: ${runs} on purpose, each followed for at most ${maxWait / 1000} s, and ${spareRuns} in case of a fault.`,
    ...(settings.plan === undefined ? [paceOf(settings)] : []),
    ...(rateLimit ? [LIMIT_WARNING] : []),
    ...(serviceVersion === undefined ? [] : [`Requests are pinned to ${serviceVersion}, ${UNPINNED_NOTE}`]),
    ...(omittedByDepth === undefined ? [] : [omittedByDepth]),
  ]
}

const startedAnyway = (spareRuns: number): string =>
  spareRuns === 1
    ? 'A service that starts a run anyway gets no second one.'
    : `A service that starts a run anyway gets no other one, but for those that are sent at the same time: ${spareRuns} at most.`

const paceOf = ({ pace: { name, requestsPerMinute } }: ConformanceSettings): string =>
  `No plan is named: requests keep to the rate of ${name}, ${requestsPerMinute} a minute, until a 429 states another one.`

const LIMIT_WARNING =
  'The rate limit is reached on purpose, which takes some more minutes; other clients of the workspace get 429 for a while.'
const UNPINNED_NOTE = 'but for the first ones and those with a malformed pin.'
