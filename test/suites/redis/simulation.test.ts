import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as release4 from './release-4.0.0.mjs'
import { createFleet, excess, FAST, type Fleet, load } from './simulation.js'

/** One message in ten is slow: some arrive within the timeout of 250 ms, some after it. */
const SLOW = (random: () => number) => (random() < 0.1 ? 100 + random() * 400 : 1 + random() * 5)
/** All arrive in time. */
const PARTLY_SLOW = (random: () => number) => (random() < 0.1 ? 20 + random() * 100 : 1 + random() * 10)

const PRO = { requestsPerMinute: 60, burst: 120 }
const MIDDLE = { requestsPerMinute: 600, burst: 60 }
const ARRANGED = { requestsPerMinute: 1_200, burst: 120 }
const SMALL_BURST = { requestsPerMinute: 6_000, burst: 20 }
const NO_BURST = { requestsPerMinute: 600, burst: 1 }

/** What may be used in so many ms. */
const allowed = ({ requestsPerMinute, burst }: typeof PRO, ms: number) => burst + (requestsPerMinute * ms) / 60_000
const countWithin = (used: number[], from: number, to: number) => used.filter((at) => at >= from && at < to).length

it.each([
  ['1,000 processes, an arranged limit, slow messages', 1_000, ARRANGED, SLOW, 60_000, 3.5, 0.95],
  ['8 processes, slow messages', 8, ARRANGED, SLOW, 60_000, 2, 0.95],
  ['8 processes on the smallest plan, slow messages', 8, PRO, SLOW, 240_000, 2, 0.95],
  ['32 processes, fast messages', 32, ARRANGED, FAST, 60_000, 1.1, 0.95],
  ['8 processes with a small burst, fast messages', 8, SMALL_BURST, FAST, 20_000, 1.1, 0.95],
  ['one process', 1, ARRANGED, FAST, 60_000, 1, 0.95],
  // Nothing makes up for a message that was late: the next process finds less than a token.
  ['8 processes without a burst, fast messages', 8, NO_BURST, FAST, 60_000, 2, 0.6],
] as const)(
  'a simulated fleet of %s stays within the limit and uses it, with few commands for each request',
  async (_, processes, limit, latency, length, commandsEach, least) => {
    const fleet = createFleet(limit, processes, 16, latency)
    const used = load(fleet, 3)
    await fleet.time.runUntil(length)
    // Without a burst, a request is early by at most the latency of a message.
    expect(excess(used, limit)).toBeLessThanOrEqual(limit === NO_BURST ? 0.06 : 0)
    expect(used.length / allowed(limit, length)).toBeGreaterThanOrEqual(least)
    expect(fleet.commands() / used.length).toBeLessThanOrEqual(commandsEach)
  },
)

it.each([
  ['is gone', 'refuse', ARRANGED],
  ['stands still', 'freeze', MIDDLE],
] as const)(
  'a simulated fleet stays within the limit while Redis %s for 22 s and when it returns',
  async (_, outage, limit) => {
    const fleet = createFleet(limit, 8, 1)
    const used = load(fleet, 3)
    fleet.time.after(20_000, () => fleet[outage](22_000))
    await fleet.time.runUntil(43_000)
    // Back within a second.
    expect(fleet.degraded()).toBe(0)
    await fleet.time.runUntil(80_000)
    expect(excess(used, limit)).toBeLessThanOrEqual(0)
    const perSecond = limit.requestsPerMinute / 60
    expect(countWithin(used, 21_000, 42_000)).toBeGreaterThanOrEqual(0.95 * 21 * perSecond)
    // Within two seconds, one of them for what was used twice, it is as before.
    expect(countWithin(used, 44_000, 80_000)).toBeGreaterThanOrEqual(0.95 * 36 * perSecond)
  },
)

it('a simulated fleet stays within the limit when processes die and waiters are aborted', async () => {
  const { limiters, time, random } = createFleet(ARRANGED, 50, 1, SLOW)
  const used: number[] = []
  const admit = async ({ acquire }: Fleet['limiters'][number], dies: number) => {
    while (time.now() < dies) {
      const controller = new AbortController()
      if (random() < 0.5) time.after(random() * 2_000, () => controller.abort())
      await acquire(1, { signal: controller.signal }).then(
        () => used.push(time.now()),
        () => {},
      )
      if (random() < 0.2) await new Promise<void>((resolve) => time.after(random() * 500, resolve))
    }
  }
  for (const limiter of limiters) {
    const dies = random() < 0.5 ? random() * 60_000 : Infinity
    for (let waiter = 0; waiter < 3; waiter++) void admit(limiter, dies)
  }
  await time.runUntil(60_000)
  expect(excess(used, ARRANGED)).toBeLessThanOrEqual(0)
  expect(used.length / allowed(ARRANGED, 60_000)).toBeGreaterThanOrEqual(0.95)
})

