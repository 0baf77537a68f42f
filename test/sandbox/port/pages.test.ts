import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import type { ListenOptions } from '../../../src/tools/sandbox/port/index.js'
import { createWorlds } from '../../../src/tools/sandbox/port/worlds.js'
import { connectSandbox } from '../../../src/tools/sandbox/remote/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { VERSION } from '../../support/fixtures.js'
import { control, controlPath, endAll, KEY, serve } from '../ports.js'

afterEach(async () => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  await endAll()
})

const ORIGIN = 'https://dev.example'

describe('a page of an allowed origin', () => {
  it.each([
    [ORIGIN, ORIGIN],
    ['http://localhost:*', 'http://localhost:5173'],
    ['http://localhost:*', 'http://localhost'],
  ])(
    '--allowed-origin %s lets a page of %s control the sandbox, preflights and errors included',
    async (allowed, origin) => {
      const server = await serve({ allowedOrigins: [allowed], controlToken: 'secret' })
      const asked = {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type',
      }
      for (const path of ['/w/one', controlPath('reset'), `/w/one${controlPath('inject')}`]) {
        const { status, headers } = await fetch(server.url + path, { method: 'OPTIONS', headers: asked })
        expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'PUT'])
        expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type')
      }
      const sent = async (path: string, headers: Record<string, string>) => {
        const response = await fetch(server.url + path, {
          headers: { origin, 'sec-fetch-site': 'cross-site', ...headers },
        })
        void response.body?.cancel()
        return [response.status, response.headers.get('access-control-allow-origin')]
      }
      const authorization = 'Bearer secret'
      expect(await sent(controlPath('keys'), { authorization })).toEqual([200, origin])
      expect(await sent(controlPath('events'), { authorization })).toEqual([200, origin])
      expect(await sent(controlPath('keys'), {})).toEqual([401, origin])
      expect(await sent(`/w/none${controlPath('keys')}`, { authorization })).toEqual([404, origin])
    },
  )

  it.each([
    [ORIGIN, `${ORIGIN}:444`],
    [ORIGIN, 'http://dev.example'],
    ['http://localhost:*', 'https://localhost:5173'],
    ['http://localhost:*', 'http://localhost.evil.example'],
    ['http://localhost:*', 'http://localhost:5173.evil.example'],
  ])('--allowed-origin %s lets no page of %s control the sandbox', async (allowed, origin) => {
    const server = await serve({ allowedOrigins: [allowed] })
    const response = await fetch(server.url + controlPath('keys'), { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })

  it.each([
    'localhost',
    'dev.example',
    '*',
    'https://dev.example/',
    'https://*.example',
    'ftp://dev.example',
    'null',
    5,
  ])('listen refuses %s as an allowed origin', async (origin) => {
    await expect(serve({ allowedOrigins: [origin as string] })).rejects.toThrow('allowedOrigins')
  })

  it('a page without the option is told that it needs it', async () => {
    const refuse = () => Promise.reject(new TypeError('Failed to fetch'))
    vi.stubGlobal('fetch', refuse)
    vi.stubGlobal('location', new URL('http://localhost:5173/page'))
    await expect(connectSandbox('http://127.0.0.1:4010').world('a')).rejects.toThrow(
      'sandbox --allowed-origin http://localhost:5173: a page of another origin, or port, needs this option.',
    )
    await expect(connectSandbox('http://localhost:5173').world('a')).rejects.not.toThrow('--allowed-origin')
  })
})

const status = async (url: string, headers: Record<string, string> = KEY) => (await fetch(url, { headers })).status
const worldsOf = async (url: string): Promise<string[]> =>
  (await (await control({ url }, 'worlds')).json()).map(({ name }: { name: string }) => name)
const listIn = (world: string) => `/w/${world}${VERSION}/playbooks`

