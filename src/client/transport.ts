import { parseJson } from '../internal/json.js'
import { readBytes } from '../internal/read-bytes.js'
import { STATUS } from '../internal/status.js'
import { type Call, type ClientRequest, nameOf, placeOf, type Reply, type Send, timeoutError } from './call.js'
import { failure, isOfNetwork, withoutKey } from './connection.js'
import { ContractError, RedirectError, ResponseSizeError } from './errors.js'

/** The part of `fetch` that the client uses: it is called with the URL and the options. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request once and reads its response, within the time of an attempt. */
export function transport(custom: Fetch | undefined, maxResponseSize: number): Send {
  const respond = createRespond(custom)
  return async (request, call) => {
    const { time, signal, settings } = call
    const late = () => timeoutError(call, 'timeout')
    let errorStatus = undefined as Reply | undefined
    const attempt = async (signal: AbortSignal): Promise<Reply> => {
      const response = await respond(request, call, signal)
      try {
        throwIfRedirected(response, call)
        if (response.status >= STATUS.badRequest) errorStatus = replyOf(response, request.url, call, { text: '' })
        return await read(response, request.url, maxResponseSize, call)
      } catch (error) {
        throw error instanceof ContractError ? error : failure(call, error, true)
      }
    }
    try {
      return await time.withTimeout(signal, settings.timeout, late, attempt)
    } catch (error) {
      // An error counts by its status, whatever becomes of its body.
      if (errorStatus && !signal.aborted) return errorStatus
      throw error
    }
  }
}

/** Calls `fetch`. Redirects are not followed, so that the key goes nowhere else. */
function createRespond(custom: Fetch | undefined) {
  /** Whether a response has shown that `fetch` reads its options, or makes responses itself. */
  let checked = !custom
  return async ({ url, method, headers, body }: ClientRequest, call: Call, signal: AbortSignal): Promise<Response> => {
    const init: RequestInit = { method, headers, body: body ?? null, signal, redirect: 'manual' }
    let used = checked
    const get = () => {
      used = true
      return headers
    }
    if (!checked) Object.defineProperty(init, 'headers', { get })
    const attempt = async () => (custom ?? globalThis.fetch)(url, init)
    const response = await attempt().catch((error: unknown) => {
      if (!used && error instanceof TypeError && /undefined|not a function/.test(error.message))
        throw new TypeError(SIGNATURE, { cause: error })
      throw custom && !isOfNetwork(error) ? withoutKey(call.progress.keys, error) : failure(call, error, false)
    })
    if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
    // Only a response of the network has an address.
    if (!used && response.url) throw new TypeError(SIGNATURE)
    checked = true
    return response
  }
}

const SIGNATURE =
  'fetch is called with a URL and options, and ignored the options. For one that takes a Request, pass fetch: (url, init) => yourFetch(new Request(url, init)).'

function throwIfRedirected({ status, headers, type, redirected, body }: Response, call: Call): void {
  if (type !== 'opaqueredirect' && !redirected && ![301, 302, 303, 307, 308].includes(status)) return
  body?.cancel().catch(() => {})
  const location = call.progress.keys.redact(headers.get('location') ?? '') || undefined
  const message = `${nameOf(call)} was redirected${location ? ` to ${location}` : ''} (${placeOf(call)}). Give the final address as baseUrl.`
  throw new RedirectError(message, { operation: call.operation, status, location })
}

async function read(response: Response, url: string, limit: number, call: Call): Promise<Reply> {
  const { status, ok, headers } = response
  // `Response.error()` has the status 0.
  if (!(status >= 200)) throw incomplete('NO_RESPONSE', 'No response.')
  const body = await readBody(response, limit)
  if (!body) {
    const message = `${nameOf(call)} responded ${status} with a body of more than ${limit} bytes, which maxResponseSize allows (${placeOf(call)}).`
    throw new ResponseSizeError(message, { operation: call.operation, status, limit })
  }
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && body.text && headers.has('content-encoding') && isJsonType(headers) && parseJson(body.text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  return replyOf(response, url, call, body)
}

type Body = Pick<Reply, 'text' | 'bytes'>

/** The body; undefined when it is longer than the limit, in bytes. React Native has no streams. */
async function readBody(response: Response, limit: number): Promise<Body | undefined> {
  if (!response.body) {
    const text = await response.text()
    return text.length > limit ? undefined : { text }
  }
  const { bytes, truncated } = await readBytes(response.body, limit)
  return truncated ? undefined : { text: new TextDecoder().decode(bytes), bytes: bytes as Uint8Array<ArrayBuffer> }
}

/** A value stays as it came; an error and the page of a proxy, which could end up in a log, lose the keys. */
function replyOf(response: Response, url: string, { progress }: Call, { text, bytes }: Body): Reply {
  const { status, statusText, ok, headers } = response
  const { redact, redactHeaders } = progress.keys
  if (ok && (/^\s*[[{]/.test(text) || redact(text) === text))
    return { url, status, statusText, ok, headers, text, bytes }
  return { url, status, ok, text: redact(text), statusText: redact(statusText), headers: redactHeaders(headers) }
}

const incomplete = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')
