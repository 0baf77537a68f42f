// A server with the five operations, built with one of the peers, for service.mjs: node service-servers.mjs <name> <port>
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { examples } from '../dist/generated/examples.js'

const [, , name, port] = process.argv
const first = (operation, status) => Object.values(examples[operation][status])[0]

// What all servers share: the data, the keys, and the work of an operation.
const keys = new Map([['key_valid', { workspace: first('getCurrentWorkspace', 200) }]])
const playbooks = Array.from({ length: 20 }, (_, index) => ({
  id: `pb_${index}`,
  name: 'Onboard',
  description: 'A customer.',
}))
const providers = Array.from({ length: 20 }, (_, index) => ({ id: `provider_${index}`, name: 'CRM' }))
const run = first('getRun', 200)
const runs = new Map([[run.id, run]])
const page = (all, { page = 1, per_page = 20 }) => ({
  data: all.slice((page - 1) * per_page, page * per_page),
  meta: { total: all.length, page, per_page },
})
let triggered = 0
const trigger = (id) => ({
  id: `run_${triggered++}`,
  status: 'running',
  playbook_id: id,
  started_at: run.started_at,
  steps: [],
})
const grantOf = (header) => (header?.startsWith('Bearer ') ? keys.get(header.slice(7)) : undefined)
const UNAUTHORIZED = { error: 'unauthorized', message: 'The API key is not valid.' }
const NOT_FOUND = { error: 'not_found', message: 'There is nothing with this id.' }
const badRequest = (message) => ({ error: 'bad_request', message })
const DATE = '^\\d{4}-\\d{2}-\\d{2}$'

