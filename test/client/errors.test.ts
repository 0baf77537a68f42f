import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as face from '../../src/index.js'
import * as statuses from '../../src/status/index.js'
import { UNKNOWN_STATUS, VERSION } from '../support/fixtures.js'
import { clientOf, KEY, RUN, rejection, serve } from '../support/server.js'

describe('errors', () => {
  it('every error class extends ContractError and is named after itself', () => {
    const classes = Object.entries<unknown>(face).filter(([name]) => /^[A-Z]\w*Error$/.test(name))
    expect(classes.length).toBeGreaterThan(15)
    for (const [name, each] of classes) {
      const { prototype } = each as typeof Error
      expect(prototype.name).toBe(name)
      if (name !== 'ContractError') expect(prototype).toBeInstanceOf(face.ContractError)
    }
    expect(face.TimeoutError.prototype).toBeInstanceOf(face.ConnectionError)
  })

  it.each([
    [400, face.BadRequestError],
    [401, face.AuthenticationError],
    [403, face.PermissionError],
    [404, face.NotFoundError],
    [429, face.RateLimitError],
    [500, face.ServerError],
    [503, face.ServerError],
    [418, face.ApiError],
  ])('a %i rejects with %o', async (status, Class) => {
    const server = await serve(() => ({
      status,
      headers: { 'x-trace': 'abc' },
      body: { error: 'why', message: 'Because.' },
    }))
    const error = await rejection(clientOf(server).getRun('run_1', { retry: false }))
    expect(Object.getPrototypeOf(error)).toBe(Class.prototype)
    expect(error).toBeInstanceOf(face.ApiError)
    const body = { error: 'why', message: 'Because.' }
    expect(error).toMatchObject({ status, code: 'why', operation: 'getRun', attempts: 1, body })
    expect((error as InstanceType<typeof face.ApiError>).headers.get('x-trace')).toBe('abc')
    expect(inspect(error)).toMatch(
      new RegExp(`^${Class.name}: getRun failed with ${status} [\\w' -]+ \\(GET /runs/\\{id\\}\\): Because\\.`),
    )
  })

  it('an ApiError keeps a body that has another shape unchanged', async () => {
    const bodies = ['<h1>Not here</h1>', [1], { error: 5 }]
    const server = await serve((_, index) => ({ status: 404, body: bodies[index] }))
    const client = clientOf(server)
    for (const body of bodies) expect(await rejection(client.getRun('run_1'))).toMatchObject({ body, code: undefined })
  })

  it('an empty success rejects with a ResponseParseError where a value is expected', async () => {
    const server = await serve(() => ({ status: 204 }))
    const client = clientOf(server)
    expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(face.ResponseParseError)
    expect(await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })).toMatchObject({ data: undefined })
  })
})

it.each<[string, unknown, string]>([
  ['an error with a message', { error: { code: 7, message: 'No such run.' } }, ': No such run.'],
  ['a list of errors', { errors: [{ message: 'One.' }, { detail: 'Two.' }, {}, 'Three.'] }, ': One.; Two.; Three.'],
  ['a list', ['One.', { message: 'Two.' }], ': One.; Two.'],
  ['a list of problems', { detail: [{ loc: ['body'], msg: 'No such run.' }] }, ': No such run.'],
  ['a text', ' No\nsuch  run. ', ': No such run.'],
  ['a text as the error', { error: 'No such run.' }, ': No such run.'],
  ['RFC 9457', { title: 'Not Found', detail: 'No such run.' }, ': No such run.'],
  ['RFC 6749', { error: 'invalid', error_description: 'No such run.' }, ': No such run.'],
  ['a message beside an error', { error: { message: 'Inner.' }, message: 'Outer.' }, ': Outer.'],
  ['a page', '<html>Not found</html>', '.'],
  ['a number', { message: 5, error: 5 }, '.'],
  ['nothing', '', '.'],
  ['a long text', 'x'.repeat(10_000), `: ${'x'.repeat(500)}`],
])('the message of an ApiError has the reason from %s', async (_, body, reason) => {
  const server = await serve(() => ({ status: 404, body }))
  const error = (await rejection(clientOf(server).getRun('run_1'))) as Error
  expect(error.message).toBe(`getRun failed with 404 Not Found (GET /runs/{id})${reason}`)
})

it('an ApiError can be made for a path without an operation', () => {
  const error = new face.ApiError({ operation: undefined, status: 404, headers: new Headers(), body: '', attempts: 1 })
  expect(error.message).toBe('The request failed with 404.')
})

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('a %i is not followed, and the key is not sent on', async (status) => {
    const other = await serve(() => ({ body: RUN }))
    const server = await serve(() => ({ status, headers: { location: `${other.baseUrl}/runs/run_1?key=${KEY}` } }))
    const client = clientOf(server)
    const error = await rejection(client.getRun('run_1'))
    expect(error).toBeInstanceOf(face.RedirectError)
    expect(error).toMatchObject({ status, location: `${other.baseUrl}/runs/run_1?key=[key]`, operation: 'getRun' })
    expect(await rejection(client.triggerRun('pb_1', { inputs: {} }))).toBeInstanceOf(face.RedirectError)
    expect(other.seen).toEqual([])
    expect(server.seen).toHaveLength(2)
  })

  it.each([
    [`https://other.example${VERSION}/workspaces/me`, ' Give the final address as baseUrl.'],
    [`${VERSION}/workspaces/me/`, ''],
    ['https://login.example/?next=/workspaces/me', ''],
  ])('a redirect to %s gives advice only where it helps', async (location, advice) => {
    const server = await serve(() => ({ status: 308, headers: { location } }))
    const error = (await rejection(clientOf(server).getCurrentWorkspace())) as Error
    expect(error.message).toMatch(/^getCurrentWorkspace was redirected to /)
    expect(error.message.split(').')[1]).toBe(advice)
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
    const client = clientOf({ baseUrl: `http://localhost${VERSION}` }, { fetch })
    expect(await rejection(client.getRun('run_1'))).toBeInstanceOf(face.RedirectError)
  })
})

it('the status guards separate known from unknown and terminal from other statuses', () => {
  expect(['running', 'succeeded', 'failed', UNKNOWN_STATUS].map(statuses.isKnownRunStatus)).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(['running', 'waiting_approval', UNKNOWN_STATUS].map(statuses.isKnownStepStatus)).toEqual([true, true, false])
  expect(['running', 'succeeded', 'failed', UNKNOWN_STATUS].map(statuses.isTerminalRunStatus)).toEqual([
    false,
    true,
    true,
    false,
  ])
  const steps = ['running', 'waiting_approval', 'succeeded', 'failed', UNKNOWN_STATUS]
  expect(steps.map(statuses.isTerminalStepStatus)).toEqual([false, false, true, true, false])
})

it.each([
  [{ type: 'about:blank', title: 'Not found', detail: 'Route not resolved' }, ': Route not resolved'],
  [{ type: 'about:blank', title: 'Not found', detail: '' }, ': Not found'],
  [{ detail: [{ loc: [] }] }, '.'],
])('the message of an error contains the detail or the title of an RFC 9457 problem', async (problem, end) => {
  const headers = { 'content-type': 'application/problem+json' }
  const fetch = async () => new Response(JSON.stringify(problem), { status: 404, headers })
  const client = clientOf({ baseUrl: `http://localhost${VERSION}` }, { fetch })
  await expect(client.getRun('run_1')).rejects.toThrow(new RegExp(`GET /runs/\\{id\\}\\)${end.replace('.', '\\.')}$`))
})
