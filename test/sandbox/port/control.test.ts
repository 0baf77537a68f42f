import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plans } from '../../../generated/contract.js'
import type { Run } from '../../../generated/types.js'
import { EXAMPLE_TIME } from '../../../src/tools/sandbox/clock.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import type { SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { until } from '../../support/clock.js'
import { repository } from '../../support/project.js'
import { caller, raw, trigger } from '../calls.js'
import { control, controlPath, endAll, serve } from '../ports.js'

const sandbox = createSandbox()
let server: SandboxServer
beforeEach(async () => {
  sandbox.reset()
  server = await serve({}, sandbox)
})
afterEach(endAll)

const send = async (command: string, init: RequestInit = {}) => {
  const response = await control(server, command, undefined, init)
  return { status: response.status, body: await response.json() }
}

/** Reads server-sent events until the last one passes: resolves once the stream is open, and `all` when it is over. */
async function events(last: (event: { type: string; data: Record<string, unknown> }) => boolean) {
  const response = await control(server, 'events')
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const found: { type: string; id: number; data: Record<string, unknown> }[] = []
  const collected = (async () => {
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
        if (field('event') === '') continue
        found.push({ type: field('event'), id: Number(field('id')), data: JSON.parse(field('data')) })
        if (last(found.at(-1) as never)) return found
      }
    }
    return found
  })()
  while (found.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  return { all: collected }
}

describe('the events of the control interface', () => {
  it('events report requests with reasons, runs, limits, faults and resets, numbered consecutively', async () => {
    const { all: ready } = await events(({ type }) => type === 'reset')
    await caller(server)('/runs/run_8Zt4Lm2c')
    sandbox.inject({ operation: 'listProviders', status: 500 })
    await caller(server)('/providers')
    await caller(server)('/playbooks?page=x')
    sandbox.reset()
    const [open, ...rest] = await ready
    expect(open?.type).toBe('open')
    expect(rest.map(({ type }) => type)).toEqual([
      'request',
      'limit',
      'run',
      'faults',
      'faults',
      'request',
      'request',
      'limit',
      'reset',
    ])
    expect(rest.map(({ id }) => id)).toEqual(rest.map((_, index) => Number(open?.id) + index + 1))
    expect(rest[2]?.data).toMatchObject({
      workspace: 'main',
      run: { id: 'run_8Zt4Lm2c', steps: [{ status: 'running' }] },
    })
    expect(rest[6]?.data).toMatchObject({ request: { reason: { type: 'validation', problem: { name: 'page' } } } })
    expect(JSON.stringify(rest)).not.toContain('key_valid')
  })

  it('events report runs that progress with time', async () => {
    server = await serve({}, createSandbox({ progress: 'clock' }))
    const { all: found } = await events(({ type }) => type === 'run')
    await trigger(server, 'pb_7hQ2vn')
    expect((await found).at(-1)?.type).toBe('run')
  })

  it('events end for a reader that falls behind, and go on for one that reads', async () => {
    const stalled = connect(server.port, '127.0.0.1').on('error', () => {})
    stalled.write(`GET ${controlPath('events')} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    // More than the buffers of two sockets have place for.
    const EVENTS = 24
    const large = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-${index}`, 'x'.repeat(4_000)]))
    let read = 0
    const { all: reading } = await events(({ type }) => type === 'request' && ++read === EVENTS)
    for (let sent = 1; sent <= EVENTS; sent++) {
      await caller(sandbox)('/providers', large)
      await until(() => read === sent)
    }
    await reading
    let received = 0
    stalled.on('data', ({ length }) => {
      received += length
    })
    await once(stalled, 'close')
    expect(received).toBeLessThan(EVENTS * 600_000)
  })

  it('events have the beginning of long inputs and bodies, as the log has', async () => {
    const inputs = { text: 'x'.repeat(500_000) }
    const { all: found } = await events(({ type }) => type === 'run')
    const run = (await trigger(server, sandbox.playbooks.slow, { inputs })).body
    const all = await found
    expect(JSON.stringify(all).length).toBeLessThan(12_000)
    const { request } = Object(all.find(({ type }) => type === 'request')?.data)
    expect(request).toMatchObject({
      partial: true,
      request: { body: expect.stringMatching(/^{"inputs":{"text":"x{3980,}… \(500022 characters\)$/) },
      response: { body: run },
    })
    expect((await send(`requests?after=${request.number - 1}&limit=1`)).body).toEqual([request])
    const kept = { text: `${'x'.repeat(4_000)}… (500000 characters)` }
    expect((await send('state?last=1')).body.workspaces[0].runs[0].inputs).toEqual(kept)
    expect((await send(`runs/${run.id}`)).body).toMatchObject({ run, inputs: kept })
  })

  it('events begin with the last ones, and nothing listens when the reader has left', async () => {
    await caller(server)('/providers')
    const leaving = new AbortController()
    const { body } = await control(server, 'events', undefined, { signal: leaving.signal })
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.endsWith('\n\n')) text += (await reader.read()).value
    const { events: source } = engineOf(sandbox)
    const open = { event: source.last(), lastRequest: sandbox.requests()[0]?.number }
    expect(text).toBe(`retry: 1000\nevent: open\nid: ${source.last()}\ndata: ${JSON.stringify(open)}\n\n`)
    expect(source.observed()).toBe(true)
    reader.read().catch(() => {})
    leaving.abort()
    await expect.poll(() => source.observed()).toBe(false)
  })

  it('events keep a silent connection open with a comment each 15 seconds, as proxies close one', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const { body } = await control(server, 'events')
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('lastRequest')) text += (await reader.read()).value
      vi.advanceTimersByTime(15_000)
      expect((await reader.read()).value).toBe(':\n\n')
      await reader.cancel()
    } finally {
      vi.useRealTimers()
    }
  })

  it('a HEAD of the events gets their headers, and a request that is pipelined behind it its response', async () => {
    const request = (method: string, path: string) =>
      `${method} ${controlPath(path)} HTTP/1.1\r\nhost: localhost\r\n${path === 'health' ? 'connection: close\r\n' : ''}\r\n`
    const received = await raw(server.port, request('HEAD', 'events') + request('GET', 'health'))
    expect(received).toMatch(/^HTTP\/1\.1 200.*content-type: text\/event-stream.*HTTP\/1\.1 200.*"ok"/is)
    expect(received).not.toContain('event: open')
  })

  it('event streams end when the server closes', async () => {
    const { all: ended } = await events(() => false)
    await server.close()
    expect((await ended).map(({ type }) => type)).toEqual(['open'])
  })
})

