/** A request, independent of its transport. */
export interface ServiceRequest {
  method: string
  /** The path of the URL without its query. */
  path: string
  /** The query without its `?`; empty without one. */
  query: string
  header(name: string): string | null
  headers(): Iterable<[string, string]>
  /** The body; undefined when it has more than `MAX_BODY` bytes. */
  text(): Promise<string | undefined>
  signal(): AbortSignal | undefined
  /** What the transport has: a `Request`, or undefined. */
  raw?: unknown
}

/** The largest body of a request, in bytes. */
export const MAX_BODY = 2 ** 20

/** What a `Request` of any realm or library has. */
export type RequestLike = Pick<Request, 'url' | 'method' | 'text'> & {
  headers: Pick<Headers, 'get'> & Iterable<[string, string]>
  signal?: AbortSignal | undefined
  body?: ReadableStream<Uint8Array> | null
}

/** Reads the body of a request; undefined when it has more than `MAX_BODY` bytes. */
export type ReadText = (request: RequestLike) => Promise<string | undefined>

/** A web request as the pipeline takes it. */
export function fromRequest(request: RequestLike, readText: ReadText): ServiceRequest {
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
    headers: entriesOf(headers),
    text: () => readText(request),
    signal: () => request.signal,
    raw: request,
  }
}

/** A log keeps this function, so it must not reach the request. */
const entriesOf = (headers: Iterable<[string, string]>) => () => headers

/** Reads a body that is in memory already. */
export const readWhole: ReadText = async (request) => {
  const text = await request.text()
  return isTooLarge(text) ? undefined : text
}

/** Reads a body from a network, and stops reading when it is too large. */
export const readBounded: ReadText = async (request) => {
  const { body, headers } = request
  const length = headers.get('content-length')
  if (length !== null && Number(length) > MAX_BODY) return undefined
  // With a length the transport reads no more than it says.
  if (!body || length !== null) return readWhole(request)
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > MAX_BODY) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Whether a text has more than `MAX_BODY` bytes in UTF-8; counted only where its length leaves that open. */
const isTooLarge = (text: string): boolean =>
  text.length > MAX_BODY || (text.length * 3 > MAX_BODY && new TextEncoder().encode(text).length > MAX_BODY)
