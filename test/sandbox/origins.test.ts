import { get as httpGet } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'

let server: SandboxServer
beforeAll(async () => {
  server = await listen(createSandbox(), { allowedHosts: ['dev.example'], maxWorlds: 5 })
})
afterAll(() => server.close())

const worlds = async () =>
  ((await (await fetch(`${server.url}/__sandbox/worlds`)).json()) as { name: string; bytes: number }[]).map(
    ({ name }) => name,
  )

describe('a page of another origin', () => {
  it('makes no worlds, and evicts none', async () => {
    const world = await server.world('mine')
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
    const page = { origin: 'https://app.example', authorization: 'Bearer key_valid' }
    for (let count = 0; count < 10; count++) {
      expect((await fetch(`${server.url}/w/a${count}/v1/playbooks`, { headers: image })).status).toBe(401)
      expect((await fetch(`${server.url}/w/b${count}/v1/playbooks`, { headers: page })).status).toBe(403)
      const preflight = await fetch(`${server.url}/w/c${count}/v1/playbooks`, { method: 'OPTIONS', headers: page })
      expect(preflight.status).toBe(204)
    }
    expect(await worlds()).toEqual(['mine'])
    expect((await fetch(`${world.baseUrl}/playbooks`, { headers: page })).status).toBe(200)
  })

  it('a page of this machine makes a world with one of its keys, and an unknown key makes none', async () => {
    const headers = { origin: 'http://localhost:5173', authorization: 'Bearer key_valid' }
    expect((await fetch(`${server.url}/w/page/v1/playbooks`, { headers })).status).toBe(200)
    const unknown = { ...headers, authorization: 'Bearer nobody' }
    expect((await fetch(`${server.url}/w/unknown/v1/playbooks`, { headers: unknown })).status).toBe(401)
    expect((await fetch(`${server.url}/w/unknown/v1/nothing`, { headers: unknown })).status).toBe(404)
    expect(await worlds()).not.toContain('unknown')
  })
})

/** The status of a GET with a `Host` of its own, which fetch does not send. */
const statusOf = (path: string, headers: Record<string, string>) =>
  new Promise((resolve) => {
    httpGet(server.url + path, { headers }, (response) => resolve(response.resume().statusCode))
  })

it('a page whose own name leads here makes no world, unless that name is allowed', async () => {
  const authorization = 'Bearer key_valid'
  expect(await statusOf('/w/rebound/v1/playbooks', { authorization, host: 'app.example:4010' })).toBe(403)
  const byKey = { authorization: 'Bearer key_valid.rebound', host: 'app.example:4010' }
  expect(await statusOf('/v1/playbooks', byKey)).toBe(403)
  expect(await worlds()).not.toContain('rebound')
  expect(await statusOf('/w/allowed/v1/playbooks', { authorization, host: 'dev.example:4010' })).toBe(200)
})

describe('a proxy that speaks TLS', () => {
  const status = (headers: Record<string, string>) => statusOf('/__sandbox/state', headers)

  it('lets the console of an allowed host control the sandbox', async () => {
    expect(await status({ host: 'dev.example', origin: 'https://dev.example' })).toBe(200)
    const behind = { host: 'localhost', origin: 'https://dev.example', 'sec-fetch-site': 'same-origin' }
    expect(await status(behind)).toBe(200)
    expect(await status({ host: 'dev.example', origin: 'https://other.example' })).toBe(403)
    expect(await status({ ...behind, 'sec-fetch-site': 'same-site' })).toBe(403)
  })
})

it('a refusal has the code of its status', async () => {
  const refused = await fetch(`${server.url}/__sandbox/state`, { headers: { origin: 'https://app.example' } })
  expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([403, 'forbidden'])
})