it('reading the control interface moves no run, takes no token and logs no request', async () => {
  const before = JSON.stringify(sandbox.state)
  for (const command of ['', 'keys', 'playbooks', 'state', 'requests', 'faults', 'worlds'])
    expect((await send(command)).status, command).toBe(200)
  expect(JSON.stringify(sandbox.state)).toBe(before)
  expect(sandbox.requests()).toEqual([])
})

it('the control interface has the keys and playbooks, and refuses a number that is not an integer', async () => {
  const { keys, playbooks } = sandbox
  expect((await send('keys')).body).toEqual({ keys, playbooks })
  for (const limit of ['5x', 'x5', '', '-1'])
    expect((await send(`requests?limit=${limit}`)).body.message).toBe(
      `The query parameter "limit" must be an integer, but is "${limit}".`,
    )
})

it('the control interface pages through requests and runs', async () => {
  for (let count = 0; count < 5; count++) await caller(server)(`/runs/run_${count}`)
  const numbers = async (query: string) =>
    (await send(`requests?${query}`)).body.map((each: { number: number }) => each.number)
  const [first = 0] = await numbers('limit=1')
  expect(await numbers(`after=${first}&limit=2`)).toEqual([first + 1, first + 2])
  const { requestsPerMinute, burst } = plans.pro
  const { body } = await send('state?workspace=main&after=run_8Zt4Lm2c&limit=10')
  expect(body.workspaces).toMatchObject([{ name: 'main', limit: { requestsPerMinute, burst }, runs: [], runCount: 1 }])
  expect(body.workspaces[0].tokens).toBeLessThan(burst)
})

