/** What an app does with the client. It runs on React Native's own sources, and returns plain data. */
import { type Client, createClient, createFetch, NotFoundError } from '../../dist/src/index.js'

const KEY = 'wk_react_native'

const clientOf = (baseUrl: string, options = {}): Client =>
  createClient({ baseUrl, apiKey: KEY, polling: { minInterval: 5, maxInterval: 5 }, ...options })

const facts = (error: unknown) => {
  const { name, message, sent, location, limit, status } = Object(error) as Record<string, unknown>
  return { name, message, sent, location, limit, status }
}

/** The error of a call. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error) => error,
  )

/** What this version of React Native does other than a browser. */
export async function differences(): Promise<Record<string, boolean>> {
  const url = new URL('https://example.com/v1/runs')
  const read = (part: 'pathname' | 'host'): string => {
    try {
      return url[part]
    } catch {
      return 'throws'
    }
  }
  const controller = new AbortController()
  controller.abort()
  return {
    partsThrow: read('host') === 'throws' || read('pathname') === 'throws',
    pathnameEndsInSlash: read('pathname').endsWith('/'),
    noReason: controller.signal.reason === undefined,
    noStream: !new Response('text').body,
  }
}

export async function everyday(baseUrl: string) {
  const client = clientOf(baseUrl)
  const { id } = await client.triggerRun('pb_1', { inputs: { order: 'ö' } })
  const seen: string[] = []
  for await (const { status } of client.watchRun(id)) seen.push(status)
  const { data, error } = await client.GET('/playbooks')
  const list = await client.listPlaybooks()
  const items = []
  for await (const item of client.paginate('listPlaybooks')) items.push(item.id)
  const posted = await client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: { inputs: {} } })
  return {
    ...{ id, seen, items, error, posted: posted.response.status },
    same: JSON.stringify(data) === JSON.stringify(list),
  }
}

export async function throughFetch(baseUrl: string) {
  const operations: unknown[] = []
  const fetch = createFetch({ baseUrl, apiKey: KEY, onRequest: ({ operation }) => operations.push(operation) })
  const list = await (await fetch(`${baseUrl}/playbooks`)).json()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ inputs: { order: 'ö' } })
  const triggered = await fetch(`${baseUrl}/playbooks/pb_1/runs`, { method: 'POST', headers, body })
  return { list, operations, status: triggered.status, run: await triggered.json() }
}

export async function middleware(baseUrl: string) {
  const client = clientOf(baseUrl)
  const seen: string[] = []
  client.use({
    onRequest: ({ request }) => void request.headers.set('x-trace', '1'),
    onResponse: ({ response }) => void seen.push(`${response.status}`),
  })
  const { status } = await client.getRun('run_1')
  return { status, seen }
}

/** Aborts calls of every kind, and one more that begins with a signal that was aborted before. */
export async function aborted(baseUrl: string) {
  const client = clientOf(baseUrl)
  const controller = new AbortController()
  const { signal } = controller
  const calls = [
    client.getRun('never', { signal }),
    client.listProviders({}, { signal }),
    client.GET('/runs/{id}', { params: { path: { id: 'never' } }, signal }),
    client.waitForRun('never', { signal }),
    client.watchRun('never', { signal }).next(),
  ].map(errorOf)
  setTimeout(() => controller.abort(), 20)
  const errors = await Promise.all(calls)
  return [...errors, await errorOf(client.getRun('never', { signal }))].map((error) => facts(error).name)
}

export async function late(baseUrl: string) {
  const client = clientOf(baseUrl, { timeout: 20, retry: false })
  const changes = clientOf(baseUrl).watchRun('never')
  const pending = changes.next()
  setTimeout(() => changes.return(), 20)
  return {
    timeout: facts(await errorOf(client.getRun('never'))),
    waiting: facts(await errorOf(client.waitForRun('never', { timeout: 20 }))),
    left: await pending,
  }
}

export async function redirected(baseUrl: string) {
  const client = clientOf(baseUrl)
  return { error: facts(await errorOf(client.getRun('moved'))), spaces: (await client.getRun('a b')).id }
}

export async function failing(baseUrl: string, closed: string) {
  const retries: unknown[] = []
  const client = clientOf(baseUrl, { retry: false, maxResponseSize: 1_000 })
  const lost = clientOf(closed, { retry: 1, onRetry: ({ reason }: { reason: string }) => retries.push(reason) })
  const missing = await errorOf(client.getRun('missing'))
  return {
    ...{ missing: facts(missing), isNotFound: missing instanceof NotFoundError },
    large: facts(await errorOf(client.getRun('large'))),
    lost: facts(await errorOf(lost.getRun('run_1'))),
    retries,
    limited: (await clientOf(baseUrl).getRun('limited')).status,
    addresses: ['http://api.example.com/v1', 'https://api.example.com', 'api'].map((address) => {
      try {
        return clientOf(address)
      } catch (error) {
        return facts(error).message
      }
    }),
  }
}
