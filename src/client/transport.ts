import { parseJson } from '../internal/json.js'
import { readBytes } from '../internal/read-bytes.js'
import { untilAborted } from '../internal/time.js'
import { ConnectionError, ContractError, RedirectError, ResponseSizeError } from './errors.js'
import { type Call, nameOf, placeOf, type Send } from './pipeline.js'
import { MAX_CAUSES, redact, redactError, responseOf, withoutKeys } from './response.js'

/** The part of `fetch` that the client uses: it is called with the URL and the options. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request and reads its response. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined, maxResponseSize: number): Send =>
  async ({ url, method, headers, body }, call) => {
    let used = false
    const init: RequestInit = {
      method,
      get headers() {
        used = true
        return { ...headers }
      },
      body: body ?? null,
      signal: call.signal,
      redirect: 'manual',
    }
    let response: Response
    try {
      response = await untilAborted(call.signal, async () => (custom ?? globalThis.fetch)(url, init))
    } catch (error) {
      if (call.signal.aborted) throw error
      if (custom && !used && error instanceof TypeError && /undefined|not a function/.test(error.message))
        throw new TypeError(SIGNATURE, { cause: error })
      throw custom && !isOfNetwork(error) ? withoutKey(call.sent.keys, error) : failure(call, error, false)
    }
    if (typeof Object(response).text !== 'function') throw new TypeError('fetch must resolve to a Response.')
    // Only a response of the network has an address.
    if (custom && !used && response.url) throw new TypeError(SIGNATURE)
    try {
      return await read(response, url, maxResponseSize, call)
    } catch (error) {
      throw error instanceof ContractError || call.signal.aborted ? error : failure(call, error, true)
    }
  }

const SIGNATURE =
  'fetch is called with a URL and options, and ignored the options. For one that takes a Request, pass fetch: (url, init) => yourFetch(new Request(url, init)).'

async function read(response: Response, url: string, limit: number, call: Call): Promise<Response> {
  const { status, statusText, ok, headers, type, redirected } = response
  const { operation, sent } = call
  if (type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status)) {
    response.body?.cancel().catch(() => {})
    const location = redact(sent.keys, headers.get('location') ?? '') || undefined
    const message = `${nameOf(call)} was redirected${location ? ` to ${location}` : ''} (${placeOf(call)}). Give the final address as baseUrl.`
    throw new RedirectError(message, { operation, status, location })
  }
  // `Response.error()` has the status 0.
  if (!(status >= 200)) throw incomplete('NO_RESPONSE', 'No response.')
  const head = { url, status, statusText, headers }
  let body: string | Uint8Array<ArrayBuffer> | undefined
  try {
    body = await untilAborted(call.signal, () => readBody(response, limit))
  } catch (error) {
    // An error counts by its status, whatever becomes of its body.
    if (ok) throw error
  }
  if (!ok) return withoutKeys(sent.keys, head, textOf(body ?? ''))
  if (body === undefined) {
    const message = `${nameOf(call)} responded ${status} with a body of more than ${limit} bytes, which maxResponseSize allows (${placeOf(call)}).`
    throw new ResponseSizeError(message, { operation, status, limit })
  }
  const text = textOf(body)
  // A runtime may take the end of a compressed body that was cut off for its end.
  if (text && headers.has('content-encoding') && isJsonType(headers) && parseJson(text) === undefined)
    throw incomplete('TRUNCATED', 'The compressed body is not complete.')
  // A value stays as it came; the page of a proxy could end up in a log.
  const asItCame = /^\s*[[{]/.test(text) || redact(sent.keys, text) === text
  return asItCame ? responseOf(head, body) : withoutKeys(sent.keys, head, text)
}

const textOf = (body: string | Uint8Array): string => (typeof body === 'string' ? body : new TextDecoder().decode(body))

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

/** The error of a connection that failed before or while it responded. */
function failure(call: Call, error: unknown, responded: boolean): ConnectionError {
  const { operation, sent, host } = call
  const { attempts, keys } = sent
  const causes = causesOf(error)
  const reason = codeOf(causes) ?? String((causes[1] ?? causes[0])?.message ?? error)
  const outcome = outcomeOf(reason) ?? { sent: true, retryable: true }
  const left = responded || (outcome.sent && !neverConnected(error))
  const why = redact(keys, reason)
  const what = left
    ? `got no complete response (${placeOf(call)}): ${why}`
    : `could not connect to ${host} (${why}); nothing was sent`
  const details = { operation, attempts, sent: left, retryable: outcome.retryable }
  return new ConnectionError(`${nameOf(call)} ${what}.`, details, { cause: redactError(keys, error) })
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
const OUTCOMES: readonly (readonly [reason: RegExp, sent: boolean, retryable: boolean])[] = [
  // Broken after the handshake, and not before it.
  [/^(ERR_HTTP2|HPE_)|_MAC$|_EOF/, true, true],
  // A certificate, a protocol or an argument that will be the same the next time; a port that `fetch` forbids.
  [/CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|certificate|^bad port$/, false, false],
  // A connection that was never made.
  [/refused|unreach|not_?found|ai_again|addrnotavail|connect_timeout|failedtoopensocket|\(connect\)/i, false, true],
  [/^(E[A-Z]{4,}|UND_ERR_|ERR_STREAM|Connection[A-Z])/, true, true],
]

function outcomeOf(reason: string): Outcome | undefined {
  const row = OUTCOMES.find(([pattern]) => pattern.test(reason))
  return row && { sent: row[1], retryable: row[2] }
}

/** An error and what caused it; a chain may be endless. */
function causesOf(error: unknown): SystemError[] {
  const all: SystemError[] = []
  for (let each = error; each && all.length <= MAX_CAUSES; each = Object(each).cause) all.push(Object(each))
  return all
}

const codeOf = (causes: SystemError[]): string | undefined =>
  causes.map(({ code }) => code).find((code) => typeof code === 'string')

/** Whether no connection was made; of several addresses, to none of them. */
const neverConnected = (error: unknown): boolean =>
  causesOf(error).some(({ code, syscall, errors }) =>
    Array.isArray(errors) && errors.length > 0
      ? errors.every(neverConnected)
      : syscall === 'connect' || syscall === 'getaddrinfo' || outcomeOf(`${code}`)?.sent === false,
  )

/** Whether what a custom `fetch` threw is of the network. Other errors are its own. */
function isOfNetwork(error: unknown): boolean {
  const { name, message, cause, code, syscall, errors } = Object(error) as SystemError & { name?: unknown }
  if (typeof code === 'string') return Boolean(syscall || errors || outcomeOf(code))
  return name === 'NetworkError' || (error instanceof TypeError && Boolean(cause || NO_NETWORK.test(`${message}`)))
}

/** How Node and Chrome, Safari, Firefox and React Native, and Deno begin to say that the network failed. */
const NO_NETWORK = /^(fetch failed|Failed to fetch|Load failed|Network|error sending request)/i
