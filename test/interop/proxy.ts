import { serve } from 'srvx'

/** A proxy that adds a field the contract does not name to every object of every JSON response. */
export async function startProxy(target: string): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    gracefulShutdown: false,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? undefined : await request.text()
      const headers = Object.fromEntries([...request.headers].filter(([name]) => !HOP_BY_HOP.has(name)))
      const response = await fetch(new URL(target).origin + pathname + search, {
        method: request.method,
        headers,
        ...(body !== undefined && { body }),
      })
      const sent = new Headers(response.headers)
      for (const name of HOP_BY_HOP) sent.delete(name)
      return Response.json(withUnknownField(await response.json()), { status: response.status, headers: sent })
    },
  })
  await server.ready()
  return { baseUrl: `${server.url?.replace(/\/$/, '')}/v1`, close: () => server.close(true) }
}

const HOP_BY_HOP = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
  'upgrade',
  'http2-settings',
])

function withUnknownField(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownField)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, withUnknownField(each)])
  return { ...Object.fromEntries(entries), added_later: { since: 'tomorrow' } }
}
