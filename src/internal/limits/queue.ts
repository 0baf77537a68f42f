import { abortReason, onAbort, throwIfAborted } from '../time/abort.js'

/** `poll` for the polls of watchers. */
export type Priority = 'poll' | 'ordinary'

/** While polls wait, one of them follows this many ordinary requests. */
const ORDINARY_PER_POLL = 9

/** How a request waits. */
export interface QueueOptions {
  signal?: AbortSignal | undefined
  priority: Priority
  /** Called with a wait that is to be expected, in ms. What it returns is the reason to leave. */
  tooLate(wait: number): Error | undefined
  /** Called when it has left before it was admitted, with the tokens that it had been given. */
  onLeave(given: number): void
}

/** The error of a request that would wait longer than `timeout` ms. */
export const queueTimeout = (timeout: number): DOMException =>
  new DOMException(`No token is expected within ${timeout} ms (timeout).`, 'TimeoutError')

/** A request that waits for tokens. */
export interface Waiter extends Pick<QueueOptions, 'priority' | 'tooLate'> {
  /** The tokens that it still needs. */
  missing: number
  admit(): void
  leave(reason: unknown): void
}

export type Queue = ReturnType<typeof createQueue>

/**
 * Requests that wait for tokens: ordinary ones first, in their order, and a poll after each ORDINARY_PER_POLL of them. A
 * limiter that knows when all tokens of the `next` request are there admits it; one that receives tokens passes them on with
 * `give`. `canPoll` says whether so many tokens may be used for a poll although ordinary requests wait; default always.
 */
export function createQueue(canPoll: (tokens: number) => boolean = () => true) {
  const ordinary = createLine()
  const polls = createLine()
  const lines: Record<Priority, Line> = { ordinary, poll: polls }
  let sincePoll = 0
  const onAdmit = (priority: Priority) => {
    sincePoll = priority === 'poll' || !polls.first() ? 0 : sincePoll + 1
  }
  const next = (): Waiter | undefined => {
    const one = ordinary.first()
    const poll = polls.first()
    return poll && (!one || (sincePoll >= ORDINARY_PER_POLL && canPoll(poll.missing))) ? poll : one
  }
  return {
    /** The tokens that all who wait still need. */
    wanted: () => ordinary.missing() + polls.missing(),
    /** The tokens that are used before a new request is admitted, and how many of them are for polls. */
    ahead(priority: Priority): { all: number; polls: number } {
      if (priority === 'ordinary') {
        const pollsAhead = Math.min(polls.missing(), Math.floor(ordinary.missing() / ORDINARY_PER_POLL))
        return { all: ordinary.missing() + pollsAhead, polls: pollsAhead }
      }
      const beforeFirst = Math.max(0, ORDINARY_PER_POLL - sincePoll)
      const ordinaryAhead = Math.min(ordinary.missing(), beforeFirst + ORDINARY_PER_POLL * polls.missing())
      return { all: ordinaryAhead + polls.missing(), polls: polls.missing() }
    },
    /** Who is to be admitted next. */
    next,
    /** Gives tokens to those who are next. Returns how many nobody needs. */
    give(tokens: number): number {
      let left = tokens
      for (let waiter = next(); waiter && left > 0; waiter = next()) {
        const given = Math.min(left, waiter.missing)
        left -= given
        lines[waiter.priority].give(waiter, given)
        if (waiter.missing === 0) waiter.admit()
      }
      return left
    },
    /** `admitted` rejects with the reason for which the request leaves, such as that of the signal. */
    join(cost: number, options: QueueOptions) {
      throwIfAborted(options.signal)
      return waitIn(lines[options.priority], cost, options, onAdmit)
    },
    /** Removes those whose wait is now too long. Each is asked with only those before it in the queue. */
    sift(waitOf: (waiter: Waiter) => number) {
      const leaving: [Waiter, Error][] = []
      for (const waiter of [...ordinary.clear(), ...polls.clear()]) {
        const reason = waiter.tooLate(waitOf(waiter))
        if (reason) leaving.push([waiter, reason])
        else lines[waiter.priority].add(waiter)
      }
      for (const [waiter, reason] of leaving) waiter.leave(reason)
    },
  }
}

function waitIn(
  line: Line,
  cost: number,
  { signal, priority, tooLate, onLeave }: QueueOptions,
  onAdmit: (priority: Priority) => void,
) {
  let leave = (_reason: unknown) => {}
  const admitted = new Promise<void>((resolve, reject) => {
    const end = () => {
      line.remove(waiter)
      ignore()
    }
    const admit = () => {
      end()
      onAdmit(priority)
      resolve()
    }
    leave = (reason) => {
      end()
      reject(reason)
      onLeave(cost - waiter.missing)
    }
    const waiter: Waiter = { missing: cost, priority, tooLate, admit, leave }
    const ignore = onAbort(signal, () => leave(abortReason(signal!)))
    line.add(waiter)
  })
  return { admitted, leave }
}

type Line = ReturnType<typeof createLine>

/** Waiters in their order, and the tokens that they still need together. */
function createLine() {
  const waiters = new Set<Waiter>()
  let missing = 0
  const remove = (waiter: Waiter) => {
    if (waiters.delete(waiter)) missing -= waiter.missing
  }
  return {
    first(): Waiter | undefined {
      const [first] = waiters
      return first
    },
    missing: () => missing,
    add(waiter: Waiter) {
      waiters.add(waiter)
      missing += waiter.missing
    },
    give(waiter: Waiter, tokens: number) {
      waiter.missing -= tokens
      missing -= tokens
    },
    remove,
    /** Removes all. */
    clear(): Waiter[] {
      const all = [...waiters]
      waiters.clear()
      missing = 0
      return all
    },
  }
}
