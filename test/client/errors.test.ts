import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ClientOptions } from '../../src/index.js'
import * as face from '../../src/index.js'
import { aMoment } from './clock.js'
import { manualClock } from './manual-clock.js'
import { clientOf, KEY, RUN, rateLimited, rejection, serve } from './server.js'

const {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  ContractError,
  NotFoundError,
  PaginationError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ResponseParseError,
  RunFailedError,
  RunTimeoutError,
  ServerError,
  TimeoutError,
} = face

describe('errors', () => {
  it('every error class extends ContractError and is named after itself', () => {
    const families = [
      [ApiError, BadRequestError, AuthenticationError, PermissionError, NotFoundError, RateLimitError, ServerError],
      [ConnectionError, TimeoutError],
      [ResponseParseError],
      [RedirectError],
      [RunTimeoutError],
      [RunFailedError],
      [PaginationError],
    ]
    for (const [parent, ...children] of families) {
      expect(parent?.prototype).toBeInstanceOf(ContractError)
      for (const child of children) expect(child.prototype).toBeInstanceOf(parent)
      for (const each of [parent, ...children]) expect(each?.prototype.name).toBe(each?.name)
    }
  })

  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
    [418, ApiError],
  ])('a %i rejects with %o', async (status, Class) => {
    const server = await serve(() => ({
      status,
      headers: { 'x-trace': 'abc' },
      body: { error: 'why', message: 'Because.' },
    }))
    const error = await rejection(clientOf(server).getRun('run_1', { retry: false }))
    expect(Object.getPrototypeOf(error)).toBe(Class.prototype)
    expect(error).toMatchObject({ status, code: 'why', operation: 'getRun', attempts: 1 })
    expect((error as InstanceType<typeof ApiError>).headers.get('x-trace')).toBe('abc')
    expect(inspect(error)).toMatch(
      new RegExp(`^${Class.name}: getRun failed with ${status} [\\w' -]+ \\(GET /runs/\\{id\\}\\): Because\\.`),
    )
  })

  it('an ApiError keeps a body that has another shape unchanged', async () => {
    const server = await serve((_, index) => ({ status: 404, body: index === 0 ? '<h1>Not here</h1>' : [1] }))
    const client = clientOf(server)
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ body: '<h1>Not here</h1>', code: undefined })
    expect(await rejection(client.getRun('run_1'))).toMatchObject({ body: [1], code: undefined })
  })

  it('a success that is not JSON rejects with a ResponseParseError', async () => {
    const server = await serve(() => ({ headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }))
    const client = clientOf(server)
    const error = await rejection(client.getRun('run_1'))
    expect(error).toBeInstanceOf(ResponseParseError)
    expect(error).toMatchObject({ status: 200, body: '<html>Sign in</html>', operation: 'getRun' })
    expect(String(error)).toContain('text/html')
    const init = { params: { path: { id: 'run_1' } } }
    expect(await rejection(client.GET('/runs/{id}', init))).toBeInstanceOf(ResponseParseError)
    expect(server.seen).toHaveLength(2)
  })

  it('an empty success rejects with a ResponseParseError where a value is expected', async () => {
    const server = await serve(() => ({ status: 204 }))
    const client = clientOf(server)
    expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(ResponseParseError)
    expect(await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })).toMatchObject({ data: undefined })
  })
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('a %i is not followed, and the key is not sent on', async (status) => {
    const other = await serve(() => ({ body: RUN }))
    const server = await serve(() => ({ status, headers: { location: `${other.baseUrl}/runs/run_1?key=${KEY}` } }))
    const client = clientOf(server)
    const error = await rejection(client.getRun('run_1'))
    expect(error).toBeInstanceOf(RedirectError)
    expect(error).toMatchObject({ status, location: `${other.baseUrl}/runs/run_1?key=[key]`, operation: 'getRun' })
    expect(await rejection(client.triggerRun('pb_1', { inputs: {} }))).toBeInstanceOf(RedirectError)
    expect(other.seen).toEqual([])
    expect(server.seen).toHaveLength(2)
  })

  it.each([
    ['hidden by a browser', { type: 'opaqueredirect', status: 0 }],
    ['followed by a fetch that ignores the option redirect', { redirected: true, status: 200 }],
  ])('a redirect is detected when it is %s', async (_, shape) => {
    const fetch = async () => {
      const response = Response.json(RUN)
      for (const [name, value] of Object.entries(shape)) Object.defineProperty(response, name, { value })
      return response
    }
    const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch })
    expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(RedirectError)
  })
})

