import { plans } from '../../../generated/contract.js'
import { parseJson } from '../../internal/http/json.js'
import { isLimit, limitForms, limitOf } from '../../internal/limits/limit.js'
import { getOrCreate } from '../../internal/maps.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import type { Clock } from '../../shared/clock.js'
import type { Limit, PlanName, Quota } from '../../shared/limit.js'
import { POLLING } from '../defaults.js'
import type { Call } from '../request/call.js'
import { onReset } from '../resets.js'
import { createLimiter } from './limiter.js'
import { meaningOf, nextPause, type Pause, type PauseEvent, pausedReply } from './pause.js'

/** The limit to stay within; `auto` until it is known, `false` when there is none. */
export type PlanSetting = Limit | 'auto' | false

/** The quota that the limits of the plans count. */
export const REQUESTS = 'requests' satisfies Quota

/** What all requests of one workspace to one address share. Basis: S35. */
export type Workspace = ReturnType<typeof createWorkspace>

export function createWorkspace(time: MonotonicClock) {
  const quotas = new Map<Quota, QuotaState>()
  let given: Limit | undefined
  let stated: Limit | undefined
  let share = POLLING.rateShare
  const quota = (name: Quota) => getOrCreate(quotas, name, () => createQuota(time))
  const setLimits = () => {
    const all = smallerLimit(given, stated)
    if (!all) return
    const polls = { requestsPerMinute: all.requestsPerMinute * share, burst: Math.max(1, all.burst * share) }
    quota(REQUESTS).limiter.setLimits({ all, polls })
  }
  return {
    quota,
    /** Whether no quota has anything to remember. */
    idle: () => [...quotas.values()].every(({ limiter }) => limiter.idle()),
    /** Takes the plan that a client names instead of another one, and the share of its watchers. */
    join(plan: PlanSetting, rateShare: number | undefined) {
      if (typeof plan === 'object' && JSON.stringify(plan) !== JSON.stringify(given)) {
        given = plan
        stated = undefined
      }
      share = rateShare ?? share
      setLimits()
    },
    /** Forgets what was counted, and what a 429 has asked or stated. */
    reset() {
      quotas.clear()
      stated = undefined
      setLimits()
    },
    /** Takes the limit that a 429 states. */
    learn(body: string) {
      stated = statedLimit(body) ?? stated
      setLimits()
    },
  }
}

/** A quota of a workspace: what is sent against it waits together. */
export type QuotaState = ReturnType<typeof createQuota>

function createQuota(time: MonotonicClock) {
  const limiter = createLimiter(time)
  let pause: Pause | undefined
  /** Applies an event. Returns when the pause ends, on the clock of the client. */
  const update = (event: PauseEvent): number => {
    pause = nextPause(pause, event, time.now())
    limiter.pauseUntil(pause?.until ?? time.now(), !pause)
    return limiter.pausedUntil()
  }
  return {
    limiter,
    meaningFor: (call: Call) => (pause ? meaningOf(pause, call, time.now()) : 'send'),
    update,
    refusal: () => pausedReply(pause!, time.now()),
  }
}

/** The workspaces of this process by address and name or key, for each clock and each `fetch` that reaches them. */
const workspaces = new WeakMap<MonotonicClock, WeakMap<object, Map<string, Workspace>>>()

/** Each time that a `fetch` has so many workspaces more, those with nothing to remember are dropped. */
const SWEEP_EVERY = 100

/** What a workspace depends on. */
interface WorkspaceOptions {
  readonly baseUrl: string
  readonly fetch?: object | undefined
  readonly plan: PlanSetting
  readonly given: { readonly polling?: { readonly rateShare?: number | undefined } | undefined }
  readonly clock: Clock
  readonly time: MonotonicClock
}

/**
 * Finds the workspace of a client for each request, also when it was dropped while it was idle. Clients with the same `id`
 * share one; a client without takes its `own`.
 */
export function workspaceOf(
  { baseUrl, fetch, plan, given, clock, time }: WorkspaceOptions,
  id: string | undefined,
  own: Workspace,
): () => Workspace {
  const byFetch = getOrCreate(workspaces, time, () => new WeakMap<object, Map<string, Workspace>>())
  const known = getOrCreate(byFetch, fetch ?? time, () => new Map<string, Workspace>())
  let last: Workspace | undefined
  const create = () => {
    if (known.size % SWEEP_EVERY === 0) for (const [id, workspace] of known) if (workspace.idle()) known.delete(id)
    return last ?? createWorkspace(time)
  }
  const find = () => {
    const workspace = id === undefined ? own : getOrCreate(known, `${baseUrl} ${id}`, create)
    if (workspace !== last) workspace.join(plan, given.polling?.rateShare)
    last = workspace
    return workspace
  }
  // Its plan applies from now on.
  find()
  onReset(clock, () => find().reset())
  return find
}

/** The limits of the plans that have access, the smallest first. */
const limits = (): Limit[] => Object.values(plans).filter((plan) => plan.apiAccess)

/**
 * The limit of a plan, given by its name or in figures. `others` names what else the option takes.
 *
 * @throws TypeError when there is no such plan, or it has no access to the interface
 */
export function requirePlanLimit(plan: PlanName | Limit, others = ''): Limit {
  const limit = limitOf(plan)
  if (!isLimit(limit)) throw new TypeError(`plan must be ${others}${limitForms()}.`)
  const { requestsPerMinute, burst } = limit
  return { requestsPerMinute, burst }
}

/**
 * The limit that the message of a 429 states: its only number, of requests per minute. Undefined for a message in any
 * other form. Basis: S30.
 */
function statedLimit(body: string): Limit | undefined {
  const { message } = Object(parseJson(body)) as { message?: unknown }
  const requestsPerMinute = Number(/^\D*\b(\d{1,9}) requests per minute\b\D*$/.exec(`${message}`)?.[1])
  if (!(requestsPerMinute > 0)) return undefined
  const plan = limits().findLast((each) => each.requestsPerMinute <= requestsPerMinute)
  return { requestsPerMinute, burst: plan?.burst ?? requestsPerMinute }
}

/** What stays within both limits. */
const smallerLimit = (one: Limit | undefined, other: Limit | undefined): Limit | undefined =>
  one && other
    ? {
        requestsPerMinute: Math.min(one.requestsPerMinute, other.requestsPerMinute),
        burst: Math.min(one.burst, other.burst),
      }
    : (one ?? other)
