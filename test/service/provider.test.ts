import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../generated/examples.js'
import { validateRequest } from '../../generated/validators.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { createService, type ServiceOptions } from '../../src/service/index.js'
import { type Context, options } from './send.js'

const all: ServiceOptions<Context> = { ...options, onError: () => {} }

const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
const request = (path: string, init: RequestInit = {}) =>
  new Request(`https://api.example/v1${path}`, { headers, ...init })
const post = (body = '{"inputs":{}}') => request('/playbooks/pb_1/runs', { method: 'POST', body })

describe('a context that a lookup leaves', () => {
  it.each<[string, () => unknown, string]>([
    // biome-ignore lint/suspicious/noThenProperty: as the query of a database library has it
    ['a query that was not awaited', () => ({ then: () => {} }), 'a promise as the context: await it'],
    ['a promise that rejects', () => Promise.reject(new Error('no database')), 'a promise as the context: await it'],
    ['nothing', () => undefined, 'the context undefined'],
    ['false', () => false, 'the context false'],
  ])('%s is no valid key', async (_, found, message) => {
    const onError = vi.fn()
    const authenticate = () => ({ context: found() }) as never
    const response = await createService({ ...all, authenticate, onError }).fetch(request('/playbooks'))
    const sentence = `authenticate returned ${message}; a key that is not valid is { status: 401 }.`
    expect([response.status, onError.mock.calls[0]?.[0]]).toEqual([500, new TypeError(sentence)])
  })
})

describe('promises within a response', () => {
  const rejected: unknown[] = []
  const note = (reason: unknown) => rejected.push(reason)
  process.on('unhandledRejection', note)
  afterEach(() => process.off('unhandledRejection', note))

  it.each([{ validateResponses: 'throw' }, { validateResponses: false }] as const)(
    'are refused, and their rejections do not end the process (%j)',
    async (mode) => {
      const later = () => wait(1).then(() => Promise.reject(new Error('late')))
      const bodies = [
        () => ({ data: [later(), later()], meta: later() }),
        () => later(),
        () => ({ data: [], meta: { total: 0, page: 1, per_page: 1 }, more: { deep: [later()] } }),
      ]
      for (const body of bodies) {
        const onError = vi.fn()
        const operations = { ...all.operations, listPlaybooks: () => ({ status: 200, body: body() }) as never }
        const response = await createService({ ...all, ...mode, operations, onError }).fetch(request('/playbooks'))
        expect([response.status, onError.mock.calls.length]).toEqual([500, 1])
      }
      await wait(20)
      expect(rejected).toEqual([])
    },
  )
})

describe('a limit', () => {
  const statuses = async (limit: ServiceOptions<Context>['limit'], requests: (() => Request)[]) => {
    const service = createService({ ...all, limit })
    const found: number[] = []
    for (const make of requests) found.push((await service.fetch(make())).status)
    return found
  }
  const list = () => request('/playbooks')
  const workspace = () => request('/workspaces/me')

  it('is counted when one key has two limits in turn', async () => {
    const rate = { requestsPerMinute: 1, burst: 2 }
    const limit: ServiceOptions<Context>['limit'] = ({ operation }) => ({
      key: 'ws_1',
      plan: operation === 'listPlaybooks' ? { ...rate, burst: 1 } : rate,
    })
    const requests = [list, workspace, list, workspace, list, workspace]
    expect(await statuses(limit, requests)).toEqual([200, 200, 429, 200, 429, 429])
  })

  it('counts runs when it says so, apart from requests', async () => {
    const plan = { requestsPerMinute: 1, burst: 1 }
    const limit: ServiceOptions<Context>['limit'] = ({ operation }) => ({
      key: 'ws_1',
      plan,
      quota: operation === 'triggerRun' ? 'runs' : 'requests',
    })
    expect(await statuses(limit, [post, list, post, list])).toEqual([201, 200, 429, 429])
    expect(await statuses(() => ({ key: 'ws_1', plan }), [post, post, list, list])).toEqual([201, 201, 200, 429])
  })

  it('may be a promise, and the decision of a store', async () => {
    const waits = [0, 2_500]
    const limit = async () => ({ wait: waits.shift() ?? 0, limit: { requestsPerMinute: 60, burst: 1 } })
    const service = createService({ ...all, limit })
    expect((await service.fetch(list())).status).toBe(200)
    const refused = await service.fetch(list())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3'])
  })

  it('is asked before the body is read', async () => {
    const limit = () => ({ wait: 1_000, limit: { requestsPerMinute: 60, burst: 1 } })
    const sent = post()
    expect((await createService({ ...all, limit }).fetch(sent)).status).toBe(429)
    expect(sent.bodyUsed).toBe(false)
  })
})

