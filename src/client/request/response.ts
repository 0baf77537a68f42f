import { runIdInLocation } from '../../internal/contract/run-id.js'
import { SEE_OTHER } from '../../internal/contract/trigger-outcome.js'
import { parseJson } from '../../internal/http/json.js'
import { RedirectError, ResponseSizeError } from '../errors.js'
import { type Call, callName, type PlainRequest, placeOf, type Reply, startsRun } from './call.js'
import { ownError } from './connection.js'
import { copyHeaders } from './headers.js'

/**
 * The part of a response that is used. A `fetch` that is given may resolve to anybody's: that of node-fetch has a Node stream
 * as its body.
 */
export interface FetchResponse {
  readonly status: number
  readonly statusText?: string | undefined
  readonly headers: object
  readonly type?: string | undefined
  readonly redirected?: boolean | undefined
  readonly url?: string | undefined
  readonly bodyUsed?: boolean | undefined
  readonly body?: unknown
  text(): Promise<string>
}

/**
 * Reads a response without its body.
 *
 * @throws TypeError for what is no response, or has been read
 * @throws RedirectError for a redirect: the client does not follow, so that the key goes nowhere else
 */
export function readHead(response: FetchResponse, { url }: PlainRequest, call: Call): Reply {
  const { text, headers: received } = Object(response) as Partial<FetchResponse>
  if (typeof text !== 'function' || Object(received) !== received) throw ownError(NO_RESPONSE)
  const { status, statusText = '', type, redirected, bodyUsed, body } = response
  if (bodyUsed || Object(body).locked === true)
    throw ownError('fetch must resolve to a Response whose body has not been read.')
  const headers = headersOf(response.headers)
  if (type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)) {
    discard(body)
    throw redirectError(status, headers, call)
  }
  return { url, status, statusText, ok: status >= 200 && status < 300, headers, text: '', sent: call.sent }
}

const NO_RESPONSE = 'fetch must resolve to a Response.'

/** Reads the body of a response of at most `limit` bytes. @throws what the connection throws when it breaks */
export async function readBody(response: FetchResponse, head: Reply, call: Call, limit: number): Promise<Reply> {
  const { status, ok, headers } = head
  // `Response.error()` has the status 0.
  if (!(status >= 200)) throw incomplete('NO_RESPONSE', 'No response.')
  const text = await readText(response, limit)
  if (text === undefined) {
    const message = `${callName(call)} responded ${status} with a body of more than ${limit} bytes, which maxResponseSize allows (${placeOf(call)}).`
    throw new ResponseSizeError(message, { operation: call.operation, status, limit })
  }
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  return redactReply({ ...head, text }, call)
}

/** Headers that have all methods and can be read, whatever the runtime's or a library's do. */
function headersOf(headers: FetchResponse['headers']): Headers {
  const isIterable = Symbol.iterator in headers
  const isGuarded = isIterable && Object.hasOwn(headers, 'get')
  if (headers instanceof Headers && !isGuarded) return headers
  const copy = copyHeaders(isIterable ? (headers as Headers) : Object.entries(headers))
  if (isGuarded) guarded.add(copy)
  return copy
}

/** Headers whose `get` is not the runtime's: that of SvelteKit's `load` throws for those that its page may not have. */
const guarded = new WeakSet<Headers>()

export const isGuarded = (headers: Headers): boolean => guarded.has(headers)

/** A value stays as it came; an error and the page of a proxy, which could end up in a log, lose the keys. */
export function redactReply(reply: Reply, { keys }: Call): Reply {
  const { ok, text, statusText, headers } = reply
  if (ok && (/^\s*[[{]/.test(text) || keys.redact(text) === text)) return reply
  return {
    ...reply,
    text: keys.redact(text),
    statusText: keys.redact(statusText),
    headers: keys.redactHeaders(headers),
  }
}

function redirectError(status: number, headers: Headers, call: Call): RedirectError {
  const location = call.keys.redact(headers.get('location') ?? '') || undefined
  const what = `${callName(call)} was redirected${location ? ` to ${location}` : ''} (${placeOf(call)}).`
  const runId = status === SEE_OTHER && startsRun(call) ? runIdInLocation(headers) : undefined
  const advice =
    location === undefined || isBelowAnotherBase(location, call) ? ' Give the final address as baseUrl.' : ''
  const message = runId ? `The run ${call.keys.redact(runId)} was started: ${what}` : `${what}${advice}`
  return new RedirectError(message, { operation: call.operation, status, location, ...(runId && { runId }) })
}

/** Whether an address has the path of the call, so that another base URL leads there. A login page has not. */
function isBelowAnotherBase(location: string, { path }: Call): boolean {
  const [address = ''] = location.split(/[?#]/, 1)
  const [beforeId = ''] = path.split('{', 1)
  return beforeId === path ? address.endsWith(path) : address.includes(beforeId) && !address.endsWith('/')
}

/** The body as text, read by what it has; undefined when it is longer than the limit, in bytes. */
async function readText(response: FetchResponse, limit: number): Promise<string | undefined> {
  const chunks = open(response.body)
  if (!chunks) {
    const text: unknown = await response.text()
    if (typeof text !== 'string') throw ownError(NO_RESPONSE)
    return text.length > limit ? undefined : text
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return text + decoder.decode()
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    size += bytes.byteLength
    if (size > limit) {
      chunks.end()
      return undefined
    }
    text += decoder.decode(bytes, { stream: true })
  }
}

/** The chunks of a body. */
interface Chunks {
  next(): Promise<{ done?: false; value: Uint8Array | string } | { done: true; value?: unknown }>
  end(): void
}

/** Opens a body: that of `fetch`, or a stream of Node. Undefined where it is no stream. */
function open(body: unknown): Chunks | undefined {
  const { getReader, [Symbol.asyncIterator]: iterate } = Object(body)
  const source = getReader ? getReader.call(body) : iterate?.call(body)
  if (!source) return undefined
  return {
    next: () => (getReader ? source.read() : source.next()),
    end: () => void Promise.resolve(getReader ? source.cancel() : source.return?.()).catch(() => {}),
  }
}

/** Ends the connection of a body that nobody reads. */
const discard = (body: unknown): void => open(body)?.end()

const incomplete = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')
