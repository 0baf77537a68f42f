import type { Limit } from '../../src/internal/token-bucket.js'
import { createLimiter } from '../../src/redis/limiter.js'
import type { Due, RedisCommand } from '../../src/redis/script.js'
import { emptyState, runModel } from './model.js'

/** A number from 0 to 1 for each call, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Simulated time: runs what is due, one event after another, and what the promises make of each. */
function createTimeline() {
  const events: { at: number; order: number; run: () => void }[] = []
  let at = 0
  let order = 0
  const before = (one: number, other: number) =>
    events[one]!.at - events[other]!.at || events[one]!.order - events[other]!.order
  const swap = (one: number, other: number) => {
    ;[events[one], events[other]] = [events[other]!, events[one]!]
  }
  const push = (event: (typeof events)[number]) => {
    events.push(event)
    for (let child = events.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1
      if (before(parent, child) <= 0) return
      swap(parent, child)
      child = parent
    }
  }
  const shift = () => {
    swap(0, events.length - 1)
    const first = events.pop()
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      if (left >= events.length) return first
      const child = right < events.length && before(right, left) < 0 ? right : left
      if (before(parent, child) <= 0) return first
      swap(parent, child)
      parent = child
    }
  }
  return {
    now: () => at,
    after(ms: number, run: () => void): () => void {
      if (ms === Infinity) return () => {}
      const event = { at: at + Math.max(0, ms), order: order++, run }
      push(event)
      return () => {
        event.run = () => {}
      }
    },
    async runUntil(end: number) {
      while (events.length > 0 && events[0]!.at <= end) {
        const event = shift()!
        at = event.at
        event.run()
        // As many turns as the longest chain of promises in the limiter.
        for (let turn = 0; turn < 12; turn++) await undefined
      }
      at = end
    },
  }
}

export interface Fleet {
  limit: Limit
  processes: number
  seed: number
  /** How long a message takes, in ms. */
  latency: (random: () => number) => number
  /** Whether Redis can be reached at a time. */
  reachable?: (at: number) => boolean
}

/** Keeps `waiters` of each limiter in line all the time, and notes when each was admitted. */
export function load({ limiters, time }: Pick<ReturnType<typeof createFleet>, 'limiters' | 'time'>, waiters: number) {
  const used: number[] = []
  const admit = async (limiter: (typeof limiters)[number]) => {
    for (;;) {
      await limiter.acquire(1, {})
      used.push(time.now())
    }
  }
  for (const limiter of limiters) for (let waiter = 0; waiter < waiters; waiter++) void admit(limiter)
  return used
}

/** A fleet of limiters with clocks of their own, before one simulated Redis. */
export function createFleet({ limit, processes, seed, latency, reachable = () => true }: Fleet) {
  const random = randomNumbers(seed)
  const time = createTimeline()
  const state = emptyState()
  const HOUR = 3_600_000
  let serverSkew = (random() - 0.5) * 2 * HOUR + 2 * HOUR
  let commands = 0
  let degraded = 0

  /** What real Redis does with a command, at the server's time. */
  const execute = ([name, , , , ...args]: RedisCommand): unknown => {
    if (name === 'EVALSHA') commands++
    const [rate, burst, of, elapsed, wanted, , spent, pause] = args.map(Number)
    const input = {
      rate: rate!,
      burst: burst!,
      processes: of!,
      elapsed: elapsed!,
      wanted: wanted!,
      due: args[5] as Due,
    }
    const { granted, wait, round } = runModel(state, time.now() + serverSkew, {
      ...input,
      spent: spent!,
      pause: pause!,
    })
    return [granted, wait, round]
  }
  const send = (command: RedisCommand): Promise<unknown> =>
    new Promise((resolve, reject) => {
      time.after(latency(random), () => {
        if (!reachable(time.now())) return time.after(1, () => reject(new Error('ECONNREFUSED')))
        const reply = execute(command)
        time.after(latency(random), () => resolve(reply))
      })
    })
  const limiters = Array.from({ length: processes }, () => {
    const skew = (random() - 0.5) * 2 * HOUR
    // A crystal is off by up to 100 in a million.
    const speed = 1 + (random() - 0.5) * 2e-4
    const clock = {
      now: () => skew + time.now() * speed,
      after: (ms: number, then: () => void) => time.after(ms / speed + 1e-3, then),
    }
    return createLimiter(
      { send, key: 'wf:limit:{sim}', limit, processes, timeout: 250, onDegraded: (is) => (degraded += is ? 1 : -1) },
      clock,
    )
  })
  return {
    limiters,
    time,
    random,
    commands: () => commands,
    degraded: () => degraded,
    /** Redis starts again without its data. */
    loseData: () => Object.assign(state, emptyState()),
    /** The clock of Redis jumps. */
    jump: (ms: number) => {
      serverSkew += ms
    },
  }
}

/** The most that was used above `limit` in any window: at most 0 when the limit is kept. */
export function excess(used: number[], { requestsPerMinute, burst }: Limit): number {
  let level = burst
  let last = 0
  let worst = -Infinity
  for (const at of used.toSorted((one, other) => one - other)) {
    level = Math.min(burst, level + ((at - last) * requestsPerMinute) / 60_000) - 1
    last = at
    worst = Math.max(worst, -level)
  }
  return worst
}
