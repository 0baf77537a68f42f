import type { Limit } from '../../../src/shared/limit.js'
import { createSharedLimiter } from '../../../src/tools/redis/limiter.js'
import { ARGUMENTS, type RedisCommand, type ScriptReply } from '../../../src/tools/redis/script.js'
import { randomNumbers } from '../../support/random.js'
import { inputOf } from './fleet.js'
import { runModel } from './model.js'
import * as release4 from './release-4.0.0.mjs'

/** How long a message takes, in ms. */
export const FAST = (random: () => number) => 1 + random() * 5

const HOUR = 3_600_000

/** Simulated time: runs what is due, one event after another, and what the promises make of each. */
function createTimeline() {
  /** The next event is the last; of those for the same time, the one that was added first. */
  const events: { at: number; run: () => void }[] = []
  let now = 0
  const indexFor = (time: number): number => {
    let [low, high] = [0, events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (events[middle]!.at > time) low = middle + 1
      else high = middle
    }
    return low
  }
  /** Runs what promises make of an event, as many turns as their longest chain in the limiter and a test. */
  const settle = async () => {
    for (let turn = 0; turn < 24; turn++) await undefined
  }
  return {
    now: () => now,
    after(ms: number, run: () => void): () => void {
      if (ms === Infinity) return () => {}
      const event = { at: now + Math.max(0, ms), run }
      events.splice(indexFor(event.at), 0, event)
      return () => {
        event.run = () => {}
      }
    },
    async runUntil(end: number) {
      await settle()
      for (let event = events.at(-1); event && event.at <= end; event = events.at(-1)) {
        events.pop()
        now = event.at
        event.run()
        await settle()
      }
      now = end
    },
  }
}

export type Fleet = ReturnType<typeof createFleet>

/** Keeps `waiters` of each limiter in line all the time, and notes when each was admitted. */
export function load({ limiters, time }: Pick<Fleet, 'limiters' | 'time'>, waiters: number) {
  const used: number[] = []
  const admit = async (limiter: Fleet['limiters'][number]) => {
    for (;;) {
      await limiter.acquire(1)
      used.push(time.now())
    }
  }
  for (const limiter of limiters) for (let waiter = 0; waiter < waiters; waiter++) void admit(limiter)
  return used
}

/** A fleet of limiters with clocks of their own, before one simulated Redis, whose bucket is full. */
export function createFleet(limit: Limit, processes: number, seed: number, latency = FAST) {
  const random = randomNumbers(seed)
  const time = createTimeline()
  let state: object = { ...release4.emptyState(), at: 0, tokens: limit.burst }
  let serverSkew = (random() - 0.5) * 2 * HOUR + 2 * HOUR
  let goneUntil = 0
  let frozenUntil = 0
  let commands = 0
  let degraded = 0

  /** What real Redis does with a command, at the server's time. */
  const execute = (command: RedisCommand): unknown => {
    commands++
    const now = time.now() + serverSkew
    const isOld = command[1] === release4.SCRIPT_SHA
    const input = inputOf(command, isOld ? release4.ARGUMENTS : ARGUMENTS)
    const reply: ScriptReply & { place?: number } = (isOld ? release4.runModel : runModel)(state, now, input)
    return [reply.granted, reply.wait, reply.tokens, reply.again, reply.place]
  }
  const send = (command: RedisCommand): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const run = () => {
        // What stands still executes what was sent meanwhile, in that order.
        if (time.now() < frozenUntil) return time.after(frozenUntil - time.now(), run)
        const reply = execute(command)
        time.after(latency(random), () => resolve(reply))
      }
      time.after(latency(random), () => {
        if (time.now() < goneUntil) time.after(1, () => reject(new Error('ECONNREFUSED')))
        else run()
      })
    })
  /** A process that was never in touch with Redis, of this release or of 4.0.0. One that has died neither sends nor receives. */
  const start = (isDead = () => false, { plan = limit, create = createSharedLimiter } = {}) => {
    const skew = (random() - 0.5) * 2 * HOUR
    // A crystal is off by up to 100 in a million.
    const speed = 1 + (random() - 0.5) * 2e-4
    const clock = {
      now: () => skew + time.now() * speed,
      after: (ms: number, then: () => void) => time.after(ms / speed + 1e-3, then),
    }
    const onDegraded = (is: boolean) => {
      degraded += is ? 1 : -1
    }
    const silence = new Promise(() => {})
    const sendAlive = (command: RedisCommand) =>
      isDead() ? silence : send(command).then((reply) => (isDead() ? silence : reply))
    const settings = { send: sendAlive, key: 'wf:limit:{sim}', limit: plan, processes, timeout: 250, onDegraded }
    return create(settings, clock)
  }
  return {
    limiters: Array.from({ length: processes }, () => start()),
    start,
    time,
    random,
    commands: () => commands,
    /** How many processes cannot use Redis. */
    degraded: () => degraded,
    /** Redis refuses connections for so long; it keeps its data. */
    refuse: (ms: number) => {
      goneUntil = time.now() + ms
    },
    /** Redis stands still for so long. */
    freeze: (ms: number) => {
      frozenUntil = time.now() + ms
    },
    /** The hash is gone: Redis starts without its data, is flushed, or evicts the key. */
    loseData: () => {
      state = { ...release4.emptyState(), at: undefined }
    },
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
