import { afterEach, describe, expect, it } from 'vitest'
import type { SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { VERSION } from '../../support/fixtures.js'
import { raw } from '../calls.js'
import { control, controlPath, endAll, KEY, serve } from '../ports.js'

afterEach(endAll)

/** The status of a request with headers that fetch does not send, such as `host`. */
async function statusOf({ port }: SandboxServer, path: string, headers: Record<string, string> = {}): Promise<number> {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Number((await raw(port, `GET ${path} HTTP/1.1\r\n${head}\r\n`)).slice(9, 12))
}

const worldsOf = async (server: SandboxServer): Promise<string[]> =>
  (await (await control(server, 'worlds')).json()).map(({ name }: { name: string }) => name)

describe('the host that a request names', () => {
  it('the control interface accepts a loopback host in any case and form, and the allowed hosts, and no other', async () => {
    const allowedHosts = ['Build.example', '10.0.0.1', 'bücher.example', '[2001:DB8:0::1]']
    const server = await serve({ allowedHosts })
    const accepted = ['LOCALHOST:1', '[::1]:80', '127.9.9.9', 'build.EXAMPLE', '10.0.0.1', 'xn--bcher-kva.example:80']
    const foreign = ['', 'evil.example', '127.0.0.1.evil.example', 'localhost.evil', '10.0.0.2', 'evil@127.0.0.1', '*']
    const statuses = (hosts: string[]) =>
      Promise.all(hosts.map((host) => statusOf(server, controlPath('keys'), { host })))
    expect(await statuses([...accepted, '[2001:db8::1]:4010'])).toEqual(Array(7).fill(200))
    expect(await statuses([...foreign, '127.0.0.1/', '127.0.0.1#.example', '[::ffff:a00:2]'])).toEqual(
      Array(10).fill(403),
    )
  })

  it.each(['0', '0.0.0.0', '::1', '[::1]', '127.1', 'localhost'])(
    'a server at %s is controlled and has worlds by its own address, and needs a token where others reach it',
    async (host) => {
      const server = await serve({ host })
      const headers = { authorization: `Bearer ${server.controlToken}` }
      expect((await control(server, 'keys', undefined, { headers })).status).toBe(200)
      const world = await server.world('own')
      expect((await fetch(`${world.baseUrl}/providers`, { headers: KEY })).status).toBe(200)
      expect(server.controlToken === undefined).toBe(!host.startsWith('0'))
    },
  )

  it('a page whose own name leads here makes no world, unless that name is allowed', async () => {
    const server = await serve({ allowedHosts: ['dev.example'] })
    const rebound = { ...KEY, host: 'app.example:4010' }
    expect(await statusOf(server, `/w/rebound${VERSION}/playbooks`, rebound)).toBe(403)
    const byKey = { ...rebound, authorization: 'Bearer key_valid.rebound' }
    expect(await statusOf(server, `${VERSION}/playbooks`, byKey)).toBe(403)
    expect(await worldsOf(server)).toEqual([])
    expect(await statusOf(server, `/w/allowed${VERSION}/playbooks`, { ...KEY, host: 'dev.example:4010' })).toBe(200)
  })
})

it('the error for a host or page that is not allowed names the refused action', async () => {
  const server = await serve()
  const ask = async (path: string, headers: Record<string, string>) => {
    const head = Object.entries({ ...KEY, connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const response = await raw(server.port, `GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`)
    return [response.slice(9, 12), JSON.parse(response.slice(response.indexOf('{'))).message]
  }
  const host = (what: string) => ['403', `The host "evil.example" may not ${what}. Allow it with --allowed-host.`]
  expect(await ask(controlPath('keys'), { host: 'evil.example' })).toEqual(host('control the sandbox'))
  expect(await ask(`/w/new${VERSION}/providers`, { host: 'evil.example' })).toEqual(host('make the world "new"'))
  const page = 'A page of another origin may not create the world "new". Create it with PUT /w/new.'
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
    expect(await ask(`/w/new${VERSION}/providers`, { host: 'localhost', ...headers })).toEqual(['403', page])
  expect(await worldsOf(server)).toEqual([])
})

it('the control interface accepts its token in a header, not in the query', async () => {
  const server = await serve({ host: '0.0.0.0', controlToken: 'tok en/+1' })
  const withToken = (token: string) => statusOf(server, controlPath('keys'), { authorization: `Bearer ${token}` })
  expect(await withToken('tok en/+1')).toBe(200)
  expect(await withToken('  tok en/+1')).toBe(200)
  expect(await statusOf(server, controlPath('keys'), { authorization: 'Not Bearer tok en/+1' })).toBe(401)
  for (const token of ['', 'tok', 'tok en/+1x', 'undefined']) expect(await withToken(token)).toBe(401)
  expect(await statusOf(server, `${controlPath('keys')}?token=${encodeURIComponent('tok en/+1')}`)).toBe(401)
  expect(await statusOf(server, controlPath('keys'))).toBe(401)
  expect(await statusOf(server, controlPath('health'))).toBe(200)
  expect(await statusOf(server, `/w/one${controlPath('health')}`)).toBe(404)
  await server.world('one')
  expect(await statusOf(server, `/w/one${controlPath('health')}`)).toBe(200)
})

it('a world on a host that others reach is made by PUT with the token, or by its first request without it', async () => {
  const server = await serve({ host: '0.0.0.0', controlToken: 'secret' })
  const statusAt = async (path: string, init?: RequestInit) => (await fetch(server.url + path, init)).status
  const headers = { authorization: 'Bearer secret' }
  for (const method of ['PUT', 'GET', 'DELETE'])
    expect([await statusAt('/w/one', { method }), await statusAt('/w/one', { method, headers })]).toEqual([401, 200])
  expect(await statusAt(`/w/two${VERSION}/providers`, { headers: KEY })).toBe(200)
})

describe('a page of another origin', () => {
  it('a page of the sandbox may control it, a page of another origin may not, and none gets CORS headers', async () => {
    const server = await serve()
    const { origin } = new URL(server.url)
    const others: Record<string, string>[] = [
      { origin: 'https://app.example' },
      { origin: 'null' },
      { origin: `${origin}0` },
      { origin: `x-${origin}` },
      { 'sec-fetch-site': 'cross-site' },
    ]
    const send = async (method: string, headers: Record<string, string>, path = controlPath('reset')) => {
      const response = await fetch(server.url + path, { method, headers })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      return response.status
    }
    expect(await send('POST', { origin })).toBe(200)
    for (const headers of others) expect([headers, await send('POST', headers)]).toEqual([headers, 403])
    expect(await send('OPTIONS', { origin: 'https://app.example' })).toBe(403)
    expect(await send('PUT', { origin: 'https://app.example' }, '/w/one')).toBe(403)
  })

  it('a proxy that speaks TLS lets the console of an allowed host control the sandbox', async () => {
    const server = await serve({ allowedHosts: ['dev.example'] })
    const status = (headers: Record<string, string>) => statusOf(server, controlPath('state'), headers)
    expect(await status({ host: 'dev.example', origin: 'https://dev.example' })).toBe(200)
    const behind = { origin: 'https://dev.example', 'sec-fetch-site': 'same-origin' }
    expect(await status(behind)).toBe(200)
    expect(await status({ host: 'dev.example', origin: 'https://other.example' })).toBe(403)
    expect(await status({ ...behind, 'sec-fetch-site': 'same-site' })).toBe(403)
  })

  it('a page of another origin makes no worlds, and evicts none', async () => {
    const server = await serve({ maxWorlds: 1 })
    const world = await server.world('mine')
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
    const page = { ...KEY, origin: 'https://app.example' }
    expect((await fetch(`${server.url}/w/a${VERSION}/playbooks`, { headers: image })).status).toBe(401)
    expect((await fetch(`${server.url}/w/b${VERSION}/playbooks`, { headers: page })).status).toBe(403)
    const preflight = await fetch(`${server.url}/w/c${VERSION}/playbooks`, { method: 'OPTIONS', headers: page })
    expect(preflight.status).toBe(204)
    expect(await worldsOf(server)).toEqual(['mine'])
    expect((await fetch(`${world.baseUrl}/playbooks`, { headers: page })).status).toBe(200)
  })

  it('a page of this machine makes a world with one of its keys, and an unknown key makes none', async () => {
    const server = await serve()
    const headers = { ...KEY, origin: 'http://localhost:5173' }
    expect((await fetch(`${server.url}/w/page${VERSION}/playbooks`, { headers })).status).toBe(200)
    const unknown = { ...headers, authorization: 'Bearer nobody' }
    expect((await fetch(`${server.url}/w/unknown${VERSION}/playbooks`, { headers: unknown })).status).toBe(401)
    expect((await fetch(`${server.url}/w/unknown${VERSION}/nothing`, { headers: unknown })).status).toBe(404)
    expect(await worldsOf(server)).toEqual(['page'])
  })

  it('a page of any origin may call the service of a sandbox on a port', async () => {
    const server = await serve()
    const origin = 'https://app.example'
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const before = await fetch(`${server.baseUrl}/playbooks`, { method: 'OPTIONS', headers: asked })
    expect([before.status, before.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization'])
    const response = await fetch(`${server.baseUrl}/playbooks`, { headers: { ...KEY, origin } })
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
  })
})
