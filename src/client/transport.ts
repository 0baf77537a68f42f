import { parseJson } from '../internal/json.js'
import { readBytes } from '../internal/read-bytes.js'
import { onAbort, throwIfAborted } from '../internal/time.js'
import { failure, isOfNetwork, withoutKey } from './connection.js'
import { ContractError, RedirectError, ResponseSizeError } from './errors.js'
import { type Call, type ClientRequest, nameOf, placeOf, type Reply, type Send, timeoutError } from './pipeline.js'

/** The part of `fetch` that the client uses: it is called with the URL and the options. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request once and reads its response, within the time of an attempt. */
export const transport =
  (custom: Fetch | undefined, maxResponseSize: number): Send =>
  async (request, call) => {
    const { time, signal, settings } = call
    throwIfAborted(signal)
    const controller = new AbortController()
    let interrupt = (_: unknown) => {}
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = (reason) => {
        reject(reason)
        controller.abort(reason)
      }
    })
    const cancel = time.after(settings.timeout, () => interrupt(timeoutError(call, 'timeout')))
    const ignore = onAbort(signal, () => interrupt(signal.reason))
    const attempt: Attempt = { signal: controller.signal, inTime: (work) => Promise.race([work, interrupted]) }
    try {
      const response = await respond(request, call, custom, attempt)
      return await read(response, request.url, maxResponseSize, call, attempt).catch((error: unknown) => {
        throw error instanceof ContractError || controller.signal.aborted ? error : failure(call, error, true)
      })
    } finally {
      cancel()
      ignore()
    }
  }

/** One attempt of a call. */
interface Attempt {
  /** Aborted when the call is over, and when the attempt takes too long. */
  readonly signal: AbortSignal
  /** Settles as the work does, unless the signal is aborted first. */
  inTime<T>(work: Promise<T>): Promise<T>
}

/** Calls `fetch`. Redirects are not followed, so that the key goes nowhere else. */
async function respond(
  { url, method, headers, body }: ClientRequest,
  call: Call,
  custom: Fetch | undefined,
  { signal, inTime }: Attempt,
): Promise<Response> {
  let used = false
  const init: RequestInit = {
    method,
    get headers() {
      used = true
      return { ...headers }
    },
    body: body ?? null,
    signal,
    redirect: 'manual',
  }
  const send = async () => (custom ?? globalThis.fetch)(url, init)
  const response = await inTime(send()).catch((error: unknown) => {
    if (signal.aborted) throw error
    if (custom && !used && error instanceof TypeError && /undefined|not a function/.test(error.message))
      throw new TypeError(SIGNATURE, { cause: error })
    throw custom && !isOfNetwork(error) ? withoutKey(call.sent.keys, error) : failure(call, error, false)
  })
  if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
  // Only a response of the network has an address.
  if (custom && !used && response.url) throw new TypeError(SIGNATURE)
  return response
}

const SIGNATURE =
  'fetch is called with a URL and options, and ignored the options. For one that takes a Request, pass fetch: (url, init) => yourFetch(new Request(url, init)).'

async function read(response: Response, url: string, limit: number, call: Call, { inTime }: Attempt): Promise<Reply> {
  const { status, statusText, ok, headers, type, redirected } = response
  const { operation, sent } = call
  const { redact, redactHeaders } = sent.keys
  if (type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)) {
    response.body?.cancel().catch(() => {})
    const location = redact(headers.get('location') ?? '') || undefined
    const message = `${nameOf(call)} was redirected${location ? ` to ${location}` : ''} (${placeOf(call)}). Give the final address as baseUrl.`
    throw new RedirectError(message, { operation, status, location })
  }
  // `Response.error()` has the status 0.
  if (!(status >= 200)) throw incomplete('NO_RESPONSE', 'No response.')
  const body = await inTime(readBody(response, limit)).catch((error: unknown) => {
    // An error counts by its status, whatever becomes of its body.
    if (ok) throw error
    return undefined
  })
  const { text = '', bytes } = body ?? {}
  if (ok && !body) {
    const message = `${nameOf(call)} responded ${status} with a body of more than ${limit} bytes, which maxResponseSize allows (${placeOf(call)}).`
    throw new ResponseSizeError(message, { operation, status, limit })
  }
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (ok && text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  // A value stays as it came; an error and the page of a proxy could end up in a log.
  if (ok && (/^\s*[[{]/.test(text) || redact(text) === text))
    return { url, status, statusText, ok, headers, text, bytes }
  return {
    ...{ url, status, ok, text: redact(text) },
    statusText: redact(statusText),
    headers: redactHeaders(headers),
  }
}

/** The body; undefined when it is longer than the limit, in bytes. React Native has no streams. */
async function readBody(response: Response, limit: number): Promise<Pick<Reply, 'text' | 'bytes'> | undefined> {
  if (!response.body) {
    const text = await response.text()
    return text.length > limit ? undefined : { text }
  }
  const { bytes, truncated } = await readBytes(response.body, limit)
  return truncated ? undefined : { text: new TextDecoder().decode(bytes), bytes: bytes as Uint8Array<ArrayBuffer> }
}

const incomplete = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const isJsonType = (headers: Headers): boolean => /[/+]json/.test(headers.get('content-type') ?? '')