it('the state has what the console shows, of each workspace or of one', async () => {
  const { body } = await send('state')
  expect(body).toMatchObject({
    ...{ event: expect.any(Number), lastRequest: expect.any(Number), paused: false, progress: 'poll', speed: 1 },
    time: new Date(sandbox.state.workspaces[0]!.runs[0]!.run.started_at).toISOString(),
  })
  expect(body.workspaces.map(({ name }: { name: string }) => name)).toEqual(
    sandbox.state.workspaces.map(({ name }) => name),
  )
  const [main] = (await send('state?workspace=main')).body.workspaces
  expect(main).toMatchObject({ plan: 'pro', runCount: 1, runs: [{ run: { id: 'run_8Zt4Lm2c' } }] })
  const [valid, readOnly, ...others] = main.keys
  expect(others.map(({ name }: { name: string }) => name)).not.toContain('otherWorkspace')
  expect(valid).toEqual({ name: 'valid', value: 'key_valid' })
  expect(readOnly).toMatchObject({ name: 'readOnly', value: 'key_read_only', operations: expect.any(Array) })
  expect(readOnly.operations).toContain('listProviders')
  expect(readOnly.operations).not.toContain('triggerRun')
  expect((await send('state?workspace=none')).body.workspaces).toEqual([])
  expect((await send('state')).body.epoch).toBe(body.epoch)
  sandbox.pause()
  expect((await send('state')).body.paused).toBe(true)
  sandbox.reset()
  expect((await send('state')).body.epoch).not.toBe(body.epoch)
  const free = await serve({}, createSandbox({ plan: false }))
  const [own] = (await (await control(free, 'state')).json()).workspaces
  expect(own).toMatchObject({ plan: false, limit: null })
  expect(own).not.toHaveProperty('tokens')
})

it('the control interface finds requests by each property, and pages runs', async () => {
  const started = [(await trigger(server, 'pb_7hQ2vn')).body.id, (await trigger(server, 'pb_7hQ2vn')).body.id]
  await caller(server, 'key_read_only')('/runs/none')
  const body = encodeURIComponent(JSON.stringify({ inputs: {} }))
  for (const [query, count] of [
    ['operation=getRun', 1],
    ['status=404', 1],
    ['key=valid', 2],
    [`body=${body}`, 2],
    [`key=readOnly&body=${body}`, 0],
  ] as const)
    expect([query, (await send(`requests?${query}`)).body.length]).toEqual([query, count])
  const ids = async (query: string) =>
    (await send(`state?workspace=main&${query}`)).body.workspaces[0].runs.map(({ run }: { run: Run }) => run.id)
  expect(await ids('limit=2')).toEqual(['run_8Zt4Lm2c', started[0]])
  expect(await ids(`after=${started[0]}`)).toEqual([started[1]])
  expect(await ids('last=2')).toEqual(started)
  expect(await ids('last=9')).toEqual(['run_8Zt4Lm2c', ...started])
})

it.each([
  [
    'POST runs/run_8Zt4Lm2c/approve',
    undefined,
    () => sandbox.state.workspaces[0]?.runs[0]?.run.steps[1]?.status,
    'succeeded',
  ],
  ['POST runs/run_8Zt4Lm2c/reject', undefined, () => sandbox.state.workspaces[0]?.runs[0]?.run.status, 'failed'],
  ['POST pause', undefined, () => engineOf(sandbox).clock.isPaused(), true],
  ['POST inject', { status: 500 }, () => sandbox.faults.length, 1],
  ['POST time', { time: '2031-01-01T00:00:00Z' }, () => engineOf(sandbox).clock.runNow(), Date.UTC(2031, 0, 1)],
  ['POST advance', { ms: 1_000 }, () => engineOf(sandbox).clock.runNow() - EXAMPLE_TIME, 1_000],
  ['POST reset', {}, () => sandbox.requests(), []],
] as const)('%s does what the function of a sandbox does', async (command, body, read, expected) => {
  for (let poll = 0; poll < 2; poll++) await caller(server)('/runs/run_8Zt4Lm2c')
  expect((await send('waiting')).body).toMatchObject([{ id: 'run_8Zt4Lm2c' }])
  expect(sandbox.waitingRuns()).toMatchObject([{ id: 'run_8Zt4Lm2c' }])
  const [method, path] = command.split(' ') as [string, string]
  const done = await send(path, { method, ...(body && { body: JSON.stringify(body) }) })
  expect([done.status, read()]).toEqual([200, expected])
  expect(done.body).toMatchObject(path.startsWith('runs') ? { id: 'run_8Zt4Lm2c' } : { ok: true })
})

