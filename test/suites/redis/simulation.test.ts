import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as release4 from './release-4.0.0.mjs'
import { createFleet, excess, load } from './simulation.js'

const FAST = (random: () => number) => 1 + random() * 5
/** One message in ten is slow: some arrive within the timeout of 250 ms, some after it. */
const SLOW = (random: () => number) => (random() < 0.1 ? 100 + random() * 400 : 1 + random() * 5)
/** All arrive in time. */
const PARTLY_SLOW = (random: () => number) => (random() < 0.1 ? 20 + random() * 100 : 1 + random() * 10)

const PRO = { requestsPerMinute: 60, burst: 120 }
const ARRANGED = { requestsPerMinute: 1_200, burst: 120 }
const SMALL_BURST = { requestsPerMinute: 6_000, burst: 20 }

const allowed = ({ requestsPerMinute, burst }: typeof PRO, ms: number) => burst + (requestsPerMinute * ms) / 60_000

describe('a simulated fleet with skewed clocks', () => {
  it.each([
    ['1,000 processes, an arranged limit, slow messages', 1_000, ARRANGED, SLOW, 60_000, 3.5],
    ['8 processes, slow messages', 8, ARRANGED, SLOW, 60_000, 2],
    ['8 processes on the smallest plan, slow messages', 8, PRO, SLOW, 240_000, 2],
    ['32 processes, fast messages', 32, ARRANGED, FAST, 60_000, 1.1],
    ['8 processes with a small burst, fast messages', 8, SMALL_BURST, FAST, 20_000, 1.1],
    ['one process', 1, ARRANGED, FAST, 60_000, 1],
  ] as const)(
    'a simulated fleet of %s stays within the limit and uses 95 percent of it, with few commands for each request',
    async (_, processes, limit, latency, length, commandsEach) => {
      const fleet = createFleet({ limit, processes, seed: 16, latency })
      const used = load(fleet, 3)
      await fleet.time.runUntil(length)
      expect(excess(used, limit)).toBeLessThanOrEqual(0)
      expect(used.length / allowed(limit, length)).toBeGreaterThanOrEqual(0.95)
      expect(fleet.commands() / used.length).toBeLessThanOrEqual(commandsEach)
    },
  )

  it('a simulated fleet without a burst is early by at most the latency of a message', async () => {
    const limit = { requestsPerMinute: 600, burst: 1 }
    const fleet = createFleet({ limit, processes: 8, seed: 16, latency: FAST })
    const used = load(fleet, 3)
    await fleet.time.runUntil(60_000)
    expect(excess(used, limit)).toBeLessThanOrEqual(0.06)
    // Nothing makes up for a message that was late: the next process finds less than a token.
    expect(used.length / allowed(limit, 60_000)).toBeGreaterThanOrEqual(0.6)
  })

  it('a simulated fleet stays within the limit while Redis is gone and when it returns', async () => {
    const fleet = createFleet({ limit: ARRANGED, processes: 8, seed: 1, latency: FAST })
    const used = load(fleet, 3)
    fleet.time.after(20_000, () => fleet.refuse(20_000))
    await fleet.time.runUntil(41_000)
    // Back within a second.
    expect(fleet.degraded()).toBe(0)
    await fleet.time.runUntil(60_000)
    expect(excess(used, ARRANGED)).toBeLessThanOrEqual(0)
    const within = (from: number, to: number) => used.filter((at) => at >= from && at < to).length
    expect(within(21_000, 40_000)).toBeGreaterThanOrEqual(0.95 * 19 * 20)
    // Within two seconds, one of them for what was used twice, it is as before.
    expect(within(42_000, 60_000)).toBeGreaterThanOrEqual(0.95 * 18 * 20)
  })

  it('a simulated fleet stays within its limit when Redis stood still for 22 s', async () => {
    const limit = { requestsPerMinute: 600, burst: 60 }
    const fleet = createFleet({ limit, processes: 8, seed: 1, latency: FAST })
    const used = load(fleet, 3)
    fleet.time.after(20_000, () => fleet.freeze(22_000))
    await fleet.time.runUntil(80_000)
    expect(excess(used, limit)).toBeLessThanOrEqual(0)
    expect(used.filter((at) => at > 44_000).length).toBeGreaterThanOrEqual(0.95 * 36 * 10)
  })

  it('a simulated fleet stays within the limit when processes die and waiters are aborted', async () => {
    const fleet = createFleet({ limit: ARRANGED, processes: 50, seed: 1, latency: SLOW })
    const { limiters, time, random } = fleet
    const used: number[] = []
    const admit = async (limiter: (typeof limiters)[number], dies: number) => {
      while (time.now() < dies) {
        const controller = new AbortController()
        const cancel = random() < 0.5 ? time.after(random() * 2_000, () => controller.abort()) : () => {}
        const admitted = await limiter.acquire(1, { signal: controller.signal }).then(
          () => true,
          () => false,
        )
        cancel()
        if (admitted) used.push(time.now())
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

  it.each([
    ['loses its data', 'lost'],
    ['is an hour later after a failover', 3_600_000],
    ['is an hour earlier after a failover', -3_600_000],
  ] as const)('a simulated fleet is granted no second burst when Redis %s', async (_, mishap) => {
    const fleet = createFleet({ limit: ARRANGED, processes: 8, seed: 3, latency: FAST })
    const used = load(fleet, 3)
    await fleet.time.runUntil(20_000)
    if (mishap === 'lost') fleet.loseData()
    else fleet.jump(mishap)
    await fleet.time.runUntil(60_000)
    // What refills within a second may be granted twice; part of it is left out of the burst anyway.
    expect(excess(used, ARRANGED)).toBeLessThanOrEqual(20 - 10)
    expect(used.length / allowed(ARRANGED, 60_000)).toBeGreaterThanOrEqual(0.95)
  })

  it('a simulated fleet sends nothing while one process is penalized', async () => {
    const fleet = createFleet({ limit: ARRANGED, processes: 100, seed: 5, latency: FAST })
    const used = load(fleet, 3)
    await fleet.time.runUntil(10_000)
    fleet.limiters[7]!.penalize(5_000)
    await fleet.time.runUntil(30_000)
    // A message to Redis, and a grant that was on its way back.
    expect(used.filter((at) => at > 10_012 && at < 15_000)).toEqual([])
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
        const { limiters, time, random, commands } = createFleet({ limit: ARRANGED, processes, seed, latency })
        const perCall: number[] = []
        const used: number[] = []
        for (const [index, limiter] of limiters.entries()) {
          const calls = Math.floor(400 / processes) + (index % 2)
          const call = () => limiter.acquire(1, {}).then(() => used.push(time.now()))
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

  it('a simulated process that is alone gets the whole burst within a second', async () => {
    const { limiters, time } = createFleet({ limit: ARRANGED, processes: 32, seed: 4, latency: FAST })
    const used = load({ limiters: limiters.slice(0, 1), time }, 120)
    await time.runUntil(1_000)
    expect(used.length).toBeGreaterThanOrEqual(110)
  })

  it('a simulated process that used the burst alone is not delayed for long when others start', async () => {
    const { limiters, time } = createFleet({ limit: ARRANGED, processes: 16, seed: 4, latency: FAST })
    const used = load({ limiters: limiters.slice(0, 1), time }, 200)
    await time.runUntil(1_200)
    load({ limiters: limiters.slice(1), time }, 20)
    await time.runUntil(10_000)
    const round = (16 / 20) * 1_000
    const waits = used.map((at, index) => at - (used[index - 1] ?? 0))
    expect(Math.max(...waits)).toBeLessThanOrEqual(4.5 * round)
  })
})

it('a simulated limiter serves ordinary calls before polls, but a queued poll after at most nine calls', async () => {
  const limit = { requestsPerMinute: 6_000, burst: 1 }
  const { limiters, time } = createFleet({ limit, processes: 1, seed: 1, latency: FAST })
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

it('a simulated poll that calls overtake rejects when its timeout is over', async () => {
  const limit = { requestsPerMinute: 600, burst: 1 }
  const { limiters, time } = createFleet({ limit, processes: 1, seed: 1, latency: FAST })
  const limiter = limiters[0]!
  void limiter.acquire(1)
  await time.runUntil(200)
  let rejectedAt = 0
  limiter.acquire(1, { priority: 'poll', timeout: 450 }).catch(({ name }) => {
    expect(name).toBe('TimeoutError')
    rejectedAt = time.now()
  })
  for (let call = 0; call < 9; call++) void limiter.acquire(1)
  await time.runUntil(2_000)
  expect(rejectedAt).toBeGreaterThan(200)
  expect(rejectedAt).toBeLessThanOrEqual(651)
})

it('a simulated limiter sends one command for a whole burst, and one for each queued request', async () => {
  const limit = { requestsPerMinute: 1_200, burst: 30 }
  const { limiters, time, commands } = createFleet({ limit, processes: 1, seed: 1, latency: FAST })
  const used = load({ limiters, time }, 40)
  await time.runUntil(20)
  // What refills in half a second is left out of the burst.
  expect([used.length, commands()]).toEqual([20, 1])
  await time.runUntil(2_000)
  expect((commands() - 1) / (used.length - 20)).toBeLessThanOrEqual(1.2)
})

it('a slot that an aborted waiter had reserved goes to the next waiter', async () => {
  const limit = { requestsPerMinute: 120, burst: 1 }
  const { limiters, time, commands } = createFleet({ limit, processes: 1, seed: 1, latency: FAST })
  const limiter = limiters[0]!
  await Promise.all([limiter.acquire(1), time.runUntil(20)])
  const leaving = new AbortController()
  const left = limiter.acquire(1, { signal: leaving.signal }).catch((reason: unknown) => reason)
  await time.runUntil(100)
  leaving.abort('left')
  expect(await left).toBe('left')
  let admittedAt = 0
  void limiter.acquire(1).then(() => (admittedAt = time.now()))
  await time.runUntil(1_000)
  // The process keeps its turn for whoever calls next.
  expect([Math.round(admittedAt / 100), commands()]).toEqual([5, 3])
})

describe('two plans under one name, as in a rollout', () => {
  const SMALL = PRO
  const minutes = (limit: typeof PRO, used: number[], from: number, to: number) =>
    used.filter((at) => at >= from && at < to).length / ((to - from) / 60_000) / limit.requestsPerMinute

  it.each([
    { requestsPerMinute: 300, burst: 600 },
    { requestsPerMinute: 600, burst: 1_200 },
    { requestsPerMinute: 90, burst: 180 },
  ])('two simulated plans under one name, Pro and %j, each get at least 0.4 of their own rate', async (large) => {
    const fleet = createFleet({ limit: SMALL, processes: 2, seed: 5, latency: FAST })
    const { time } = fleet
    const one = load({ limiters: [fleet.start(() => false)], time }, 20)
    const other = load({ limiters: [fleet.start(() => false, { plan: large })], time }, 20)
    await time.runUntil(15 * 60_000)
    // Once the burst is used up.
    const shares = [minutes(SMALL, one, 300_000, 900_000), minutes(large, other, 300_000, 900_000)]
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.4)
    // What both use together is the time that there is.
    expect(shares[0]! + shares[1]!).toBeLessThanOrEqual(1.01)
    expect(shares[0]! + shares[1]!).toBeGreaterThanOrEqual(0.9)
  })

  it('the larger of two simulated plans has its whole rate when the smaller one has left', async () => {
    const fleet = createFleet({ limit: SMALL, processes: 2, seed: 5, latency: FAST })
    const { time } = fleet
    let hasLeft = false
    load({ limiters: [fleet.start(() => hasLeft)], time }, 20)
    time.after(300_000, () => {
      hasLeft = true
    })
    const large = { requestsPerMinute: 300, burst: 600 }
    const used = load({ limiters: [fleet.start(() => false, { plan: large })], time }, 20)
    await time.runUntil(10 * 60_000)
    expect(minutes(large, used, 360_000, 600_000)).toBeGreaterThanOrEqual(0.95)
  })
})

describe('a rollout from 4.0.0', () => {
  it.each([0, 0.25, 0.5, 1])(
    'processes of 4.0.0 and of this release on one key keep the limit for an hour and each gets its part, %d of them old',
    async (old) => {
      const limit = { requestsPerMinute: 300, burst: 600 }
      const fleet = createFleet({ limit, processes: 8, seed: 9, latency: FAST })
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
      expect(
        excess(
          used.flat().map((at) => at - 60_000),
          limit,
        ),
      ).toBeLessThanOrEqual(0)
      const rates = used.map((each) => each.length / 60)
      expect(rates.reduce((sum, rate) => sum + rate)).toBeGreaterThanOrEqual(0.95 * limit.requestsPerMinute)
      expect(Math.min(...rates)).toBeGreaterThanOrEqual((0.5 * limit.requestsPerMinute) / 8)
    },
  )
})

const LIMITS = [{ requestsPerMinute: 600, burst: 60 }, PRO, ARRANGED, SMALL_BURST]

/** What may happen to a fleet, each at its time in ms. */
const mishap = fc.record({
  at: fc.integer({ min: 0, max: 60_000 }),
  kind: fc.constantFrom('freeze', 'refuse', 'lose', 'restart', 'jump back', 'start', 'load', 'rest'),
  length: fc.integer({ min: 100, max: 22_000 }),
})

it('a simulated fleet never sends more than burst + rate × time, whatever happens to Redis and to its processes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LIMITS),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      fc.array(mishap, { maxLength: 12 }),
      async (limit, processes, seed, mishaps) => {
        const fleet = createFleet({ limit, processes, seed, latency: FAST })
        const { time, random, limiters } = fleet
        const used: number[] = []
        const begin = (limiter: (typeof limiters)[number], calls: number) => {
          for (let call = 0; call < calls; call++) void limiter.acquire(1, {}).then(() => used.push(time.now()))
        }
        const happens = {
          freeze: (ms: number) => fleet.freeze(ms),
          refuse: (ms: number) => fleet.refuse(ms),
          lose: () => fleet.loseData(),
          restart(ms: number) {
            fleet.refuse(ms)
            fleet.loseData()
          },
          'jump back': (ms: number) => fleet.jump(-ms),
          start: () => begin(fleet.start(), 100),
          load(ms: number) {
            for (const limiter of limiters) begin(limiter, Math.floor(ms / 200))
          },
          rest() {},
        }
        for (const limiter of limiters) begin(limiter, Math.floor(random() * 40))
        for (const { at, kind, length } of mishaps) time.after(at, () => happens[kind](length))
        await time.runUntil(90_000)
        // The margin is at most half of the burst: of a small burst, the rest of what refills in 2 × 250 ms may come on top.
        const uncovered = Math.max(0, limit.requestsPerMinute / 120 - limit.burst / 2)
        expect(excess(used, limit)).toBeLessThanOrEqual(uncovered)
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 80), seed: 27 },
  )
})
