import type { ServerResponse } from 'node:http'
import { FastResponse } from 'srvx/node'
import { STATUS } from '../../internal/status.js'
import { half, type SerializedResponse, toResponse } from '../../service/respond.js'
import type { MaybePromise } from '../../service/types.js'
import { DroppedConnectionError } from '../faults/effects.js'
import { type ApiRequest, allowOrigin, type ControlResponse, json } from './dispatch.js'
import type { RequestEvent } from './options.js'

/** Sends a response of the API, which pages of other origins may read. `path` is that of the whole URL. */
export async function sendApi(
  { engine, request }: ApiRequest,
  path: string,
  res: ServerResponse,
  onRequest: ((event: RequestEvent) => void) | undefined,
): Promise<Response> {
  const { method, header } = request
  const start = performance.now()
  const report = (status: number | undefined) =>
    onRequest?.({ method, path, status, duration: performance.now() - start })
  try {
    const response = await engine.handle(request)
    report(response.status)
    const closing = engine.faults.dropWaits() || response.cutOff ? withClose(response) : response
    return responseOf(method, header('origin') === null ? closing : allowOrigin(closing))
  } catch (error) {
    const isDropped = error instanceof DroppedConnectionError || res.destroyed
    report(isDropped ? undefined : STATUS.internalError)
    if (isDropped) res.socket?.destroy()
    const message = error instanceof Error ? error.message : 'The sandbox failed.'
    return responseOf(method, allowOrigin(json(STATUS.internalError, { error: 'sandbox_error', message })))
  }
}

/** srvx's own response avoids a conversion to a stream. Node leaves out the body of a HEAD. */
const responseOf = (method: string, response: SerializedResponse): Response =>
  toResponse(method === 'HEAD' ? 'GET' : method, response, FastResponse)

/** A connection that closes before the announced length has been sent breaks off the body. */
function withClose({ cutOff, ...response }: SerializedResponse): SerializedResponse {
  const headers = { ...response.headers, connection: 'close' }
  if (!cutOff) return { ...response, headers }
  const length = String(new TextEncoder().encode(response.text).length + 1)
  return { ...response, headers: { ...headers, 'content-length': length }, text: half(response.text) }
}

export async function sendControl(response: MaybePromise<ControlResponse>): Promise<Response> {
  const sent = await response
  if (!(sent instanceof ReadableStream))
    return responseOf('GET', { ...sent, headers: { ...CONTROL_HEADERS, ...sent.headers } })
  return new FastResponse(sent, { headers: { ...CONTROL_HEADERS, 'content-type': 'text/event-stream' } })
}

/** Headers that protect the console from other pages and content. */
const CONTROL_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}
