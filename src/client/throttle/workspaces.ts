import { now } from '../../internal/sleep.js'
import type { Limit } from '../../internal/token-bucket.js'
import type { Quota, Reply } from '../pipeline.js'
import { createLimiter } from './limiter.js'
import { createPause, type QuotaState } from './pause.js'
import { smallerLimit, smallestLimit, statedLimit } from './plan.js'

/** The limit to stay within; `auto` until it is known, `false` when there is none. */
export type Plan = Limit | 'auto' | false

/** What all requests of one workspace to one address share. Basis: S35. */
export interface Workspace {
  quota(name: Quota): QuotaState
  /** Takes the plan and the watchers' share that a client was made with. */
  join(plan: Plan, rateShare: number): void
  /** Takes the limit that a 429 states. One that states none is taken for the smallest plan, for a while. */
  learn(reply: Reply): void
  /** Forgets a limit that was only guessed, once its time is over. */
  forgetGuess(): void
}

/** The quota that the limits of the plans count. */
export const REQUESTS = 'requests' satisfies Quota

/** How long a guessed limit applies after the last 429, in ms: the limits count by the minute. */
const GUESS_LASTS = 60_000

export function createWorkspace(): Workspace {
  const quotas = new Map<Quota, QuotaState>()
  let given: Limit | undefined
  let stated: Limit | undefined
  let guessedUntil = 0
  let share = 1
  const quota = (name: Quota): QuotaState => {
    const found = quotas.get(name) ?? { limiter: createLimiter(), pause: createPause() }
    quotas.set(name, found)
    return found
  }
  const setLimits = () => {
    const all = smallerLimit(given, stated) ?? (guessedUntil > 0 ? smallestLimit() : undefined)
    const { requestsPerMinute, burst } = all ?? smallestLimit()
    const polls = { requestsPerMinute: requestsPerMinute * share, burst: Math.max(1, burst * share) }
    quota(REQUESTS).limiter.setLimits({ all, polls })
  }
  return {
    quota,
    join(plan, rateShare) {
      if (typeof plan === 'object') given = smallerLimit(given, plan)
      share = Math.min(share, rateShare)
      setLimits()
    },
    learn(reply) {
      stated = statedLimit(reply) ?? stated
      guessedUntil = given || stated ? 0 : now() + GUESS_LASTS
      setLimits()
    },
    forgetGuess() {
      if (guessedUntil === 0 || now() < guessedUntil) return
      guessedUntil = 0
      setLimits()
    },
  }
}

/** The workspaces of this process by address and name or key, for each `fetch` that reaches them. */
const workspaces = new WeakMap<object, Map<string, Workspace>>()

/** How many workspaces are kept for a `fetch` before those with nothing to remember are dropped. */
const MAX_WORKSPACES = 100

/** Finds a workspace that several clients share, or makes it. */
export function findWorkspace(fetch: object | undefined, id: string): Workspace {
  const known = workspaces.get(fetch ?? workspaces) ?? new Map<string, Workspace>()
  workspaces.set(fetch ?? workspaces, known)
  const found = known.get(id)
  if (found) return found
  if (known.size >= MAX_WORKSPACES)
    for (const [id, workspace] of known) if (workspace.quota(REQUESTS).limiter.idle()) known.delete(id)
  const workspace = createWorkspace()
  known.set(id, workspace)
  return workspace
}
