import { parseJson } from '../internal/json.js'
import { readBytes } from '../internal/read-bytes.js'
import { ConnectionError, ContractError, RedirectError, ResponseSizeError } from './errors.js'
import { type Call, nameOf, placeOf, type Send } from './pipeline.js'
import { MAX_CAUSES, type ResponseHead, redact, redactError, responseOf, withoutKeys } from './response.js'

/** The part of `fetch` that the client uses: it is called with the URL and the options. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request and reads its response. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined, maxResponseSize: number): Send =>
  async (request, call) => {
    const init = initOf(request, call.signal)
    let response: Response
    try {
      response = await (custom ?? globalThis.fetch)(request.url, init.value)
    } catch (error) {
      if (custom && !init.wasRead() && isTypeError(error)) throw signatureError(error)
      throw failure(call, error, false, custom !== undefined)
    }
    if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
    // Only a response of the network has an address.
    if (custom && !init.wasRead() && response.url) throw signatureError()
    if (isRedirect(response)) throw redirectError(call, response)
    try {
      return await read(response, request.url, maxResponseSize, call)
    } catch (error) {
      throw error instanceof ContractError ? error : failure(call, error, true, false)
    }
  }

/** The options of `fetch`, and whether it has read them. */
function initOf({ method, headers, body }: Parameters<Send>[0], signal: AbortSignal) {
  let read = false
  const reading = <T>(value: T): T => {
    read = true
    return value
  }
  const value: RequestInit = {
    get method() {
      return reading(method)
    },
    get headers() {
      return reading({ ...headers })
    },
    body: body ?? null,
    signal,
    redirect: 'manual',
  }
  return { value, wasRead: () => read }
}

const isTypeError = (error: unknown): boolean =>
  error instanceof TypeError && /undefined|not a (function|constructor)/.test(error.message)

const signatureError = (cause?: unknown): TypeError =>
  new TypeError(
    'fetch is called with a URL and options, and ignored the options. For one that takes a Request, pass fetch: (url, init) => yourFetch(new Request(url, init)).',
    { cause },
  )

async function read(response: Response, url: string, limit: number, call: Call): Promise<Response> {
  const { status, statusText, ok, headers } = response
  // `Response.error()` has the status 0.
  if (!(Number.isInteger(status) && status >= 200 && status < 1_000)) throw incomplete('NO_RESPONSE', 'No response.')
  const head: ResponseHead = { url, status, statusText, headers }
  if (!ok) call.unread = withoutKeys(call.keys, head, '')
  const body = await readBody(response, limit)
  if (body === undefined) {
    const message = `${nameOf(call)} responded ${status} with a body of more than ${limit} bytes, which maxResponseSize allows (${placeOf(call)}).`
    throw new ResponseSizeError(message, { operation: call.operation, status, limit })
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  // A success with JSON stays as it came; an error or the page of a proxy could end up in a log.
  return ok && (/^\s*[[{]/.test(text) || !text) ? responseOf(head, body) : hideKeys(call, head, body, text)
}

/** What is no text, such as an archive, stays as it came. */
function hideKeys({ keys }: Call, head: ResponseHead, body: string | Uint8Array<ArrayBuffer>, text: string): Response {
  return text.includes('\ufffd') && redact(keys, text) === text ? responseOf(head, body) : withoutKeys(keys, head, text)
}

/** The body; undefined when it is longer than the limit, in bytes. React Native has no streams. */
async function readBody(response: Response, limit: number): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (!response.body) {
    const text = await response.text()
    return text.length > limit ? undefined : text
  }
  const { bytes, truncated } = await readBytes(response.body, limit)
  return truncated ? undefined : (bytes as Uint8Array<ArrayBuffer>)
}

const incomplete = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')

const isRedirect = ({ type, redirected, status }: Response): boolean =>
  type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)

function redirectError(call: Call, response: Response): RedirectError {
  const { status, headers, body } = response
  body?.cancel().catch(() => {})
  const location = redact(call.keys, headers.get('location') ?? '') || undefined
  const to = location ? ` to ${location}` : ''
  const message = `${nameOf(call)} was redirected${to} (${placeOf(call)}). Give the final address as baseUrl.`
  return new RedirectError(message, { operation: call.operation, status, location })
}

/** What a failed `fetch` is reported as: an error of the connection, or what a custom `fetch` threw, without the key. */
function failure(call: Call, error: unknown, responded: boolean, custom: boolean): unknown {
  const { keys, operation, attempts } = call
  if (custom && !isOfNetwork(error)) return withoutKey(keys, error)
  const { message: text, cause: origin } = Object(error) as SystemError
  const reason = codeOf(error) ?? String((Object(origin) as SystemError).message ?? text)
  const { sent, retryable } = outcomeOf(error, reason)
  const message = `${nameOf(call)} got no complete response (${placeOf(call)}): ${redact(keys, reason)}.`
  const details = { operation, attempts, sent: responded || sent, retryable }
  return new ConnectionError(message, details, { cause: redactError(keys, error) })
}

/** The error as it is; a copy of its name, message, code and causes when it repeats a key. */
function withoutKey(keys: ReadonlySet<string>, error: unknown): unknown {
  if (!repeatsKey(keys, error)) return error
  const copy = redactError(keys, error)
  return error instanceof Error ? Object.setPrototypeOf(copy, Object.getPrototypeOf(error)) : copy
}

/** Whether a key is anywhere in a value; also true for a value of more parts than are looked at. */
function repeatsKey(keys: ReadonlySet<string>, value: unknown): boolean {
  const parts = new Set<unknown>([value])
  for (const part of parts) {
    if (parts.size > MAX_PARTS || (typeof part === 'string' && redact(keys, part) !== part)) return true
    if (typeof part !== 'object' || part === null) continue
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(part))) parts.add(value)
    if (part instanceof Headers || part instanceof Map) for (const entry of part) parts.add(entry)
  }
  return false
}

