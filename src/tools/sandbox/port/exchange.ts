import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS } from '../../../internal/contract/status.js'
import { notify } from '../../../internal/notify.js'
import { utf8 } from '../../service/request/encoding.js'
import { BodyTooLargeError, type ServiceRequest } from '../../service/request/index.js'
import { type SerializedResponse, serialize } from '../../service/response/serialize.js'
import type { Engine } from '../engine.js'
import { DroppedConnectionError, endResponse } from '../faults/apply.js'
import type { RequestEvent } from './options.js'

/** A request to a port. */
export interface PortRequest extends ServiceRequest {
  /** `keep` receives the length of each part, and returns whether it may be kept. @throws BodyRefusedError when one may not */
  text(limit: number, keep?: (bytes: number) => boolean): Promise<string>
}

/** A body that there is no space for now. */
export class BodyRefusedError extends Error {}

/** A request of Node, for the pipeline. */
export function fromIncoming(req: IncomingMessage, res: ServerResponse): PortRequest {
  const { method = 'GET', headers } = req
  let text: Promise<string> | undefined
  return {
    method,
    connection: req.socket,
    ...splitTarget(req.url ?? '/'),
    header(name) {
      const value = headers[name.toLowerCase()]
      return typeof value === 'string' ? value : (value?.join(', ') ?? null)
    },
    headers: () => headers,
    text(limit, keep) {
      text ??= bytesOf(req, limit, keep).then(utf8)
      return text
    },
    signal() {
      const controller = new AbortController()
      if (res.closed) controller.abort()
      else res.once('close', () => controller.abort())
      return controller.signal
    },
    isAborted: () => res.closed,
  }
}

/** The body. If it is refused, the rest is still read, because a client that is still sending reads no response. */
function bytesOf(
  req: IncomingMessage,
  limit: number,
  keep: (bytes: number) => boolean = () => true,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  let isKept = true
  // An async iterator costs a request with a short body a sixth more processor time.
  return new Promise((resolve, reject) => {
    if (req.destroyed) reject(new Error('The client has left.'))
    req.on('error', reject)
    req.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      isKept &&= size > limit || keep(chunk.length)
      if (isKept && size <= limit) chunks.push(chunk)
      else chunks.length = 0
    })
    req.on('end', () => {
      if (size > limit) reject(new BodyTooLargeError(limit))
      else if (isKept) resolve(Buffer.concat(chunks))
      else reject(new BodyRefusedError())
    })
  })
}

/** Path and query of a request target; a proxy sends a whole URL. RFC 9112, section 3.2. */
function splitTarget(target: string): { path: string; query: string } {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const [path = '', ...query] = local.split('?')
  return { path: path || '/', query: query.join('?') }
}

/** A request to the API of a sandbox. */
export interface ApiRequest {
  engine: Engine
  request: ServiceRequest
}

/** Handles a request of the API and sends its response, which pages of any origin may read. `path` includes that of a world. */
export async function handleApi(
  { engine, request }: ApiRequest,
  path: string,
  res: ServerResponse,
  onRequest: ((event: RequestEvent) => void) | undefined,
): Promise<void> {
  const { method } = request
  const start = performance.now()
  const report = (status: number | undefined) =>
    notify('onRequest', onRequest, { method, path, status, duration: performance.now() - start })
  try {
    const response = await engine.respond(request)
    report(response.connection === 'dropped' ? undefined : response.status)
    const sent = allowOrigin(request, response)
    if (response.connection !== 'dropped') setHeaders(res, sent)
    endResponse(res, sent, engine.faults)
  } catch (error) {
    // A reset ends open requests.
    if (error instanceof DroppedConnectionError || res.destroyed) {
      report(undefined)
      res.destroy()
      return
    }
    report(STATUS.internalError)
    const message = error instanceof Error ? error.message : 'The sandbox failed.'
    send(res, allowOrigin(request, json(STATUS.internalError, { error: 'sandbox_error', message })))
  }
}

/** The response of a command; `GET events` writes to the response itself. */
export type ControlResponse = SerializedResponse | ((res: ServerResponse) => void)

/** Sends the response of a command, with headers that protect the console. */
export function sendControl(res: ServerResponse, response: ControlResponse): void {
  for (const [name, value] of Object.entries(CONTROL_HEADERS)) res.setHeader(name, value)
  if (typeof response === 'function') response(res)
  else send(res, response)
}

/** Headers that protect the console from other pages and content. */
const CONTROL_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** Sends a response. Node omits the body for HEAD. */
function send(res: ServerResponse, response: SerializedResponse): void {
  setHeaders(res, response)
  res.end(response.text)
}

function setHeaders(res: ServerResponse, { status, headers, cookies }: SerializedResponse): void {
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  if (cookies) res.setHeader('set-cookie', cookies)
}

export const json = (status: number, body: unknown): SerializedResponse => serialize({ status, body })

/** Lets a page of any origin read the response: the keys of a sandbox protect nothing. */
export function allowOrigin<Sent extends SerializedResponse>(request: ServiceRequest, response: Sent): Sent {
  const origin = request.header('origin')
  if (origin === null) return response
  const { headers } = response
  const cors = {
    ...corsHeaders(origin, headers.vary),
    'access-control-expose-headers': Object.keys(headers).join(', '),
  }
  return { ...response, headers: { ...headers, ...cors } }
}

/** The response to a CORS preflight. */
export const preflight = ({ header }: ServiceRequest): SerializedResponse => ({
  status: 204,
  headers: {
    ...corsHeaders(header('origin') ?? ''),
    'access-control-allow-methods': header('access-control-request-method') ?? 'GET, POST',
    'access-control-allow-headers': header('access-control-request-headers') ?? 'Authorization, Content-Type',
    'access-control-max-age': '600',
  },
  text: '',
})

/** They name the origin, because a browser that sends credentials refuses `*`. Fetch standard, section 3.3.5. */
export const corsHeaders = (origin: string, vary?: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: vary ? `${vary}, Origin` : 'Origin',
})
