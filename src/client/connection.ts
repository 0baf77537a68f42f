import { type Call, type Keys, nameOf, placeOf } from './call.js'
import { ConnectionError } from './errors.js'

/** The error of a connection that failed before or while it responded. */
export function failure(call: Call, error: unknown, responded: boolean): ConnectionError {
  const { operation, progress, host } = call
  const { attempts, keys } = progress
  const causes = causesOf(error)
  const reason = codeOf(causes) ?? String((causes[1] ?? causes[0])?.message ?? error)
  const [, mayHaveLeft, retryable] = outcomeOf(reason) ?? OTHERWISE
  const left = responded || wasConnected(causes) || (mayHaveLeft && !neverConnected(error))
  const why = keys.redact(reason)
  const what = left
    ? `got no complete response (${placeOf(call)}): ${why}`
    : `could not connect to ${host} (${why}); ${progress.mayHaveArrived ? 'an earlier attempt may have arrived' : 'nothing was sent'}`
  const details = { operation, attempts, sent: left || progress.mayHaveArrived, retryable }
  return new ConnectionError(`${nameOf(call)} ${what}.`, details, { cause: redactError(keys, error) })
}

/** The error as it is; a copy of its name, message, code and causes when it repeats a key. */
export function withoutKey(keys: Keys, error: unknown): unknown {
  if (!repeatsKey(keys, error)) return error
  const copy = redactError(keys, error)
  return error instanceof Error ? Object.setPrototypeOf(copy, Object.getPrototypeOf(error)) : copy
}

/** Whether a key is anywhere in a value; also true for a value of more parts than are looked at. */
function repeatsKey(keys: Keys, value: unknown): boolean {
  const parts = new Set<unknown>([value])
  for (const part of parts) {
    if (parts.size > MAX_PARTS || (typeof part === 'string' && keys.redact(part) !== part)) return true
    if (Object(part) !== part) continue
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(part))) parts.add(value)
    if (part instanceof Request) parts.add(part.headers)
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
type Outcome = readonly [reason: RegExp, mayHaveLeft: boolean, retryable: boolean]

/**
 * The codes of Node, Bun and undici, and the messages of Deno, which has no codes. The first row that fits applies.
 */
const OUTCOMES: readonly Outcome[] = [
  // Broken after the handshake, and not before it.
  [/ERR_HTTP2|HPE_|_MAC|_EOF/, true, true],
  // A certificate, a protocol or an argument that will be the same the next time; a port that `fetch` forbids.
  [/CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|certificate|^bad port$/, false, false],
  // A connection that was never made.
  [/refused|unreach|not_?found|ai_again|addrnotavail|connect_timeout|failedtoopensocket|\(connect\)/i, false, true],
  [/^(E[A-Z]{4,}|UND_ERR_|ERR_STREAM|Connection[A-Z])/, true, true],
]

/** What no row names was perhaps sent. */
const OTHERWISE: Outcome = [/^/, true, true]

const outcomeOf = (reason: string): Outcome | undefined => OUTCOMES.find(([pattern]) => pattern.test(reason))

/** An error and what caused it; a chain may be endless. */
function causesOf(error: unknown): SystemError[] {
  const all: SystemError[] = []
  for (let each = error; each && all.length <= MAX_CAUSES; each = Object(each).cause) all.push(Object(each))
  return all
}

const codeOf = (causes: SystemError[]): string | undefined =>
  causes.map(({ code }) => code).find((code) => typeof code === 'string')

/** Whether it was there: a host that is away can break a connection too. */
const wasConnected = (causes: SystemError[]): boolean =>
  causes.some(({ syscall }) => syscall === 'read' || syscall === 'write')

/** Whether no connection was made; of several addresses, to none of them. */
const neverConnected = (error: unknown): boolean =>
  causesOf(error).some(({ code, syscall, errors }) =>
    Array.isArray(errors) && errors.length > 0
      ? errors.every(neverConnected)
      : syscall === 'connect' || syscall === 'getaddrinfo' || outcomeOf(`${code}`)?.[1] === false,
  )

/** Whether what a custom `fetch` threw is of the network. Other errors are its own. */
export function isOfNetwork(error: unknown): boolean {
  const { name, message, cause, code, syscall, errors } = Object(error) as SystemError & { name?: unknown }
  if (typeof code === 'string') return Boolean(syscall || errors || outcomeOf(code))
  return name === 'NetworkError' || (error instanceof TypeError && Boolean(cause || NO_NETWORK.test(`${message}`)))
}

/** How Node and Chrome, Safari, Firefox and React Native, and Deno begin to say that the network failed. */
const NO_NETWORK = /^(fetch failed|Failed to fetch|Load failed|Network|error sending request)/i

/** How many causes of an error are looked at: a chain may be endless. */
const MAX_CAUSES = 9

/** An error of the runtime in short, without the keys: its name, its message, its code and its cause. */
function redactError(keys: Keys, error: unknown, depth = MAX_CAUSES): Error {
  const { name, message, code, cause } = Object(error) as Error & { code?: unknown }
  const text = String(message ?? (typeof error === 'object' && error ? 'Unknown error' : error))
  const more = cause !== undefined && depth > 0 ? { cause: redactError(keys, cause, depth - 1) } : {}
  const copy = new Error(keys.redact(text), more)
  // Assigned, they would be refused where the prototypes are frozen.
  const value = keys.redact(String(name ?? 'Error'))
  Object.defineProperty(copy, 'name', { value, writable: true })
  return code === undefined ? copy : Object.assign(copy, { code: keys.redact(String(code)) })
}
