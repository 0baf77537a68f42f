import type { Served } from '../service.js'
import { isRead, isTrigger, limit, limited, type Mutant, refusing, violating, when } from './mutant.js'

const reached = { rateLimit: true } as const
const all = { rateLimit: true, trigger: 'succeeds' } as const

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
  ...violating(
    {
      S32: {
        'a 429 has no Retry-After': limited(({ headers }) => headers.delete('retry-after')),
        'Retry-After is not retry_after': limited(({ headers }) => headers.set('retry-after', '2')),
      },
      S31: {
        'a 429 has no retry_after': limited(({ body }) => delete body.retry_after),
        'retry_after is a fraction': limited(({ body }) => (body.retry_after = 1.5)),
        'retry_after is in ms': waits(1_000),
      },
      D07: {
        'retry_after is negative': limited(({ body, headers }) => {
          body.retry_after = -1
          headers.set('retry-after', '-1')
        }),
      },
      S29: {
        'a 429 has another error': limited(({ body }) => (body.error = 'too_many_requests')),
      },
      S30: {
        'the message of a 429 states no limit': says('Slow down.'),
        'the message of a 429 states the wait only': says('Retry in 3 s.'),
        'the message of a 429 states requests per second': says('Over 2 requests per second.'),
        'a 429 has no message': limited(({ body }) => delete body.message),
      },
      S27: {
        'a 429 is not JSON': limited((it) => (it.text = 'Too many requests')),
        'the limit gets 503': limited((it) => (it.status = 503)),
        'the limit breaks off with 500': limited(refusing(500)),
      },
      S33: {
        'the wait of a 429 is too short': waits(0),
        'a 429 comes after every wait at the limit': (() => {
          let over = false
          return (it: Served) => {
            over ||= it.status === 429
            if (over && it.path === '/workspaces/me' && it.key === 'key_valid') limit(it)
          }
        })(),
      },
      S34: {
        'the limit that is stated is below every plan': says('Over 10 requests per minute.'),
      },
      D04: {
        'the providers do not count against the rate': whenReached(
          ({ path, status }) => path === '/providers' && status === 429,
          (it) => {
            Object.assign(it, { status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } })
            it.headers.delete('retry-after')
          },
        ),
      },
      S35: {
        'each key has a limit of its own': whenReached(
          ({ key, status }) => key === 'key_read_only' && status === 429,
          (it) => {
            Object.assign(it, { status: 200, body: { id: 'ws_5RkP0d', name: 'Acme Operations' } })
            it.headers.delete('retry-after')
          },
        ),
        'all workspaces have one limit': whenReached(
          ({ key }) => key === 'key_other_workspace',
          (it) => limit(it),
        ),
      },
    },
    reached,
  ),
  {
    name: 'a 429 comes after every wait',
    violates: ['S33'],
    change: when(
      (it) => it.number > 20 && isRead(it),
      (it) => limit(it),
    ),
  },
  ...violating(
    {
      S36: {
        'triggers count against the rate': whenReached(isTrigger, (it) => limit(it)),
        'triggers take a request of the rate': triggersTake(1),
      },
    },
    all,
  ),
  ...violating(
    { S34: { 'the burst is four times as large': () => {} } },
    { ...reached, sandbox: { plan: { requestsPerMinute: 60, burst: 480 } } },
  ),
  ...violating(
    {
      A19: { 'retry_after is fifty times too long': waits(50) },
      A33: { 'the number of the limit is written in words': says('Over sixty requests per minute.') },
    },
    reached,
  ),
  ...(
    [
      ['the burst is 90', 60, 90],
      ['the limit refills 90 a minute instead of 60', 90, 120],
      ['the limit refills ten times as fast', 600, 120],
    ] as const
  ).flatMap(([name, requestsPerMinute, burst]) =>
    violating(
      { A19: { [name]: says('Over 60 requests per minute.') } },
      { ...reached, sandbox: { plan: { requestsPerMinute, burst } } },
    ),
  ),
]
