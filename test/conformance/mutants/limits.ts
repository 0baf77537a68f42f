import type { Served } from '../service.js'
import { isRead, isTrigger, limit, limited, type Mutant, refuse, when } from './mutant.js'

const reached = { rateLimit: true } as const
const all = { rateLimit: true, trigger: 'succeeds' } as const

const of = (name: string, fails: string[], change: Mutant['change'], trial: Mutant['trial'] = reached): Mutant => ({
  name,
  fails,
  change,
  trial,
})
const assumed = (
  name: string,
  contradicts: string[],
  change: Mutant['change'],
  trial: Mutant['trial'] = reached,
): Mutant => ({ name, contradicts, change, trial })

/** Acts on what does not meet the limit, while the limit is reached. */
const whenReached = (which: (served: Served) => boolean, act: Mutant['change']): Mutant['change'] => {
  let over = false
  return (it, service) => {
    if (it.path === '/workspaces/me' && it.key === 'key_valid') over = it.status === 429
    return over && which(it) ? act(it, service) : undefined
  }
}

const says = (message: string) => limited(({ body }) => (body.message = message))
const waits = (seconds: number) =>
  limited(({ body, headers }) => {
    body.retry_after = seconds
    headers.set('retry-after', String(seconds))
  })

const inTurn =
  (...changes: Mutant['change'][]): Mutant['change'] =>
  async (it, service) => {
    for (const change of changes) await change(it, service)
  }

const arranged = says('Over 1,000 requests per minute.')
const ofArranged = { sandbox: { plan: { requestsPerMinute: 1_000, burst: 1_000 } } }

/** Takes requests of the limit for a trigger, from behind. */
const triggersTake =
  (count: number): Mutant['change'] =>
  async (it, { fetch, baseUrl, keys }) => {
    if (!isTrigger(it) || it.status !== 201) return
    for (let taken = 0; taken < count; taken++)
      await fetch(`${baseUrl}/workspaces/me`, { headers: { authorization: `Bearer ${keys.valid}` } })
  }

/** The rate limit, and what counts against it. */
export const limitMutants: Mutant[] = [
  of(
    'a 429 has no Retry-After',
    ['S32'],
    limited(({ headers }) => headers.delete('retry-after')),
  ),
  of(
    'Retry-After is not retry_after',
    ['S32'],
    limited(({ headers }) => headers.set('retry-after', '2')),
  ),
  of(
    'a 429 has no retry_after',
    ['S31'],
    limited(({ body }) => delete body.retry_after),
  ),
  of(
    'retry_after is a fraction',
    ['S31'],
    limited(({ body }) => (body.retry_after = 1.5)),
  ),
  of(
    'retry_after is negative',
    ['D07'],
    limited(({ body, headers }) => {
      body.retry_after = -1
      headers.set('retry-after', '-1')
    }),
  ),
  of('retry_after is in ms', ['S31'], waits(1_000)),
  assumed('retry_after is fifty times too long', ['A19'], waits(50)),
  of(
    'a 429 has another error',
    ['S29'],
    limited(({ body }) => (body.error = 'too_many_requests')),
  ),
  of('the message of a 429 states no limit', ['S30'], says('Slow down.')),
  of('the message of a 429 states the wait only', ['S30'], says('Retry in 3 s.')),
  of('the message of a 429 states requests per second', ['S30'], says('Over 2 requests per second.')),
  of(
    'a 429 has no message',
    ['S30'],
    limited(({ body }) => delete body.message),
  ),
  of(
    'a 429 is not JSON',
    ['S27'],
    limited((it) => (it.text = 'Too many requests')),
  ),
  of(
    'the limit gets 503',
    ['S27'],
    limited((it) => (it.status = 503)),
  ),
  of(
    'the limit breaks off with 500',
    ['S27'],
    limited((it) => refuse(it, 500)),
  ),
  of('the wait of a 429 is too short', ['S33'], waits(0)),
  of(
    'a 429 comes after every wait',
    ['S33'],
    when(
      (it) => it.number > 20 && isRead(it),
      (it) => limit(it),
    ),
    {},
  ),
  of(
    'a 429 comes after every wait at the limit',
    ['S33'],
    (() => {
      let over = false
      return (it: Served) => {
        over ||= it.status === 429
        if (over && it.path === '/workspaces/me' && it.key === 'key_valid') limit(it)
      }
    })(),
  ),
  of('the limit that is stated is below every plan', ['S34'], says('Over 10 requests per minute.')),
  of('the burst is four times as large', ['S34'], () => {}, {
    ...reached,
    sandbox: { plan: { requestsPerMinute: 60, burst: 480 } },
  }),
  of(
    'triggers count against the rate',
    ['S36'],
    whenReached(isTrigger, (it) => limit(it)),
    all,
  ),
  of('triggers take a request of the rate', ['S36'], triggersTake(1), all),
  of('triggers take five requests of a limit that was arranged', ['S36'], inTurn(arranged, triggersTake(5)), {
    ...all,
    ...ofArranged,
  }),
  of(
    'the providers do not count against the rate',
    ['D04'],
    whenReached(
      ({ path, status }) => path === '/providers' && status === 429,
      (it) => {
        Object.assign(it, { status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } })
        it.headers.delete('retry-after')
      },
    ),
  ),
  of(
    'each key has a limit of its own',
    ['S35'],
    whenReached(
      ({ key, status }) => key === 'key_read_only' && status === 429,
      (it) => {
        Object.assign(it, { status: 200, body: { id: 'ws_5RkP0d', name: 'Acme Operations' } })
        it.headers.delete('retry-after')
      },
    ),
  ),
  of(
    'all workspaces have one limit',
    ['S35'],
    whenReached(
      ({ key }) => key === 'key_other_workspace',
      (it) => limit(it),
    ),
  ),
  assumed('the number of the limit is written in words', ['A33'], says('Over sixty requests per minute.')),
  assumed('the burst is 90', ['A19'], () => {}, {
    ...reached,
    sandbox: { plan: { requestsPerMinute: 60, burst: 90 } },
  }),
  assumed('the limit refills 90 a minute instead of 60', ['A19'], says('Over 60 requests per minute.'), {
    ...reached,
    sandbox: { plan: { requestsPerMinute: 90, burst: 120 } },
  }),
  assumed('the limit refills ten times as fast', ['A19'], says('Over 60 requests per minute.'), {
    ...reached,
    sandbox: { plan: { requestsPerMinute: 600, burst: 120 } },
  }),
]
