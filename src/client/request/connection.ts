import { ConnectionError } from '../errors.js'
import { type Call, callName, placeOf } from './call.js'
import type { Keys } from './keys.js'

/** What a failure of the network means. */
interface Consequence {
  /** Whether the request may have left. */
  readonly mayHaveLeft: boolean
  /** Whether another attempt may succeed. */
  readonly retryable: boolean
}

/** A failure: its code, or the message of an error without one, and whether the message says more than the code beside it. */
type Failure = readonly [reason: RegExp, consequence: Consequence, inMessage?: true]

const NEVER_LEFT = { mayHaveLeft: false, retryable: true }
const NEVER_WILL = { mayHaveLeft: false, retryable: false }
const MAY_HAVE_LEFT = { mayHaveLeft: true, retryable: true }

/** The codes and messages of the runtimes. The first row that fits applies; what none names was perhaps sent. */
const FAILURES: readonly Failure[] = [
  // A proxy that refuses to connect: undici and Node's NODE_USE_ENV_PROXY, Node's own agent, and the package tunnel.
  [/^(Proxy response|Failed to establish tunnel|tunneling socket).*\b40[37]\b/, NEVER_WILL, true],
  [/^(Proxy response|Failed to establish tunnel|tunneling socket)/, NEVER_LEFT, true],
  // HTTP/2, RFC 9113, sections 6.8 and 8.7: Node and Deno.
  [/_REFUSED_STREAM|refused stream before processing|after receiving a GOAWAY/, NEVER_LEFT, true],
  // Node and undici: broken after the handshake.
  [/ERR_HTTP2|HPE_|_MAC|_EOF/, MAY_HAVE_LEFT],
  // Node, undici, Deno and Safari: a certificate, a protocol or an argument that will be the same the next time.
  [/CERT|_TLS|_SSL|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|certificate|SSL error/, NEVER_WILL],
  // Node, Chrome and Deno: a port that `fetch` forbids; Node's --permission, and Deno without --allow-net.
  [/^(bad port$|ERR_ACCESS_DENIED$|Requires net access)|Requests to port \d+ are blocked/, NEVER_WILL],
  // An argument that `fetch` refuses, such as a signal of jsdom, in Node and Chrome; a Worker that may request no more.
  [/^(RequestInit: |Failed to execute 'fetch'|Too many subrequests)/, NEVER_WILL],
  // Node, Bun and Deno: a connection that was never made.
  [/refused|unreach|not_?found|ai_again|addrnotavail|connect_timeout|failedtoopensocket|\(connect\)/i, NEVER_LEFT],
  // Safari and Bun.
  [/^(Could not connect to the server|A server with the specified hostname|Unable to connect)/, NEVER_LEFT],
  // Node, undici and Bun: a connection that broke.
  [/^(E[A-Z]{4,}|UND_ERR_|ERR_STREAM|Connection[A-Z])/, MAY_HAVE_LEFT],
]

/** How the runtimes say that the network failed, where they say no more: in the message of a TypeError. */
const NETWORK_FAILED = [
  // Node, Deno for a port that it blocks, Chrome and Firefox.
  /^(fetch failed|Failed to fetch|NetworkError)/i,
  // Safari.
  /^(Load failed|The (network|Internet) connection|The request timed out|Could not connect to the server|A server with the specified hostname)/,
  // Deno, and Bun.
  /^(error sending request|client error|The socket connection was closed)/,
]

const failureOf = (text: unknown): Failure | undefined => FAILURES.find(([reason]) => reason.test(`${text}`))

/** The error of a connection that failed before or while the service `responded`. */
export function connectionError(call: Call, error: unknown, responded: boolean): ConnectionError {
  const { operation, keys, host } = call
  const { attempts, mayHaveArrived } = call.sent
  const causes = causesOf(error)
  const reason = explanationIn(causes) ?? codeOf(causes) ?? String((causes[1] ?? causes[0])?.message ?? error)
  const [, { mayHaveLeft, retryable } = MAY_HAVE_LEFT] = failureOf(reason) ?? []
  const left = responded || wasConnected(causes) || (mayHaveLeft && !neverConnected(error))
  const why = keys.redact(reason)
  const what = left
    ? `got no complete response (${placeOf(call)}): ${why}`
    : `could not connect to ${host} (${why}); ${mayHaveArrived ? 'an earlier attempt may have arrived' : 'nothing was sent'}`
  const details = { operation, attempts, sent: left || mayHaveArrived, retryable }
  return new ConnectionError(`${callName(call)} ${what}.`, details, { cause: redactError(keys, error) })
}

/** What is no failure of the network, and happens again at the next attempt. */
const ownErrors = new WeakSet<object>()

export function ownError(message: string): TypeError {
  const error = new TypeError(message)
  ownErrors.add(error)
  return error
}

export const isOwnError = (error: unknown): boolean => ownErrors.has(Object(error))