const MAX_PARTS = 1_000

interface SystemError {
  code?: unknown
  syscall?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

/** What a code means, or the message of an error without one: whether the request left, and whether to try again. */
interface Outcome {
  readonly sent: boolean
  readonly retryable: boolean
}

/**
 * The codes of Node, Bun and undici, and the messages of Deno, which has no codes. The first row that fits applies. What no
 * row names was perhaps sent.
 */
const OUTCOMES: readonly (readonly [reason: RegExp, outcome: Outcome])[] = [
  // Broken after the handshake, and not before it.
  [/^(ERR_HTTP2|HPE_)|_MAC$|_EOF/, { sent: true, retryable: true }],
  // A certificate, a protocol or an argument that will be the same the next time; a port that `fetch` forbids.
  [/CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|certificate|^bad port$/, { sent: false, retryable: false }],
  // A connection that was never made.
  [
    /refused|unreach|not_?found|ai_again|addrnotavail|connect_timeout|failedtoopensocket|\(connect\)/i,
    { sent: false, retryable: true },
  ],
  [/^(E[A-Z]{4,}|UND_ERR_|ERR_STREAM|Connection[A-Z])/, { sent: true, retryable: true }],
]

const rowOf = (reason: string): Outcome | undefined => OUTCOMES.find(([pattern]) => pattern.test(reason))?.[1]

/** What became of a request; of several addresses it was sent to none if that is so for each. */
function outcomeOf(error: unknown, reason: string): Outcome {
  const { retryable, sent } = rowOf(reason) ?? { sent: true, retryable: true }
  return { retryable, sent: sent && !neverConnected(error) }
}

function neverConnected(error: unknown, depth = MAX_CAUSES): boolean {
  const { code, syscall, cause, errors } = Object(error) as SystemError
  if (depth === 0) return false
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => neverConnected(each, depth - 1))
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  return (typeof code === 'string' && rowOf(code)?.sent === false) || neverConnected(cause, depth - 1)
}

/** The code of an error or of what caused it. */
function codeOf(error: unknown, depth = MAX_CAUSES): string | undefined {
  const { code, cause } = Object(error) as SystemError
  return typeof code === 'string' ? code : cause && depth > 0 ? codeOf(cause, depth - 1) : undefined
}

/** Whether what a custom `fetch` threw is of the network. Other errors are its own. */
function isOfNetwork(error: unknown): boolean {
  const { message, cause, code, syscall, errors } = Object(error) as SystemError
  if (typeof code === 'string') return [syscall, errors, rowOf(code)].some((each) => each !== undefined)
  if (error instanceof TypeError) return Boolean(cause) || !isNode() || NO_NETWORK.test(String(message))
  return (error as Partial<Error>)?.name === 'NetworkError'
}

/** Only Node names undici, its implementation of `fetch`, whose TypeErrors of the network have a cause. */
const isNode = (): boolean =>
  (globalThis as { process?: { versions?: { undici?: string } } }).process?.versions?.undici !== undefined

/** How Chrome, Safari, and Firefox and React Native begin to say that the network failed. */
const NO_NETWORK = /^(Failed to fetch|Load failed|Network)/
