import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { workspace } from '../../generated/examples.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { connectSandbox, type ListenOptions, listen, type SandboxServer } from '../../src/sandbox/node.js'
import { raw, trigger } from './calls.js'
import { endAll, ends, KEY, serve } from './ports.js'

afterEach(endAll)

const get = async (url: string, headers: Record<string, string> = KEY) => {
  const response = await fetch(url, { headers })
  return { status: response.status, body: await response.json() }
}

const request = (path: string, extra = '') =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key_valid\r\n${extra}\r\n`

/** The events of a stream, until it ends. */
async function eventsOf(response: Response): Promise<string> {
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    text += new TextDecoder().decode(chunk)
  return text
}

describe('a world that is deleted', () => {
  it('deleting a world drops its open requests, whatever they wait for, and none of them takes effect', async () => {
    const server = await serve()
    const world = await server.world('busy')
    await world.inject({ delay: 60_000, operation: 'listProviders' })
    const delayed = fetch(`${world.baseUrl}/providers`, { headers: KEY })
    const body = `${request('/w/busy/v1/playbooks/pb_7hQ2vn/runs').replace('GET', 'POST').trimEnd()}\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n`
    const half = raw(server.port, body, '{"inp', 300, 'uts":{}}')
    const dropped = expect(delayed).rejects.toThrow('fetch failed')
    await expect.poll(() => world.faults()).toEqual([])
    await world[Symbol.asyncDispose]()
    await dropped
    expect(await half).toBe('')
    expect((await get(`${world.baseUrl}/playbooks`)).status).toBe(410)
    expect((await get(`${server.url}/__sandbox/worlds`)).body).toEqual([])
  })

  it('deleting, replacing or evicting a world ends its event streams', async () => {
    const server = await serve({ maxWorlds: 1 })
    const open = async () => eventsOf(await fetch(`${server.url}/w/one/__sandbox/events`))
    const world = await server.world('one')
    const deleted = open()
    await expect.poll(async () => (await get(`${server.url}/w/one/__sandbox/state`)).body.event).toBe(0)
    await world[Symbol.asyncDispose]()
    expect(await deleted).toContain('event: open')
    await server.world('one')
    const replaced = open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.world('one')
    expect(await replaced).toContain('event: open')
    const evicted = open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.world('two')
    expect(await evicted).toContain('event: open')
  })

  it('a world can be disposed of twice, and after its server has closed', async () => {
    const server = await serve()
    const world = await server.world('twice')
    await world[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    const other = await server.world('other')
    await server.close()
    await other[Symbol.asyncDispose]()
  })
})

describe('many worlds', () => {
  it('the data that a world was created from counts towards the memory limit', async () => {
    const server = await serve({ maxWorldBytes: 1_000_000 })
    const inputs = Array.from({ length: 300 }, (_, index) => ({
      playbook: { id: `pb_${index}`, name: 'x'.repeat(1_000) },
      steps: [{}],
    }))
    const world = {
      large: {
        workspace,
        keys: { a: { value: 'a' } },
        providers: [],
        playbooks: Object.fromEntries(inputs.map((each, index) => [`p${index}`, each])),
      },
    }
    await server.world('one', { world })
    await server.world('two', { world })
    expect((await get(`${server.url}/w/one/v1/providers`)).body.message).toContain('--max-world-bytes')
  })

  it('creating and deleting 200 worlds leaves the memory limit as it was', async () => {
    const server = await serve({ maxWorldBytes: 300_000 })
    await get(`${server.url}/w/kept/v1/providers`)
    for (let count = 0; count < 200; count++) {
      const world = await server.world(`w${count}`)
      await get(`${world.baseUrl}/runs/${'x'.repeat(5_000)}`)
      await world[Symbol.asyncDispose]()
    }
    expect((await get(`${server.url}/w/kept/v1/providers`)).status).toBe(200)
  })
})

describe('connectSandbox', () => {
  it('connectSandbox names the URL that it cannot reach', async () => {
    const server = await serve()
    await server.close()
    await expect(connectSandbox(server.url).world('a')).rejects.toThrow(
      `PUT /w/a failed: no sandbox can be reached at ${server.url}. Start one with npx --package @workflow-automation/contract workflow-automation sandbox`,
    )
  })

  it('connectSandbox reports that a server is not a sandbox', async () => {
    const other = createServer((_, response) => response.end('<p>hello</p>')).listen(0, '127.0.0.1')
    ends.push(() => other.close())
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await expect(connectSandbox(url).world('a')).rejects.toThrow(
      `${url} is not a sandbox: PUT /w/a responded 200 without JSON`,
    )
  })

  it.each([['localhost:4010'], ['not a url'], ['ftp://127.0.0.1'], [5], [null]])(
    'connectSandbox refuses the URL %s',
    (url) => {
      expect(() => connectSandbox(url as string)).toThrow(
        /connectSandbox needs a URL such as http:\/\/127\.0\.0\.1:4010/,
      )
    },
  )

  it.each([['.'], ['..'], [''], ['a/b'], ['a b'], ['x'.repeat(65)], ['ä'], ['a\n'], [undefined]])(
    'connectSandbox refuses the world name %j before it sends anything',
    async (name) => {
      const server = await serve()
      const made = connectSandbox(server.url).world(name as string)
      await expect(made).rejects.toThrow('The name of a world has 1 to 64 letters, digits, ".", "_" and "-"')
      expect((await get(`${server.url}/__sandbox/worlds`)).body).toEqual([])
    },
  )

  it.each([['__proto__'], ['constructor'], ['w'], ['v1'], ['__sandbox'], ['...'], ['%41'.replace('%', '')]])(
    'connectSandbox makes a world with the name %s',
    async (name) => {
      const server = await serve()
      const world = await connectSandbox(server.url).world(name)
      expect((await get(`${world.baseUrl}/playbooks`)).status).toBe(200)
      expect((await get(`${server.baseUrl}/playbooks`, { authorization: `Bearer ${world.keys.valid}` })).status).toBe(
        200,
      )
      expect(await world.requests()).toHaveLength(2)
    },
  )

  it('a world is missing after its server was restarted, and connectSandbox makes it again', async () => {
    const server = await serve()
    const { port } = server
    const world = await connectSandbox(server.url).world('shop')
    await server.close()
    const again = await serve({ port })
    await expect(world.state()).rejects.toThrow('There is no world "shop". PUT /w/shop makes it.')
    const missing = await fetch(`${again.url}/w/shop/__sandbox/state`)
    expect([missing.status, (await missing.json()).error]).toEqual([404, 'world_not_found'])
    expect((await connectSandbox(again.url).world('shop')).baseUrl).toBe(world.baseUrl)
    expect((await world.state()).workspaces).not.toEqual([])
  })

  it('refuses what it has no option for', async () => {
    const server = await serve()
    expect(() => connectSandbox(server.url, { tokn: 'x' } as never)).toThrow('there is no option "tokn"')
    const world = await connectSandbox(server.url).world('strict')
    await expect(world.requests({ afer: 3 } as never)).rejects.toThrow(
      'there is no option "afer"; these are: operation, status, key, body, after',
    )
    await expect(world.reject('none')).rejects.toThrow('There is no run with the id "none" in the sandbox.')
    const post = (command: string, body = '{}') =>
      fetch(`${server.url}/__sandbox/${command}`, { method: 'POST', body }).then((response) => response.json())
    expect((await post('advance', '{"ms":1,"seconds":60}')).message).toContain('there is no option "seconds"')
    expect((await post('runs//approve')).message).toBe('There is no run with the id "" in the sandbox.')
    expect((await post('runs/%/approve')).message).toBe('There is no run with the id "%" in the sandbox.')
  })

  it('connectSandbox needs the token of a server that other machines can reach', async () => {
    const server = await serve({ host: '0.0.0.0' })
    const wrong = connectSandbox(server.url, { token: 'wrong' }).world('a')
    await expect(wrong).rejects.toThrow('PUT /w/a failed with 401: The control token is missing or wrong.')
    await expect(connectSandbox(server.url).world('a')).rejects.toThrow('401')
    const world = await connectSandbox(server.url, { token: server.controlToken }).world('a')
    expect((await get(`${world.baseUrl}/playbooks`)).status).toBe(200)
    await world.reset()
    await world[Symbol.asyncDispose]()
  })
})

describe('access to the control interface', () => {
  const status = async (server: SandboxServer, host: string, path = '/__sandbox/keys', extra = '') =>
    Number(
      (await raw(server.port, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${extra}\r\n`)).slice(
        9,
        12,
      ),
    )

  it('the control interface accepts a loopback Host in any case and the allowed hosts, and no other', async () => {
    const server = await serve({ allowedHosts: ['Build.example'] })
    const hosts = [
      'localhost',
      'LOCALHOST:1',
      '[::1]:80',
      '127.9.9.9',
      'build.EXAMPLE',
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil',
    ]
    expect(await Promise.all(hosts.map((host) => status(server, host)))).toEqual([
      200, 200, 200, 200, 200, 403, 403, 403,
    ])
  })

  it.each(['0', '0.0.0.0', '::1', '[::1]', '127.1', 'localhost'])(
    'is who uses the own address of a server at %s, and makes worlds there',
    async (host) => {
      const server = await serve({ host })
      const authorization = { authorization: `Bearer ${server.controlToken}` }
      expect((await get(`${server.url}/__sandbox/keys`, authorization)).status).toBe(200)
      expect((await get(`${(await server.world('own')).baseUrl}/providers`)).status).toBe(200)
      expect(server.controlToken === undefined).toBe(!host.startsWith('0'))
    },
  )

  it('writes a host in any form of its name or address', async () => {
    const server = await serve({ allowedHosts: ['10.0.0.1', 'bücher.example', '[2001:DB8:0::1]'] })
    const hosts = ['10.0.0.1', 'xn--bcher-kva.example:80', '[2001:db8::1]:4010']
    expect(await Promise.all(hosts.map((host) => status(server, host)))).toEqual([200, 200, 200])
    const foreign = ['', '10.0.0.2', 'evil@127.0.0.1', '127.0.0.1/', '127.0.0.1#.example', '[::ffff:a00:2]', '*']
    expect(await Promise.all(foreign.map((host) => status(server, host)))).toEqual(foreign.map(() => 403))
  })

  it('the control interface accepts its token in a header, not in the query', async () => {
    const server = await serve({ host: '0.0.0.0', controlToken: 'tok en/+1' })
    const withHeader = (token: string) =>
      status(server, '127.0.0.1', '/__sandbox/keys', `authorization: Bearer ${token}\r\n`)
    expect(await withHeader('tok en/+1')).toBe(200)
    for (const token of ['', 'tok', 'tok en/+1x', 'undefined']) expect(await withHeader(token)).toBe(401)
    expect(await status(server, '127.0.0.1', `/__sandbox/keys?token=${encodeURIComponent('tok en/+1')}`)).toBe(401)
    expect(await status(server, '127.0.0.1', '/__sandbox/keys')).toBe(401)
  })
})

