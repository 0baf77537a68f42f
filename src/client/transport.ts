import { parseJson } from '../internal/json.js'
import { requestedWait } from '../internal/retry-after.js'
import { ConnectionError, RedirectError } from './errors.js'
import { type Call, nameOf, type Reply, type Send } from './pipeline.js'
import { MAX_CAUSES, redact, redactError } from './redact.js'

/**
 * The part of `fetch` that the client uses. It is called with the URL as a string, and with the options. A function with
 * exactly one parameter, as openapi-fetch takes, gets a `Request` instead, since the URL alone has neither method nor
 * key. That `Request` can also be used as the string of its URL, except with `===` and `typeof`.
 */
export type Fetch = (input: string & Request, init: RequestInit) => Promise<Response>

/** Sends a request and reads the body of its response. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined): Send =>
  async (request, call) => {
    const { url, method, headers, body = null } = request
    const { signal = null } = call
    const authorization = headers.authorization ?? ''
    const fetch = (custom ?? globalThis.fetch) as typeof globalThis.fetch
    const init: RequestInit = { method, headers, body, signal, redirect: 'manual' }
    const attempt = <T>(work: Promise<T>, responded: boolean): Promise<T> =>
      work.catch((error: unknown) => {
        throw failure(call, error, responded, custom !== undefined && !responded)
      })
    // The options are passed in both cases: `(url, options = {}) => …` has one parameter as well.
    const send = async () => fetch(custom?.length === 1 ? requestWithText(url, init) : url, init)
    const response = await attempt(send(), false)
    if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
    if (isRedirect(response)) throw redirectError(call, response)
    return attempt(read(response, url, authorization, call), true)
  }

/** A `Request` with the methods of a string, which all work on what `toString()` returns. */
function requestWithText(url: string, init: RequestInit): Request {
  const text = { value: () => url }
  return Object.defineProperties(new Request(url, init), {
    ...Object.getOwnPropertyDescriptors(String.prototype),
    constructor: { value: Request },
    length: { value: url.length },
    toString: text,
    valueOf: text,
  })
}

async function read(response: Response, url: string, authorization: string, call: Call): Promise<Reply> {
  const { status, statusText, ok } = response
  const { attempts, time } = call
  // `Response.error()` has the status 0.
  if (!(Number.isInteger(status) && status >= 200 && status < 1_000)) throw incomplete('NO_RESPONSE', 'No response.')
  const headers = new Headers([...response.headers])
  const replyWith = (text: string): Reply => {
    const retryAfter = ok ? undefined : requestedWait(headers, parseJson(text), time.wallTime())
    return { url, status, statusText, ok, headers, text, authorization, attempts, retryAfter }
  }
  if (!ok) call.unread = replyWith('')
  const text = await response.text()
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  return replyWith(text)
}

const incomplete = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')

const isRedirect = ({ type, redirected, status }: Response): boolean =>
  type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)

function redirectError(call: Call, response: Response): RedirectError {
  const { status, headers, body } = response
  body?.cancel().catch(() => {})
  const location = redact(call.keys, headers.get('location') ?? '') || undefined
  return new RedirectError(`${nameOf(call)} was redirected. Give the final address as baseUrl.`, {
    operation: call.operation,
    status,
    location,
  })
}

/** What a failed `fetch` is reported as: an error of the connection, or what a custom `fetch` threw, without the key. */
function failure(call: Call, error: unknown, responded: boolean, custom: boolean): Error {
  const cause = redactError(call.keys, error)
  const code = codeOf(error)
  // Node's own TypeErrors of the network have a cause. Those of browsers have at most a known message.
  const isBug = custom && isNode() && error instanceof TypeError && !error.cause && !NO_NETWORK.test(error.message)
  const isNetworkError = error instanceof TypeError || error instanceof DOMException
  // A runtime or a library adds a code; other errors come from a custom `fetch`.
  if (code === undefined && (isBug || !isNetworkError))
    return error instanceof Error ? (Object.setPrototypeOf(cause, Object.getPrototypeOf(error)) as Error) : cause
  const { message: text, cause: origin } = Object(error) as SystemError
  const reason = code ?? String((Object(origin) as SystemError).message ?? text)
  const permanent = NOT_RETRYABLE.test(reason)
  const { operation, attempts } = call
  const sent = responded || !(permanent || neverSent(error))
  const message = `${nameOf(call)} got no complete response (${redact(call.keys, reason)}).`
  return new ConnectionError(message, { operation, attempts, sent, retryable: !permanent }, { cause })
}

interface SystemError {
  code?: unknown
  syscall?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

/** Only Node names undici, its implementation of `fetch`. */
const isNode = (): boolean =>
  (globalThis as { process?: { versions?: { undici?: string } } }).process?.versions?.undici !== undefined

/** The code of an error or of what caused it. */
function codeOf(error: unknown, depth = MAX_CAUSES): string | undefined {
  const { code, cause } = Object(error) as SystemError
  return typeof code === 'string' ? code : cause && depth > 0 ? codeOf(cause, depth - 1) : undefined
}

/** How Chrome, Safari, and Firefox and React Native begin to say that the network failed. */
const NO_NETWORK = /^(Failed to fetch|Load failed|Network)/

/** Certificates, and requests that cannot be sent, as to a port that `fetch` forbids: the same again fails again. */
const NOT_RETRYABLE =
  /certificate|^bad port$|^(?!ERR_HTTP2|HPE_|.*(_MAC|EOF)).*(CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_)/

/** What Node, Bun and Deno call a connection that was never made. */
const NEVER_SENT = /refused|unreach|not_?found|ai_again|addrnotavail|connect_timeout|failedtoopensocket|\(connect\)/i

/** Whether an error is of a connection that was never made; of several addresses, to none of them. */
function neverSent(error: unknown, depth = MAX_CAUSES): boolean {
  const { code, syscall, message, cause, errors } = Object(error) as SystemError
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => depth > 0 && neverSent(each, depth - 1))
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (typeof code === 'string' && NEVER_SENT.test(code)) return true
  return cause ? depth > 0 && neverSent(cause, depth - 1) : typeof code !== 'string' && NEVER_SENT.test(String(message))
}
