import type { IncomingMessage } from 'node:http'
import type { ServiceRequest } from '../../service/request.js'

/** A request of Node, for the pipeline. */
export function fromIncoming(
  req: IncomingMessage,
  text: ServiceRequest['text'],
  signal: () => AbortSignal,
): ServiceRequest {
  const { method = 'GET', headers } = req
  return {
    method,
    ...splitTarget(req.url ?? '/'),
    header(name) {
      const value = headers[name.toLowerCase()]
      return typeof value === 'string' ? value : (value?.join(', ') ?? null)
    },
    headers: () => headers,
    async text(limit) {
      const body = await text(limit).catch((error) => {
        if (error.status !== TOO_LARGE) throw error
        return undefined
      })
      // The rest is read and discarded: a client that is still sending would not see the response otherwise.
      if (body === undefined) req.resume()
      return body
    },
    signal,
  }
}

/** The status of srvx's error for a body over its limit. */
const TOO_LARGE = 413

/** Path and query of a request target; a proxy sends a whole URL. RFC 9112, section 3.2. */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const question = local.indexOf('?')
  return question === -1
    ? { path: local || '/', query: '' }
    : { path: local.slice(0, question) || '/', query: local.slice(question + 1) }
}