it.each<[string, (fleet: Fleet) => void]>([
  ['loses its data', (fleet) => fleet.loseData()],
  ['is an hour later after a failover', (fleet) => fleet.jump(3_600_000)],
  ['is an hour earlier after a failover', (fleet) => fleet.jump(-3_600_000)],
])('a simulated fleet is granted no second burst when Redis %s', async (_, mishap) => {
  const fleet = createFleet(ARRANGED, 8, 3)
  const used = load(fleet, 3)
  fleet.time.after(20_000, () => mishap(fleet))
  await fleet.time.runUntil(60_000)
  // What refills within a second may be granted twice; part of it is left out of the burst anyway.
  expect(excess(used, ARRANGED)).toBeLessThanOrEqual(20 - 10)
  expect(used.length / allowed(ARRANGED, 60_000)).toBeGreaterThanOrEqual(0.95)
})

it('a simulated fleet sends nothing while one process is penalized', async () => {
  const fleet = createFleet(ARRANGED, 100, 5)
  const used = load(fleet, 3)
  fleet.time.after(10_000, () => fleet.limiters[7]!.penalize(5_000))
  await fleet.time.runUntil(30_000)
  // A message to Redis, and a grant that was on its way back.
  expect(countWithin(used, 10_012, 15_000)).toBe(0)
  const after = used.filter((at) => at > 15_000)
  expect(after.length).toBeGreaterThanOrEqual(0.95 * 15 * 20)
  expect(excess(after, { ...ARRANGED, burst: 1.5 })).toBeLessThanOrEqual(0)
})

it.each([
  [32, 0, FAST],
  [32, 600, FAST],
  [8, 300, FAST],
  [32, 0, PARTLY_SLOW],
  [32, 600, PARTLY_SLOW],
  [8, 300, PARTLY_SLOW],
])(
  '%d simulated processes with the same work, started within %d ms, finish at about the same time (%#)',
  async (processes, ms, latency) => {
    for (let seed = 1; seed <= 4; seed++) {
      const { limiters, time, random, commands } = createFleet(ARRANGED, processes, seed, latency)
      const perCall: number[] = []
      const used: number[] = []
      for (const [index, limiter] of limiters.entries()) {
        const calls = Math.floor(400 / processes) + (index % 2)
        const call = () => limiter.acquire(1).then(() => used.push(time.now()))
        time.after(random() * ms, () => {
          void Promise.all(Array.from({ length: calls }, call)).then(() => perCall.push(time.now() / calls))
        })
      }
      await time.runUntil(20_000)
      expect(perCall.length).toBe(processes)
      expect(Math.max(...perCall) / Math.min(...perCall)).toBeLessThanOrEqual(1.6)
      expect(excess(used, ARRANGED)).toBeLessThanOrEqual(0)
      expect(commands() / used.length).toBeLessThanOrEqual(1.2)
    }
  },
)

it('a simulated process that is alone gets the whole burst within a second, and is not delayed for long when others start', async () => {
  const { limiters, time } = createFleet(ARRANGED, 16, 4)
  const used = load({ limiters: limiters.slice(0, 1), time }, 200)
  await time.runUntil(1_000)
  expect(used.length).toBeGreaterThanOrEqual(110)
  await time.runUntil(1_200)
  load({ limiters: limiters.slice(1), time }, 20)
  await time.runUntil(10_000)
  const round = (16 / 20) * 1_000
  const waits = used.map((at, index) => at - (used[index - 1] ?? 0))
  expect(Math.max(...waits)).toBeLessThanOrEqual(4.5 * round)
})

it('a simulated limiter serves ordinary calls before polls, but a queued poll after at most nine calls', async () => {
  const { limiters, time } = createFleet({ requestsPerMinute: 6_000, burst: 1 }, 1, 1)
  const order: string[] = []
  const acquire = (name: string, priority?: 'poll') =>
    void limiters[0]!.acquire(1, { priority }).then(() => order.push(name))
  acquire('first')
  await time.runUntil(20)
  for (let poll = 0; poll < 3; poll++) acquire('poll', 'poll')
  for (let call = 0; call < 20; call++) acquire('call')
  await time.runUntil(2_000)
  const nine = Array(9).fill('call')
  expect(order).toEqual(['first', ...nine, 'poll', ...nine, 'poll', 'call', 'call', 'poll'])
})