describe('the worlds of others', () => {
  const page = { ...KEY, origin: 'http://localhost:5173' }

  it('a page whose origin is not allowed evicts worlds that such pages made, and no others', async () => {
    const server = await serve({ maxWorlds: 2 })
    const mine = await server.world('mine')
    for (const name of ['a', 'b', 'c']) expect(await status(server.url + listIn(name), page)).toBe(200)
    expect(await worldsOf(server.url)).toEqual(['mine', 'c'])
    await server.world('two')
    expect(await worldsOf(server.url)).toEqual(['mine', 'two'])
    const refused = await fetch(server.url + listIn('d'), { headers: page })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await refused.json()).message).toContain('a page whose origin is not allowed evicts none of them')
    expect(await mine.requests()).toEqual([])
  })

  it.each<[ListenOptions, string]>([
    [{ allowedOrigins: ['http://localhost:*'] }, 'a page of an allowed origin'],
    [{}, 'the own page of the sandbox'],
  ])('with %j, %s evicts the least recently used world', async (options) => {
    const server = await serve({ maxWorlds: 1, ...options })
    await server.world('mine')
    const origin = options.allowedOrigins ? page.origin : server.url
    expect(await status(server.url + listIn('a'), { ...KEY, origin })).toBe(200)
    expect(await worldsOf(server.url)).toEqual(['a'])
  })

  it('with requireTokenForWorlds, worlds are made by PUT with the token, and by nothing else', async () => {
    const server = await serve({ controlToken: 'secret', requireTokenForWorlds: true, maxWorlds: 1 })
    const world = await server.world('mine')
    const refused = await fetch(server.url + listIn('a'), { headers: KEY })
    expect([refused.status, (await refused.json()).message]).toEqual([
      403,
      'A request without the control token may not create the world "a". Create it with PUT /w/a and the token.',
    ])
    expect(await status(`${server.baseUrl}/playbooks`, { authorization: 'Bearer key_valid.b' })).toBe(403)
    expect((await fetch(`${server.url}/w/c`, { method: 'PUT' })).status).toBe(401)
    expect(await status(`${world.baseUrl}/playbooks`)).toBe(200)
    for (const options of [{}, { controlToken: 'secret', control: false }])
      await expect(serve({ ...options, requireTokenForWorlds: true })).rejects.toThrow('needs a controlToken')
  })

  it('a world without a request for an hour is dropped, unless its events are read', async () => {
    const server = await serve()
    const ended = new AbortController()
    for (const name of ['unused', 'watched', 'used']) await server.world(name)
    await fetch(`${server.url}/w/watched${controlPath('events')}`, { signal: ended.signal })
    const { now } = performance
    let later = 3_500_000
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later)
    expect(await status(server.url + listIn('used'))).toBe(200)
    later += 200_000
    expect(await worldsOf(server.url)).toEqual(['watched', 'used'])
    ended.abort()
    const response = await fetch(server.url + listIn('unused'), { headers: KEY })
    expect([response.status, (await response.json()).message]).toEqual([
      410,
      'The world "unused" had no request for 3600 s (--world-timeout). Make it again with PUT.',
    ])
  })

  it('a world whose events were read is kept for as long after the end as after a request', () => {
    const worlds = createWorlds(engineOf(createSandbox()), { maxWorlds: 5, worldTimeout: 1_000 }, () => {})
    let time = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    const { events } = worlds.put('watched', {}).engine
    const unsubscribe = events.subscribe(
      () => {},
      () => {},
    )
    time += 5_000
    unsubscribe()
    time += 900
    expect(worlds.list()).toHaveLength(1)
    time += 200
    expect(worlds.list()).toEqual([])
  })
})

it('the bodies of all commands together take at most 128 MiB, and more get a 503 that says when to try again', async () => {
  const server = await serve()
  const body = new Uint8Array(100 * 2 ** 20)
  /** Sends a body that does not end, so what it took stays taken. */
  const open = async () => {
    const ended = new AbortController()
    let parts = 0
    const sent = new Promise<void>((resolve) => {
      const stream = new ReadableStream({
        pull(controller) {
          if (parts++ < 100) return controller.enqueue(new Uint8Array(2 ** 20))
          resolve()
          return new Promise<never>(() => {})
        },
      })
      const init = { method: 'POST', body: stream, signal: ended.signal, ...{ duplex: 'half' } }
      fetch(server.url + controlPath('inject'), init).catch(() => {})
    })
    await sent
    return () => ended.abort()
  }
  // Whichever is received last is refused; the first may have bytes on their way.
  const tries = { timeout: 60_000 }
  await vi.waitFor(async () => {
    const end = await open()
    const refused = await control(server, 'inject', body)
    const small = await control(server, 'inject', { status: 500 })
    end()
    expect([refused.status, refused.headers.get('retry-after'), small.status]).toEqual([503, '1', 200])
    expect((await refused.json()).message).toContain('Send this one again later.')
  }, tries)
  await vi.waitFor(async () => expect((await control(server, 'inject', body)).status).toBe(400), tries)
})
