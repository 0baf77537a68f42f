import { always, reply, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, type Staged, staged } from '../faults.js'
import { at } from '../situations.js'
import type { Change, Context, Json, Operation, Reply } from '../types.js'

const RATE = 'The plan Pro allows 60 requests per minute, with a burst of 120; a request over the limit fails with 429.'
const WORKSPACE = 'The limit is counted per workspace, not per key and not per client.'
const TRIGGERS = 'A trigger counts against the run quota, not against the request rate.'
const BODY = 'A 429 has error rate_limit_exceeded, message with the limit per minute, and retry_after in whole seconds.'
const HEADER = 'A 429 has the header Retry-After with the value of retry_after, in seconds.'
const WAIT = 'After the seconds of Retry-After a request may be sent again.'

/** How many of so many requests succeed at once. */
async function passed(
  d: Driver,
  operation: Operation,
  count: number,
  ask: (index: number) => Partial<Ask> = () => ({}),
) {
  let passes = 0
  for (let index = 0; index < count; index++) if ((await d.send(operation, ask(index))).status < 300) passes++
  return passes
}
const empty = (d: Driver, more: Partial<Ask> = {}) => passed(d, 'listProviders', 121, () => more)
/** How many requests succeed in the minute after the burst. */
const perMinute = async (d: Driver) => {
  await empty(d)
  d.advance(60_000)
  return passed(d, 'listProviders', 125)
}
/** What such a request gets when the limit is reached. */
const atLimit =
  (operation: Operation, more: Partial<Ask> = {}) =>
  async (d: Driver) => {
    const id = operation === 'getRun' ? { id: await d.trigger() } : {}
    await empty(d)
    return d.send(operation, { ...id, ...more })
  }
const PINNED = { headers: { 'service-version': '2026-11-21' } }
const pinnedAtLimit = atLimit('listProviders', PINNED)
const readerAtLimit = async (d: Driver) => atLimit('listProviders', { key: d.service.keys.readOnly })(d)
const otherAtLimit = async (d: Driver) => atLimit('listProviders', { key: d.service.keys.other })(d)
const runAtLimit = atLimit('getRun')
const page2AtLimit = atLimit('listPlaybooks', { query: { page: '2' } })
/** How many requests pass that differ in something. */
const varied =
  (ask: (index: number, d: Driver) => Partial<Ask>, operation: Operation = 'listProviders') =>
  (d: Driver) =>
    passed(d, operation, 135, (index) => ask(index, d))
const plan =
  (rate: number, burst = 120): Change =>
  () => ({ plan: () => ({ rate, burst }) })
/** The message states the rate of the plan, whatever is counted. */
const unlimited =
  (when: When): Change =>
  (base) => ({ counted: (c) => !when(c) && base.counted(c) })
const bucket =
  (of: (c: Context) => unknown): Change =>
  (base) => ({ bucket: (c) => `${base.bucket(c)} ${of(c)}` })
/** Whoever uses up the limit of the first workspace closes the service for the others. */
const othersRefused = (status: number): Change =>
  reply(
    (c) => c.principal?.workspace.id === 'ws_bolt' && leftOf(c, 'ws_acme') < 1,
    (was) => (was.status < 300 ? { status, body: { error: 'busy', message: 'Not now.' } } : was),
  )
function leftOf(c: Context, workspace: string): number {
  const { rate, burst } = c.does.plan(c)
  const { tokens, at: then } = c.world.buckets.get(workspace) ?? { tokens: burst, at: c.now }
  return tokens + ((c.now - then) / 60_000) * rate
}
const header = (c: Context, name: string) => c.request.headers.get(name)