describe('statuses', () => {
  it('the status guards separate known from unknown and terminal from other statuses', () => {
    expect(['running', 'succeeded', 'failed', 'paused'].map(face.isKnownRunStatus)).toEqual([true, true, true, false])
    expect(['running', 'waiting_approval', 'skipped'].map(face.isKnownStepStatus)).toEqual([true, true, false])
    expect(['running', 'succeeded', 'failed', 'paused'].map(face.isTerminalRunStatus)).toEqual([
      false,
      true,
      true,
      false,
    ])
    const steps = ['running', 'waiting_approval', 'succeeded', 'failed', 'skipped']
    expect(steps.map(face.isTerminalStepStatus)).toEqual([false, false, true, true, false])
  })
})

describe('the key', () => {
  it('the key is in no error, hook, JSON, inspection or stack, even when the service repeats it', async () => {
    const echo = { 'x-echo': `Bearer ${KEY}`, 'content-type': `text/plain; was=${KEY}` }
    const replies = [
      () => ({ status: 401, headers: echo, body: { error: 'unauthorized', message: `${KEY} is not known.` } }),
      () => ({ status: 404, headers: echo, body: `No ${KEY}` }),
      () => ({ status: 500, headers: echo, body: KEY }),
      () => ({ ...rateLimited(1), headers: { ...echo, 'retry-after': '0' } }),
      () => ({ status: 302, headers: { location: `https://${KEY}.example/` } }),
      () => ({ headers: echo, body: `<html>${KEY}</html>` }),
    ]
    const held: unknown[] = []
    for (const reply of replies) {
      const server = await serve(reply)
      const hook = (event: unknown) => {
        held.push(event)
      }
      const client = clientOf(server, { onRetry: hook, onWait: hook, retry: { maxRetries: 1 } })
      held.push(await rejection(client.getRun('run_1')), client)
      held.push(await rejection(client.waitForRun('run_1', { timeout: 20 })))
      held.push(await rejection(client.getRun('..')))
    }
    const cut = await serve((_, __, { request }) => {
      request.socket.destroy()
      return undefined
    })
    held.push(await rejection(clientOf(cut).triggerRun('pb_1', { inputs: {} })))
    held.push(await rejection(clientOf(cut, { timeout: 1, retry: false }).getRun('run_1')))
    const fetch = async (_: string, init: RequestInit) => {
      const cause = Object.assign(new Error(`Sent ${JSON.stringify(init.headers)}`), { code: KEY, init })
      throw Object.assign(new TypeError(`Failed with ${KEY}`, { cause }), { init })
    }
    held.push(await rejection(clientOf({ baseUrl: 'http://localhost/v1' }, { fetch, retry: false }).getRun('run_1')))
    expect(held.length).toBeGreaterThan(25)
    for (const each of held) {
      const shown = [
        inspect(each, { depth: 20, showHidden: true, getters: true }),
        JSON.stringify(each),
        String(each),
        ...Object.getOwnPropertyNames(each).map((name) =>
          inspect((each as Record<string, unknown>)[name], { depth: 20 }),
        ),
        each instanceof Error ? `${each.stack} ${each.message} ${inspect(each.cause, { depth: 20 })}` : '',
      ].join('\n')
      expect(shown).not.toContain(KEY)
    }
  })
})

