import { expect, it } from 'vitest'
import { type Answer, type Change, ids, type Trial, tryService } from './service.js'

type Mutant = [name: string, id: string, change: Change, trial?: Trial]

const limited =
  (change: (answer: Answer) => unknown): Change =>
  (answer) => {
    if (answer.status === 429) change(answer)
  }

/** Says what is beside the rate limit: at the limit, something else is answered. */
const whenLimited = (which: (answer: Answer) => boolean, change: (answer: Answer) => unknown): Change => {
  let over = false
  return (answer) => {
    if (answer.path === '/workspaces/me' && answer.key === 'key_valid') over = answer.status === 429
    if (over && which(answer)) change(answer)
  }
}

const tooMany = { error: 'rate_limit_exceeded', message: 'Over 60 requests per minute.', retry_after: 1 }

const mutants: Mutant[] = [
  ['a 429 has no Retry-After', 'S32', limited(({ headers }) => headers.delete('retry-after'))],
  ['Retry-After is not retry_after', 'S32', limited(({ headers }) => headers.set('retry-after', '2'))],
  [
    'Retry-After is a date',
    'S32',
    limited(({ headers }) => headers.set('retry-after', 'Wed, 21 Oct 2026 07:28:00 GMT')),
  ],
  ['a 429 has no retry_after', 'S31', limited(({ body }) => delete body.retry_after)],
  ['retry_after is a text', 'S31', limited(({ body }) => (body.retry_after = '1'))],
  ['a 429 has another error', 'S29', limited(({ body }) => (body.error = 'too_many_requests'))],
  ['the message of a 429 states no limit', 'S30', limited(({ body }) => (body.message = 'Slow down.'))],
  ['a 429 is no JSON', 'S27', limited((answer) => (answer.text = 'Too many requests'))],
  ['the limit is answered 503', 'S27', limited((answer) => (answer.status = 503))],
  [
    'the wait of a 429 is too short',
    'S33',
    limited(({ headers, body }) => {
      body.retry_after = 0
      headers.set('retry-after', '0')
    }),
  ],
  [
    'triggers count against the rate',
    'S36',
    whenLimited(
      ({ method }) => method === 'POST',
      (answer) => {
        Object.assign(answer, { status: 429, body: tooMany })
        answer.headers.set('retry-after', '1')
      },
    ),
    { trigger: 'succeeds' },
  ],
  [
    'the providers do not count against the rate',
    'D04',
    whenLimited(
      ({ path, status }) => path === '/providers' && status === 429,
      (answer) => {
        Object.assign(answer, { status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } })
        answer.headers.delete('retry-after')
      },
    ),
  ],
  [
    'each key has a limit of its own',
    'S35',
    whenLimited(
      ({ key, status }) => key === 'key_read_only' && status === 429,
      (answer) => {
        Object.assign(answer, { status: 200, body: { id: 'ws_5RkP0d', name: 'Acme Operations' } })
        answer.headers.delete('retry-after')
      },
    ),
  ],
  [
    'all workspaces have one limit',
    'S35',
    whenLimited(
      ({ key }) => key === 'key_other_workspace',
      (answer) => {
        Object.assign(answer, { status: 429, body: tooMany })
        answer.headers.set('retry-after', '1')
      },
    ),
  ],
]

it.each(mutants)('%s: %s', async (_, id, change, trial) => {
  const report = await tryService(change, { rateLimit: true, ...trial })
  expect(ids(report, 'fail')).toEqual([id])
})

it('waits as long as a 429 says, in the middle of the checks, and goes on', async () => {
  let waits = 0
  const report = await tryService(
    (answer) => {
      if (answer.number !== 10) return
      Object.assign(answer, { status: 429, body: { ...tooMany, retry_after: 7 } })
      answer.headers.set('retry-after', '7')
    },
    { options: { onProgress: (progress) => progress.type === 'wait' && progress.ms === 7_000 && waits++ } },
  )
  expect(waits).toBe(1)
  expect(report).toMatchObject({ passed: true, complete: true })
  expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S27', 'S31', 'S32', 'S33']))
})

it('does not wait longer than it may, and says so', async () => {
  const report = await tryService((answer) => {
    if (answer.number < 10) return
    Object.assign(answer, { status: 429, body: { ...tooMany, retry_after: 3_600 } })
    answer.headers.set('retry-after', '3600')
  })
  expect(report).toMatchObject({ passed: true, complete: false })
  expect(report.remarks.join()).toContain('asked for a wait of 3600 s, which is longer than 60 s')
})

it('sends a request again that was answered 500 once, as the contract allows', async () => {
  const report = await tryService((answer) => {
    if (answer.number === 5) Object.assign(answer, { status: 500, body: { error: 'internal_error', message: 'Oh.' } })
  })
  expect(report.passed).toBe(true)
  expect(ids(report, 'pass')).toContain('S28')
})
