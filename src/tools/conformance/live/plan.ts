import { drawn, stringHash } from '../../../internal/random.js'
import type { ConformanceSettings } from '../options.js'
import { bodySteps } from './checks/bodies.js'
import { credentialSteps } from './checks/credentials.js'
import { followSteps } from './checks/follow.js'
import { idSteps } from './checks/ids.js'
import { inputSteps } from './checks/inputs.js'
import { listSteps } from './checks/lists.js'
import { parameterSteps } from './checks/parameters.js'
import { noAccessSteps, permissionSteps } from './checks/permission.js'
import { rateLimitSteps } from './checks/rate-limit/index.js'
import { plainSteps, rereadSteps, rereadWhileRunning, variedSteps } from './checks/reading.js'
import { strangerSteps, strangeTriggerSteps } from './checks/strangers.js'
import { manySteps, triggerSteps } from './checks/triggers.js'
import { listedByBothSteps, unrelatedSteps, workspaceSteps } from './checks/workspaces.js'
import type { Budget } from './http/transport.js'
import { clearTextWarnings } from './start.js'
import { PHASES, type Phase, type Relation, type Step } from './step.js'

export interface Plan {
  steps: readonly Step[]
  /** How many of them come first: when none of these gets through, nothing else would. */
  first: number
  budget: Budget
  requests: number
  /** What keeping to the rate and waiting for runs takes, in ms. The rate limit refills while a run is waited for. */
  duration: number
  /** What the depth leaves out; undefined for nothing. */
  leftOut: string | undefined
}

/** The relations, and the phase in which their steps are tried unless a step names another one. */
const RELATIONS: readonly (readonly [Phase, (settings: ConformanceSettings) => Step[]])[] = [
  ['plain requests', plainSteps],
  ['before runs', strangerSteps],
  ['before runs', variedSteps],
  ['after runs', listSteps],
  ['triggers', triggerSteps],
  ['while running', rereadWhileRunning],
  ['wrong requests', idSteps],
  ['wrong requests', bodySteps],
  ['wrong requests', parameterSteps],
  ['to the ends of runs', followSteps],
  ['after runs', rereadSteps],
  ['after runs', unrelatedSteps],
  ['after runs', permissionSteps],
  ['after runs', workspaceSteps],
  ['while running', strangeTriggerSteps],
  ['after runs', credentialSteps],
  ['after runs', noAccessSteps],
  ['after runs', inputSteps],
  ['while many run', manySteps],
  ['while many run', whileManyRun],
  ['what all responses show', listedByBothSteps],
  ['the rate limit', rateLimitSteps],
]

type Placed = Step & { phase: Phase }

const stepsOf = (settings: ConformanceSettings): Placed[] =>
  RELATIONS.flatMap(([phase, steps]) => steps(settings).map((step) => ({ ...step, phase: step.phase ?? phase })))

const inOrder = (steps: readonly Placed[]): Placed[] =>
  steps.toSorted((one, other) => PHASES.indexOf(one.phase) - PHASES.indexOf(other.phase))

/** What is tried first is tried once more while many runs are running, unless it may start one. */
function whileManyRun(settings: ConformanceSettings): Step[] {
  const repeated = [bodySteps, permissionSteps, workspaceSteps]
    .flatMap((steps) => steps(settings))
    .filter(
      ({ relation, priority, runs = 0 }) =>
        AFFECTED.has(relation) && priority > 0 && priority <= REPEATED && runs === 0,
    )
    .map((step) => ({ ...step, priority: LAST, phase: 'while many run' as const }))
  return [...new Map(repeated.map((step) => [identityOf(step), step])).values()]
}

/** Steps up to this priority are worth a repetition, which comes after all others. */
const REPEATED = 2
const LAST = 5

const AFFECTED: ReadonlySet<Relation> = new Set(['workspaces', 'permission', 'bodies'])

/** The steps of the depth. */
export function createPlan(settings: ConformanceSettings): Plan {
  const all = inOrder(stepsOf(settings))
  const chosen = choose(all, settings)
  // Last the triggers that a service may accept, because these use up the runs.
  const steps = inOrder(chosen.map((step) => (mayUseUpRuns(step) ? { ...step, phase: 'wrong triggers' } : step)))
  const sum = (count: (step: Step) => number) => steps.reduce((total, step) => total + count(step), 0)
  const requests = sum((step) => step.requests)
  const most = sum((step) => step.maxRequests ?? step.requests) + REPETITIONS + requests / 4
  const { requestsPerMinute, burst } = settings.pace
  return {
    steps,
    leftOut: leftOutOf(all, chosen, settings),
    first: plainSteps(settings).length,
    requests,
    duration: Math.max(
      sum(({ waits = 0 }) => waits),
      ((sum(pacedRequests) - burst) / requestsPerMinute) * 60_000,
    ),
    budget: {
      requests: Math.min(Math.ceil(most), settings.maxRequests),
      runs: sum(({ runs = 0 }) => runs),
      spareRuns: 1,
    },
  }
}

