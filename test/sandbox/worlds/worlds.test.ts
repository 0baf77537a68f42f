import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspace } from '../../../generated/examples.js'
import { createSandbox, type World } from '../../../src/tools/sandbox/index.js'
import type { RemoteWorld, SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { connectSandbox } from '../../../src/tools/sandbox/remote/index.js'
import { engineOf } from '../../../src/tools/sandbox/sandbox.js'
import { VERSION } from '../../support/fixtures.js'
import { caller, raw, trigger } from '../calls.js'
import { control, controlPath, endAll, KEY, serve } from '../ports.js'

afterEach(endAll)
let server: SandboxServer
beforeEach(async () => {
  server = await serve()
})

const get = async (path: string, key = 'key_valid') => {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: await response.json() }
}
const start = async (path: string) => (await trigger({ baseUrl: server.url + path }, 'pb_7hQ2vn')).body.id

describe('worlds on one port', () => {
  it('a world is made on first use, has the ids of a sandbox of its own, and shares nothing', async () => {
    const alone = await start(VERSION)
    expect([await start(`/w/one${VERSION}`), await start(`/w/two${VERSION}`)]).toEqual([alone, alone])
    const world = await server.world('three')
    await world.inject({ status: 500, untilCleared: true })
    expect((await get(`/w/three${VERSION}/providers`)).status).toBe(500)
    expect((await get(`/w/one${VERSION}/providers`)).status).toBe(200)
    await world.clearFaults()
    expect((await get(`/w/three${VERSION}/providers`)).status).toBe(200)
    expect(await world.requests()).toHaveLength(2)
    const names = (await get(controlPath('worlds'))).body.map(({ name }: { name: string }) => name)
    expect(names.sort()).toEqual(['one', 'three', 'two'])
  })

  it('a key on the plain base URL selects its world, after a scheme in any case', async () => {
    const world = await server.world('shop.test-1')
    expect(world.keys.valid).toBe('key_valid.shop.test-1')
    expect((await get(`${VERSION}/playbooks`, world.keys.valid)).status).toBe(200)
    const headers = { authorization: `bearer ${world.keys.valid}` }
    for (const base of [VERSION, `/w/shop.test-1${VERSION}`])
      expect((await fetch(`${server.url}${base}/playbooks`, { headers })).status).toBe(200)
    expect((await world.requests()).map(({ key, request }) => [key, request.path])).toEqual(
      Array(3).fill(['valid', `${VERSION}/playbooks`]),
    )
    expect((await get(`${VERSION}/playbooks`, 'key_valid.made-by-key')).status).toBe(200)
    expect((await get(`${VERSION}/playbooks`, 'key_wrong.shop.test-1')).status).toBe(401)
  })

  it('a world has its own seed, plan and workspaces, and invalid ones are refused with the reason', async () => {
    const world = await server.world('bakery', {
      plan: false,
      world: {
        bakery: {
          workspace,
          keys: { baker: { value: 'flour' } },
          providers: [],
          playbooks: { bake: { playbook: { id: 'pb_bread' }, steps: [{}] } },
        },
      },
    })
    expect(world.playbooks.bake).toBe('pb_bread')
    expect((await caller(world, world.keys.baker)('/workspaces/me')).body.id).toBe(workspace.id)
    await expect(server.world('broken', { world: { a: {} } as never })).rejects.toThrow('/a/keys: the property "keys"')
    expect((await get(`/w/a%2fb${VERSION}/playbooks`)).status).toBe(400)
  })

  it('a world does everything that a sandbox in process does', async () => {
    await using world = await connectSandbox(server.url).world('all', { progress: 'clock' })
    const { id } = (await trigger(world, world.playbooks.needsApproval)).body
    await world.advance(60_000)
    expect((await world.approve(id)).steps.at(1)?.status).toBe('succeeded')
    await expect(world.reject(id)).rejects.toThrow('Advance the clock until a step waits.')
    const { workspaces } = await world.state()
    expect(workspaces[0]?.runs.map(({ run }) => run.id)).toContain(id)
    await world.inject({ status: 503 })
    expect(await world.faults()).toEqual([{ number: 1, fault: { status: 503 }, left: 1 }])
    await world.reset()
    expect(await world.requests()).toEqual([])
  })

  it('a deleted world responds with 410 below its path and to its keys, and PUT makes it again', async () => {
    const world = await server.world('short')
    await world[Symbol.asyncDispose]()
    expect((await get(`/w/short${VERSION}/playbooks`)).status).toBe(410)
    expect((await get(`${VERSION}/playbooks`, 'key_valid.short')).status).toBe(410)
    await server.world('short')
    expect((await get(`/w/short${VERSION}/playbooks`)).status).toBe(200)
  })

  it('the least recently used world is evicted when there are too many, and its 410 says how to raise the limit', async () => {
    server = await serve({ maxWorlds: 2 })
    await get(`/w/one${VERSION}/playbooks`)
    await get(`/w/two${VERSION}/playbooks`)
    await get(`/w/one${VERSION}/playbooks`)
    await get(`/w/three${VERSION}/playbooks`)
    expect((await get(`/w/one${VERSION}/playbooks`)).status).toBe(200)
    const evicted = await get(`/w/two${VERSION}/playbooks`)
    expect([evicted.status, evicted.body.message]).toEqual([410, expect.stringContaining('--max-worlds')])
  })

  it('there are 200 worlds unless maxWorlds says otherwise', async () => {
    for (let count = 0; count < 201; count++) await get(`/w/w${count}${VERSION}/playbooks`)
    expect((await get(controlPath('worlds'))).body).toHaveLength(200)
    expect([(await get(`/w/w0${VERSION}/playbooks`)).status, (await get(`/w/w1${VERSION}/playbooks`)).status]).toEqual([
      410, 200,
    ])
  })

  it('requireWorld serves worlds only', async () => {
    server = await serve({ requireWorld: true })
    expect((await get(`${VERSION}/playbooks`)).status).toBe(404)
    expect((await get(`/w/one${VERSION}/playbooks`)).status).toBe(200)
    expect((await get(`${VERSION}/playbooks`, 'key_valid.one')).status).toBe(200)
  })

  it('a world is described, deleted, and controlled below its own path', async () => {
    const made = await server.world('one')
    const { baseUrl, keys, playbooks } = made
    expect((await get('/w/one')).body).toEqual({ baseUrl, keys, playbooks })
    expect((await get(`/w/one${controlPath('worlds')}`)).status).toBe(404)
    const { status, headers } = await fetch(`${server.url}/w/one/__sandbox`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([308, '__sandbox/'])
    expect(await (await fetch(`${server.url}/w/one`, { method: 'DELETE' })).json()).toEqual({ ok: true })
  })

  it('a key selects the world with the longest name that there may be', async () => {
    const name = `a.${'b'.repeat(62)}`
    await server.world(name)
    expect((await get(`${VERSION}/playbooks`, `key_valid.${name}`)).status).toBe(200)
    expect((await get(`${VERSION}/playbooks`, `key_valid.${name}c`)).status).toBe(401)
    await get(`/w/${name}${VERSION}/playbooks`)
    expect((await get(controlPath('worlds'))).body).toEqual([{ name, requests: 2 }])
  })

  it('a key of a world is its own, although it looks like one with the name of a world', async () => {
    const own = (name: string, ...keys: string[]): World => ({
      [name]: {
        workspace: { ...workspace, id: `ws_${name}` },
        keys: Object.fromEntries(keys.map((value) => [value, { value }])),
        playbooks: {},
        providers: [],
      },
    })
    server = await serve({}, createSandbox({ world: own('main', 'team.one', 'team') }))
    await server.world('one', { world: own('other', 'team', 'crew.one') })
    const idOf = async (path: string, key: string) => {
      const { status, body } = await get(`${path}${VERSION}/workspaces/me`, key)
      return status === 200 ? body.id : status
    }
    expect(await idOf('', 'team.one')).toBe('ws_main')
    expect(await idOf('', 'crew.one.one')).toBe('ws_other')
    for (const key of ['crew.one', 'crew.one.one', 'team', 'team.one'])
      expect(await idOf('/w/one', key)).toBe('ws_other')
    for (const key of ['crew', 'team.on!e', 'team..']) expect([key, await idOf('', key)]).toEqual([key, 401])
  })

  it('a world that moves its time moves no other, also on a clock that can be moved', async () => {
    class Moved {
      #time = Date.UTC(2030, 0)
      now() {
        return this.#time
      }
      advance(ms: number) {
        this.#time += ms
      }
    }
    const sandbox = createSandbox({ clock: new Moved() })
    server = await serve({}, sandbox)
    const [one, other] = [await server.world('one'), await server.world('other')]
    const timeOf = async (world: RemoteWorld) => ((await world.state()) as unknown as { time: string }).time
    await one.advance(60_000)
    expect([await timeOf(one), await timeOf(other)]).toEqual(['2030-01-01T00:01:00.000Z', '2030-01-01T00:00:00.000Z'])
    expect(engineOf(sandbox).clock.now()).toBe(Date.UTC(2030, 0))
  })

  it('reading a world does not make it', async () => {
    expect((await get(`/w/nobody${controlPath('state')}`)).status).toBe(404)
    expect((await get('/w/nobody')).status).toBe(404)
    expect((await get(controlPath('worlds'))).body).toEqual([])
  })
})

it('tests that reset, inject, count requests and use up a limit do not disturb each other on one port', async () => {
  const { world: open } = connectSandbox(server.url)
  const test = async (_: unknown, index: number) => {
    await using world = await open(`test-${index}`, { plan: { requestsPerMinute: 1, burst: 3 } })
    const { id } = (await trigger(world, world.playbooks.succeeds)).body
    await world.inject({ operation: 'getRun', status: 500 })
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await caller(world)(`/runs/${id}`)).status)
    expect(statuses).toEqual([500, 200, 200, 200, 429])
    expect(await world.requests()).toHaveLength(6)
    expect(await world.requests({ limit: 3 })).toHaveLength(3)
    await world.reset()
    expect((await trigger(world, world.playbooks.succeeds)).body.id).toBe(id)
  }
  await Promise.all(Array.from({ length: 30 }, test))
  expect((await get(controlPath('worlds'))).body).toEqual([])
})

