import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorInternal, run } from '../../generated/examples.js'
import { createService, type ServiceOptions } from '../../src/service/index.js'
import { type Context, options as given, post, send as sendTo } from './send.js'

type Own = Partial<ServiceOptions<Context>> & { getRun?: () => unknown }

const options = ({ getRun = () => ({ status: 200, body: run }), ...own }: Own): ServiceOptions<Context> => ({
  ...given,
  operations: {
    ...given.operations,
    triggerRun: ({ body }) => ({ status: 201, body: { id: 'run_1', status: Object.keys(body.inputs).join() } }),
    getRun: getRun as never,
  },
  ...own,
})

const send = (own: Own, path: string, init?: RequestInit) => sendTo(options(own), path, init)

const both = [{ validateResponses: 'throw' }, { validateResponses: false }] as const

describe('a hostile request', () => {
  it('a request with 100,000 query parameters costs no more than reading them', async () => {
    const query = Array.from({ length: 100_000 }, (_, index) => `k${index}=1`).join('&')
    // Looked up one by one, they take minutes, and this test its whole time.
    expect((await send({}, `/playbooks?${query}&page=3`)).status).toBe(200)
  })

  it('a repeated parameter gets a 400, and an unknown parameter has no effect', async () => {
    expect((await send({}, '/playbooks?page=1&page=2')).status).toBe(400)
    expect(JSON.parse((await send({}, '/playbooks?__proto__=7&constructor=1&PAGE=x')).text).meta.page).toBe(1)
  })

  it('the message of a 400 stays short for names of any length', async () => {
    const { status, text } = await send({}, '/playbooks/pb_1/runs', post(`{"inputs":{"${'k'.repeat(500_000)}":1}}`))
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(1_000)
  })

  it('a body of 100,000 levels gets a 400', async () => {
    const body = `{"inputs":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
    expect(await send({}, '/playbooks/pb_1/runs', post(body))).toMatchObject({
      status: 400,
      body: { message: 'The body property "inputs.a" must be a string.' },
    })
  })

  it('a body with the names of the prototype does not change it', async () => {
    const { status, text } = await send(
      {},
      '/playbooks/pb_1/runs',
      post('{"inputs":{"__proto__":"x","constructor":"y"}}'),
    )
    expect([status, JSON.parse(text).status]).toEqual([201, '__proto__,constructor'])
    expect((await send({}, '/playbooks/pb_1/runs', post('{"inputs":{},"__proto__":{"x":1}}'))).status).toBe(400)
    expect('x' in {}).toBe(false)
  })
})

describe.each(both)('a handler with validateResponses $validateResponses', (mode) => {
  it.each<[string, unknown]>([
    ['a text', 'done'],
    ['nothing', undefined],
    ['a header with a line break', { status: 404, headers: { 'x-a': 'a\r\nset-cookie: b=c' } }],
    ['a header that is no ISO-8859-1', { status: 404, headers: { 'x-a': '😀' } }],
    ['a stream as the body', { status: 200, body: new ReadableStream() }],
    ['a function as the body', { status: 200, body: () => run }],
    ['a body that contains itself', { status: 200, body: selfish() }],
  ])('a handler that returns %s causes a 500 without details, which is reported', async (_, returned) => {
    const { status, text, reported } = await send({ ...mode, getRun: () => returned }, '/runs/run_1')
    expect([status, JSON.parse(text), reported.length]).toEqual([500, errorInternal, 1])
  })

  it('a handler can set headers in any case, but not the Content-Length', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': '3', 'X-A': undefined }
    const response = await send({ ...mode, getRun: () => ({ status: 404, headers }) }, '/runs/run_1')
    expect([...response.headers]).toEqual([
      ['content-type', 'application/json; charset=utf-8'],
      ['x-request-id', expect.any(String)],
    ])
    const instance = new Headers({ 'x-a': '1' })
    const other = await send({ ...mode, getRun: () => ({ status: 200, body: run, headers: instance }) }, '/runs/run_1')
    expect([other.status, other.headers.get('x-a')]).toEqual([200, '1'])
  })

  it('a handler sends the same wait in the header and the body of a 429', async () => {
    const wait = async (returned: object) => {
      const { headers, text } = await send({ ...mode, getRun: () => ({ status: 429, ...returned }) }, '/runs/run_1')
      return [headers.get('retry-after'), JSON.parse(text).retry_after]
    }
    expect(await wait({ headers: { 'Retry-After': '3' } })).toEqual(['3', 3])
    expect(await wait({ headers: { 'Retry-After': '3' }, body: { retry_after: 9 } })).toEqual(['9', 9])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T10:00:00.700Z') })
    onTestFinished(() => void vi.useRealTimers())
    const dated = (at: string) => wait({ headers: { 'Retry-After': at } })
    expect(await dated('Sat, 21 Nov 2026 10:01:30 GMT')).toEqual(['90', 90])
    expect(await dated('Sat, 21 Nov 2026 09:00:00 GMT')).toEqual(['1', 1])
  })
})

/** What JavaScript lets somebody throw. */
function thrown(): [string, unknown][] {
  const trap = new Proxy(new Error('trap'), {
    get() {
      throw new Error('no property for you')
    },
  })
  return [
    ['null', null],
    ['a text', 'gone'],
    ['a Response', new Response('secret', { status: 404 })],
    ['a Proxy that throws', trap],
  ]
}

describe.each(thrown())('throwing %s', (_, value) => {
  const raise = () => {
    throw value
  }
  const reject = () => Promise.reject(value)
  it.each<[string, Own]>([
    ['a handler', { getRun: raise }],
    ['an async handler', { getRun: reject }],
    ['authenticate', { authenticate: raise }],
    ['an async authenticate', { authenticate: reject }],
    ['limit', { limit: raise }],
  ])('an error that is thrown by %s causes a 500 without details, and is reported unchanged', async (_, own) => {
    const { status, text, reported } = await send(own, '/runs/run_1')
    expect([status, JSON.parse(text)]).toEqual([500, errorInternal])
    expect(reported).toHaveLength(1)
    expect(Object.is(reported[0], value)).toBe(true)
  })

  it('without onError, an error is logged once', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      expect((await send({ getRun: raise, onError: undefined }, '/runs/run_1')).status).toBe(500)
      expect(log.mock.calls.map(([first]) => first)).toEqual([expect.stringMatching(/^getRun failed \(request /)])
    } finally {
      log.mockRestore()
    }
  })
})

function selfish() {
  const body: Record<string, unknown> = { ...run }
  body.self = body
  return body
}

describe('a hostile path', () => {
  const paths: [path: string, status: number][] = [
    ['/runs/%', 400],
    ['/runs/%ff', 400],
    ['/runs/', 400],
    ['/runs/a/b', 404],
    ['//runs/run_1', 404],
    ['/runs/%2e%2e', 404],
    ['/runs/..%2f..%2fworkspaces%2fme', 200],
    ['/RUNS/run_1', 404],
    ['/__proto__', 404],
    ['/runs/%00', 200],
    [`/runs/${'x'.repeat(100_000)}`, 200],
    ['/runs/run_1?', 200],
    ['/runs/run_1;a=b', 200],
    ['/runs/run_1#/runs/run_2?a', 200],
  ]

  it.each(paths.map(([path, expected]) => ({ name: path.slice(0, 40), path, expected })))(
    'the path $name reaches no other operation',
    async ({ path, expected }) => {
      const seen: unknown[] = []
      const { status } = await send(
        {
          getRun: (({ path }: { path: object }) => {
            seen.push(path)
            return { status: 200, body: run }
          }) as never,
        },
        path,
      )
      expect(status).toBe(expected)
      if (status === 200) expect(seen).toHaveLength(1)
    },
  )
})

describe('the functions of a service', () => {
  it.each([[null], [{}], [{ status: 401.5 }], [{ status: 200, context: {} }], [{ context: null }]])(
    'authenticate that returns %j causes a 500',
    async (returned) => {
      const { status, reported } = await send({ authenticate: () => returned as never }, '/runs/run_1')
      expect([status, String(reported[0])]).toEqual([
        500,
        expect.stringMatching(/^TypeError: authenticate (must return|returned)/),
      ])
    },
  )

  it.each<[string, Own, RegExp]>([
    ['an unknown plan', { limit: () => ({ key: 'ws', plan: 'gold' as never }) }, /hobby, pro, pro10x/],
    [
      'a plan of the prototype',
      { limit: () => ({ key: 'ws', plan: 'constructor' as never }) },
      /plan is "constructor"/,
    ],
    ['a limit without a key', { limit: () => ({ plan: 'pro' }) as never }, /key is undefined/],
    ['a rate of 0', { limit: () => ({ key: 'ws', plan: { requestsPerMinute: 0, burst: 1 } }) }, /above 0/],
    [
      'a rate that is no number',
      { limit: () => ({ key: 'ws', plan: { requestsPerMinute: NaN, burst: NaN } }) },
      /above 0/,
    ],
    [
      'a burst without an end',
      { limit: () => ({ key: 'ws', plan: { requestsPerMinute: 1, burst: Infinity } }) },
      /"burst":null/,
    ],
    ['a burst below 1', { limit: () => ({ key: 'ws', plan: { requestsPerMinute: 60, burst: 0.5 } }) }, /at least 1/],
    ['a promise of a limit that rejects', { limit: () => Promise.reject(new Error('gone')) }, /gone/],
  ])('a function that returns %s causes a 500, and the reason is reported', async (_, own, message) => {
    const { status, reported } = await send(own, '/runs/run_1')
    expect([status, String(reported[0])]).toEqual([500, expect.stringMatching(message)])
  })

  it.each<[string, ServiceOptions<Context>['onError']]>([
    [
      'throws',
      () => {
        throw new Error('no disk')
      },
    ],
    ['rejects', (() => Promise.reject(new Error('no disk'))) as never],
  ])('the 500 stays the same when onError %s', async (_, onError) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const getRun = () => Promise.reject(new Error('gone'))
    expect((await send({ onError, getRun }, '/runs/run_1')).status).toBe(500)
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith('onError failed:', new Error('no disk')))
    log.mockRestore()
  })
})

describe('the options of createService', () => {
  it.each(['/', '', '/api', '/api//'])('createService accepts the base path "%s"', async (basePath) => {
    const service = createService(options({ basePath }))
    const url = `https://a.example${basePath.replace(/\/+$/, '')}/playbooks`
    expect((await service.fetch(new Request(url, { headers: { authorization: 'Bearer secret' } }))).status).toBe(200)
  })
})