describe('a key that is repeated', () => {
  const shown = (error: unknown) => `${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${(error as Error).stack}`
  const LOCAL = { baseUrl: 'http://localhost/v1' }

  /** What waitForRun rejects with, on a clock of its own. */
  const watchError = async (options: Partial<ClientOptions>, id = 'run_1') => {
    const { clock, settle } = manualClock()
    const error = rejection(clientOf(LOCAL, { ...options, clock }).waitForRun(id, { throwOnFailure: true }))
    await settle(error)
    return error
  }

  it('by a run is not in the error about it', async () => {
    const step = { id: 's', status: 'failed', message: `The provider refused Bearer ${KEY}.` }
    for (const [run, id] of [
      [{ ...RUN, status: 'failed', steps: [step] }, 'run_1'],
      [{ ...RUN, status: KEY }, 'run_1'],
      [RUN, KEY],
    ] as const) {
      const error = await watchError({ fetch: async () => Response.json(run) }, id)
      expect(error).toMatchObject({ run: { id: 'run_1' } })
      expect(shown(error)).not.toContain(KEY)
      expect(shown(error)).toContain('[key]')
    }
  })

  it.each([401, 500])('after it was replaced within the call, following a %i, is in no error', async (status) => {
    const keys = ['wk_first_000111222', 'wk_second_333444555']
    let asked = 0
    let sent = 0
    const client = clientOf(LOCAL, {
      apiKey: () => keys[Math.min(asked++, 1)]!,
      fetch: async () =>
        Response.json({ message: `${keys.join(' and ')} were revoked.` }, { status: sent++ === 0 ? status : 401 }),
    })
    const error = await rejection(client.getRun('run_1'))
    expect(sent).toBe(2)
    expect(error).toMatchObject({ status: 401, body: { message: '[key] and [key] were revoked.' } })
    for (const key of keys) expect(shown(error)).not.toContain(key)
  })

  it('by a run after it was replaced between two polls is in no error', async () => {
    let asked = 0
    const apiKey = () => (asked++ < 2 ? 'wk_old_key_1' : 'wk_new_key_2')
    const respond = (status: number) => Response.json({ ...RUN, steps: [{ message: 'wk_old_key_1' }] }, { status })
    expect(shown(await watchError({ apiKey, fetch: async () => respond(200) }))).not.toContain('wk_old')
    expect(asked).toBeGreaterThan(2)
    asked = 0
    const fetch = async () => respond(asked < 4 ? 200 : 404)
    expect(shown(await watchError({ apiKey, fetch }))).not.toContain('wk_old')
    const down = { apiKey: 'wk_old_key_1', fetch: async () => respond(500) }
    expect(shown(await watchError(down, 'wk_old_key_1'))).not.toContain('wk_old')
  })

  it('and was replaced is in no error of a call that shared the request', async () => {
    const keys = ['wk_first_000111222', 'wk_first_000111222', 'wk_second_333444555']
    let asked = 0
    const client = clientOf(LOCAL, {
      apiKey: () => keys[Math.min(asked++, 2)]!,
      fetch: async () => {
        await aMoment()
        return Response.json({ message: `${keys.join(' and ')} were revoked.` }, { status: 401 })
      },
    })
    const errors = await Promise.all([1, 2].map(() => rejection(client.listPlaybooks())))
    for (const error of errors) for (const key of keys) expect(shown(error)).not.toContain(key)
  })
})

it.each([
  ['a login page', 200, false],
  ['a page of a proxy', 203, false],
  ['a 201 without a run', 201, true],
])('the error of a trigger that got %s says whether a run was started', async (_, status, started) => {
  const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch: async () => new Response('<p>', { status }) })
  expect(String(await rejection(client.triggerRun('pb_1', { inputs: {} }))).includes('A run was started.')).toBe(
    started,
  )
})

it.each([
  [{ type: 'about:blank', title: 'Not found', detail: 'Route not resolved' }, ': Route not resolved'],
  [{ type: 'about:blank', title: 'Not found', detail: '' }, ': Not found'],
  [{ detail: [{ loc: [] }] }, '.'],
])('the message of an error contains the detail or the title of an RFC 9457 problem', async (problem, end) => {
  const headers = { 'content-type': 'application/problem+json' }
  const fetch = async () => new Response(JSON.stringify(problem), { status: 404, headers })
  const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch })
  await expect(client.getRun('run_1')).rejects.toThrow(new RegExp(`GET /runs/\\{id\\}\\)${end.replace('.', '\\.')}$`))
})