// biome-ignore format: a row is a line
const counted: Broken[] = [
  ...staged('limits', RATE, [
    ...[30, 45, 54, 66, 75, 90, 119].map((rate): Staged => [`${rate} requests a minute pass`, plan(rate), perMinute]),
    ['no limit at all', unlimited(always), perMinute],
    ...(['getCurrentWorkspace', 'listPlaybooks', 'listProviders', 'getRun'] as const).map(
      (operation): Staged => [`${operation} is not limited`, unlimited((c) => c.operation === operation), atLimit(operation)],
    ),
    ['second pages are not limited', unlimited(at('any page2').when), page2AtLimit],
    ['requests with a query are not limited', unlimited(at('any query').when), atLimit('listPlaybooks', { query: { page: '1' } })],
    ['pinned requests are not limited', unlimited(at('any pinned').when), pinnedAtLimit],
    ['the rate rises after a minute', (base) => ({ plan: (c) => (later(c) ? { rate: 120, burst: 120 } : base.plan(c)) }), perMinute],
  ]),
  ...staged('limits', WORKSPACE, [
    ['each key has a limit', bucket((c) => c.principal.key), atLimit('listProviders', { key: 'wfk_90be47f3a1c85d62' })],
    ['the read-only key is not limited', unlimited(({ principal }) => principal?.readOnly), readerAtLimit],
    ['another workspace gets 403 at the limit of the first', othersRefused(403), otherAtLimit],
    ['another workspace gets 503 at the limit of the first', othersRefused(503), otherAtLimit],
    ['each User-Agent has a limit', bucket((c) => header(c, 'user-agent')), agents('user-agent')],
    ['each X-Forwarded-For has a limit', bucket((c) => header(c, 'x-forwarded-for')), agents('x-forwarded-for')],
    ['each X-Real-IP has a limit', bucket((c) => header(c, 'x-real-ip')), agents('x-real-ip')],
    ['each spelling of the header has a limit', bucket((c) => header(c, 'authorization')), varied(spelled)],
    ['each release has a limit', bucket((c) => header(c, 'service-version')), varied(releases)],
    ['each query has a limit', bucket((c) => c.url.search), varied((index) => ({ query: { per_page: String((index % 5) + 1) } }))],
    ['each operation has a limit', bucket((c) => c.operation), atLimit('listPlaybooks')],
    ['each run has a limit', bucket((c) => c.path[0] === 'runs' && c.id), runAtLimit],
    ['each type of response has a limit', bucket((c) => header(c, 'accept')), agents('accept')],
    ['all workspaces have one limit', () => ({ bucket: () => 'all' }), otherAtLimit],
  ]),
  ...staged('limits', TRIGGERS, [
    ['a trigger takes a request of the rate', () => ({ counted: () => true }), triggers(40)],
    ['a trigger takes ten requests of the rate', tenfold(), triggers(5)],
    ['triggers are refused at the limit', refused(() => true), atLimit('triggerRun')],
    ['pinned triggers are refused at the limit', refused(at('trigger pinned').when), atLimit('triggerRun', PINNED)],
    ['triggers without inputs are refused at the limit', refused(at('trigger none').when), atLimit('triggerRun', { body: '{"inputs":{}}' })],
    ['the second trigger of a playbook takes a request', (base) => ({ counted: (c) => base.counted(c) || again(c) }), triggers(40)],
  ]),
]

/** Edits a 429 to such requests. */
const limited = (edit: (was: Json, reply: Reply) => Partial<Reply>, when: When = always): Change =>
  reply(when, (was) => (was.status === 429 ? { ...was, ...edit(was.body as Json, was) } : was))
const content = (edit: (was: Json) => unknown, when?: When) => limited((was) => ({ body: edit(was) }), when)
const retryAfter = (value: (seconds: number) => string | undefined, when?: When) =>
  limited((was) => {
    const text = value(was.retry_after as number)
    return { headers: text === undefined ? {} : { 'retry-after': text } }
  }, when)
const [pinned, paged, ofReader] = [at('any pinned').when, at('any page2').when, at('any reader').when]
const show = atLimit('listProviders')
const both = (seconds: number) =>
  limited((was) => ({ headers: { 'retry-after': `${seconds}` }, body: { ...was, retry_after: seconds } }))
const status = (code: number, when?: When) => limited(() => ({ status: code }), when)
/** A 429, and what a request gets after so many waits as it says. */
const afterWaits =
  (waits: number, hasty = 0) =>
  async (d: Driver) => {
    await empty(d)
    const all = []
    for (let index = 0; index <= waits; index++) {
      const seen = await d.send('listProviders')
      for (let more = 0; more < hasty; more++) await d.send('listProviders')
      d.advance(Number(seen.retryAfter ?? 1) * 1000)
      all.push(seen.status)
    }
    return all
  }
/** Refuses everything for so many ms after the limit was exceeded; each refusal may start that anew. */
const penalty =
  (ms: number, renewed: boolean): Change =>
  (base) => {
    let until = 0
    return {
      take(c) {
        if (c.now < until) {
          if (renewed) until = c.now + ms
          return 1
        }
        const wait = base.take(c)
        if (wait > 0) until = c.now + ms
        return wait
      },
    }
  }

