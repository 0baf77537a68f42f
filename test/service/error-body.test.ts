import { expect, it, vi } from 'vitest'
import type { ServiceOptions } from '../../src/tools/service/index.js'
import { type Context, options, RUN, send } from './send.js'

type Own = Partial<ServiceOptions<Context>>

const gone = new Error('the database password is hunter2')
const raise = () => {
  throw gone
}

const errorBody: NonNullable<Own['errorBody']> = ({ status, operation, reason, requestId, body }) => ({
  type: 'about:blank',
  status,
  operation,
  because: reason?.type,
  requestId,
  detail: (body as { message: string }).message,
})

const retryingAfter =
  (retry_after: unknown): NonNullable<Own['errorBody']> =>
  ({ body }) => ({ ...(body as object), retry_after })

it.each([
  ['/nothing', undefined, undefined, 404],
  ['/runs/lost', 'getRun', undefined, 404],
  ['/playbooks?page=x', 'listPlaybooks', 'validation', 400],
  ['/providers', 'listProviders', undefined, 501],
])('errorBody makes the body of the error of %s', async (path, operation, because, status) => {
  const operations = { ...options.operations, listProviders: undefined }
  const response = await send({ errorBody, operations }, path)
  expect(response.status).toBe(status)
  const requestId = response.headers.get('x-request-id')
  const made = { type: 'about:blank', status, operation, because, requestId, detail: expect.any(String) }
  expect(response.body).toEqual(made)
})

it('errorBody is not called for a success, and a 401 keeps its header', async () => {
  const hook = vi.fn(errorBody)
  await send({ errorBody: hook }, RUN)
  expect(hook).not.toHaveBeenCalled()
  const { body, headers } = await send({ errorBody: hook }, RUN, { headers: { authorization: 'Basic x' } })
  expect([body.because, headers.get('www-authenticate')]).toEqual(['key', 'Bearer'])
})

it.each<[string, () => unknown, unknown]>([
  ['throws', raise, gone],
  ['returns a number', () => 5, new TypeError('errorBody must return an object, but returned 5.')],
  ['returns a promise', async () => ({ message: 'later' }), expect.any(TypeError)],
])('errorBody that %s is reported, and the body of the contract is sent', async (_, hook, error) => {
  const { status, body, reported } = await send({ errorBody: hook as never }, '/runs/lost')
  expect([status, body.error, reported]).toEqual([404, 'not_found', [error]])
})

const limit = () => ({ wait: 1_000, limit: { requestsPerMinute: 60, burst: 120 } })

it.each([undefined, 'throw', 'report', false] as const)(
  'errorBody that leaves out what is stated of a 429 is reported, and the body of the contract is sent (%s)',
  async (validateResponses) => {
    for (const hook of [() => ({ title: 'Too many' }), retryingAfter('soon'), retryingAfter(-1)]) {
      const { status, body, headers, reported } = await send({ limit, validateResponses, errorBody: hook }, RUN)
      const { error, retry_after } = body
      expect([status, error, retry_after, headers.get('retry-after')]).toEqual([429, 'rate_limit_exceeded', 1, '1'])
      expect(reported).toEqual([expect.any(Error)])
    }
  },
)

it('the wait of a 429 is one, also where errorBody has another', async () => {
  const { body, headers, reported } = await send({ limit, errorBody: retryingAfter(7) }, RUN)
  expect([body.retry_after, headers.get('retry-after'), reported]).toEqual([7, '7', []])
})
