import { getOrCreate } from '../../internal/maps.js'
import { abortReason, onAbort } from '../../internal/time/abort.js'
import type { MonotonicClock } from '../../internal/time/time.js'
import type { Clock } from '../../shared/clock.js'
import { withJitter } from '../request/retry.js'
import { isWorkerd } from '../request/runtime.js'
import { onReset } from '../resets.js'

/** Asks once. Meanwhile `onFailure` receives what fails and is tried again. */
export type Poll<T> = (signal: AbortSignal, onFailure: (error: unknown) => void) => Promise<T>

/** A watcher's part in the polls of a group. */
export interface Subscription<T> {
  /** Resolves to the next poll. A poll that has begun already does not count. */
  next(signal: AbortSignal): Promise<T>
  /** Whether another watcher makes the next poll. */
  follows(): boolean
  /** Why polls fail since the last one that succeeded. */
  failure(): unknown
}

/** How often is polled, in ms. */
export interface Intervals {
  readonly minInterval: number
  readonly maxInterval: number
}

/** Watchers that share polls. One of them, the leader, waits for the next poll and makes it; the others wait for its result. */
interface Group<T> {
  interval: number
  /** When the last poll ended. */
  last: number
  /** Why polls fail since the last one that succeeded. */
  failure: unknown
  hasLeader: boolean
  /** Those that wait for the next poll or to lead, the oldest first. */
  followers: Set<(turn: Turn<T>) => void>
  /** Those that the poll under way is for, beside the leader. */
  served: Set<(turn: Turn<T>) => void>
  /** Lets the leader compute its wait again. */
  wake: () => void
  /** Ends the poll under way if nobody waits for it any more. */
  left: () => void
}

/** What a follower waits for: the result of a poll, or to lead. */
type Turn<T> = PromiseSettledResult<T> | 'lead'

/**
 * Lets watchers with the same key share their polls, at intervals that grow while nobody joins. A poll runs in the async
 * context of the watcher that makes it, and goes on for the others when that one leaves. Without a key, and in workerd,
 * where a request may not wait for another one's, each watcher polls alone.
 */
export function createPolling<T>(time: MonotonicClock, { minInterval, maxInterval }: Intervals, clock: Clock) {
  /** The groups in which somebody waits. */
  const groups = new Map<string, Group<T>>()
  onReset(clock, () => groups.clear())

  const createGroup = (): Group<T> => ({
    interval: minInterval,
    last: -Infinity,
    failure: undefined,
    hasLeader: false,
    followers: new Set(),
    served: new Set(),
    wake: () => {},
    left: () => {},
  })

  const lead = async (group: Group<T>, poll: Poll<T>, signal: AbortSignal): Promise<T> => {
    group.hasLeader = true
    try {
      while (!(await isDue(group, signal)));
      // Who comes from now on waits for the next poll.
      group.served = group.followers
      group.followers = new Set()
      const controller = new AbortController()
      group.left = () => {
        if (signal.aborted && group.served.size === 0) controller.abort(abortReason(signal))
      }
      const ignore = onAbort(signal, group.left)
      const onFailure = (error: unknown) => {
        group.failure = error
      }
      const [result] = await Promise.allSettled([poll(controller.signal, onFailure)])
      ignore()
      if (!controller.signal.aborted) onFailure(result.status === 'rejected' ? result.reason : undefined)
      const isFirst = group.last === -Infinity
      group.last = time.now()
      // A run that is not there yet is asked for at the first interval.
      const interval = isFirst || result.status === 'rejected' ? minInterval : group.interval * 1.5
      group.interval = Math.max(minInterval, Math.min(maxInterval, interval))
      for (const settle of group.served) settle(result)
      if (result.status === 'rejected') throw result.reason
      return result.value
    } finally {
      group.served.clear()
      const [next] = group.followers
      group.hasLeader = next !== undefined
      next?.('lead')
    }
  }

  /** Waits for the next poll. Resolves to false where its time was moved, because a watcher joined. */
  const isDue = (group: Group<T>, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal))
      const settle = (isDue: boolean) => {
        cancel()
        ignore()
        resolve(isDue)
      }
      const wait = group.last === -Infinity ? 0 : Math.max(0, group.last + withJitter(group.interval) - time.now())
      const cancel = time.after(wait, () => settle(true))
      const ignore = onAbort(signal, () => {
        cancel()
        reject(abortReason(signal))
      })
      group.wake = () => settle(false)
    })

  return (key: string | undefined, poll: Poll<T>): Subscription<T> => {
    let group: Group<T> | undefined
    return {
      follows: () => key !== undefined && groups.get(key)?.hasLeader === true,
      failure: () => group?.failure,
      async next(signal) {
        const create = () => group ?? createGroup()
        const isNew = !group
        const joined = key === undefined || isWorkerd() ? create() : getOrCreate(groups, key, create)
        group = joined
        if (isNew) {
          joined.interval = minInterval
          joined.wake()
        }
        try {
          const turn = joined.hasLeader ? await follow(joined, signal) : 'lead'
          if (turn === 'lead') return await lead(joined, poll, signal)
          if (turn.status === 'rejected') throw turn.reason
          return turn.value
        } finally {
          if (key !== undefined && !joined.hasLeader && joined.followers.size === 0 && groups.get(key) === joined)
            groups.delete(key)
        }
      },
    }
  }
}

/** Waits for the result of the next poll, or to lead. */
const follow = <T>(group: Group<T>, signal: AbortSignal): Promise<Turn<T>> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal))
    const settle = (turn: Turn<T>) => {
      ignore()
      group.followers.delete(settle)
      resolve(turn)
    }
    const ignore = onAbort(signal, () => {
      group.followers.delete(settle)
      group.served.delete(settle)
      group.left()
      reject(abortReason(signal))
    })
    group.followers.add(settle)
  })