describe('a world that is deleted', () => {
  it('deleting a world drops its open requests, and none of them takes effect', async () => {
    const world = await server.world('busy')
    await world.inject({ delay: 60_000, operation: 'listProviders' })
    const dropped = expect(fetch(`${world.baseUrl}/providers`, { headers: KEY })).rejects.toThrow('fetch failed')
    const head = `POST /w/busy${VERSION}/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key_valid\r\n`
    const length = 'content-type: application/json\r\ncontent-length: 13\r\n\r\n'
    const half = raw(server.port, head + length, '{"inp', 300, 'uts":{}}')
    await expect.poll(() => world.faults()).toEqual([])
    await world[Symbol.asyncDispose]()
    await dropped
    expect(await half).toBe('')
    expect((await get(controlPath('worlds'))).body).toEqual([])
  })

  it.each<[string, (server: SandboxServer) => Promise<unknown>]>([
    ['deleting', ({ url }) => fetch(`${url}/w/one`, { method: 'DELETE' })],
    ['replacing', ({ world }) => world('one')],
    ['evicting', ({ world }) => world('two')],
  ])('%s a world ends its event streams', async (_, end) => {
    server = await serve({ maxWorlds: 1 })
    await server.world('one')
    const events = await control({ url: `${server.url}/w/one` }, 'events')
    await end(server)
    expect(await events.text()).toContain('event: open')
  })

  it('a world can be disposed of twice, and after its server has closed', async () => {
    const world = await server.world('twice')
    await world[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    const other = await server.world('other')
    await server.close()
    await other[Symbol.asyncDispose]()
  })
})
