import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Client,
  type ClientOptions,
  type ContractMismatchError,
  isContractError,
  MissingRunIdError,
  ResponseParseError,
} from '../../../src/index.js'
import { type Problem, validateResponse } from '../../../src/validators/index.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, KEY, type Reply, RUN, rejection, serve } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

const trigger = (client: Client) => client.triggerRun('pb_1', { inputs: {} })
const post = (client: Client) =>
  client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: { inputs: {} } })

/** A client of a server that responds to each trigger with this. */
async function clientOfTriggers(reply: Reply, options: Partial<ClientOptions> = {}) {
  const server = await serve(() => ({ status: 201, ...reply }))
  return { client: clientOf(server, options), server }
}

const location = (address: string) => ({ headers: { location: address } })

describe('the id of a new run', () => {
  it.each<[string, Reply, string, string?]>([
    ['id', { body: { id: 'run_9' } }, 'run_9'],
    ['id and elsewhere', { body: { id: 'run_9', run_id: 'run_9' }, ...location('/runs/run_9') }, 'run_9'],
    ['an id that is a number', { body: { id: 9 } }, '9'],
    ['run.id', { body: { run: { id: 'run_9' } } }, 'run_9', 'run.id'],
    ['run_id', { body: { run_id: 9 } }, '9', 'run_id'],
    ['data.id', { body: { data: { id: 'run_9' } } }, 'run_9', 'data.id'],
    ['a path', { body: {}, ...location(`${VERSION}/runs/run_9`) }, 'run_9', 'Location'],
    ['an address', location(`https://elsewhere.example${VERSION}/runs/a%2Fb?x=1#y`), 'a/b', 'Location'],
    ['a relative path', { body: [1], ...location('runs/run_9/') }, 'run_9', 'Location'],
    ['Location, whatever the id is', { body: { id: null }, ...location('/runs/run_9') }, 'run_9', 'Location'],
  ])('triggerRun finds it in %s', async (_, reply, id, source) => {
    const onMismatch = vi.fn()
    const { client, server } = await clientOfTriggers(reply, { onMismatch })
    const run = await trigger(client)
    expect(run).toEqual({ ...(Array.isArray(reply.body) ? {} : (reply.body as object)), id })
    const { data, response } = await client.withResponse.triggerRun('pb_1', { inputs: {} })
    expect(data).toEqual(run)
    expect(await response.text()).toBe(reply.body === undefined ? '' : JSON.stringify(reply.body))
    expect(onMismatch).toHaveBeenCalledTimes(source ? 1 : 0)
    if (source) {
      const [mismatch] = onMismatch.mock.calls[0] as [ContractMismatchError]
      expect(mismatch.message).toContain(`the id of the run is in ${source} and not in id (A14)`)
      expect(mismatch.runId).toBe(id)
    }
    expect(server.seen.map(({ url }) => url)).toEqual([
      `${VERSION}/playbooks/pb_1/runs`,
      `${VERSION}/playbooks/pb_1/runs`,
    ])
  })

  it.each<[string, Reply, string]>([
    [
      'run_id beside the id of a job',
      { body: { id: 'job_7', run_id: 'run_9' } },
      'two ids, run_9 in run_id and job_7 in id',
    ],
    [
      'run.id beside the id of a job',
      { body: { id: 'job_7', run: { id: 'run_9' } } },
      'two ids, run_9 in run.id and job_7 in id',
    ],
    [
      'run_id before run.id',
      { body: { run: { id: 'other' }, run_id: 'run_9' } },
      'two ids, run_9 in run_id and other in run.id',
    ],
    [
      'Location beside the id of a job',
      { body: { id: 'job_7' }, ...location('/v1/runs/run_9') },
      'two ids, run_9 in Location and job_7 in id',
    ],
    [
      'id before data.id',
      { body: { id: 'run_9', data: { id: 'job_7' } } },
      'two ids, run_9 in id and job_7 in data.id',
    ],
  ])('triggerRun takes %s, and says once that there are two', async (_, reply, says) => {
    const warn = vi.spyOn(console, 'warn').mockReset().mockReturnValue()
    onTestFinished(() => void warn.mockReset())
    const { client } = await clientOfTriggers(reply)
    for (const run of [await trigger(client), await trigger(client)]) expect(run.id).toBe('run_9')
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining(says)])
  })

  it.each<[string, Reply]>([
    ['empty', {}],
    ['a 204', { status: 204 }],
    ['an object without it', { body: { status: 'running', id: '', run_id: 0.5, key: KEY }, ...location('/runs/%') }],
    ['a list', { body: ['run_9'] }],
    ['a number that is not exact', { body: '{"id":12345678901234567890}' }],
  ])('triggerRun says that the run was started when the response is %s', async (_, reply) => {
    const { client, server } = await clientOfTriggers({ headers: { 'x-trace': 'abc' }, ...reply })
    for (const call of [trigger(client), client.withResponse.triggerRun('pb_1', { inputs: {} })]) {
      const error = (await rejection(call)) as MissingRunIdError
      expect(error).toBeInstanceOf(MissingRunIdError)
      expect(isContractError(error)).toBe(true)
      expect(error.message).toMatch(
        /^The run was started, but no id of it was found in the response\. triggerRun responded 20/,
      )
      const { body = '' } = reply
      expect(error.body).toBe((typeof body === 'string' ? body : JSON.stringify(body)).replace(KEY, '[key]'))
      if (!reply.headers) expect(error.headers.get('x-trace')).toBe('abc')
    }
    expect(server.seen).toHaveLength(2)
  })

  it.each<[string, Reply]>([
    ['a page', { body: '<html>Created</html>' }],
    ['a text', { status: 202, body: 'Accepted' }],
    ['a body that breaks off', { body: '{"id":' }],
  ])('triggerRun and POST say that the run may have been started when the response is %s', async (_, reply) => {
    const { client, server } = await clientOfTriggers(reply)
    for (const call of [trigger(client), post(client)]) {
      const error = (await rejection(call)) as ResponseParseError
      expect(error).toBeInstanceOf(ResponseParseError)
      expect(error.message).toMatch(/^The run may have been started: triggerRun responded 20/)
      expect(error).toMatchObject({ status: reply.status ?? 201, body: reply.body })
    }
    expect(server.seen).toHaveLength(2)
  })

  it('triggerRun names the run that a 303 leads to', async () => {
    const { client, server } = await clientOfTriggers({ status: 303, ...location(`${VERSION}/runs/run_9`) })
    for (const call of [trigger(client), post(client)]) {
      const error = (await rejection(call)) as Error
      expect(error).toMatchObject({ name: 'RedirectError', status: 303, runId: 'run_9' })
      expect(error.message).toMatch(/^The run run_9 was started: triggerRun was redirected to /)
    }
    expect(server.seen).toHaveLength(2)
  })

  const head = { 'content-type': 'application/json', location: `${VERSION}/runs/run_9` }
  it.each<[string, (response: ServerResponse) => void, Partial<ClientOptions>?]>([
    ['is a text', (response) => response.writeHead(201, { ...head, 'content-type': 'text/plain' }).end('Created')],
    ['is a text as JSON', (response) => response.writeHead(201, head).end('"Created"')],
    ['breaks off', (response) => response.writeHead(201, head).write('{"id":', () => response.destroy())],
    ['never ends', (response) => response.writeHead(201, head).write('{"id":'), { timeout: 200 }],
    ['is too long', (response) => response.writeHead(201, head).end('x'.repeat(100)), { maxResponseSize: 10 }],
  ])('triggerRun takes the run from Location when the body %s', async (_, respond, options) => {
    const server = await serve((_, __, { response }) => void respond(response))
    expect(await trigger(clientOf(server, options))).toEqual({ id: 'run_9' })
    expect(server.seen).toHaveLength(1)
  })

  it.each([{ run_id: 'run_9' }, ['run_9'], {}, undefined])(
    'POST resolves with the body unchanged: %j',
    async (body) => {
      const { client } = await clientOfTriggers({ body })
      expect((await post(client)).data).toEqual(body)
    },
  )
})

