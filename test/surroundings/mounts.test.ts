import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda'
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load, snippets, writeModule } from '../service/guide.js'
import { repository } from '../support/project.js'

/** A service whose responses are long enough to be compressed. */
const SERVICE = `import { createService } from '@workflow-automation/contract/service'
export const service = createService({
  authenticate: (key) => (key === 'key_demo' ? { context: 'ws_1' } : { status: 401 }),
  operations: {
    getCurrentWorkspace: ({ context }) => ({
      status: 200,
      body: { id: context, name: 'x'.repeat(5_000) },
      headers: { 'set-cookie': ['one=1', 'two=2'] },
    }),
    triggerRun: ({ body }) => ({ status: 201, body: { id: 'run_1', inputs: body.inputs, more: 'x'.repeat(5_000) } }),
    getRun: () => ({ status: 404 }),
  },
  otherwise: 501,
})
`

const ORIGIN = 'https://app.example'
const KEY = { authorization: 'Bearer key_demo', origin: ORIGIN }

/** How the guide's code is told of the plugins of a framework: they are registered where its application is made. */
interface Plugins {
  imports: string
  after: RegExp
  use: string
  /** Whether the framework has a plugin that compresses. */
  compresses: boolean
  /** Whether it keeps the cookies of middleware beside those of the service. Express writes its own headers anew. */
  keepsCookies: boolean
}

const PLUGINS: Record<string, Plugins> = {
  'Express 5': {
    imports: "import cors from 'cors'\nimport compression from 'compression'",
    after: /^const app = express\(\)$/m,
    use: `app.use(cors({ origin: '${ORIGIN}', credentials: true }), compression())`,
    compresses: true,
    keepsCookies: false,
  },
  'Fastify 5': {
    imports: "import cors from '@fastify/cors'\nimport compress from '@fastify/compress'",
    after: /^const app = Fastify\(\)$/m,
    use: `await app.register(cors, { origin: '${ORIGIN}', credentials: true })
await app.register(compress)
app.addHook('onRequest', async (_request, reply) => void reply.header('x-own', 'kept').header('set-cookie', 'own=0'))`,
    compresses: true,
    keepsCookies: true,
  },
  Hono: {
    imports:
      "import { cors } from 'hono/cors'\nimport { compress } from 'hono/compress'\nimport { setCookie } from 'hono/cookie'",
    after: /^const app = new Hono\(\)$/m,
    use: `app.use(cors({ origin: '${ORIGIN}', credentials: true }), compress())
app.use(async (c, next) => {
  await next()
  setCookie(c, 'own', '0')
})`,
    compresses: true,
    keepsCookies: true,
  },
  'Koa 3': {
    imports: "import cors from '@koa/cors'\nimport compress from 'koa-compress'",
    after: /^const app = new Koa\(\)$/m,
    use: `app.use(cors({ origin: '${ORIGIN}', credentials: true }))
app.use(compress())
app.use((context, next) => {
  context.cookies.set('own', '0')
  return next()
})`,
    compresses: true,
    keepsCookies: true,
  },
  'h3 2': {
    imports: "import { handleCors } from 'h3'",
    after: /^const app = new H3\(\)$/m,
    use: `app.use((event) => {
  const response = handleCors(event, { origin: ['${ORIGIN}'], credentials: true, methods: '*', preflight: { statusCode: 204 } })
  if (response !== false) return response
  event.res.headers.append('set-cookie', 'own=0')
})`,
    compresses: false,
    keepsCookies: true,
  },
}

