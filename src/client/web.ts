import { hasNullBody } from '../internal/contract/status.js'
import type { BuiltRequest } from './openapi-fetch.js'
import type { Call, PlainRequest, Reply } from './request/call.js'
import { inTime } from './request/deadline.js'

// Converts between web requests and responses and plain ones, for openapi-fetch and for callers of `createFetch`.

/** A real request, for middleware. As bytes, a text without a type is given none. */
export const webRequestOf = ({ url, method, headers, body }: BuiltRequest): Request =>
  new Request(url, {
    method,
    headers,
    body: (typeof body === 'string' && !headers['content-type'] ? new TextEncoder().encode(body) : body) as BodyInit,
  })

/** A plain request of one that was built: what is not a text with a type becomes what a real request sends. */
export async function wholeRequestOf(built: BuiltRequest, call: Call): Promise<PlainRequest> {
  const { method, headers, body } = built
  const isWhole = typeof body === 'string' && body !== '' && method !== 'GET' && headers['content-type']
  return isWhole || body === undefined ? (built as PlainRequest) : plainRequestOf(webRequestOf(built), call)
}

/** A plain request of a real one. The caller's stream may never end: it is read within the time of the call. */
export async function plainRequestOf(request: Request, call: Call): Promise<PlainRequest> {
  const { url, method } = request
  const body = method === 'GET' ? undefined : await inTime(call, () => call.time.hold(() => bodyOf(request)))
  return { url, method, headers: Object.fromEntries(request.headers), body }
}

/** The whole body, so that it can be sent again: as text; as bytes if it is not valid UTF-8, or `fetch` would give it a type. */
async function bodyOf(request: Request): Promise<string | ArrayBuffer | undefined> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return request.headers.has('content-type') ? text : bytes
  } catch {
    return bytes
  }
}

/** A real Response, which can be read and cloned. */
export function responseOf(reply: Reply): Response {
  const { url, status, statusText, text } = reply
  // A copy, because a global Response that a server has put in place may use these headers themselves. Hono's does.
  const headers = new Headers(reply.headers)
  // They describe the body as it was on its way.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  // The constructor takes no other status, though servers send some, and no text of a status outside of Latin-1.
  const response = new Response(hasNullBody(status) ? null : text, { status: Math.min(status, 599), headers })
  // The constructor adds a type to a text.
  if (!headers.has('content-type')) response.headers.delete('content-type')
  // The runtime's own clone would have none of them, and would not copy a body that has been read.
  const own: Partial<Response> = {
    url,
    clone: () => responseOf(reply),
    ...(status > 599 && { status }),
    ...(statusText && { statusText }),
  }
  for (const [name, value] of Object.entries(own)) Object.defineProperty(response, name, { value })
  return response
}
