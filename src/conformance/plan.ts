import type { ConformanceSettings } from './options.js'
import { bodySteps } from './relations/bodies.js'
import { credentialSteps, hobbySteps } from './relations/credentials.js'
import { idSteps } from './relations/ids.js'
import { rateLimitSteps } from './relations/limits/index.js'
import { listSteps } from './relations/lists.js'
import { parameterSteps } from './relations/parameters.js'
import { permissionSteps } from './relations/permission.js'
import { readingSteps } from './relations/reading.js'
import { repetitionSteps } from './relations/repetition.js'
import { followSteps, triggerSteps } from './relations/runs.js'
import { workspaceSteps } from './relations/workspaces.js'
import type { Step } from './session.js'
import { clearTextWarnings } from './start.js'
import type { Budget } from './transport.js'

export interface Plan {
  steps: readonly Step[]
  /** How many of them come first: when none of these gets through, nothing else would. */
  first: number
  budget: Budget
  requests: number
  /** What keeping to the rate takes, in ms. */
  duration: number
}

/** The steps of the depth, in an order in which each finds what it needs. */
export function createPlan(settings: ConformanceSettings): Plan {
  const random = randomOf(settings.seed)
  const first = readingSteps(settings, 'plain')
  const credentials = credentialSteps(settings, random)
  const before = [
    ...first,
    ...readingSteps(settings, 'varied'),
    ...listSteps(settings),
    ...triggerSteps(settings),
    ...credentials.filter(({ isWhileRunning }) => isWhileRunning),
    ...followSteps(settings),
    ...readingSteps(settings, 'existing'),
    ...credentials.filter(({ isWhileRunning }) => !isWhileRunning),
    ...idSteps(settings),
    ...parameterSteps(settings),
    ...bodySteps(settings),
    ...permissionSteps(settings),
    ...hobbySteps(settings),
    ...workspaceSteps(settings),
    ...repetitionSteps(settings),
  ]
  // The limit late, and last the triggers that a service may accept, because these use up the runs.
  const chosen = choose(before, settings, random)
  const steps = [
    ...chosen.filter((step) => !mayUseUpRuns(step)),
    ...rateLimitSteps(settings),
    ...chosen.filter(mayUseUpRuns),
  ]
  const sum = (count: (step: Step) => number) => steps.reduce((total, step) => total + count(step), 0)
  const requests = sum((step) => step.requests)
  const most = sum((step) => step.maxRequests ?? step.requests) + REPETITIONS + requests / 4
  const { requestsPerMinute, burst } = settings.pace
  return {
    steps,
    first: first.length,
    requests,
    duration: Math.max(
      0,
      ((sum(({ relation }) => (relation === 'the rate limit' ? 0 : 1)) - burst) / requestsPerMinute) * 60_000,
    ),
    budget: {
      requests: Math.min(Math.ceil(most), settings.maxRequests),
      runs: sum(({ runs = 0 }) => runs),
      spareRuns: 1,
    },
  }
}

const mayUseUpRuns = ({ relation, runs = 0 }: Step): boolean => relation === 'bodies' && runs > 0

/**
 * Those that always belong to a check, and as many others as the depth allows: tier by tier, and in each tier one of each
 * relation in turn, so that a relation with many variations leaves something to the others.
 */
function choose(all: readonly Step[], { depth, maxRequests }: ConformanceSettings, random: () => number): Step[] {
  const shuffled = all.map((step) => ({ step, at: random() })).sort((one, other) => one.at - other.at)
  const numbers = new Map<string, number>()
  const ordered = shuffled.map(({ step }) => {
    const key = `${step.tier} ${step.relation}`
    const number = (numbers.get(key) ?? 0) + 1
    numbers.set(key, number)
    return { step, number }
  })
  ordered.sort((one, other) => one.step.tier - other.step.tier || one.number - other.number)
  let left = Math.min(DEPTHS[depth], maxRequests)
  const chosen = new Set<Step>()
  for (const { step } of ordered) {
    if (step.tier > 0 && step.requests > left) continue
    left -= step.requests
    chosen.add(step)
  }
  return all.filter((step) => chosen.has(step))
}

/** How many requests each depth sends. */
const DEPTHS = { quick: 70, normal: 250, thorough: Infinity }

/** How many requests may be repeated after a 429, a 5xx or a broken connection, or sent to see whether a right one gets a 5xx, too. */
const REPETITIONS = 60

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function warningsOf(settings: ConformanceSettings, budget: Budget): string[] {
  const { trigger, rateLimit, maxWait, serviceVersion } = settings
  const { runs, spareRuns } = budget
  return [
    ...clearTextWarnings(settings),
    trigger === undefined
      ? 'Nothing is triggered: every POST goes to an id that does not exist. A service that starts a run all the same gets no second one.'
      : `At most ${runs + spareRuns} runs of the playbook ${trigger} are started: ${runs} on purpose, the first two of them followed for at most ${maxWait / 1000} s, and ${spareRuns} in case of a fault.`,
    ...(rateLimit ? [LIMIT_WARNING] : []),
    ...(serviceVersion === undefined ? [] : [`Requests are pinned to ${serviceVersion}, ${UNPINNED}`]),
  ]
}

const LIMIT_WARNING = 'The rate limit is reached on purpose; other clients of the workspace get 429 for a while.'
const UNPINNED = 'but for the first ones and those with a malformed pin.'
