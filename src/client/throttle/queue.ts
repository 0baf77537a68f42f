import { onAbort } from '../../internal/time.js'

export type Priority = 'poll' | undefined

export interface QueueOptions {
  signal?: AbortSignal | undefined
  priority?: Priority
  /** Called with the wait that is to be expected, in ms. What it returns is the reason to leave the queue. */
  refuse(wait: number): Error | undefined
}

interface Waiter extends Pick<QueueOptions, 'priority' | 'refuse'> {
  readonly cost: number
  admit(): void
  leave(reason: unknown): void
}

/** So many calls are admitted in a row while a poll waits; then the poll is. */
const CALLS_BEFORE_POLL = 9

/** The requests that wait to be sent. */
export function createQueue() {
  const calls = new Set<Waiter>()
  const polls = new Set<Waiter>()
  const queueOf = (priority: Priority) => (priority ? polls : calls)
  let callsInARow = 0

  /** Counts a request that is sent. */
  const count = (priority: Priority) => {
    callsInARow = priority ? 0 : callsInARow + 1
  }
  const next = (canPoll: (cost: number) => boolean): Waiter | undefined => {
    const [call] = calls
    const [poll] = polls
    return poll && (!call || (callsInARow >= CALLS_BEFORE_POLL && canPoll(poll.cost))) ? poll : call
  }

  return {
    count,
    isFirst: (priority: Priority): boolean => calls.size === 0 && (!priority || polls.size === 0),
    /** Admits one after the other, as long as `grant` allows it. `canPoll` returns whether there are so many tokens for polls. */
    serve(canPoll: (cost: number) => boolean, grant: (waiter: Waiter) => boolean) {
      for (let waiter = next(canPoll); waiter && grant(waiter); waiter = next(canPoll)) {
        count(waiter.priority)
        queueOf(waiter.priority).delete(waiter)
        waiter.admit()
      }
    },
    /** The tokens that are used before a request that joins now, and how many of them by polls. */
    ahead(priority: Priority): [tokens: number, pollTokens: number] {
      const ofCalls = sum(calls)
      const ofPolls = sum(polls)
      return [ofCalls + (priority ? ofPolls : Math.min(ofPolls, Math.floor(ofCalls / CALLS_BEFORE_POLL))), ofPolls]
    },
    /** Lets each join again in turn, unless there is a reason to leave. */
    sift(reasonToLeave: (waiter: Waiter) => unknown) {
      const waiting = [...calls, ...polls]
      calls.clear()
      polls.clear()
      for (const waiter of waiting) {
        const reason = reasonToLeave(waiter)
        if (reason) waiter.leave(reason)
        else queueOf(waiter.priority).add(waiter)
      }
    },
    /** Resolves when the request is admitted; `serve` admits who can be. */
    join: (cost: number, options: QueueOptions, serve: () => void): Promise<void> =>
      enter(queueOf(options.priority), cost, options, serve),
  }
}

function enter(queue: Set<Waiter>, cost: number, options: QueueOptions, serve: () => void): Promise<void> {
  const { signal, priority, refuse } = options
  let ignoreAbort = () => {}
  return new Promise<void>((admit, leave) => {
    const waiter = { cost, priority, refuse, admit, leave }
    ignoreAbort = onAbort(signal, () => {
      queue.delete(waiter)
      leave(signal?.reason)
      // Other listeners of the same signal have to leave the queue before anybody is admitted.
      queueMicrotask(serve)
    })
    queue.add(waiter)
    if (queue.size === 1) serve()
  }).finally(ignoreAbort)
}

const sum = (waiters: Set<Waiter>): number => {
  let cost = 0
  for (const waiter of waiters) cost += waiter.cost
  return cost
}
