/** A provider of the contract in Hono over PostgreSQL, with limits that its processes share in Redis. */
import { createRedisLimit, type SendCommand } from '@workflow-automation/contract/redis'
import { createService } from '@workflow-automation/contract/service'
import { Hono } from 'hono'
import type { Grant, Store } from './store.js'

/** How long a handler may take, in ms: longer than a statement of the database, which is then rolled back. */
const HANDLER_TIMEOUT = 10_000

export function createApp(store: Store, send: SendCommand, isStopping: () => boolean = () => false) {
  const count = createRedisLimit({ send, onDegraded: (degraded) => log({ message: 'Redis', degraded }) })
  const service = createService<Grant>({
    async authenticate(key, _request, operation) {
      const grant = await store.grantOf(key)
      if (!grant) return { status: 401 }
      return operation === 'triggerRun' && !grant.may_trigger ? { status: 403 } : { context: grant }
    },
    limit: ({ context, operation }) => count({ key: context.workspace_id, plan: limitOf(context) }, operation),
    operations: {
      async getCurrentWorkspace({ context }) {
        const workspace = await store.workspace(context.workspace_id)
        return workspace ? { status: 200, body: workspace } : { status: 401 }
      },
      async listPlaybooks({ context, query }) {
        const { items, total } = await store.playbooks(context.workspace_id, query)
        return { status: 200, body: { data: items, meta: { total, ...query } } }
      },
      async listProviders({ context, query }) {
        const { items, total } = await store.providers(context.workspace_id, query)
        return { status: 200, body: { data: items, meta: { total, ...query } } }
      },
      async triggerRun({ context, path, body }) {
        const run = await store.trigger(context.workspace_id, path.id, body.inputs)
        return run ? { status: 201, body: run } : { status: 404 }
      },
      async getRun({ context, path }) {
        const run = await store.run(context.workspace_id, path.id)
        return run ? { status: 200, body: run } : { status: 404 }
      },
    },
    strict: true,
    // Rows have columns of our own.
    responseFields: 'strip',
    problems: 'all',
    rateLimitHeaders: true,
    handlerTimeout: HANDLER_TIMEOUT,
    onResponse: ({ operation, method, status, duration, requestId }) =>
      log({ message: 'response', operation, method, status, duration: Math.round(duration), requestId }),
    onError: (error, { operation, requestId }) =>
      log({ message: 'error', operation, requestId, error: error instanceof Error ? error.stack : String(error) }),
  })

  const app = new Hono()
  // A process that stops is taken out by its load balancer before it refuses connections.
  app.get('/health', async (c) => (!isStopping() && (await store.isUp()) ? c.text('ok') : c.text('unavailable', 503)))
  app.all('/v1/*', (c) => service.fetch(c.req.raw))
  return app
}

const limitOf = ({ plan, requests_per_minute, burst }: Grant) =>
  requests_per_minute !== null && burst !== null ? { requestsPerMinute: requests_per_minute, burst } : plan

/** One line of JSON; no event of the service has a key. */
const log = (event: object) => process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`)
