import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../../generated/examples.js'
import { createSandbox, type RequestFilter } from '../../../src/tools/sandbox/index.js'
import { listen, type RemoteWorld, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { connectSandbox } from '../../../src/tools/sandbox/remote/index.js'
import { VERSION } from '../../support/fixtures.js'
import { serve } from '../../support/server.js'
import { caller, messageOf, raw, trigger } from '../calls.js'
import { controlPath } from '../ports.js'

describe('waitForRequest', () => {
  it('waitForRequest resolves to a request that has come, and to one that comes', async () => {
    const sandbox = createSandbox()
    await caller(sandbox)('/providers')
    expect((await sandbox.waitForRequest({ operation: 'listProviders' })).number).toBe(1)
    const later = sandbox.waitForRequest({ operation: 'triggerRun', body: { inputs: { order: '42' } } })
    await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { order: '41' } })
    await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { order: '42', more: 'x' } })
    expect((await later).request.body).toEqual({ inputs: { order: '42', more: 'x' } })
  })

  it('waitForRequest says how each request ended that came instead, after the given one', async () => {
    const sandbox = createSandbox()
    await caller(sandbox)('/playbooks')
    await sandbox.fetch(`${sandbox.baseUrl}/nothing`)
    sandbox.inject({ drop: true })
    await caller(sandbox)('/providers').catch(() => {})
    await expect(sandbox.waitForRequest({ status: 500, after: 1 }, { timeout: 1 })).rejects.toThrow(
      [
        'The last 2 of 2 that arrived:',
        `- GET ${VERSION}/nothing (no operation, key none): 404`,
        `- GET ${VERSION}/providers (listProviders, key valid): without a response`,
      ].join('\n'),
    )
  })

  it('waitForRequest waits for a request after the given one', async () => {
    const sandbox = createSandbox()
    const third = sandbox.waitForRequest({ after: 2 })
    for (let count = 0; count < 3; count++) await caller(sandbox)('/providers')
    expect((await third).number).toBe(3)
  })

  it('waitForRequest ends with its signal', async () => {
    const controller = new AbortController()
    const waiting = createSandbox().waitForRequest({}, { signal: controller.signal, timeout: 60_000 })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})

describe('onWaiting', () => {
  it('onWaiting calls its listener once for each step that waits, and with runs that wait already', async () => {
    const sandbox = createSandbox()
    const seen: string[] = []
    const { id } = (await trigger(sandbox, sandbox.playbooks.needsApproval)).body
    const poll = async () => (await caller(sandbox)(`/runs/${id}`)).body
    const stop = sandbox.onWaiting((run) => seen.push(run.id))
    await poll()
    expect(seen).toEqual([])
    for (let count = 0; count < 3; count++) await poll()
    expect(seen).toEqual([id])
    stop()
    const again: string[] = []
    sandbox.onWaiting(({ id }) => {
      again.push(id)
      sandbox.approve(id)
    })
    await Promise.resolve()
    expect(again).toEqual([id])
    for (let count = 0; count < 4; count++) await poll()
    expect((await poll()).status).toBe('succeeded')
  })

  it('onWaiting calls its listener when time makes a run wait, but not after it was ended', async () => {
    const sandbox = createSandbox({ progress: 'clock', clock: { now: () => Date.UTC(2030, 0, 1) } })
    const { id } = (await trigger(sandbox, sandbox.playbooks.needsApproval)).body
    const waiting: string[] = []
    const stop = sandbox.onWaiting((run) => waiting.push(run.id))
    const stopped = sandbox.onWaiting(() => expect.fail('It was ended.'))
    sandbox.advance(60_000)
    stopped()
    await Promise.resolve()
    expect(waiting).toContain(id)
    stop()
  })

  it('onWaiting calls its listener again for a run that waits after a reset', async () => {
    const sandbox = createSandbox()
    const poll = () => caller(sandbox)('/runs/run_8Zt4Lm2c')
    await poll()
    await poll()
    const world = sandbox.export()
    const waiting = createSandbox({ world })
    let calls = 0
    const stop = waiting.onWaiting(() => calls++)
    await Promise.resolve()
    waiting.reset()
    await Promise.resolve()
    expect(calls).toBe(2)
    stop()
    waiting.reset()
    await Promise.resolve()
    expect(calls).toBe(2)
  })
})

