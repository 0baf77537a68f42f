import { parseJson } from '../internal/json.js'
import { requestedWait } from '../internal/retry-after.js'
import { ConnectionError, RedirectError } from './errors.js'
import { type Call, nameOf, type Reply, type Send } from './pipeline.js'
import { MAX_CAUSES, redact, redactError } from './redact.js'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request and reads the body of its response. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined): Send =>
  async (request, call) => {
    const { url, method, headers, body = null } = request
    const { signal = null } = call
    const authorization = headers.authorization ?? ''
    const fetch: Fetch = custom ?? globalThis.fetch
    let response: Response | undefined
    try {
      response = await fetch(url, { method, headers, body, signal, redirect: 'manual' })
      if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
      if (isRedirect(response)) throw redirectError(call, response, authorization)
      return await read(response, authorization, call.attempts)
    } catch (error) {
      if (error instanceof RedirectError) throw error
      throw failure(call, error, authorization, response !== undefined, custom !== undefined)
    }
  }

async function read(response: Response, authorization: string, attempts: number): Promise<Reply> {
  const { status, statusText, ok } = response
  // Runtimes accept from a server what they refuse in a Response or in Headers.
  if (!(status >= 200 && status < 600))
    throw Object.assign(new TypeError(`The HTTP status ${status} is impossible.`), { code: `HTTP_STATUS_${status}` })
  const headers = new Headers([...response.headers])
  const text = await response.text()
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw Object.assign(new TypeError('The compressed body is not complete.'), { code: 'TRUNCATED' })
  const retryAfter = ok ? undefined : requestedWait(headers, parseJson(text))
  return { status, statusText, ok, headers, text, response, authorization, attempts, retryAfter }
}

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')

const isRedirect = ({ type, redirected, status }: Response): boolean =>
  type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)

function redirectError(call: Call, response: Response, authorization: string): RedirectError {
  const { status, headers, body } = response
  body?.cancel().catch(() => {})
  const location = redact(authorization, headers.get('location') ?? '') || undefined
  return new RedirectError(`${nameOf(call)} was redirected. Give the final address as baseUrl.`, {
    operation: call.operation,
    status,
    location,
  })
}

/** What a failed `fetch` is reported as: an error of the connection, or what a custom `fetch` threw, without the key. */
function failure(call: Call, error: unknown, authorization: string, responded: boolean, custom: boolean): Error {
  const cause = redactError(authorization, error)
  if (!isNetworkError(error) || (custom && isBug(error)))
    return error instanceof Error ? (Object.setPrototypeOf(cause, Object.getPrototypeOf(error)) as Error) : cause
  const reason = reasonOf(error)
  const permanent = NOT_RETRYABLE.test(reason)
  const { operation, attempts } = call
  const details = {
    operation,
    attempts,
    sent: responded || !(permanent || neverSent(error)),
    retryable: !permanent,
  }
  return new ConnectionError(`${nameOf(call)} got no complete response (${redact(authorization, reason)}).`, details, {
    cause,
  })
}

interface SystemError {
  code?: unknown
  syscall?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

/** `fetch` rejects with a TypeError or DOMException; runtimes and libraries add a code. Others come from a custom `fetch`. */
const isNetworkError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof DOMException || codeOf(error) !== undefined

/** Whether a custom `fetch` is broken: the runtimes' own TypeErrors of the network have a cause, or other messages. */
const isBug = (error: unknown): boolean =>
  error instanceof TypeError &&
  !error.cause &&
  codeOf(error) === undefined &&
  /undefined|\bnull\b|is not (an?|iterable)\b/.test(error.message)

/** The code of an error or of what caused it. */
function codeOf(error: unknown, depth = MAX_CAUSES): string | undefined {
  const { code, cause } = Object(error) as SystemError
  return typeof code === 'string' ? code : cause && depth > 0 ? codeOf(cause, depth - 1) : undefined
}

const reasonOf = (error: unknown): string => codeOf(error) ?? String((Object(error) as SystemError).message ?? error)

/** Certificates, and requests that cannot be sent: the same again fails again. */
const NOT_RETRYABLE =
  /certificate|^(?!ERR_HTTP2|HPE_|.*(_MAC|EOF)).*(CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_)/

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
