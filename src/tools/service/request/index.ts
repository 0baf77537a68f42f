import { readBytes } from '../../../internal/http/read-bytes.js'
import { untilAborted } from '../../../internal/time/abort.js'
import { byteLength, requireUtf8, utf8 } from './encoding.js'

/** A request, independent of its transport. */
export interface ServiceRequest {
  method: string
  /** The path of the URL without its query. */
  path: string
  /** The query without its `?`; empty without one. */
  query: string
  header(name: string): string | null
  /** The headers by name. The object is not changed afterwards. */
  headers(): RequestHeaders
  /**
   * The body. It is read once, with the limit of the first call.
   *
   * @throws BodyTooLargeError when it has more than `limit` bytes, and EncodingError
   */
  text(limit: number): Promise<string>
  signal(): AbortSignal | undefined
  /** Whether the client has left. */
  isAborted(): boolean
  /** The same object for all requests of one connection; undefined where connections are not visible. */
  connection?: object
  /** The request as the transport has it: a `Request`, or undefined. */
  transportRequest?: unknown
}

export const pathWithQuery = ({ path, query }: ServiceRequest): string => (query ? `${path}?${query}` : path)

/** A body that is larger than the limit. */
export class BodyTooLargeError extends Error {
  /** Whether the rest of the body was left unread, so that the connection cannot take another request. */
  readonly isUnread: boolean

  constructor(limit: number, isUnread = false) {
    super(`The body is larger than ${limit} bytes.`)
    this.isUnread = isUnread
  }
}

/** Headers by name, as Node has them: some that are repeated have a list. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The maximum size of a request body by default, in bytes. */
export const MAX_BODY = 2 ** 20

/** The part of a `Request` that every realm and library has. */
export type RequestLike = Pick<Request, 'url' | 'method' | 'text' | 'arrayBuffer'> & {
  headers: Pick<Headers, 'get'> & Iterable<[string, string]>
  signal?: AbortSignal | undefined
  body?: ReadableStream<Uint8Array> | null
  bodyUsed?: boolean
}

/** Reads the body of a request as `ServiceRequest.text` does. */
export type ReadText = (request: RequestLike, limit: number) => Promise<string>

/** A web request, for the pipeline. */
export function fromRequest(request: RequestLike, readText: ReadText): ServiceRequest {
  const { url, method, headers } = (request ?? {}) as RequestLike
  if (typeof url !== 'string' || typeof headers?.get !== 'function')
    throw new TypeError('fetch expects a Request: pass new Request(url, init).')
  let text: Promise<string> | undefined
  return {
    method,
    ...splitUrl(url),
    header: (name) => headers.get(name) ?? null,
    headers: () => Object.fromEntries(headers),
    text(limit) {
      text ??= readText(request, limit)
      return text
    },
    signal: () => request.signal,
    isAborted: () => request.signal?.aborted === true,
    transportRequest: request,
  }
}

/** The path and the query of an absolute URL, as they were sent: `URL` would normalize the path. */
function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const fragment = url.indexOf('#', start)
  const end = fragment === -1 ? url.length : fragment
  const question = url.indexOf('?', start)
  const pathEnd = question === -1 || question > end ? end : question
  return { path: url.slice(start, pathEnd), query: url.slice(pathEnd + 1, end) }
}

/** Reads a body that is already in memory. */
export const readWhole: ReadText = async (request, limit) => {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > limit) throw new BodyTooLargeError(limit)
  return utf8(bytes)
}

/** Reads a body from a network, and stops when it is too large. */
export const readBounded: ReadText = async (request, limit) => {
  const length = request.headers.get('content-length')
  if (Number(length) > limit) throw new BodyTooLargeError(limit)
  // With a Content-Length the transport reads no more than that. Servers create the stream of `body` only on access.
  if (length !== null) return readAnnounced(request, Number(length), limit)
  // Reading a used body rejects, while its stream may look empty.
  if (!request.body || request.bodyUsed) return readWhole(request, limit)
  // The stream of a `Request` that was made in process does not end with its signal.
  const read = () => readStream(request.body!, limit)
  return request.signal ? untilAborted(request.signal, read) : read()
}

/** Reads the body as text, because `arrayBuffer` of srvx makes a whole `Request` first, which halves its throughput. */
async function readAnnounced(request: RequestLike, length: number, limit: number) {
  const text = await request.text()
  // A `Request` that was made in process may have any Content-Length. A character has at most three bytes.
  if (text.length * 3 > limit && byteLength(text) > limit) throw new BodyTooLargeError(limit)
  return requireUtf8(text, length)
}

/** On Node an unread rest of a body blocks the connection, and cancelling the body keeps it open: the rest is discarded. */
async function readStream(body: ReadableStream<Uint8Array>, limit: number) {
  const { bytes, truncated, cancelled } = await readBytes(body, limit, MAX_DISCARDED)
  if (truncated) throw new BodyTooLargeError(limit, cancelled)
  return utf8(bytes)
}

/** How much of a body is read and discarded beyond the limit, in bytes. */
const MAX_DISCARDED = 16 * MAX_BODY
