import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { errorInternal, playbookList, run } from '../../generated/examples.js'
import type { ServiceOptions } from '../../src/service/index.js'
import { type Context, send } from './send.js'

const [playbook] = playbookList.data
const page = { total: 1, page: 1, per_page: 20 }

const ask = (own: Partial<ServiceOptions<Context>>, path = '/runs/run_1', init: RequestInit = {}) =>
  send(own, path, init)

/** Handlers that return what a database has. */
const getRun = (returned: unknown) => ({ operations: { getRun: () => returned as never } })

describe('responseFields', () => {
  const step = { ...run.steps[0], internal_cost: 3 }
  const row = { ...run, steps: [step], tenant_id: 7, password_hash: 'x' }

  it('leaves out what the contract does not have, in lists and objects of objects too', async () => {
    const { body } = await ask({ ...getRun({ status: 200, body: row }), responseFields: 'strip' })
    expect(body).toEqual({ ...run, steps: [run.steps[0]] })
    const data = [{ ...playbook!, internal_owner: 'me' }]
    const operations = {
      listPlaybooks: () => ({ status: 200 as const, body: { data, meta: { ...page, took: 5 }, cursor: 'x' } }),
    }
    expect((await ask({ operations, responseFields: 'strip' }, '/playbooks')).body).toEqual({
      data: [playbook],
      meta: page,
    })
  })

  it('keeps everything by default', async () => {
    expect((await ask(getRun({ status: 200, body: row }))).body).toEqual(row)
  })

  it('applies to what toJSON of a model says, and to the error of a handler', async () => {
    const model = { toJSON: () => row }
    expect((await ask({ ...getRun({ status: 200, body: model }), responseFields: 'strip' })).body).not.toHaveProperty(
      'tenant_id',
    )
    const lost = { status: 404, body: { message: 'Lost.', query: 'select' } }
    expect((await ask({ ...getRun(lost), responseFields: 'strip' })).body).toEqual({
      error: 'not_found',
      message: 'Lost.',
    })
  })

  it('keeps a body of a status that the contract does not have, and parts that have another form', async () => {
    const own = { responseFields: 'strip', validateResponses: false } as const
    const body = { message: 'No tea.', pot: { size: 1 } }
    expect((await ask({ ...getRun({ status: 418, body }), ...own })).body).toEqual(body)
    const odd = { ...run, steps: null }
    expect((await ask({ ...getRun({ status: 200, body: odd }), ...own })).body).toEqual(odd)
    expect((await ask({ ...getRun({ status: 200, body: null }), ...own })).body).toBeNull()
  })

  it('hides no violation of the contract', async () => {
    const { status, reported } = await ask({
      ...getRun({ status: 200, body: { ...row, id: 7 } }),
      responseFields: 'strip',
    })
    expect([status, String(reported[0])]).toEqual([500, expect.stringContaining('"id" must be a string')])
  })

  it('keeps the list of problems that the service itself makes', async () => {
    const { body } = await ask({ ...getRun({}), responseFields: 'strip', problems: 'all' }, '/runs/')
    expect(body.problems).toHaveLength(1)
  })
})

describe('handlerTimeout', () => {
  it('a handler that takes longer gets its signal aborted, and the caller a 500', async () => {
    let reason: unknown
    const operations: ServiceOptions<Context>['operations'] = {
      getRun: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (reason = signal.reason))
        }),
    }
    const { status, body, reported } = await ask({ operations, handlerTimeout: 20 })
    expect([status, body]).toEqual([500, errorInternal])
    const [error] = reported as Error[]
    expect([error?.name, error?.message]).toEqual(['TimeoutError', 'getRun timed out after 20 ms (handlerTimeout).'])
    expect(reason).toBe(error)
  })

  it('a handler that is done in time, or fails, is not affected, and what it does late is ignored', async () => {
    const within = { handlerTimeout: 10_000 }
    expect((await ask({ ...within, ...getRun({ status: 200, body: run }) })).body).toEqual(run)
    const fails = { operations: { getRun: () => Promise.reject(new Error('gone')) } }
    expect(String((await ask({ ...within, ...fails })).reported[0])).toBe('Error: gone')
    const late = { operations: { getRun: () => wait(20).then(() => Promise.reject(new Error('late'))) } }
    const { reported } = await ask({ handlerTimeout: 1, ...late })
    await wait(40)
    expect(reported).toHaveLength(1)
  })

  it('the signal of a handler is aborted when the caller leaves, with a time limit or without', async () => {
    for (const own of [{}, { handlerTimeout: 10_000 }]) {
      const caller = new AbortController()
      const aborted = vi.fn()
      const operations: ServiceOptions<Context>['operations'] = {
        async getRun({ signal }) {
          signal.addEventListener('abort', aborted)
          caller.abort()
          await wait(1)
          return { status: 404 }
        },
      }
      const { reported } = await ask({ ...own, operations }, '/runs/a', { signal: caller.signal })
      expect([aborted.mock.calls.length, reported.length]).toEqual([1, 0])
    }
  })
})

describe('the headers of a handler', () => {
  it.each<[string, HeadersInit | object]>([
    ['a list', { 'Set-Cookie': ['a=1; Path=/', 'b=2'] }],
    [
      'Headers',
      new Headers([
        ['set-cookie', 'a=1; Path=/'],
        ['set-cookie', 'b=2'],
      ]),
    ],
  ])('may have several cookies, as %s', async (_, headers) => {
    const response = await ask(getRun({ status: 200, body: run, headers }))
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2'])
  })
})