// biome-ignore format: a row is a line
const refusals: Broken[] = [
  ...staged('limits', RATE, [
    ['the limit is reported with 200', status(200), show],
    ['the limit of runs is reported with 200', status(200, at('run').when), runAtLimit],
    ['the limit is reported with 503', status(503), show],
    ['the limit is reported with 403 when pinned', status(403, pinned), pinnedAtLimit],
    ['the limit is reported with 400', status(400), show],
    ['the limit of second pages is reported with 500', status(500, paged), page2AtLimit],
    ['the limit of the read-only key is reported with 403', status(403, ofReader), readerAtLimit],
  ]),
  ...staged('limits', BODY, [
    ['a 429 has no body', limited(() => ({ text: '' })), show],
    ['a 429 is HTML', limited(() => ({ text: '<h1>Slow down</h1>', headers: { 'retry-after': '1', 'content-type': 'text/html' } })), show],
    ['a 429 has another error', content((was) => ({ ...was, error: 'too_many_requests' })), show],
    ['a 429 of pinned requests has no error', content(({ error: _, ...was }) => was, pinned), pinnedAtLimit],
    ['a 429 has no message', content(({ message: _, ...was }) => was), show],
    ['a 429 has a message without a number of requests', content((was) => ({ ...was, message: 'Slow down.' })), show],
    ['a 429 states the limit per second', content((was) => ({ ...was, message: 'The limit is 1 request per second.' })), show],
    ['a 429 states the limit per hour', content((was) => ({ ...was, message: '3600 requests per hour.' })), show],
    ['a 429 of runs has no message', content(({ message: _, ...was }) => was, at('run').when), runAtLimit],
    ['retry_after is a text', content((was) => ({ ...was, retry_after: String(was.retry_after) })), show],
    ['retry_after is a fraction', content((was) => ({ ...was, retry_after: 0.7 })), show],
    ['retry_after is left out', content(({ retry_after: _, ...was }) => was), show],
    ['retry_after is null for pinned requests', content((was) => ({ ...was, retry_after: null }), pinned), pinnedAtLimit],
    ['retry_after is inside error', content((was) => ({ error: was })), show],
    ['a 429 is a list', content((was) => [was]), show],
  ]),
  ...staged('limits', HEADER, [
    ['a 429 has no Retry-After', retryAfter(() => undefined), show],
    ['a 429 of pinned requests has no Retry-After', retryAfter(() => undefined, pinned), pinnedAtLimit],
    ['a 429 of runs has no Retry-After', retryAfter(() => undefined, at('run').when), runAtLimit],
    ['Retry-After is a date', retryAfter(() => 'Sun, 22 Nov 2026 10:01:00 GMT'), show],
    ['Retry-After is in ms', retryAfter((seconds) => String(seconds * 1000)), show],
    ['Retry-After is one more than retry_after', retryAfter((seconds) => String(seconds + 1)), show],
    ['Retry-After has a unit', retryAfter((seconds) => `${seconds}s`), show],
    ['Retry-After is a fraction', retryAfter(() => '0.5'), show],
    ['Retry-After is 60 and retry_after is not', retryAfter(() => '60'), show],
  ]),
  ...staged('limits', WAIT, [
    ['a wait of 0 seconds is too short', both(0), afterWaits(2)],
    ['a wait of 1 second is too short, for 10 seconds', penalty(10_000, false), afterWaits(5)],
    ['a wait of 1 second is too short, for 3 seconds', penalty(3_000, false), afterWaits(3)],
    ['a wait of 1 second is too short, for a minute', penalty(60_000, false), afterWaits(5)],
    ['every refusal starts a wait of 5 seconds', penalty(5_000, true), afterWaits(8)],
    ['every refusal takes from the rate', debt(), afterWaits(4, 20)],
    ['the wait is negative', both(-1), show],
  ]),
]

export const limits: Broken[] = [...counted, ...refusals]

function later(c: Context): boolean {
  return c.now - c.world.created >= 60_000
}
function again(c: Context): boolean {
  return c.principal.workspace.runs.some((run) => run.playbook.id === c.id)
}
function agents(name: string) {
  return varied((index) => ({ headers: { [name]: `client/${index % 3}` } }))
}
function spelled(index: number, d: Driver): Partial<Ask> {
  return { key: undefined, headers: { authorization: `${index % 2 ? 'bearer' : 'Bearer'} ${d.service.keys.valid}` } }
}
function releases(index: number): Partial<Ask> {
  return index % 2 ? { headers: { 'service-version': '2026-11-21' } } : {}
}
/** Triggers so many runs and then reads as much as the burst allows. */
function triggers(count: number) {
  return async (d: Driver) => {
    for (let index = 0; index < count; index++) await d.send('triggerRun')
    return passed(d, 'listProviders', 125)
  }
}
function tenfold(): Change {
  return (base) => ({
    counted: () => true,
    take(c) {
      for (let index = 0; c.operation === 'triggerRun' && index < 9; index++) base.take(c)
      return base.take(c)
    },
  })
}
/** Refuses such triggers at the limit, without counting them. */
function refused(when: When): Change {
  return (base) => ({
    counted: (c) => base.counted(c) || when(c),
    take(c) {
      const before = c.world.buckets.get(c.does.bucket(c))
      const wait = base.take(c)
      if (c.operation === 'triggerRun' && before) c.world.buckets.set(c.does.bucket(c), before)
      return wait
    },
  })
}
function debt(): Change {
  return (base) => ({
    take(c) {
      const wait = base.take(c)
      const state = c.world.buckets.get(c.does.bucket(c))
      if (wait > 0 && state) state.tokens -= 1
      return wait > 0 ? 1 : 0
    },
  })
}
