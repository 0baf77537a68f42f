import { protocol } from '../../../generated/operations.js'
import { getOrCreate } from '../../internal/get-or-create.js'
import { parseJson } from '../../internal/json.js'
import { requestedWait } from '../../internal/retry-after.js'
import type { Time } from '../../internal/time.js'
import type { Limit } from '../../internal/token-bucket.js'
import { BACKOFF, BACKOFF_OF_429, backoff } from '../layers/retry.js'
import type { Call, Quota } from '../pipeline.js'
import { type ResponseHead, responseOf } from '../response.js'
import { createLimiter, type Limiter } from './limiter.js'
import { isSameLimit, type Plan, smallerLimit, smallestLimit, statedLimit } from './plan.js'

/** A quota of a workspace: what is sent against it waits together. */
export interface QuotaState {
  readonly limiter: Limiter
  /** Whether a 429 pauses the call. */
  isPaused(call: Call): boolean
  /** Begins or extends the pause with a 429. Basis: S33, S35. */
  pause(head: ResponseHead, text: string, call: Call): void
  /** The 429 with what is left of the pause, when waiting for its end is not allowed to the call. */
  refusal(call: Call): Response | undefined
  /** Whether the call is sent in spite of the pause: one is after each `maxRetryAfter`, to see whether the pause is over. */
  isProbe(call: Call): boolean
  /** Ends the pause if the call is the one that was sent in spite of it. */
  succeeded(call: Call): void
}

function createQuota(time: Time): QuotaState {
  const limiter = createLimiter(time)
  let last: { head: ResponseHead; text: string } | undefined
  let askedUntil = -Infinity
  /** When the last 429 came, or the last request was sent in spite of the pause. */
  let triedAt = -Infinity
  let probe: Call | undefined
  const isPaused = () => limiter.pausedUntil() > time.now()
  return {
    limiter,
    isPaused: (call) => call !== probe && isPaused(),
    pause({ url, status, statusText, headers }, text, call) {
      const now = time.now()
      const asked = requestedWait(headers, parseJson(text), time.wallTime())
      last = { head: { url, status, statusText, headers: new Headers(headers) }, text }
      askedUntil = Math.max(askedUntil, now + (asked ?? 0))
      triedAt = now
      limiter.pause(backoff(asked, call.attempts, asked === undefined ? BACKOFF_OF_429 : BACKOFF))
      call.resumeAt = limiter.pausedUntil()
    },
    refusal(call) {
      const { settings, deadline } = call
      if (!last || !isPaused()) return undefined
      const asked = askedUntil - time.now()
      if (asked <= settings.maxRetryAfter && limiter.pausedUntil() < deadline) return undefined
      call.gaveUp = true
      return refusalOf(last, asked > 0 ? asked : limiter.pausedUntil() - time.now())
    },
    isProbe(call) {
      const { maxRetryAfter } = call.settings
      const now = time.now()
      if (!isPaused() || askedUntil - now <= maxRetryAfter || now < triedAt + maxRetryAfter) return call === probe
      probe = call
      triedAt = now
      return true
    },
    succeeded(call) {
      if (call !== probe) return
      probe = undefined
      askedUntil = -Infinity
      limiter.resume()
    },
  }
}

/** The last 429 with the time that is left, in ms, where it named a time. */
function refusalOf({ head, text }: { head: ResponseHead; text: string }, left: number): Response {
  const headers = new Headers(head.headers)
  const seconds = Math.ceil(left / 1_000)
  const { header } = protocol.rateLimit
  if (headers.has(header)) headers.set(header, `${seconds}`)
  const body = parseJson(text)
  const says = Object(body).retry_after !== undefined
  return responseOf({ ...head, headers }, says ? JSON.stringify({ ...Object(body), retry_after: seconds }) : text)
}

/** What all requests of one workspace to one address share. Basis: S35. */
export interface Workspace {
  quota(name: Quota): QuotaState
  /** Whether no quota has anything to remember. */
  idle(): boolean
  /** Takes the plan that a client was made with instead of another one, and its watchers' share when that is smaller. */
  join(plan: Plan, rateShare: number): void
  /** Takes the limit that a 429 states. One that states none is taken for the smallest plan, for a while. */
  learn(body: string): void
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
    const { limiter } = quota(REQUESTS)
    if (known || guessedUntil > time.now()) limiter.setLimits({ all, polls, until: known ? Infinity : guessedUntil })
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
    learn(body) {
      stated = statedLimit(body) ?? stated
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
