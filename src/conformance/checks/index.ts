import type { ConformanceSettings } from '../options.js'
import type { Check } from '../session.js'
import type { Budget } from '../transport.js'
import { otherWorkspaceCheck, readOnlyCheck } from './keys.js'
import { hobbyCheck, lenientChecks, probeChecks, realAuthChecks } from './probes.js'
import { rateLimitCheck } from './rate-limit.js'
import { pagingChecks, pinChecks, readingChecks, runCheck } from './reading.js'
import { triggerCheck } from './trigger.js'

export interface Plan {
  /**
   * In an order in which each finds what it needs: the rate limit late, and last the triggers that a service may
   * accept, because these use up the runs.
   */
  checks: readonly Check[]
  /** How many of them come first: when none of these gets through, nothing else would. */
  first: number
  budget: Budget
}

export function createPlan(settings: ConformanceSettings): Plan {
  const { run, trigger, readOnlyKey, otherWorkspaceKey, hobbyKey, rateLimit } = settings
  const first = readingChecks()
  const checks = [
    ...first,
    ...pinChecks(),
    ...pagingChecks(),
    ...(run === undefined ? [] : [runCheck(run)]),
    ...(trigger === undefined ? [] : [triggerCheck(settings, trigger)]),
    ...probeChecks(settings),
    ...realAuthChecks(settings),
    ...(hobbyKey === undefined ? [] : [hobbyCheck(hobbyKey)]),
    ...(readOnlyKey === undefined ? [] : [readOnlyCheck(settings, readOnlyKey)]),
    ...(otherWorkspaceKey === undefined ? [] : [otherWorkspaceCheck(settings, otherWorkspaceKey)]),
    ...(rateLimit ? [rateLimitCheck(settings)] : []),
    ...lenientChecks(settings),
  ]
  const requests = checks.reduce((sum, check) => sum + (check.maxRequests ?? check.requests), REPETITIONS)
  const runs = checks.reduce((sum, check) => sum + (check.runs ?? 0), 0)
  return { checks, first: first.length, budget: { requests, runs, spareRuns: 1 } }
}

/** How many requests may be repeated after a 429, a 5xx or a broken connection, or sent to see whether a right one gets a 5xx, too. */
const REPETITIONS = 30

export function warningsOf(
  { trigger, rateLimit, maxWait, serviceVersion }: ConformanceSettings,
  budget: Budget,
): string[] {
  const { runs, spareRuns } = budget
  return [
    trigger === undefined
      ? 'Nothing is triggered: every POST goes to an id that does not exist. A service that starts a run all the same gets no second one.'
      : `At most ${runs + spareRuns} runs of the playbook ${trigger} are started: ${runs} on purpose, the first of them followed for at most ${maxWait / 1000} s, and ${spareRuns} in case of a fault.`,
    ...(rateLimit ? [LIMIT_WARNING] : []),
    ...(serviceVersion === undefined ? [] : [`Requests are pinned to ${serviceVersion}, ${UNPINNED}`]),
  ]
}

const LIMIT_WARNING = 'The rate limit is reached on purpose; other clients of the workspace get 429 for a while.'
const UNPINNED = 'but for the first ones and those with a malformed pin.'