describe('the options of listen', () => {
  it.each<[object | null | number, RegExp]>([
    [{ maxWorlds: 0 }, /maxWorlds must be a whole number from 1/],
    [{ maxWorldBytes: -1 }, /maxWorldBytes must be a whole number from 1/],
    [{ port: '4010' }, /port must be a whole number from 0 to 65535/],
    [{ port: 65536 }, /port must be a whole number from 0 to 65535/],
    [{ headersTimeout: Number.NaN }, /headersTimeout must be a whole number from 1/],
    [{ allowedHosts: 'a.example' }, /allowedHosts must be a list of names/],
    ...['http://dev.box', 'dev.box:8080', '*', '*.dev.box', '', ' ', 'a/b', ['dev.box']].map(
      (name): [object, RegExp] => [
        { allowedHosts: [name] },
        /allowedHosts must be a list of names or addresses, without/,
      ],
    ),
    [{ controlToken: '' }, /controlToken must be visible ASCII text/],
    [{ prot: 1 }, /there is no option "prot"/],
    [{ onRequest: 'log' }, /onRequest must be a function/],
    [null, /the options must be an object/],
    [5, /the options must be an object/],
  ])('listen refuses the options %o', async (options, message) => {
    await expect(listen(createSandbox(), options as ListenOptions).then((server) => server.close())).rejects.toThrow(
      message,
    )
  })
})