let folder: string
beforeAll(async () => {
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(repository, 'test/.build/mounted-'))
  await writeModule(join(folder, 'service.ts'), SERVICE)
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the guide's code for a framework with its plugins, and resolves to its address. */
async function mount(name: string, plugins: Plugins): Promise<{ url: string; close(): unknown }> {
  const port = await getPort()
  const code = name === 'Hono' ? HONO : snippets.get(name)!
  const withPlugins = code.replace(plugins.after, (line) => `${line}\n${plugins.use}`)
  expect(withPlugins).not.toBe(code)
  snippets.set(`${name} with plugins`, `${plugins.imports}\n${withPlugins}`)
  const { listening, app } = await load(`${name} with plugins`, folder, port)
  const server = await listening
  if (server?.ready) await server.ready()
  else if (server?.once && !server.listening) await once(server, 'listening')
  const close = () => (name.startsWith('Fastify') ? app.close() : server.close(true))
  return { url: `http://127.0.0.1:${port}`, close }
}

const HONO = `import { Hono } from 'hono'
import { serve } from 'srvx'
import { service } from './service.js'

const app = new Hono()
app.all('/v1/*', (c) => service.fetch(c.req.raw))
serve({ fetch: app.fetch, port: 3000 })
`

describe.each(Object.entries(PLUGINS))('a service on %s', (name, plugins) => {
  let at: Awaited<ReturnType<typeof mount>>
  beforeAll(async () => {
    at = await mount(name, plugins)
  })
  afterAll(() => at?.close())

  const body = '{"inputs":{"order":"42"}}'
  it.each<[string, string, RequestInit, number]>([
    ['a success', '/v1/workspaces/me', { headers: KEY }, 200],
    [
      'a trigger',
      '/v1/playbooks/pb_1/runs',
      { method: 'POST', body, headers: { ...KEY, 'content-type': 'application/json' } },
      201,
    ],
    ['a 401', '/v1/workspaces/me', { headers: { ...KEY, authorization: 'Bearer no' } }, 401],
    ['a 404', '/v1/runs/run_1', { headers: KEY }, 404],
    ['a 501', '/v1/providers', { headers: KEY }, 501],
  ])(
    'a mounted service keeps the headers of the CORS plugin on %s, and a body of JSON',
    async (_, path, init, status) => {
      const response = await fetch(at.url + path, init)
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(response.headers.get('access-control-allow-credentials')).toBe('true')
      expect(response.headers.get('x-request-id')).toMatch(/./)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await response.json()).toEqual(expect.any(Object))
      if (name.startsWith('Fastify')) expect(response.headers.get('x-own')).toBe('kept')
    },
  )

  it('a mounted service lets the CORS plugin respond to a preflight', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
    const response = await fetch(`${at.url}/v1/playbooks/pb_1/runs`, { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  })

  it.runIf(plugins.compresses)(
    'a mounted service lets the compression plugin compress, with a length that fits',
    async () => {
      const sent = request(`${at.url}/v1/workspaces/me`, { headers: { ...KEY, 'accept-encoding': 'gzip' } }).end()
      const [response] = await once(sent, 'response')
      const chunks = await response.toArray()
      expect(response.headers['content-encoding']).toBe('gzip')
      const bytes = Buffer.concat(chunks)
      expect(bytes.length).toBeLessThan(1_000)
      if (response.headers['content-length']) expect(Number(response.headers['content-length'])).toBe(bytes.length)
      expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ id: 'ws_1' })
    },
  )

  it.runIf(plugins.keepsCookies)(
    'a mounted service keeps the cookies of middleware beside those of the service',
    async () => {
      const cookiesOf = async (path: string, init: RequestInit) => {
        const { headers } = await fetch(at.url + path, init)
        return headers
          .getSetCookie()
          .map((cookie) => cookie.replace(/;.*/, ''))
          .sort()
      }
      const trigger = { method: 'POST', body, headers: { ...KEY, 'content-type': 'application/json' } }
      expect(await cookiesOf('/v1/playbooks/pb_1/runs', trigger)).toEqual(['own=0'])
      expect(await cookiesOf('/v1/workspaces/me', { headers: KEY })).toEqual(['one=1', 'own=0', 'two=2'])
    },
  )

  it('a mounted service sends no body of a HEAD', async () => {
    const response = await fetch(`${at.url}/v1/workspaces/me`, { method: 'HEAD', headers: KEY })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('a service on Lambda', () => {
  const context = { callbackWaitsForEmptyEventLoop: true, functionName: 'provider' } as Context
  const version2 = (method: string, rawPath: string, more: Partial<APIGatewayProxyEventV2> = {}) =>
    ({
      version: '2.0',
      routeKey: '$default',
      rawPath,
      rawQueryString: '',
      headers: { host: 'x1.lambda-url.eu-west-1.on.aws', 'x-forwarded-proto': 'https', ...KEY },
      requestContext: {
        http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'curl' },
      },
      isBase64Encoded: false,
      ...more,
    }) as APIGatewayProxyEventV2
  const version1 = (method: string, path: string, more: Partial<APIGatewayProxyEvent> = {}) =>
    ({
      ...{ httpMethod: method, path, resource: '/{proxy+}', body: null, isBase64Encoded: false },
      headers: { Host: 'x1.execute-api.eu-west-1.amazonaws.com', Authorization: KEY.authorization },
      ...{ multiValueHeaders: {}, queryStringParameters: null, multiValueQueryStringParameters: null },
      ...{ pathParameters: null, stageVariables: null },
      requestContext: { identity: { sourceIp: '192.0.2.1' }, stage: 'prod', path: `/prod${path}` },
      ...more,
    }) as APIGatewayProxyEvent
  const json = '{"inputs":{"order":"42 €"}}'
  const typed = { headers: { host: 'x', 'content-type': 'application/json', ...KEY } }

  it.each<[string, unknown, number]>([
    ['payload version 2.0', version2('GET', '/v1/workspaces/me'), 200],
    ['payload version 1.0', version1('GET', '/v1/workspaces/me'), 200],
    ['a body', version2('POST', '/v1/playbooks/pb_1/runs', { ...typed, body: json }), 201],
    [
      'a body in base64',
      version2('POST', '/v1/playbooks/pb_1/runs', {
        ...typed,
        body: Buffer.from(json).toString('base64'),
        isBase64Encoded: true,
      }),
      201,
    ],
    ['a body of payload version 1.0', version1('POST', '/v1/playbooks/pb_1/runs', { ...typed, body: json }), 201],
    ['a query that is wrong', version2('GET', '/v1/playbooks', { rawQueryString: 'page=x' }), 501],
    ['an unknown run', version2('GET', '/v1/runs/run_1'), 404],
    ['no key', version2('GET', '/v1/workspaces/me', { headers: { host: 'x' } }), 401],
  ])('a service on Lambda responds to %s', async (_, event, status) => {
    const { handler } = await load('Lambda', folder)
    const response = await handler(event, context)
    expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'application/json'])
    expect(response.isBase64Encoded).toBeFalsy()
    const body = JSON.parse(response.body)
    if (status === 201) expect(body.inputs).toEqual({ order: '42 €' })
    expect(response.headers['x-request-id']).toMatch(/./)
  })
})
