import { plans } from '../../../../generated/contract.js'
import type { PlanName } from '../../../../src/shared/limit.js'
import { reply } from '../changes.js'
import { PRO } from '../plain.js'
import type { Behaviours, Change } from '../types.js'
import type { Rows } from './resources.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const RATE = PRO.rate
/** A limit whose state after a request is `next`, or undefined when the request is over the limit. */
const measured =
  <State>(first: State, next: (state: State, now: number) => State | undefined): Change =>
  (base) => {
    const states = new Map<string, State>()
    return {
      take(c) {
        const state = states.get(base.bucket(c)) ?? first
        let wait = 0
        while (next(state, c.now + wait * SECOND) === undefined) wait++
        if (wait === 0) states.set(base.bucket(c), next(state, c.now)!)
        return wait
      },
    }
  }
/** Requests by time, of which so many may be in a window. */
const counted = (count: number, used: (times: number[], now: number) => number): Change =>
  measured<number[]>([], (times, now) => (used(times, now) < count ? [...times.slice(-count * 2), now] : undefined))
const since = (times: number[], start: number) => times.filter((at) => at >= start).length
const fixed = (window: number, count: number) => counted(count, (times, now) => since(times, now - (now % window)))
const sliding = (window: number, count: number) => counted(count, (times, now) => since(times, now - window + 1))
/** The previous window counts in proportion to what is left of it. */
const weighted = (window: number, count: number): Change =>
  counted(count, (times, now) => {
    const start = now - (now % window)
    const current = since(times, start)
    return current + (since(times, start - window) - current) * (1 - (now - start) / window)
  })
/** A leaky bucket: requests drain evenly, and so many fit into it. */
const leaky = (every: number, capacity: number): Change =>
  measured(0, (due, now) => (due - now > every * (capacity - 1) ? undefined : Math.max(due, now) + every))
/** A bucket that is filled in steps. */
const stepwise = (every: number, amount: number, capacity: number): Change =>
  measured({ tokens: capacity, step: 0 }, ({ tokens, step: last }, now) => {
    const step = Math.floor(now / every)
    const filled = Math.min(capacity, tokens + (step - last) * amount)
    return filled >= 1 ? { tokens: filled - 1, step } : undefined
  })
const plan =
  (rate: number, burst: number): Change =>
  () => ({
    plan: () => ({ rate, burst }),
    sold: () => (Object.keys(plans) as PlanName[]).find((id) => Object(plans[id]).requestsPerMinute === rate),
  })
const waits =
  (longer: (wait: number) => number): Change =>
  (base) => ({
    limited: (c, wait) => base.limited(c, longer(wait)),
  })
const message =
  (form: (rate: number) => string): Change =>
  (base) => ({
    limited: (c, wait) => {
      const was = base.limited(c, wait)
      return { ...was, body: { ...(was.body as object), message: form(base.plan(c).rate) } }
    },
  })
/** Fails at so many in a hundred reads, which count all the same. */
const failing = (percent: number, status: number): Change =>
  reply(
    (c) => c.request.method === 'GET' && (Math.imul(c.count, 2_654_435_761) >>> 0) % 100 < percent,
    (was) => (was.status < 300 ? { status, body: { error: 'internal_error', message: 'It failed once.' } } : was),
  )
/** Another client of the first workspace that sends a part of what the plan allows, evenly or once in ten seconds. */
const others =
  (part: number, every = 0): Change =>
  (base) => {
    let sent = 0
    return {
      take(c) {
        const { rate, burst } = base.plan(c)
        const elapsed = every ? Math.floor((c.now - c.world.created) / every) * every : c.now - c.world.created
        const name = c.principal.workspace.id
        const due = Math.floor((elapsed / MINUTE) * rate * part)
        const state = c.world.buckets.get(name) ?? { tokens: burst, at: c.world.created }
        if (name === 'ws_acme') c.world.buckets.set(name, spend(state, due - sent, { rate, burst, now: c.now }))
        if (name === 'ws_acme') sent = due
        return base.take(c)
      },
    }
  }
function spend(
  state: { tokens: number; at: number },
  count: number,
  { rate, burst, now }: ReturnType<Behaviours['plan']> & { now: number },
) {
  const filled = state.tokens + ((now - state.at) / MINUTE) * rate
  return { tokens: Math.min(burst, Math.max(0, filled - count)), at: now }
}
const begin =
  (tokens: number): Change =>
  () => ({
    setUp: ({ buckets, created }) => buckets.set('ws_acme', { tokens, at: created }),
  })