/** Whether what a `fetch` of the caller threw is of the network. Other errors are its own. */
export function isOfNetwork(error: unknown): boolean {
  const { name, message, cause, code, syscall, errors } = Object(error) as SystemError
  if (typeof code === 'string') return Boolean(syscall || errors || failureOf(code))
  return (
    name === 'NetworkError' ||
    (name === 'TypeError' && Boolean(cause || NETWORK_FAILED.some((text) => text.test(`${message}`))))
  )
}

interface SystemError {
  name?: unknown
  code?: unknown
  syscall?: unknown
  message?: unknown
  cause?: unknown
  errors?: unknown
}

/** An error and what caused it; a chain may be endless. */
function causesOf(error: unknown): SystemError[] {
  const all: SystemError[] = []
  for (let each = error; each && all.length <= MAX_CAUSES; each = Object(each).cause) all.push(Object(each))
  return all
}

/** The message that says more than the code. */
const explanationIn = (causes: SystemError[]): string | undefined =>
  causes.map(({ message }) => `${message}`).find((message) => failureOf(message)?.[2])

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
      : syscall === 'connect' || syscall === 'getaddrinfo' || failureOf(code)?.[1].mayHaveLeft === false,
  )

/** The error as it is, if nothing in it can show a key; otherwise a copy of its name, message, code and causes. */
export function withoutKeys(keys: Keys, error: unknown): unknown {
  if (!mayShowKey(keys, error)) return error
  const copy = redactError(keys, error)
  return error instanceof Error ? Object.setPrototypeOf(copy, Object.getPrototypeOf(error)) : copy
}

/** Whether a key is anywhere in a value, or may be: some of its parts cannot be looked at, or there are too many. */
function mayShowKey(keys: Keys, value: unknown): boolean {
  const parts = new Set<unknown>([value])
  try {
    for (const part of parts) {
      const inside = partsOf(part)
      if (!inside || inside.length > MAX_PARTS) return true
      if (typeof part === 'string' && keys.redact(part) !== part) return true
      for (const each of inside) parts.add(each)
      if (parts.size > MAX_PARTS) return true
    }
    return false
  } catch {
    return true
  }
}

/** What an inspection or JSON shows of a value; undefined for a value of a kind that may show anything. */
function partsOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value === 'symbol') return [value.description]
  if (typeof value === 'function') return [value.name]
  if (Object(value) !== value) return []
  const any = value as Record<PropertyKey, unknown>
  if (ArrayBuffer.isView(any)) return [bytesAsText(any)]
  // The kinds of another realm or library have these names too.
  switch (Object.prototype.toString.call(any).slice(8, -1)) {
    case 'ArrayBuffer':
      return [bytesAsText(any as unknown as ArrayBuffer)]
    case 'Date':
      return []
    case 'URL':
    case 'URLSearchParams':
      return [`${any}`]
    case 'Map':
    case 'Set':
    case 'Headers':
      return [...(any as unknown as Iterable<unknown>)]
    case 'Request':
    case 'Response':
      return [any.url, any.headers]
    case 'DOMException':
      return [any.name, any.message, any.stack]
    case 'Error':
      return withProperties(any, [any.name, any.message, any.stack])
    case 'Array':
      return (any as unknown as unknown[]).length > MAX_PARTS ? undefined : withProperties(any, [])
    case 'Object':
      return isPlain(any) ? withProperties(any, []) : undefined
  }
  return undefined
}

const bytesAsText = (bytes: AllowSharedBufferSource): string => new TextDecoder('latin1').decode(bytes)

const isPlain = (object: object): boolean => {
  const prototype = Object.getPrototypeOf(object)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** The names and values of all properties; undefined if something is computed when it is shown. */
function withProperties(object: object, parts: unknown[]): unknown[] | undefined {
  if ('toJSON' in object || Symbol.for('nodejs.util.inspect.custom') in object) return undefined
  for (const name of Reflect.ownKeys(object)) {
    if (parts.length > MAX_PARTS) return undefined
    const { value, get } = Object.getOwnPropertyDescriptor(object, name)!
    if (get && name !== 'stack') return undefined
    parts.push(name, value)
  }
  return parts
}

const MAX_PARTS = 1_000

/** How many causes of an error are looked at. */
const MAX_CAUSES = 9

/** An error of the runtime in short, without the keys: its name, its message, its code and its cause. */
function redactError(keys: Keys, error: unknown, depth = MAX_CAUSES): Error {
  const { name, message, code, cause } = Object(error) as SystemError
  const text = String(message ?? (typeof error === 'object' && error ? 'Unknown error' : error))
  const more = cause !== undefined && depth > 0 ? { cause: redactError(keys, cause, depth - 1) } : {}
  const copy = new Error(keys.redact(text), more)
  // Assigned, they would be refused where the prototypes are frozen.
  const value = keys.redact(String(name ?? 'Error'))
  Object.defineProperty(copy, 'name', { value, writable: true })
  return code === undefined ? copy : Object.assign(copy, { code: keys.redact(String(code)) })
}
