/** Stands in for openapi-fetch in its own tests: `createClient` is ours, and everything else is openapi-fetch's. */
import { createClient as createOurs } from '../../../src/index.js'

export * from 'openapi-fetch'

interface Options {
  baseUrl: string
  fetch?: (request: Request) => Promise<Response>
  querySerializer?: unknown
  bodySerializer?: unknown
}

interface Init {
  params?: { path?: Record<string, unknown> }
}

/** What ours adds to every request. */
const OWN = ['accept', 'authorization', 'service-version', 'user-agent']

/** Nearly all tests have a number as path parameter, which ours refuses: the rest of them is to be seen. */
const withTexts = (params: Init['params']): Init['params'] => {
  const path = Object.entries(params?.path ?? {}).map(([name, value]) => [
    name,
    typeof value === 'number' ? `${value}` : value,
  ])
  return { ...params, path: Object.fromEntries(path) }
}

type Method = (path: string, init?: object) => Promise<unknown>

export default function createClient({ fetch: own, querySerializer, bodySerializer, ...options }: Options) {
  // The address of the service has a version, which these tests do not expect.
  const given = options.baseUrl.replace(/\/$/, '')
  const baseUrl = given.endsWith('/v1') ? given : `${given}/v1`
  const send = (request: Request) => (own ?? globalThis.fetch)(request)
  const fetch = (url: string, { headers, ...init }: RequestInit) => {
    const sent = Object.entries({ ...(headers as Record<string, string>) }).filter(([name]) => !OWN.includes(name))
    return send(new Request(url.replace(baseUrl, given), { ...init, headers: Object.fromEntries(sent) }))
  }
  // Clients share the pause after a 429 when they talk to the same workspace.
  const workspace = crypto.randomUUID()
  const client = createOurs({ ...options, baseUrl, apiKey: 'key', workspace, retry: false, plan: false, fetch })
  // Ours takes these for a call alone.
  const each = { ...(querySerializer ? { querySerializer } : {}), ...(bodySerializer ? { bodySerializer } : {}) }
  const call =
    (method: unknown) =>
    (path: string, init: Init = {}) =>
      (method as Method)(path, { ...each, ...init, ...(init.params?.path ? { params: withTexts(init.params) } : {}) })
  return { ...client, GET: call(client.GET), POST: call(client.POST) }
}
