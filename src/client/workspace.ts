import { now } from '../internal/sleep.js'
import type { Limit } from '../internal/token-bucket.js'
import { createLimiter, type Limiter } from './limiter.js'
import type { Settings } from './options.js'
import { smallestLimit, statedLimit } from './plan.js'
import type { Answer } from './send.js'

/** What all requests with one key to one address share, because limits are counted per workspace. Basis: S35. */
export interface Workspace {
  readonly limiter: Limiter
  /** The last 429, as long as it holds everything back. */
  gate: Gate | undefined
  /** Takes the plan and the watchers' share that a client was made with. */
  join(plan: Settings['plan'], share: number): void
  /** Holds everything back for `wait` ms, of which the service asked `asked`, and takes the limit from the answer. */
  hold(answer: Answer, asked: number, wait: number): void
}

/** A 429 that holds everything back. The times are on the clock of `now()`. */
export interface Gate {
  readonly answer: Answer
  /** What the service asked. */
  readonly askedUntil: number
  /** What is waited, jitter included. */
  readonly until: number
}

/** A workspace that nothing is known of yet. */
function createWorkspace(): Workspace {
  let given: Limit | undefined
  let learned: Limit | undefined
  let share = 1
  const limiter = createLimiter(true)
  const keepTo = () => {
    const all = smaller(given, learned)
    const { requestsPerMinute, burst } = all ?? smallestLimit()
    limiter.keepTo({ all, polls: { requestsPerMinute: requestsPerMinute * share, burst: Math.max(1, burst * share) } })
  }
  const workspace: Workspace = {
    limiter,
    gate: undefined,
    join(plan, clientShare) {
      if (typeof plan === 'object') given = smaller(given, plan)
      share = Math.min(share, clientShare)
      keepTo()
    },
    hold(answer, asked, wait) {
      const at = now()
      learned = statedLimit(answer) ?? learned ?? (given ? undefined : smallestLimit())
      keepTo()
      limiter.hold(wait)
      const { askedUntil = 0, until = 0 } = workspace.gate ?? {}
      workspace.gate = { answer, askedUntil: Math.max(askedUntil, at + asked), until: Math.max(until, at + wait) }
    },
  }
  return workspace
}

/** The workspaces of this process by address and key, for each `fetch` that reaches them. */
const known = new WeakMap<object, Map<string, Workspace>>()

/** How many workspaces are kept before those with nothing to remember are dropped. */
const ROOM = 100

/** Finds the workspace of a key. Clients with the same key, address and `fetch` find the same one. */
export function workspaceFinder({ baseUrl, fetch, plan, polling }: Settings): (key: string) => Workspace {
  const workspaces = known.get(fetch ?? known) ?? new Map<string, Workspace>()
  known.set(fetch ?? known, workspaces)
  let last: Workspace | undefined
  return (key) => {
    const id = `${baseUrl} ${key}`
    let workspace = workspaces.get(id)
    if (!workspace) {
      if (workspaces.size >= ROOM) for (const [id, { limiter }] of workspaces) if (limiter.idle()) workspaces.delete(id)
      workspace = createWorkspace()
      workspaces.set(id, workspace)
    }
    if (workspace !== last) workspace.join(plan, polling.share)
    last = workspace
    return workspace
  }
}

const smaller = (one: Limit | undefined, other: Limit | undefined): Limit | undefined =>
  one && other ? (other.requestsPerMinute < one.requestsPerMinute ? other : one) : (one ?? other)