it('the control interface lists playbooks with their steps', async () => {
  expect((await send('playbooks')).body[0]).toMatchObject({
    workspace: 'main',
    name: 'succeeds',
    playbook: { id: 'pb_7hQ2vn' },
    steps: [{ capability: 'billing.open_account' }, { capability: 'mail.send' }],
  })
})

it('the control interface lists waiting faults, and clears one or all of them', async () => {
  for (const status of [500, 503, 504]) sandbox.inject({ status, times: 2 })
  const [first, ...others] = sandbox.faults
  expect((await send('faults')).body[0]).toMatchObject({ fault: { status: 500, times: 2 }, left: 2 })
  expect((await send(`faults/${first?.number}`, { method: 'DELETE' })).status).toBe(200)
  expect(sandbox.faults).toEqual(others)
  await send('faults', { method: 'DELETE' })
  expect(sandbox.faults).toEqual([])
})

it('inject responds with the number of the fault, by which it can be removed', async () => {
  const inject = async (status: number) => (await send('inject', { method: 'POST', body: `{"status":${status}}` })).body
  const [first, second] = [await inject(500), await inject(503)]
  expect([first, second]).toEqual([first.number, first.number + 1].map((number) => ({ ok: true, number })))
  await send(`faults/${first.number}`, { method: 'DELETE' })
  expect(sandbox.faults.map(({ number }) => number)).toEqual([second.number])
})

it('a body of the control interface that names a property twice is refused, because a value would be lost', async () => {
  const refused = (name: string) => ({
    status: 400,
    body: { error: 'bad_request', message: `The body has the property "${name}" twice.` },
  })
  const inject = (body: string) => send('inject', { method: 'POST', body })
  expect(await inject('{"status":500,"status":503}')).toEqual(refused('status'))
  expect(await inject('{"status":500,"fault":{"a":1,"\\u0061":2}}')).toEqual(refused('fault.a'))
  expect(await send('../w/one', { method: 'PUT', body: '{"seed":1,"seed":2}' })).toEqual(refused('seed'))
})

it('a logged request has the duration of its response', async () => {
  await caller(server)('/playbooks')
  sandbox.inject({ delay: 30, status: 500 })
  await caller(server)('/playbooks')
  const [quick, slow] = (await send('requests')).body
  expect(quick.duration).toBeLessThan(slow.duration)
  expect(slow.duration).toBeGreaterThan(29)
})

describe('the console', () => {
  const headers = { accept: 'text/html' }

  it.each(['/', '/__sandbox'])(
    'a browser gets from %s to the console, and other clients to the commands',
    async (path) => {
      const page = await fetch(server.url + path, { headers })
      expect([page.url, page.headers.get('content-type')]).toEqual([server.consoleUrl, 'text/html; charset=utf-8'])
      const { commands } = await (await fetch(server.url + path)).json()
      expect(commands).toContain('GET state')
    },
  )

  it('a browser gets the files of the console, at each world and without a token, and nothing else', async () => {
    server = await serve({ host: '0.0.0.0' })
    await server.world('one')
    for (const base of [controlPath(), `/w/one${controlPath()}`]) {
      const typeOf = async (file: string, init: RequestInit = {}) => {
        const { status, headers } = await fetch(server.url + base + file, init)
        return status === 200 ? headers.get('content-type') : status
      }
      expect(await typeOf('', { headers })).toBe('text/html; charset=utf-8')
      expect(await typeOf('console.js')).toBe('text/javascript; charset=utf-8')
      expect(await typeOf('styles.css')).toBe('text/css; charset=utf-8')
      for (const [file, method] of [
        ['', 'POST'],
        ['console.js', 'POST'],
        ['console.js/', 'GET'],
        ['x/console.js', 'GET'],
        ['index.html', 'GET'],
      ] as const)
        expect([file, method, await typeOf(file, { method, headers })]).toEqual([file, method, 401])
      expect(await typeOf('')).toBe(401)
    }
  })
})

it('the guide lists every request that the control interface has', async () => {
  const guide = readFileSync(join(repository, 'docs/guides/testing.md'), 'utf8')
  const { commands } = (await send('')).body
  expect(commands.length).toBeGreaterThan(10)
  for (const command of commands)
    expect(guide.includes(`\`${command}\``) || guide.includes(`\`${command}?`), command).toBe(true)
})
