import { serve } from 'srvx'
import type { Sandbox } from '../../../src/tools/sandbox/index.js'

/** Serves a sandbox once more, with a field that the contract does not name in every object of every response. */
export async function startProxy({ baseUrl, fetch }: Sandbox): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    gracefulShutdown: false,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const response = await fetch(new Request(new URL(baseUrl).origin + pathname + search, request))
      const { status, headers } = response
      headers.delete('content-length')
      return Response.json(withUnknownField(await response.json()), { status, headers })
    },
  })
  await server.ready()
  return { baseUrl: `${server.url?.replace(/\/$/, '')}/v1`, close: () => server.close(true) }
}

function withUnknownField(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownField)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, withUnknownField(each)])
  return { ...Object.fromEntries(entries), added_later: { since: 'tomorrow' } }
}
