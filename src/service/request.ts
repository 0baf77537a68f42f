import { readBytes } from '../internal/read-bytes.js'

/** A request, independent of its transport. */
export interface ServiceRequest {
  method: string
  /** The path of the URL without its query. */
  path: string
  /** The query without its `?`; empty without one. */
  query: string
  header(name: string): string | null
  /** The headers by name, which nobody changes afterwards. */
  headers(): RequestHeaders
  /** The body; undefined when it has more than `MAX_BODY` bytes. */
  text(): Promise<string | undefined>
  signal(): AbortSignal | undefined
  /** The transport's own object: a `Request`, or undefined. */
  raw?: unknown
}

/** Headers by name, as Node has them: some that are repeated have a list. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** The largest body of a request, in bytes. */
export const MAX_BODY = 2 ** 20

/** The part of a `Request` that every realm and library has. */
export type RequestLike = Pick<Request, 'url' | 'method' | 'text'> & {
  headers: Pick<Headers, 'get'> & Iterable<[string, string]>
  signal?: AbortSignal | undefined
  body?: ReadableStream<Uint8Array> | null
}

/** Reads the body of a request; undefined when it has more than `MAX_BODY` bytes. */
export type ReadText = (request: RequestLike) => Promise<string | undefined>

/** A web request, for the pipeline. */
export function fromRequest(request: RequestLike, readText: ReadText): ServiceRequest {
  if (typeof request?.url !== 'string') throw new TypeError('fetch takes a Request: pass new Request(url, init).')
  const { url, method, headers } = request
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const fragment = url.indexOf('#', start)
  const end = fragment === -1 ? url.length : fragment
  const question = url.indexOf('?', start)
  const pathEnd = question === -1 || question > end ? end : question
  return {
    method,
    path: start === -1 ? '/' : url.slice(start, pathEnd),
    query: url.slice(pathEnd + 1, end),
    header: (name) => headers.get(name),
    headers: () => Object.fromEntries(headers),
    text: () => readText(request),
    signal: () => request.signal,
    raw: request,
  }
}

/** Reads a body that is already in memory. */
export const readWhole: ReadText = async (request) => {
  const text = await request.text()
  return isTooLarge(text) ? undefined : text
}

/** Reads a body from a network, and stops reading when it is too large. */
export const readBounded: ReadText = (request) => {
  const length = request.headers.get('content-length')
  if (length !== null && Number(length) > MAX_BODY) return Promise.resolve(undefined)
  // With a length the transport reads no more than it says. Servers make the stream of `body` only when it is asked for.
  return length !== null || !request.body ? readWhole(request) : readStream(request.body)
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const { bytes, truncated } = await readBytes(body, MAX_BODY)
  return truncated ? undefined : new TextDecoder().decode(bytes)
}

/** Whether a text has more than `MAX_BODY` bytes in UTF-8; counted only when its length does not decide. */
const isTooLarge = (text: string): boolean =>
  text.length > MAX_BODY || (text.length * 3 > MAX_BODY && new TextEncoder().encode(text).length > MAX_BODY)
