import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { raw, trigger } from './calls.js'

const KEY = { authorization: 'Bearer key_valid' }
const sandbox = createSandbox()
let server: SandboxServer
beforeEach(async () => {
  sandbox.reset()
  server = await listen(sandbox)
})
afterEach(() => server.close())

const control = async (command: string, init: RequestInit = {}) => {
  const response = await fetch(`${server.url}/__sandbox/${command}`, init)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Reads server-sent events until the last one passes. */
async function events(last: (event: { type: string; data: Record<string, unknown> }) => boolean) {
  const response = await fetch(`${server.url}/__sandbox/events`)
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
  return collected
}

describe('the events of the control interface', () => {
  it('events report requests with reasons, runs, limits, faults and resets, numbered consecutively', async () => {
    const ready = events(({ type }) => type === 'reset')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await fetch(`${server.baseUrl}/runs/run_8Zt4Lm2c`, { headers: KEY })
    sandbox.inject({ operation: 'listProviders', status: 500 })
    await fetch(`${server.baseUrl}/providers`, { headers: KEY })
    await fetch(`${server.baseUrl}/playbooks?page=0`, { headers: KEY })
    sandbox.reset()
    const [open, ...rest] = await ready
    expect(open?.type).toBe('open')
    expect(rest.map(({ type }) => type)).toEqual([
      'request',
      'limit',
      'run',
      'faults',
      'request',
      'faults',
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
    await server.close()
    server = await listen(createSandbox({ progress: 'clock' }))
    const found = events(({ type }) => type === 'run')
    await trigger(server, 'pb_7hQ2vn')
    expect((await found).at(-1)?.type).toBe('run')
  })

  it('end for a reader that falls behind, and go on for one that reads', async () => {
    const stalled = connect(server.port, '127.0.0.1').on('error', () => {})
    stalled.write('GET /__sandbox/events HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const ROUNDS = 24
    // More than the buffers of two sockets have place for.
    const path = `${sandbox.baseUrl}/runs/${'x'.repeat(60_000)}`
    let read = 0
    const reading = events(({ type }) => type === 'request' && ++read === 10 * ROUNDS)
    await new Promise((resolve) => setTimeout(resolve, 200))
    for (let round = 1; round <= ROUNDS; round++) {
      for (let count = 0; count < 10; count++) await sandbox.fetch(path, { headers: KEY })
      await expect.poll(() => read, { timeout: 60_000, interval: 1 }).toBe(10 * round)
    }
    await reading
    let received = 0
    stalled.on('data', ({ length }) => {
      received += length
    })
    await once(stalled, 'close')
    expect(received).toBeLessThan(ROUNDS * 10 * 60_000)
  })

  it('leave long inputs and bodies out, which can be fetched', async () => {
    const inputs = { text: 'x'.repeat(500_000) }
    const found = events(({ type }) => type === 'run')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const run = (await trigger(server, sandbox.playbooks.slow, { inputs })).body
    const all = await found
    expect(JSON.stringify(all).length).toBeLessThan(5_000)
    const { request } = Object(all.find(({ type }) => type === 'request')?.data)
    expect(request).toMatchObject({
      partial: true,
      request: { body: '… (500022 characters, which GET requests has)' },
      response: { body: run },
    })
    const [whole] = (await control(`requests?after=${request.number - 1}&limit=1`)).body
    expect(whole.request.body).toEqual({ inputs })
    expect((await control('state?last=1')).body.workspaces[0].runs[0]).not.toHaveProperty('inputs')
    expect((await control(`runs/${run.id}`)).body).toMatchObject({ run, inputs })
    expect((await control('runs/none')).body.message).toBe('There is no run with the id "none" in the sandbox.')
  })

  it('a HEAD of the events gets their headers, and what is pipelined behind it its response', async () => {
    const request = (method: string, path: string) =>
      `${method} /__sandbox/${path} HTTP/1.1\r\nhost: localhost\r\n${path === 'health' ? 'connection: close\r\n' : ''}\r\n`
    const received = await raw(server.port, request('HEAD', 'events') + request('GET', 'health'))
    expect(received).toMatch(/^HTTP\/1\.1 200.*content-type: text\/event-stream.*HTTP\/1\.1 200.*"ok"/is)
    expect(received).not.toContain('event: open')
  })

  it('event streams end when the server closes', async () => {
    const ended = events(() => false)
    await new Promise((resolve) => setTimeout(resolve, 100))
    await server.close()
    expect((await ended).map(({ type }) => type)).toEqual(['open'])
  })
})

describe('looking at a sandbox', () => {
  it('reading the control interface moves no run, takes no token and logs no request', async () => {
    const before = JSON.stringify(sandbox.state)
    for (const command of ['', 'keys', 'playbooks', 'state', 'requests', 'faults', 'worlds'])
      expect((await control(command)).status, command).toBe(200)
    expect(JSON.stringify(sandbox.state)).toBe(before)
    expect(sandbox.requests()).toEqual([])
  })

  it('the control interface clears one of the waiting faults', async () => {
    for (const status of [500, 503]) sandbox.inject({ status })
    const [first, second] = sandbox.faults
    expect((await control(`faults/${first?.number}`, { method: 'DELETE' })).status).toBe(200)
    expect(sandbox.faults).toEqual([second])
    expect((await control(`faults/${first?.number}`, { method: 'DELETE' })).body.message).toContain(`${first?.number}`)
  })

  it('the control interface pages through requests and runs', async () => {
    for (let count = 0; count < 5; count++) await fetch(`${server.baseUrl}/runs/run_${count}`, { headers: KEY })
    const numbers = async (query: string) =>
      (await control(`requests?${query}`)).body.map((each: { number: number }) => each.number)
    const [first = 0] = await numbers('limit=1')
    expect(await numbers(`after=${first}&limit=2`)).toEqual([first + 1, first + 2])
    expect((await control('requests?after=x')).body.message).toBe(
      'The query parameter "after" must be a whole number, and is "x".',
    )
    const { body } = await control('state?workspace=main&after=run_8Zt4Lm2c&limit=10')
    expect(body.workspaces).toMatchObject([
      { name: 'main', limit: { requestsPerMinute: 60, burst: 120 }, runs: [], runCount: 1 },
    ])
    expect(body.workspaces[0].tokens).toBeLessThan(120)
  })

  it('the control interface lists playbooks with their steps, and lists and clears waiting faults', async () => {
    expect((await control('playbooks')).body[0]).toMatchObject({
      workspace: 'main',
      name: 'succeeds',
      playbook: { id: 'pb_7hQ2vn' },
      steps: [{ capability: 'billing.open_account' }, { capability: 'mail.send' }],
    })
    sandbox.inject({ status: 500, times: 2 })
    expect((await control('faults')).body).toMatchObject([{ fault: { status: 500, times: 2 }, left: 2 }])
    await control('faults', { method: 'DELETE' })
    expect(sandbox.faults).toEqual([])
  })
})

describe('a body of the control interface', () => {
  const PUT = async (body: string) => {
    const response = await fetch(`${server.url}/w/one`, { method: 'PUT', body })
    return { status: response.status, body: await response.json() }
  }

  it('a body that names a property twice is refused, because one of the values would be lost', async () => {
    const message = 'The body has an object that names a property twice.'
    for (const body of ['{"status":500,"status":503}', '{"status":500,"fault":{"a":1,"\\u0061":2}}'])
      expect(await control('inject', { method: 'POST', body })).toMatchObject({ status: 400, body: { message } })
    expect(sandbox.faults).toEqual([])
    expect(await PUT('{"seed":1,"seed":2}')).toMatchObject({ status: 400, body: { message } })
  })
})

describe('the origin of a page', () => {
  it('a page of the sandbox may control it, a page of another origin may not, and none gets CORS headers', async () => {
    const origin = new URL(server.url).origin
    const own = await control('reset', { method: 'POST', headers: { origin } })
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, null])
    const others: Record<string, string>[] = [
      { origin: 'https://app.example' },
      { origin: 'null' },
      { origin: `${origin}0` },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of others) {
      const refused = await control('reset', { method: 'POST', headers })
      expect([headers, refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
        headers,
        403,
        null,
      ])
    }
    const asked = await fetch(`${server.url}/__sandbox/reset`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([403, null])
    const world = await fetch(`${server.url}/w/one`, { method: 'PUT', headers: { origin: 'https://a.example' } })
    expect(world.status).toBe(403)
  })
})

describe('the time of the sandbox', () => {
  it('the time of the sandbox stops while it is paused, and continues from there', async () => {
    let time = Date.parse('2026-11-21T09:30:00Z')
    const timed = createSandbox({ progress: 'clock', clock: { now: () => time } })
    await server.close()
    server = await listen(timed)
    await trigger(server, timed.playbooks.slow)
    for (let count = 0; count < 10; count++) await fetch(`${server.baseUrl}/playbooks`, { headers: KEY })
    const state = async () => {
      const { body } = await control('state?workspace=main&last=1')
      const { tokens, runs } = body.workspaces[0]
      return { paused: body.paused, tokens, movesIn: runs[0].movesIn, steps: runs[0].run.steps.length }
    }
    const first = await state()
    expect(first).toEqual({ paused: false, tokens: 110, movesIn: 200, steps: 0 })
    await control('pause', { method: 'POST' })
    time += 5_000
    expect(await state()).toEqual({ ...first, paused: true })
    await control('advance', { method: 'POST', body: '{"ms":1000}' })
    expect(await state()).toMatchObject({ paused: true, tokens: 111, steps: 1 })
    await control('resume', { method: 'POST' })
    time += 2_000
    expect(await state()).toMatchObject({ paused: false, tokens: 113 })
    await control('pause', { method: 'POST' })
    timed.reset()
    expect((await control('state')).body.paused).toBe(false)
  })
})

describe('the console', () => {
  const asBrowser = { headers: { accept: 'text/html' } }

  it('a browser gets the console, and other clients get the list of commands', async () => {
    const page = await fetch(`${server.url}/`, asBrowser)
    expect([page.url, page.headers.get('content-type')]).toEqual([server.consoleUrl, 'text/html; charset=utf-8'])
    expect((await control('')).body.commands).toContain('GET state')
  })

  it('the console takes less than 40 kB', async () => {
    const texts = ['', 'console.js', 'styles.css'].map(async (file) => {
      const response = await fetch(`${server.url}/__sandbox/${file}`, asBrowser)
      expect(response.status).toBe(200)
      return response.text()
    })
    expect(gzipSync((await Promise.all(texts)).join('')).length).toBeLessThan(40_000)
  })

  it('a logged request has the duration of its response', async () => {
    await fetch(`${server.baseUrl}/playbooks`, { headers: KEY })
    sandbox.inject({ delay: 30, status: 500 })
    await fetch(`${server.baseUrl}/playbooks`, { headers: KEY })
    const [quick, slow] = (await control('requests')).body
    expect(quick.duration).toBeGreaterThan(0)
    expect(slow.duration).toBeGreaterThan(29)
  })
})
