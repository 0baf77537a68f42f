/** A program for any runtime: begins calls of every kind and aborts each after so many microtasks. */

import { type ClientOptions, createClient, createFetch } from '../../src/index.js'
import { listOf } from '../support/fixtures.js'

const LIST = listOf([{ id: 'pb_1' }], { total: 9, page: 1, per_page: 1 })
const RUN = { id: 'run_1', status: 'running', playbook_id: 'pb_1', started_at: '2026-11-21T08:00:00Z', steps: [] }

type Fetch = NonNullable<ClientOptions['fetch']>

const respond: Fetch = async (url) => Response.json(/runs/.test(url) ? RUN : LIST)
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** What a `fetch` may do with a call that is aborted. */
const FETCHES: Fetch[] = [
  respond,
  (_, { signal }) => aborted(signal!),
  async () => Promise.reject(new TypeError('Failed to fetch')),
  () => new Promise(() => {}),
]

type Begin = (options: ClientOptions, signal: AbortSignal) => Promise<unknown>

const trigger = { params: { path: { id: 'pb_1' } }, body: { inputs: {} } }
const run = { params: { path: { id: 'run_1' } } }

const polling = { minInterval: 1 }

const CALLS: Record<string, Begin> = {
  getRun: (options, signal) => createClient(options).getRun('run_1', { signal }),
  triggerRun: (options, signal) => createClient(options).triggerRun('pb_1', { inputs: {} }, { signal }),
  listPlaybooks: (options, signal) => createClient(options).listPlaybooks({}, { signal }),
  'two calls of listPlaybooks': (options, signal) => {
    const client = createClient(options)
    return Promise.all([client.listPlaybooks({}, { signal }), client.listPlaybooks({}, { signal })])
  },
  reload: (options, signal) => createClient(options).listPlaybooks({}, { signal, cache: 'reload' }),
  'a store': (options, signal) => {
    const cache = { get: async () => undefined, set: async () => {}, delete() {}, clear() {} }
    return createClient({ ...options, cache }).listPlaybooks({}, { signal })
  },
  'a key function': (options, signal) =>
    createClient({ ...options, apiKey: async () => 'wk_abort' }).listPlaybooks({}, { signal }),
  'a rate limiter': (options, signal) =>
    createClient({ ...options, rateLimiter: { acquire: () => aborted(signal), penalize() {} } }).getRun('run_1', {
      signal,
    }),
  'a used-up limit': (options, signal) => {
    const client = createClient({ ...options, plan: { requestsPerMinute: 1, burst: 1 } })
    return Promise.all([client.getRun('run_1', { signal }), client.getRun('run_2', { signal })])
  },
  'GET of a list': (options, signal) => createClient(options).GET('/playbooks', { signal }),
  'GET of a run': (options, signal) => createClient(options).GET('/runs/{id}', { ...run, signal }),
  POST: (options, signal) => createClient(options).POST('/playbooks/{id}/runs', { ...trigger, signal }),
  middleware: (options, signal) => {
    const client = createClient(options)
    client.use({ onRequest: async () => undefined, onResponse: async () => undefined })
    return Promise.all([client.listPlaybooks({}, { signal }), client.GET('/runs/{id}', { ...run, signal })])
  },
  withResponse: (options, signal) => createClient(options).withResponse.listProviders({}, { signal }),
  paginate: (options, signal) => createClient(options).paginate('listPlaybooks', {}, { signal }).next(),
  waitForRun: (options, signal) => createClient({ ...options, polling }).waitForRun('run_1', { signal }),
  watchRun: async (options, signal) => {
    const changes = createClient({ ...options, polling }).watchRun('run_1', { signal })
    await Promise.all([changes.next(), changes.next()])
  },
  'watchRun that is left': (options, signal) => {
    const changes = createClient({ ...options, polling }).watchRun('run_1')
    signal.addEventListener('abort', () => void changes.return())
    return changes.next().then(() => changes.next())
  },
  createFetch: (options, signal) => createFetch(options)(`${options.baseUrl}/playbooks`, { signal }),
}

/** Resolves to how many calls were made. What is not handled is for the runtime to report. */
export async function abortEverything(microtasks = 30): Promise<number> {
  let calls = 0
  for (const begin of Object.values(CALLS))
    for (const fetch of FETCHES)
      for (let count = 0; count <= microtasks; count++) {
        const controller = new AbortController()
        const options = { baseUrl: 'http://localhost/v1', apiKey: `wk_${calls++}`, fetch }
        const call = begin(options, controller.signal).catch(() => {})
        for (let waited = 0; waited < count; waited++) await undefined
        controller.abort()
        await call
      }
  await new Promise((resolve) => setTimeout(resolve, 50))
  return calls
}
