/** A provider of the contract in Hono over PostgreSQL, with limits that its processes share in Redis. */
import { createRedisLimit, type SendCommand } from '@workflow-automation/contract/redis'
import { createService } from '@workflow-automation/contract/service'
import { Hono } from 'hono'
import { type Grant, type Page, type PageQuery, type Store, UnknownOutcomeError } from './store.js'

/** How long a request may take, in ms: longer than a statement of the database and its repetition. */
export const REQUEST_TIMEOUT = 8_000

export function createApp(store: Store, send: SendCommand, isReady: () => Promise<boolean> = async () => true) {
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
      listPlaybooks: ({ context, query }) => listed(query, (page) => store.playbooks(context.workspace_id, page)),
      listProviders: ({ context, query }) => listed(query, (page) => store.providers(context.workspace_id, page)),
      async triggerRun({ context, path, body }) {
        try {
          const run = await store.trigger(context.workspace_id, path.id, body.inputs)
          return run ? { status: 201, body: run } : { status: 404 }
        } catch (error) {
          if (!(error instanceof UnknownOutcomeError)) throw error
          // A 500 would allow its repetition.
          log({ message: 'error', operation: 'triggerRun', error: String(error.cause) })
          return { status: 502 }
        }
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
    requestTimeout: REQUEST_TIMEOUT,
    onResponse: ({ operation, method, status, duration, requestId }) =>
      log({ message: 'response', operation, method, status, duration: Math.round(duration), requestId }),
    onError: (error, { operation, requestId }) =>
      log({ message: 'error', operation, requestId, error: error instanceof Error ? error.stack : String(error) }),
  })

  const app = new Hono()
  // Alive: a process is not restarted because its database is gone.
  app.get('/health', (c) => c.text('ok'))
  // A load balancer takes a process out that has no database, and one that stops, before it refuses connections.
  app.get('/ready', async (c) => ((await isReady()) ? c.text('ok') : c.text('unavailable', 503)))
  app.all('/v1/*', (c) => service.fetch(c.req.raw))
  return app
}

/** One page of a list. The contract has neither defaults nor bounds for its query, so these are ours. */
async function listed<Item>(
  { page = 1, per_page = 20 }: Partial<PageQuery>,
  read: (query: PageQuery) => Promise<Page<Item>>,
) {
  if (![page, per_page].every((number) => number >= 1 && number <= MOST))
    return { status: 400 as const, body: { message: `page and per_page must be from 1 to ${MOST}.` } }
  const { items, total } = await read({ page, per_page })
  return { status: 200 as const, body: { data: items, meta: { total, page, per_page } } }
}

/** What PostgreSQL can multiply for an offset. */
const MOST = 2 ** 31 - 1

const limitOf = ({ plan, requests_per_minute, burst }: Grant) =>
  requests_per_minute !== null && burst !== null ? { requestsPerMinute: requests_per_minute, burst } : plan

/** One line of JSON; no event of the service has a key. */
const log = (event: object) => process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`)