// biome-ignore format: a row is a line
export const limits: Record<string, Rows> = {
  'measure of the burst': [
    ['fixed windows of two minutes', fixed(2 * MINUTE, 2 * RATE)],
    ['fixed windows of a minute', fixed(MINUTE, RATE)],
    ['a sliding window of two minutes', sliding(2 * MINUTE, 2 * RATE)],
    ['a sliding window of a minute', sliding(MINUTE, RATE)],
    ['weighted windows of two minutes', weighted(2 * MINUTE, 2 * RATE)],
    ['weighted windows of a minute', weighted(MINUTE, RATE)],
    ['a leaky bucket of the burst', leaky(MINUTE / RATE, PRO.burst)],
    ['a leaky bucket of half the burst', leaky(MINUTE / RATE, PRO.burst / 2)],
    ['a bucket filled every second', stepwise(MINUTE / RATE, 1, PRO.burst)],
    ['a bucket filled every ten seconds', stepwise((10 * MINUTE) / RATE, 10, PRO.burst)],
    ['a bucket filled every minute', stepwise(MINUTE, RATE, PRO.burst)],
    ['a larger burst', plan(RATE, PRO.burst + RATE)],
    ['a bucket that is empty at first', begin(0)],
    ['a bucket that is half full at first', begin(PRO.burst / 2)],
  ],
  'requests that are counted': [
    ['triggers of an unknown playbook, which start no run', (base) => ({ counted: (c) => base.counted(c) || (c.operation === 'triggerRun' && !base.findPlaybook(c)) })],
    ['triggers with a wrong body', (base) => ({ counted: (c) => base.counted(c) || (c.operation === 'triggerRun' && base.wrongBody(c) !== undefined) })],
  ],
  'limits of other plans': [
    ['300 a minute', plan(300, 600)],
    ['1,000 a minute', plan(1000, 2000)],
    ['90 a minute', plan(90, 180)],
    ['60,000 a minute', plan(60_000, 60_000)],
    ['300 a minute, and the other workspace 60', (base) => ({ ...plan(300, 600)(base), plan: (c) => (c.principal.workspace.id === 'ws_acme' ? { rate: 300, burst: 600 } : base.plan(c)) })],
    ['300 a minute in fixed windows', (base) => ({ ...plan(300, 600)(base), ...fixed(2 * MINUTE, 600)(base) })],
  ],
  'waits after a 429': [
    ['one second more than needed', waits((wait) => wait + 1)],
    ['at least five seconds', waits((wait) => Math.max(5, wait))],
    ['always half a minute', waits(() => 30)],
    ['a random second more', (base) => ({ limited: (c, wait) => base.limited(c, wait + (c.count % 3)) })],
  ],
  'message of a 429': [
    ['requests/minute', message((rate) => `Limit exceeded: ${rate} requests/minute`)],
    ['requests per minute in a sentence', message((rate) => `You may send ${rate} requests per minute. Please wait.`)],
    ['with the burst', message((rate) => `Allowed are ${rate} requests per minute with a burst of ${2 * rate}.`)],
    ['with a wait in words', message((rate) => `${rate} requests per minute exceeded. Wait a second and try again.`)],
    ['with the number behind it', message((rate) => `Rate limit exceeded (requests per minute: ${rate})`)],
    ['RPM', message((rate) => `RPM limit: ${rate}`)],
    ['in words', message(() => 'More than sixty requests per minute were sent.')],
    ['in German', message((rate) => `Mehr als ${rate} Anfragen pro Minute.`)],
  ],
  'other traffic': [
    ['with a 500 to eight in a hundred reads', failing(8, 500)],
    ['with a 504 to three in a hundred reads', failing(3, 504)],
    ...[0.3, 0.45, 0.6, 0.75, 0.9].map((part): Rows[number] => [`at ${part * 100} % of the rate`, others(part)]),
    ['at 50 % of the rate, every ten seconds', others(0.5, 10 * SECOND)],
    ['at 80 % of the rate, every half minute', others(0.8, 30 * SECOND)],
    ['at 30 % of a plan with 300', (base) => ({ ...plan(300, 600)(base), ...others(0.3)({ ...base, ...plan(300, 600)(base) }) })],
  ],
}