describe('on a port', () => {
  let server: SandboxServer
  let world: RemoteWorld
  beforeAll(async () => {
    server = await listen(createSandbox())
    world = await server.world('watched')
  })
  afterAll(() => server.close())
  const start = async (playbook: 'succeeds' | 'needsApproval'): Promise<string> =>
    (await trigger(world, `${world.playbooks[playbook]}`, { inputs: { order: '7' } })).body.id

  it('a world waits for a request, and says what came instead', async () => {
    const later = world.waitForRequest({ operation: 'triggerRun', status: 201, body: { inputs: { order: '7' } } })
    await start('succeeds')
    expect(await later).toMatchObject({ operation: 'triggerRun', key: 'valid' })
    const failure = world.waitForRequest({ operation: 'getRun' }, { timeout: 20 })
    await expect(failure).rejects.toThrow(
      /failed with 408: No request with .*getRun.* within 20 ms.*- POST \/v\d+\/playbooks/s,
    )
    expect(await world.requests({ operation: 'triggerRun', status: 201 })).toHaveLength(1)
    expect(await world.requests({ status: 404 })).toEqual([])
  })

  it('a world takes every timeout and signal that a sandbox in process takes', async () => {
    const none = { operation: 'getRun', status: 500 } as const
    const controller = new AbortController()
    const waiting = world.waitForRequest(none, { timeout: Number.POSITIVE_INFINITY, signal: controller.signal })
    await expect(world.waitForRequest(none, { timeout: 0.5 })).rejects.toThrow('failed with 408')
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow(/^enough$/)
    for (const timeout of [-1, Number.NaN, '5' as never])
      await expect(world.waitForRequest(none, { timeout })).rejects.toThrow('timeout must be a number of ms >= 0')
  })

  it('a world is asked again when the sandbox does not wait as long as the caller', async () => {
    const replies = [{ body: {} }, { status: 408, body: { message: 'None came.' } }, { body: { number: 7 } }]
    const stub = await serve((_, index) => replies[index] ?? {})
    const remote = await connectSandbox(stub.baseUrl).world('stub')
    expect((await remote.waitForRequest({}, { timeout: 90_000 })).number).toBe(7)
  })

  it('a wait that is longer than the sandbox waits at once ends with a sentence about the whole of it', async () => {
    const stub = await serve(async ({ method, url }) => {
      // As a sandbox responds after a minute.
      if (url.includes('/next?')) return { status: 408, body: { error: 'timeout', message: 'None within this part.' } }
      const response = await fetch(server.url + url, { method })
      return { status: response.status, body: await response.json() }
    })
    const remote = await connectSandbox(stub.baseUrl).world('own')
    await caller({ baseUrl: `${server.url}/w/own${VERSION}` })('/providers')
    const none = { operation: 'getRun', after: 0 } as const
    await expect(remote.waitForRequest(none, { timeout: 60_001 })).rejects.toThrow(
      [
        `GET /w/own${controlPath('requests/next')} failed with 408: ` +
          'No request with { operation: "getRun", after: 0 } arrived within 60001 ms. The last 1 of 1 that arrived:',
        `- GET ${VERSION}/providers (listProviders, key valid): 200`,
      ].join('\n'),
    )
  })

  it('a listener of a world goes on after polls that fail, and ends when the world is gone', async () => {
    const replies = [[], undefined, { status: 502 }, { status: 500, body: { message: 'No.' } }, [run]]
    const stub = await serve(({ url }, index, { response }) => {
      if (!url.endsWith('/waiting')) return { body: {} }
      const reply = replies[index - 1]
      if (Array.isArray(reply)) return { body: reply }
      if (index > replies.length) return { status: 404, body: { message: 'Gone.' } }
      if (reply) return reply
      response.destroy()
    })
    const seen: string[] = []
    const remote = await connectSandbox(stub.baseUrl).world('stub')
    const stop = await remote.onWaiting(({ id }) => seen.push(id))
    await expect.poll(() => stub.seen.length, { timeout: 5_000 }).toBe(replies.length + 2)
    expect(seen).toEqual([run.id])
    // It looks ten times a second.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(stub.seen).toHaveLength(replies.length + 2)
    stop()
  })

  it.each(['DELETE', 'PUT'])('a wait ends with a %s of its world, and not with a reset', async (method) => {
    const short = await server.world('short')
    // One connection: the sandbox gets them in this order.
    const received = await raw(
      server.port,
      `GET /w/short${controlPath('requests/next?timeout=60000')} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
      `POST /w/short${controlPath('reset')} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
      `${method} /w/short HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
    )
    expect(received).toMatch(/ 410 .*"world_gone","message":"The world was deleted or replaced .* 200 .* 200 /s)
    await short[Symbol.asyncDispose]()
  })

  it('a world calls a listener for each run that waits', async () => {
    const stop = await world.onWaiting(({ id }) => world.approve(id))
    const id = await start('needsApproval')
    const poll = async () => (await caller(world)(`/runs/${id}`)).body.status
    await expect.poll(poll, { timeout: 5_000 }).toBe('succeeded')
    stop()
    const other = await start('needsApproval')
    for (let count = 0; count < 2; count++) await caller(world)(`/runs/${other}`)
    // It looks ten times a second.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { steps } = (await caller(world)(`/runs/${other}`)).body
    expect(steps.at(-1).status).toBe('waiting_approval')
  })
})

const FILTER = 'This filter of requests is not valid:'

it.each<[act: (sandbox: ReturnType<typeof createSandbox>) => unknown, message: string]>([
  [(s) => s.onWaiting('call' as never), 'onWaiting expects a function'],
  [(s) => s.requests({ status: 99 }), `${FILTER} status must be an integer from 100 to 599`],
  [
    (s) => s.requests({ key: 'nokey' }),
    `${FILTER} the world has no key "nokey", only valid, readOnly, hobby, limited, otherWorkspace, unknown`,
  ],
  [
    (s) => s.requests({ key: 5 as never, after: -1 }),
    `${FILTER} key must be the name of a key; after must be an integer >= 0`,
  ],
])('%s is refused with a sentence', (act, message) => {
  expect(messageOf(() => act(createSandbox()))).toBe(`TypeError: ${message}.`)
})

it.each<[filter: RequestFilter, options: object, message: RegExp]>([
  [
    { operation: 'getRun' },
    { timeout: 0 },
    /^No request with \{ operation: "getRun" \} arrived within 0 ms\. No request/,
  ],
  [
    { status: 200, body: undefined },
    { timeout: 1 },
    /^No request with \{ status: 200, body: undefined \} arrived within 1/,
  ],
  [{ opertion: 'getRun' } as never, {}, /unknown option "opertion"/],
  [{ key: 'nokey' }, {}, /: the world has no key "nokey", only valid, .*, unknown\.$/],
  [{}, { timeout: -1 }, /^waitForRequest: timeout must be a number of ms >= 0\.$/],
  [{}, { signal: {} }, /^waitForRequest: signal must be an AbortSignal\.$/],
])('a wait for %o with %o ends with a sentence', async (filter, options, message) => {
  await expect(createSandbox().waitForRequest(filter, options)).rejects.toThrow(message)
})

it('a wait lists the last ten requests that came instead', async () => {
  const sandbox = createSandbox()
  for (let count = 0; count < 12; count++) await caller(sandbox)('/providers')
  await caller(sandbox, 'my-own-secret')('/runs/run_0')
  const waiting = sandbox.waitForRequest({ operation: 'triggerRun' }, { timeout: 1 })
  const line = `- GET ${VERSION}/providers (listProviders, key valid): 200`
  await expect(waiting).rejects.toThrow(
    [
      'No request with { operation: "triggerRun" } arrived within 1 ms. The last 10 of 13 that arrived:',
      ...Array(9).fill(line),
      `- GET ${VERSION}/runs/run_0 (getRun, key unknown): 401`,
    ].join('\n'),
  )
})