describe('the validation of a trigger', () => {
  const warn = vi.spyOn(console, 'warn')
  beforeEach(() => void warn.mockReset().mockReturnValue())
  afterEach(() => warn.mockReset())
  const wrong = { body: { id: 'run_9', status: 7, steps: [{ id: 1 }, { id: 2 }] } }

  it('a mismatch is written to the console, once for each client and kind, and the run resolves', async () => {
    const { client } = await clientOfTriggers(wrong, { validate: validateResponse })
    const changed = client.withOptions({ timeout: 1_000 })
    for (const each of [client, client, changed]) expect(await trigger(each)).toEqual(wrong.body)
    expect((await post(client)).data).toEqual(wrong.body)
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^The run was started, but triggerRun responded 201 otherwise than the contract assumes: .*"status".*"steps/,
      ),
    ])
  })

  it('other calls still reject by default', async () => {
    const { client } = await clientOfTriggers({ ...wrong, status: 200 }, { validate: validateResponse })
    const error = await rejection(client.getRun('run_9'))
    expect(error).toMatchObject({ name: 'ContractMismatchError' })
    expect(error).not.toHaveProperty('runId')
    expect(warn).not.toHaveBeenCalled()
  })

  it.each<[string, Reply, string]>([
    ['is not as assumed', wrong, 'run_9'],
    ['has its id elsewhere', { body: { run_id: 9 } }, '9'],
  ])('with throw, a trigger whose response %s resolves, with one warning', async (_, reply, id) => {
    const { client } = await clientOfTriggers(reply, { validate: validateResponse, onMismatch: 'throw' })
    expect((await trigger(client)).id).toBe(id)
    expect((await post(client)).data).toEqual(reply.body)
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^The run was started, but triggerRun responded 201 otherwise than the contract assumes: /),
    ])
  })

  it('with throw, a trigger that a validate of the caller refuses says that the run was started', async () => {
    const validate = () => [{ in: 'body', name: '', pointer: '', keyword: 'x', params: {}, message: 'no' } as const]
    const { client } = await clientOfTriggers(wrong, { validate, onMismatch: 'throw' })
    for (const call of [trigger(client), post(client)]) {
      const error = (await rejection(call)) as Error
      expect(error).toMatchObject({ name: 'ContractMismatchError', status: 201, runId: 'run_9' })
      expect(error.message).toBe('The run was started, but triggerRun responded 201 against the contract: no.')
    }
    expect(warn).not.toHaveBeenCalled()
  })

  it('a validate that throws or returns no list hides no run', async () => {
    const mistake = () => {
      throw new Error('No schema.')
    }
    for (const validate of [mistake, (async () => []) as never]) {
      const { client } = await clientOfTriggers(wrong, { validate })
      expect(await trigger(client)).toEqual(wrong.body)
      const strict = client.withOptions({ onMismatch: 'throw' })
      expect(await rejection(trigger(strict))).toMatchObject({
        runId: 'run_9',
        message: expect.stringMatching(/^The run was started, but triggerRun .*: validate failed: /),
      })
    }
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('a body that is not JSON is not called missing', async () => {
    const onMismatch = vi.fn()
    const { client } = await clientOfTriggers(
      { status: 202, body: 'Accepted' },
      { validate: validateResponse, onMismatch },
    )
    expect(await rejection(trigger(client))).toBeInstanceOf(ResponseParseError)
    expect(onMismatch.mock.calls[0]?.[0].message).toBe(
      'The run may have been started, but triggerRun responded 202 otherwise than the contract assumes: the body must be an object.',
    )
  })

  it('the warning does not show the key', async () => {
    const validate = () => [{ keyword: 'x', pointer: '', message: `it is ${KEY}` } as Problem]
    const { client } = await clientOfTriggers(wrong, { validate })
    await trigger(client)
    expect(warn.mock.calls.flat().join()).toContain('it is [key]')
  })
})