describe('operations without a handler', () => {
  const { getRun } = all.operations
  const warned = () => vi.spyOn(console, 'warn').mockImplementation(() => {})

  it('respond with a 501, of which the start warns', async () => {
    const warn = warned()
    const service = createService({ ...all, operations: { getRun } })
    expect(warn.mock.calls[0]?.[0]).toMatch(/operations lacks a function for getCurrentWorkspace, .* get a 501/)
    warn.mockRestore()
    const response = await service.fetch(request('/playbooks'))
    expect([response.status, await response.json()]).toEqual([
      501,
      { error: 'not_implemented', message: 'This service does not implement listPlaybooks.' },
    ])
    expect((await service.fetch(request(`/runs/${run.id}`))).status).toBe(200)
  })

  it('are those of a sandbox with otherwise', async () => {
    const warn = warned()
    const sandbox = createSandbox()
    const service = createService({ ...all, operations: { getRun }, otherwise: sandbox.fetch })
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
    const own = { headers: { authorization: `Bearer ${sandbox.keys.valid}` } }
    expect((await (await service.fetch(request('/playbooks', own))).json()).meta.total).toBe(4)
    expect((await service.fetch(request(`/runs/${run.id}`))).status).toBe(200)
    expect((await service.fetch(request('/nothing'))).status).toBe(404)
  })
})

describe('hooks', () => {
  it('receive every request and response with one request id, and no key', async () => {
    const events: unknown[] = []
    const service = createService({
      ...all,
      limit: ({ operation }) => ({ key: 'ws', plan: operation === 'listProviders' ? 'hobby' : false }),
      operations: { ...all.operations, getRun: () => Promise.reject(new Error('gone')) },
      onRequest: (event) => events.push(event),
      onResponse: (event) => events.push(event),
    })
    const paths = ['/playbooks', '/playbooks?page=0', '/nothing', '/runs/run_1', '/providers']
    for (const path of paths) {
      const given = { headers: { ...headers, 'x-request-id': `id.${path.length}` } }
      const response = await service.fetch(request(path, given))
      expect(response.headers.get('x-request-id')).toBe(`id.${path.length}`)
    }
    await service.fetch(new Request('https://api.example/v1/playbooks'))
    const seen = events as {
      operation?: string
      status?: number
      route?: string
      requestId: string
      duration?: number
    }[]
    expect(
      seen.filter(({ status }) => status).map(({ operation, route, status }) => [operation, route, status]),
    ).toEqual([
      ['listPlaybooks', '/playbooks', 200],
      ['listPlaybooks', '/playbooks', 400],
      [undefined, undefined, 404],
      ['getRun', '/runs/{id}', 500],
      ['listProviders', '/providers', 403],
      ['listPlaybooks', '/playbooks', 401],
    ])
    for (let index = 0; index < seen.length; index += 2)
      expect(seen[index + 1]).toMatchObject({ requestId: seen[index]?.requestId, duration: expect.any(Number) })
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('a handler receives the request id', async () => {
    const getRun = vi.fn(() => ({ status: 404 as const }))
    const response = await createService({ ...all, operations: { ...all.operations, getRun } }).fetch(
      request('/runs/a'),
    )
    expect(getRun).toHaveBeenCalledWith(expect.objectContaining({ requestId: response.headers.get('x-request-id') }))
  })

  it.each(['onRequest', 'onResponse'])('an error of %s affects no response, and is logged', async (hook) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const fail = () => Promise.reject(new Error('no disk')) as never
    expect((await createService({ ...all, [hook]: fail }).fetch(request('/playbooks'))).status).toBe(200)
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith(`${hook} failed:`, new Error('no disk')))
    log.mockRestore()
  })
})

it('of 50,000 problems of a body one is put into words', async () => {
  const inputs = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, 1]))
  const [first] = validateRequest('triggerRun', { path: { id: 'pb_1' }, body: { inputs } }, 1)
  expect(validateRequest('triggerRun', { path: { id: 'pb_1' }, body: { inputs } }, 1)).toHaveLength(1)
  const response = await createService(all).fetch(post(JSON.stringify({ inputs })))
  expect([response.status, (await response.json()).message.toLowerCase()]).toEqual([400, `${first?.message}.`])
})