const SERVERS = {
  async 'node:http'() {
    const body = JSON.stringify(run)
    createServer((request, response) => {
      request.resume()
      const status = request.method === 'POST' ? 201 : 200
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body)
    }).listen(port, '127.0.0.1')
  },

  /** What srvx alone costs: the same response to every request. */
  async srvx() {
    const { FastResponse, serve } = await import('srvx/node')
    const body = JSON.stringify(run)
    const responses = { GET: 200, POST: 201 }
    const init = (method) => ({ status: responses[method], headers: { 'content-type': 'application/json' } })
    const fetch = async (request) => {
      if (request.method === 'POST') await request.text()
      return new FastResponse(body, init(request.method))
    }
    await serve({ fetch, port: Number(port), hostname: '127.0.0.1', silent: true }).ready()
  },

  kit: () => kit(false),
  'kit, responses validated': () => kit('throw'),

  async fastify() {
    const { default: Fastify } = await import('fastify')
    const { Ajv } = await import('ajv')
    // As the peers: a body is not coerced and loses no property; Fastify's default would do both.
    const text = { type: 'string' }
    const strict = new Ajv()
    const coercing = new Ajv({ coerceTypes: true, useDefaults: true })
    const app = Fastify()
    app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? strict : coercing).compile(schema))
    app.addHook('onRequest', async (request, reply) => {
      request.grant = grantOf(request.headers.authorization)
      if (!request.grant) return reply.code(401).send(UNAUTHORIZED)
    })
    app.setErrorHandler((error, _, reply) => reply.code(error.validation ? 400 : 500).send(badRequest(error.message)))
    const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
    const headers = object({ 'service-version': { type: 'string', pattern: DATE } })
    const params = object({ id: { type: 'string', minLength: 1 } }, { required: ['id'] })
    const querystring = object({ page: { type: 'integer' }, per_page: { type: 'integer' } })
    const meta = object({ total: { type: 'integer' }, page: { type: 'integer' }, per_page: { type: 'integer' } })
    const list = (items) => object({ data: { type: 'array', items }, meta })
    const step = object({ id: text, status: text, capability: text })
    const runSchema = object({
      id: text,
      status: text,
      playbook_id: text,
      started_at: text,
      steps: { type: 'array', items: step },
    })
    const body = object({ inputs: { type: 'object', additionalProperties: text } }, { required: ['inputs'] })
    const item = object({ id: text, name: text, description: text })
    const of = (schema, status, response) => ({ schema: { headers, ...schema, response: { [status]: response } } })
    app.get('/v1/workspaces/me', of({}, 200, item), async (request) => request.grant.workspace)
    app.get('/v1/playbooks', of({ querystring }, 200, list(item)), async (request) => page(playbooks, request.query))
    app.get('/v1/providers', of({ querystring }, 200, list(item)), async (request) => page(providers, request.query))
    app.get('/v1/runs/:id', of({ params }, 200, runSchema), async (request, reply) => {
      const found = runs.get(request.params.id)
      return found ?? reply.code(404).send(NOT_FOUND)
    })
    app.post('/v1/playbooks/:id/runs', of({ params, body }, 201, runSchema), async (request, reply) => {
      reply.code(201)
      return trigger(request.params.id)
    })
    await app.listen({ port: Number(port), host: '127.0.0.1' })
  },

  async hono() {
    const { OpenAPIHono, createRoute, z } = await import('@hono/zod-openapi')
    const { serve } = await import('@hono/node-server')
    const app = new OpenAPIHono({
      defaultHook: (result, c) => (result.success ? undefined : c.json(badRequest(result.error.message), 400)),
    })
    app.use('/v1/*', async (c, next) => {
      const grant = grantOf(c.req.header('authorization'))
      if (!grant) return c.json(UNAUTHORIZED, 401)
      c.set('grant', grant)
      await next()
    })
    const headers = z.object({ 'service-version': z.string().regex(new RegExp(DATE)).optional() })
    const params = z.object({ id: z.string().min(1) })
    const query = z.object({
      page: z.coerce.number().int().optional(),
      per_page: z.coerce.number().int().optional(),
    })
    const schema = z.looseObject({ inputs: z.record(z.string(), z.string()) })
    const body = { content: { 'application/json': { schema } }, required: true }
    const responses = { 200: { description: 'As the contract says.' } }
    const route = (method, path, request) => createRoute({ method, path, request: { headers, ...request }, responses })
    app.openapi(route('get', '/v1/workspaces/me', {}), (c) => c.json(c.get('grant').workspace))
    app.openapi(route('get', '/v1/playbooks', { query }), (c) => c.json(page(playbooks, c.req.valid('query'))))
    app.openapi(route('get', '/v1/providers', { query }), (c) => c.json(page(providers, c.req.valid('query'))))
    app.openapi(route('get', '/v1/runs/{id}', { params }), (c) => {
      const found = runs.get(c.req.valid('param').id)
      return found ? c.json(found) : c.json(NOT_FOUND, 404)
    })
    app.openapi(route('post', '/v1/playbooks/{id}/runs', { params, body }), (c) => {
      c.req.valid('json')
      return c.json(trigger(c.req.valid('param').id), 201)
    })
    serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
  },

  async 'express-openapi-validator'() {
    const { default: express } = await import('express')
    const { default: validator } = await import('express-openapi-validator')
    const app = express()
    app.disable('x-powered-by')
    app.use(express.json())
    const isKnown = (request) => {
      request.grant = grantOf(request.headers.authorization)
      return request.grant !== undefined
    }
    const apiSpec = fileURLToPath(new URL('../generated/openapi-3.0.json', import.meta.url))
    const { components } = JSON.parse(await readFile(apiSpec, 'utf8'))
    const handlers = Object.fromEntries(Object.keys(components.securitySchemes).map((scheme) => [scheme, isKnown]))
    app.use(validator.middleware({ apiSpec, validateResponses: false, validateSecurity: { handlers } }))
    app.get('/v1/workspaces/me', (request, response) => response.json(request.grant.workspace))
    app.get('/v1/playbooks', (request, response) => response.json(page(playbooks, request.query)))
    app.get('/v1/providers', (request, response) => response.json(page(providers, request.query)))
    app.get('/v1/runs/:id', (request, response) => {
      const found = runs.get(request.params.id)
      return found ? response.json(found) : response.status(404).json(NOT_FOUND)
    })
    app.post('/v1/playbooks/:id/runs', (request, response) => response.status(201).json(trigger(request.params.id)))
    app.use((error, _request, response, _next) => {
      const status = error.status ?? 500
      response.status(status).json(status === 401 ? UNAUTHORIZED : badRequest(error.message))
    })
    app.listen(Number(port), '127.0.0.1')
  },
}

async function kit(validateResponses) {
  const { createService } = await import('../dist/src/tools/service/index.js')
  const { FastResponse, serve } = await import('srvx/node')
  const service = createService({
    Response: FastResponse,
    validateResponses,
    authenticate: (key) => {
      const context = keys.get(key)
      return context ? { context } : { status: 401 }
    },
    operations: {
      getCurrentWorkspace: ({ context }) => ({ status: 200, body: context.workspace }),
      listPlaybooks: ({ query }) => ({ status: 200, body: page(playbooks, query) }),
      listProviders: ({ query }) => ({ status: 200, body: page(providers, query) }),
      getRun: ({ path }) => {
        const body = runs.get(path.id)
        return body ? { status: 200, body } : { status: 404 }
      },
      triggerRun: ({ path }) => ({ status: 201, body: trigger(path.id) }),
    },
  })
  await serve({ fetch: service.fetch, port: Number(port), hostname: '127.0.0.1', silent: true }).ready()
}

process.env.NODE_ENV = 'production'
await SERVERS[name]()