it('waitForRun and watchRun take an id or what triggerRun resolves to', async () => {
  const server = await serve(({ method, url }) =>
    method === 'POST'
      ? { status: 201, body: { run_id: 7 } }
      : { body: { ...RUN, id: url.split('/').at(-1), status: 'failed' } },
  )
  const client = clientOf(server)
  const run = await trigger(client)
  expect(await client.waitForRun(run)).toMatchObject({ id: '7', status: 'failed' })
  expect(await client.waitForRun(run.id)).toMatchObject({ id: '7' })
  for await (const { id } of client.watchRun(run)) expect(id).toBe('7')
  expect(await rejection(client.waitForRun({} as never))).toBeInstanceOf(TypeError)
})

it('waitForRun accepts a run whose id is the same number', async () => {
  const server = await serve(() => ({ body: { ...RUN, id: 7, status: 'succeeded' } }))
  expect(await clientOf(server).waitForRun('7')).toMatchObject({ id: 7 })
})

describe('a run that was just triggered', () => {
  /** A service that knows a run so many ms after its trigger. */
  const lagging = (lag: number, options: Partial<ClientOptions> = {}) => {
    let known = Infinity
    return inVirtualTime((index, { init, url, at }) => {
      const id = url.split('/').at(-1)
      if (init.method === 'POST') known = at + lag
      if (init.method === 'POST') return Response.json({ id: `run_${index}` }, { status: 201 })
      return at < known ? new Response('', { status: 404 }) : Response.json({ ...RUN, id, status: 'succeeded' })
    }, options)
  }

  it('waitForRun and watchRun repeat a 404 for 10 s', async () => {
    for (const lag of [500, 9_500]) {
      const { client } = lagging(lag)
      const run = await trigger(client)
      const [waited, watched] = await Promise.all([client.waitForRun(run), client.watchRun(run).next()])
      expect([waited.status, watched.value]).toEqual(['succeeded', waited])
    }
  })

  it('waitForRun rejects with the 404 after 10 s', async () => {
    const { client, now } = lagging(60_000)
    const { id } = await trigger(client)
    expect(await rejection(client.waitForRun(id))).toMatchObject({ name: 'NotFoundError' })
    expect(now()).toBeGreaterThanOrEqual(10_000)
    expect(now()).toBeLessThan(11_100)
  })

  it('another client, which has not triggered the run, repeats a 404 just as long', async () => {
    const { client } = lagging(5_000)
    const { id } = await trigger(client)
    expect(await client.withOptions({ apiKey: 'another' }).waitForRun(id)).toMatchObject({ status: 'succeeded' })
  })

  it('a wait that ends before says so with the 404 as its cause', async () => {
    const { client } = lagging(60_000)
    const { id } = await trigger(client)
    const error = (await rejection(client.waitForRun(id, { timeout: 3_000 }))) as Error
    expect(error).toMatchObject({ name: 'RunTimeoutError', cause: { name: 'NotFoundError' } })
    expect(error.message).toMatch(/\(no poll succeeded: getRun failed with 404/)
  })

  it('a 404 of a run that was seen ends the wait at once', async () => {
    const { client, now } = inVirtualTime((index) =>
      index === 0 ? Response.json(RUN) : new Response('', { status: 404 }),
    )
    expect(await rejection(client.waitForRun('run_1'))).toMatchObject({ name: 'NotFoundError' })
    expect(now()).toBeLessThan(1_200)
  })

  it('getRun rejects at once', async () => {
    const { client, now } = lagging(60_000)
    const run = await trigger(client)
    expect(await rejection(client.getRun(run.id))).toMatchObject({ name: 'NotFoundError' })
    expect(now()).toBe(0)
  })
})