/** The requests that keep to the rate. Triggers take nothing from it, and the rate limit is reached on purpose. */
const pacedRequests = ({ phase, requests, triggers = 0 }: Step): number =>
  phase === 'the rate limit' ? 0 : requests - triggers

const mayUseUpRuns = ({ relation, runs = 0 }: Step): boolean => relation === 'bodies' && runs > 0

/**
 * Those that always belong to a check, and as many others as the depth allows: priority by priority, and in each priority every
 * variation on some operation before any of them on many.
 */
function choose(all: readonly Placed[], { depth, maxRequests, seed }: ConformanceSettings): Placed[] {
  const shuffled = all
    .map((step) => ({ step, at: drawn(seed, stringHash(identityOf(step))) }))
    .sort((one, other) => one.at - other.at)
  const numbers = new Map<string, number>()
  const ordered = shuffled.map(({ step }) => {
    const { priority, relation, variation, weight = 1 } = step
    const key = `${priority} ${relation} ${variation}`
    const number = (numbers.get(key) ?? 0) + 1
    numbers.set(key, number)
    return { step, number: variation === undefined ? 0 : number / weight }
  })
  ordered.sort((one, other) => one.step.priority - other.step.priority || one.number - other.number)
  const chosen = new Set<Placed>()
  let sent = 0
  // Each depth has all that the smaller ones have.
  for (const [name, most] of Object.entries(DEPTHS)) {
    for (const { step } of ordered) {
      const requests = step.requests - (step.unbounded ?? 0)
      if (chosen.has(step) || (step.priority > 0 && sent + requests > Math.min(most, maxRequests))) continue
      sent += requests
      chosen.add(step)
    }
    if (name === depth) break
  }
  return all.filter((step) => chosen.has(step))
}

/** What is drawn for a step depends on nothing but itself: another step that comes or goes does not move it. */
const identityOf = ({ phase, relation, variation = '', subject }: Placed): string =>
  [phase, relation, variation, subject].join('\n')

/** What did not fit into the depth, by relation. */
function leftOutOf(all: readonly Step[], chosen: readonly Step[], { depth }: ConformanceSettings): string | undefined {
  const count = (steps: readonly Step[], name: string) => steps.filter(({ relation }) => relation === name).length
  const names = [...new Set(all.map(({ relation }) => relation))]
  const left = names.flatMap((name) => {
    const missing = count(all, name) - count(chosen, name)
    return missing > 0 ? [`${name} (${missing} of ${count(all, name)})`] : []
  })
  const next = depth === 'thorough' ? 'more requests' : 'a greater depth'
  return left.length > 0 ? `Left out at the depth ${depth}, and tried with ${next}: ${left.join(', ')}.` : undefined
}

/** How many requests each depth sends, besides those that no depth bounds. */
const DEPTHS = { quick: 70, normal: 250, thorough: Infinity }

/** How many requests may be repeated after a 429, a 5xx or a broken connection, or sent to see whether a right one gets a 5xx, too. */
const REPETITIONS = 60

export function warningsOf(settings: ConformanceSettings, { budget, leftOut }: Plan): string[] {
  const { trigger, rateLimit, maxWait, serviceVersion } = settings
  const { runs, spareRuns } = budget
  return [
    ...clearTextWarnings(settings),
    trigger === undefined
      ? 'Nothing is triggered: every POST goes to an id that does not exist. A service that starts a run all the same gets no second one.'
      : `At most ${runs + spareRuns} runs of the playbook ${trigger} are started: ${runs} on purpose, each followed for at most ${maxWait / 1000} s, and ${spareRuns} in case of a fault.`,
    ...(settings.plan === undefined ? [paceOf(settings)] : []),
    ...(rateLimit ? [LIMIT_WARNING] : []),
    ...(serviceVersion === undefined ? [] : [`Requests are pinned to ${serviceVersion}, ${UNPINNED}`]),
    ...(leftOut === undefined ? [] : [leftOut]),
  ]
}

const paceOf = ({ pace: { name, requestsPerMinute } }: ConformanceSettings): string =>
  `No plan is named: requests keep to the rate of ${name}, ${requestsPerMinute} a minute, until a 429 states another one.`

const LIMIT_WARNING =
  'The rate limit is reached on purpose, which takes some more minutes; other clients of the workspace get 429 for a while.'
const UNPINNED = 'but for the first ones and those with a malformed pin.'