it.each([
  [1, [200, 408]],
  [60_000, [200]],
])('a server takes a headersTimeout of %i ms', async (headersTimeout, statuses) => {
  const server = await serve({ headersTimeout })
  expect(statuses).toContain((await fetch(`${server.baseUrl}/providers`, { headers: KEY })).status)
})

describe('an unusual client', () => {
  it('a request that is pipelined after a dropped one gets no response either', async () => {
    const server = await serve()
    await fetch(`${server.url}/__sandbox/inject`, { method: 'POST', body: '{"drop":true}' })
    expect(await raw(server.port, request('/v1/playbooks') + request('/v1/providers'))).toBe('')
    expect((await get(`${server.baseUrl}/playbooks`)).status).toBe(200)
  })

  it('a client that never reads does not keep the server from closing', async () => {
    const server = await serve({}, { maxRequests: 5_000 })
    const socket = connect(server.port, '127.0.0.1').on('error', () => {})
    socket.pause()
    socket.write(request('/__sandbox/events').replace('host: a', 'host: localhost'))
    for (let count = 0; count < 300; count++) socket.write(request('/v1/playbooks'))
    await expect.poll(async () => (await get(`${server.url}/__sandbox/worlds`)).status).toBe(200)
    const start = performance.now()
    await server.close()
    expect(performance.now() - start).toBeLessThan(10_000)
    socket.destroy()
  })
})

it('the first call reports a clock that does not return a time', async () => {
  const sandbox = createSandbox({ clock: { now: () => 'noon' as never } })
  await expect(trigger(sandbox, sandbox.playbooks.succeeds)).rejects.toThrow(
    'The clock of the sandbox must return a time in ms, and returned "noon".',
  )
})

describe('concurrent use', () => {
  it('two servers share one sandbox, and one continues when the other closes', async () => {
    const sandbox = createSandbox()
    const [first, second] = [await listen(sandbox), await listen(sandbox)]
    ends.push(first.close, second.close)
    sandbox.inject({ status: 503, operation: 'listProviders' })
    expect((await get(`${first.baseUrl}/providers`)).status).toBe(503)
    expect((await get(`${second.baseUrl}/providers`)).status).toBe(200)
    await Promise.all([first.close(), first.close()])
    sandbox.inject({ drop: true })
    await expect(fetch(`${second.baseUrl}/providers`, { headers: KEY })).rejects.toThrow('fetch failed')
    expect(sandbox.requests()).toHaveLength(3)
  })
})
