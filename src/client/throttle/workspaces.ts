import { getOrCreate } from '../../internal/get-or-create.js'
import type { Time } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'
import type { Quota, Reply } from '../pipeline.js'
import { isSameLimit, smallerLimit, smallestLimit, statedLimit } from './plan.js'
import { createQuota, type QuotaState } from './quota.js'

/** The limit to stay within; `auto` until it is known, `false` when there is none. */
export type Plan = Limit | 'auto' | false

/** What all requests of one workspace to one address share. Basis: S35. */
export interface Workspace {
  quota(name: Quota): QuotaState
  /** Whether no quota has anything to remember. */
  idle(): boolean
  /** Takes the plan that a client was made with instead of another one, and its watchers' share when that is smaller. */
  join(plan: Plan, rateShare: number): void
  /** Takes the limit that a 429 states. One that states none is taken for the smallest plan, for a while. */
  learn(reply: Reply): void
}

/** The quota that the limits of the plans count. */
export const REQUESTS = 'requests' satisfies Quota

/** How long a guessed limit applies after the last 429, in ms: the limits count by the minute. */
const GUESS_LASTS = 60_000

export function createWorkspace(time: Time): Workspace {
  const quotas = new Map<Quota, QuotaState>()
  let given: Limit | undefined
  let stated: Limit | undefined
  let guessedUntil = -Infinity
  let share = 1
  const quota = (name: Quota) => getOrCreate(quotas, name, () => createQuota(time))
  const setLimits = () => {
    const known = smallerLimit(given, stated)
    const all = known ?? smallestLimit()
    const polls = { requestsPerMinute: all.requestsPerMinute * share, burst: Math.max(1, all.burst * share) }
    quota(REQUESTS).limiter.setLimits({ all, polls, until: known ? Infinity : guessedUntil })
  }
  return {
    quota,
    idle: () => [...quotas.values()].every(({ limiter }) => limiter.idle()),
    join(plan, rateShare) {
      if (typeof plan === 'object' && !isSameLimit(plan, given)) {
        given = plan
        stated = undefined
      }
      share = Math.min(share, rateShare)
      setLimits()
    },
    learn(reply) {
      stated = statedLimit(reply) ?? stated
      guessedUntil = time.now() + GUESS_LASTS
      setLimits()
    },
  }
}

/** The workspaces of this process by address and name or key, for each clock and each `fetch` that reaches them. */
const workspaces = new WeakMap<Time, WeakMap<object, Map<string, Workspace>>>()

/** How many workspaces are kept for a `fetch` before those with nothing to remember are dropped. */
const MAX_WORKSPACES = 100

/** Finds a workspace that several clients share, or makes it. */
export function findWorkspace(time: Time, fetch: object | undefined, id: string): Workspace {
  const byFetch = getOrCreate(workspaces, time, () => new WeakMap<object, Map<string, Workspace>>())
  const known = getOrCreate(byFetch, fetch ?? time, () => new Map<string, Workspace>())
  return getOrCreate(known, id, () => {
    if (known.size >= MAX_WORKSPACES) for (const [id, workspace] of known) if (workspace.idle()) known.delete(id)
    return createWorkspace(time)
  })
}