it.each([
  { requestsPerMinute: 300, burst: 600 },
  { requestsPerMinute: 600, burst: 1_200 },
  { requestsPerMinute: 90, burst: 180 },
])(
  'two simulated plans under one name, Pro and %j, each get at least 0.4 of their own rate, and one that is left has all of it',
  async (large) => {
    const { time, start } = createFleet(PRO, 2, 5)
    const hasLeft = () => time.now() >= 900_000
    const one = load({ limiters: [start(hasLeft)], time }, 20)
    const other = load({ limiters: [start(undefined, { plan: large })], time }, 20)
    await time.runUntil(1_200_000)
    // Once the burst is used up.
    const shares = [
      countWithin(one, 300_000, 900_000) / 10 / PRO.requestsPerMinute,
      countWithin(other, 300_000, 900_000) / 10 / large.requestsPerMinute,
    ]
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.4)
    // What both use together is the time that there is.
    expect(shares[0]! + shares[1]!).toBeLessThanOrEqual(1.01)
    expect(shares[0]! + shares[1]!).toBeGreaterThanOrEqual(0.9)
    expect(countWithin(other, 960_000, 1_200_000) / 4).toBeGreaterThanOrEqual(0.95 * large.requestsPerMinute)
  },
)

it.each([0, 0.25, 0.5, 1])(
  'in a rollout from 4.0.0, processes of both releases on one key keep the limit for an hour and each gets its part, %d of them old',
  async (old) => {
    const limit = { requestsPerMinute: 300, burst: 600 }
    const fleet = createFleet(limit, 8, 9)
    const { time } = fleet
    const start = (isOld: boolean, isDead?: () => boolean) => {
      const limiter = fleet.start(isDead, { create: isOld ? release4.createLimiter : undefined })
      return load({ limiters: [limiter], time }, 3)
    }
    // What they wrote a day ago stands in the hash.
    const hasEnded = () => time.now() >= 60_000
    for (let process = 0; process < 8; process++) start(true, hasEnded)
    await time.runUntil(60_000)
    fleet.jump(86_400_000)
    const used = Array.from({ length: 8 }, (_, index) => start(index < 8 * old))
    await time.runUntil(3_660_000)
    expect(excess(used.flat(), limit)).toBeLessThanOrEqual(0)
    expect(used.flat().length / 60).toBeGreaterThanOrEqual(0.95 * limit.requestsPerMinute)
    const least = Math.min(...used.map((each) => each.length / 60))
    expect(least).toBeGreaterThanOrEqual((0.5 * limit.requestsPerMinute) / 8)
  },
)

/** What may happen to a fleet: when, what, and for how long. */
const mishap = fc.tuple(
  fc.integer({ min: 0, max: 60_000 }),
  fc.constantFrom('freeze', 'refuse', 'lose', 'restart', 'jump back', 'start', 'load'),
  fc.integer({ min: 100, max: 22_000 }),
)

it('a simulated fleet never sends more than burst + rate × time, whatever happens to Redis and to its processes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(MIDDLE, PRO, ARRANGED, SMALL_BURST),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      fc.array(mishap, { maxLength: 12 }),
      async (limit, processes, seed, mishaps) => {
        // The fleet knows how many processes it will have: with too few of them, their shares may exceed the limit.
        const starts = mishaps.filter(([, kind]) => kind === 'start').length
        const fleet = createFleet(limit, processes + starts, seed)
        const { time, random, limiters, freeze, refuse, loseData, jump } = fleet
        const newcomers = limiters.splice(processes)
        const used: number[] = []
        const begin = ({ acquire }: (typeof limiters)[number], calls: number) => {
          for (let call = 0; call < calls; call++) void acquire(1).then(() => used.push(time.now()))
        }
        const happen = (kind: string, ms: number) => {
          if (kind === 'freeze') freeze(ms)
          if (kind === 'refuse' || kind === 'restart') refuse(ms)
          if (kind === 'lose' || kind === 'restart') loseData()
          if (kind === 'jump back') jump(-ms)
          if (kind === 'start') begin(newcomers.pop()!, 100)
          if (kind === 'load') for (const limiter of limiters) begin(limiter, Math.floor(ms / 200))
        }
        for (const limiter of limiters) begin(limiter, Math.floor(random() * 40))
        for (const [at, kind, length] of mishaps) time.after(at, () => happen(kind, length))
        await time.runUntil(90_000)
        // The margin is at most half of the burst: of a small burst, the rest of what refills in 2 × 250 ms may come on top.
        const uncovered = Math.max(0, limit.requestsPerMinute / 120 - limit.burst / 2)
        expect(excess(used, limit)).toBeLessThanOrEqual(uncovered)
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 80), seed: 27 },
  )
})
