import { createServer, type Server } from 'node:http'
import { constants, createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { EnvHttpProxyAgent, H2CClient, ProxyAgent, fetch as undiciFetch } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Client, ClientOptions, Fetch } from '../../src/index.js'
import { clientOf, RUN, rejection, serve } from '../support/server.js'

const trigger = (client: Client) => client.triggerRun('pb_1', { inputs: {} })
const read = (client: Client) => client.getRun('run_1')

/** Listens on loopback until the test is over. */
async function listen(server: Server | Http2Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a proxy', () => {
  /** A client whose proxy responds with this status to CONNECT, and how often it was asked. */
  async function behind(status: number, agent = (url: string) => new ProxyAgent(url)) {
    const asked = vi.fn()
    const proxy = createServer().on('connect', (_, socket) => {
      asked()
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    })
    const dispatcher = agent(`http://127.0.0.1:${await listen(proxy)}`)
    onTestFinished(() => dispatcher.destroy())
    const fetch = ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as Fetch
    const options: Partial<ClientOptions> = { fetch, retry: 1 }
    return { client: clientOf({ baseUrl: 'https://api.example.com/v1' }, options), asked }
  }

  it.each([407, 403])('a proxy that refuses with a %i is not asked again, and nothing was sent', async (status) => {
    for (const call of [read, trigger]) {
      const { client, asked } = await behind(status)
      expect(await rejection(call(client))).toMatchObject({
        ...{ name: 'ConnectionError', sent: false, retryable: false, attempts: 1 },
        message: expect.stringContaining(
          `could not connect to api.example.com (Proxy response (${status}) !== 200 when HTTP Tunneling); nothing was sent.`,
        ),
      })
      expect(asked).toHaveBeenCalledTimes(1)
    }
  })

  it('a proxy that fails with a 502 is asked again, also for a trigger, because nothing was sent', async () => {
    const { client, asked } = await behind(502)
    expect(await rejection(trigger(client))).toMatchObject({ sent: false, retryable: true, attempts: 2 })
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('a proxy that is not there got nothing', async () => {
    const dispatcher = new ProxyAgent('http://127.0.0.1:9')
    const fetch = ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as Fetch
    const client = clientOf({ baseUrl: 'https://api.example.com/v1' }, { fetch, retry: false })
    expect(await rejection(trigger(client))).toMatchObject({ sent: false, retryable: true })
  })

  it('a proxy of the environment, as with NODE_USE_ENV_PROXY, that refuses is not asked again', async () => {
    const { client, asked } = await behind(407, (httpsProxy) => new EnvHttpProxyAgent({ httpsProxy }))
    expect(await rejection(trigger(client))).toMatchObject({ sent: false, retryable: false })
    expect(asked).toHaveBeenCalledTimes(1)
  })
})

describe('HTTP/2', () => {
  /** A client of a server that gets a stream, and what it got. */
  async function over(onStream: (stream: ServerHttp2Stream, count: number) => void) {
    const seen = vi.fn()
    const server = createHttp2Server().on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {})
      seen()
      onStream(stream, seen.mock.calls.length)
    })
    const url = `http://127.0.0.1:${await listen(server)}`
    const dispatcher = new H2CClient(url)
    onTestFinished(() => dispatcher.destroy())
    const fetch = ((url: string, init: object) => undiciFetch(url, { ...init, dispatcher })) as unknown as Fetch
    return { client: clientOf({ baseUrl: `${url}/v1` }, { fetch }), seen }
  }
  const respond = (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 201, 'content-type': 'application/json' })
    stream.end(JSON.stringify(RUN))
  }

  it('a stream that the server refused was not sent: also a trigger is sent again', async () => {
    const { client, seen } = await over((stream, count) =>
      count === 1 ? stream.close(constants.NGHTTP2_REFUSED_STREAM) : respond(stream),
    )
    expect(await trigger(client)).toMatchObject({ id: 'run_1' })
    expect(seen).toHaveBeenCalledTimes(2)
  })

  it('a stream that ended in another way may have been processed: a trigger is not sent again', async () => {
    const { client, seen } = await over((stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
    expect(await rejection(trigger(client))).toMatchObject({ sent: true })
    expect(seen).toHaveBeenCalledTimes(1)
  })
})

it.each([520, 521, 522, 523, 524, 527, 530])(
  'a %i of a gateway is waited out by what changes nothing, and is final for a trigger',
  async (status) => {
    const server = await serve((_, index) => (index % 2 ? { body: RUN } : { status, headers: { 'retry-after': '0' } }))
    expect(await read(clientOf(server))).toEqual(RUN)
    const again = { retry: { resendPost: true } }
    expect(await rejection(trigger(clientOf(server, again)))).toMatchObject({ status, attempts: 1 })
  },
)

describe('an error of another realm', async () => {
  const { runInNewContext } = await import('node:vm')
  const Other = runInNewContext('TypeError') as typeof TypeError

  it.each<[string, Error, boolean]>([
    ['Node', new Other('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }), false],
    ['Chrome', new Other('Failed to fetch'), true],
    ['Safari', new Other('Load failed'), true],
    ['Safari, offline', new Other('The Internet connection appears to be offline.'), true],
    ['Safari, a host that is down', new Other('Could not connect to the server.'), false],
    ['Safari, an unknown host', new Other('A server with the specified hostname could not be found.'), false],
    ['Firefox', new Other('NetworkError when attempting to fetch resource.'), true],
    ['Deno', new Other('error sending request for url (http://localhost/): client error (Connect)'), false],
    [
      'Deno, HTTP/2',
      new Other('client error (SendRequest): refused stream before processing any application logic'),
      false,
    ],
    ['Bun', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' }), false],
  ])('an error of another realm is recognized by its name: %s', async (_, thrown, sent) => {
    const fetch = async () => {
      throw thrown
    }
    const client = clientOf({ baseUrl: 'http://localhost/v1' }, { fetch, retry: false })
    expect(await rejection(trigger(client))).toMatchObject({ name: 'ConnectionError', sent, retryable: true })
  })

  it('an error of another realm is passed on when it is a mistake of the fetch', async () => {
    for (const own of [new Other('x is not a function'), new Other('Handler not found')]) {
      const fetch = vi.fn(async () => {
        throw own
      })
      expect(await rejection(read(clientOf({ baseUrl: 'http://localhost/v1' }, { fetch })))).toBe(own)
      expect(fetch).toHaveBeenCalledTimes(1)
    }
  })
})
