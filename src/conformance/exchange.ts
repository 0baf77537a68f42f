import { type OperationId, operations } from '../../generated/operations.js'
import { parseJson } from '../internal/json.js'
import { type Mask, maskCredentials } from '../internal/mask.js'
import { type Settings, urlOf } from './options.js'
import { readBody } from './read-body.js'

/** A request to send. */
export interface Call {
  operation: OperationId
  path?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, string>> | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** The text of the body. */
  body?: string | undefined
  /** The whole Authorization header, or null for none. */
  authorization: string | null
}

/** A request as the report shows it, without secrets. */
export interface SeenRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** An answer as the report shows it, without secrets. A long body is cut. */
export interface SeenResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** How long it took with its body, in ms. */
  duration: number
}

/** A request and what came of it. */
export interface Exchange {
  operation: OperationId
  request: SeenRequest
  response: SeenResponse | undefined
  /** Why there is no answer. */
  failure: Failure | undefined
  /** 0 without an answer. */
  status: number
  headers: Headers
  /** The parsed body; undefined when it is empty or no JSON. */
  body: unknown
  /** The whole body as it was read, without secrets. */
  text: string
}

export interface Failure {
  kind: 'timeout' | 'connection'
  message: string
}

/** Sends one request and reads its answer within the time for it. It throws only when the check was ended. */
export async function exchange(call: Call, settings: Settings, mask: Mask): Promise<Exchange> {
  const { method, path } = operations[call.operation]
  const query = new URLSearchParams(call.query).toString()
  const url = urlOf(settings.baseUrl, path, call.path ?? {}) + (query && `?${query}`)
  const headers = new Headers({ accept: 'application/json', ...call.headers })
  if (call.body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
  if (call.authorization !== null) headers.set('authorization', call.authorization)
  const request: SeenRequest = {
    method,
    url: mask(url),
    headers: seenHeaders(headers, mask),
    ...(call.body !== undefined && { body: mask(call.body) }),
  }
  const from = settings.clock.now()
  const { signal, end } = deadline(settings)
  // Called as a method, a browser's fetch refuses.
  const { fetch: send } = settings
  try {
    const answered = (async () => {
      const response = await send(url, {
        method,
        headers,
        body: call.body ?? null,
        redirect: 'manual',
        signal,
      })
      return { response, text: maskCredentials(mask(await readBody(response, MAX_BODY))) }
    })()
    const { response, text } = await Promise.race([answered, rejection(signal)])
    return {
      operation: call.operation,
      request,
      response: {
        status: response.status,
        headers: seenHeaders(response.headers, mask),
        body: text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text,
        duration: Math.round(settings.clock.now() - from),
      },
      failure: undefined,
      status: response.status,
      headers: response.headers,
      body: parseJson(text),
      text,
    }
  } catch (error) {
    if (settings.signal?.aborted) throw error
    const failure = failureOf(error, signal.aborted, settings, mask)
    return {
      operation: call.operation,
      request,
      response: undefined,
      failure,
      status: 0,
      headers: new Headers(),
      body: undefined,
      text: '',
    }
  } finally {
    end()
  }
}

/** What of a body is read, in bytes, and what of it a report shows, in characters. */
const MAX_BODY = 2 ** 20
const SHOWN = 2_000

/** Aborts when the time for one answer is over, or the caller ends the check. */
function deadline({ timeout, signal: outer }: Settings): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(), timeout)
  if (outer?.aborted) abort()
  else outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
      controller.abort()
    },
  }
}

/** A fetch that does not mind its signal must not hold the check. */
const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

function failureOf(error: unknown, aborted: boolean, { timeout }: Settings, mask: Mask): Failure {
  if (aborted) return { kind: 'timeout', message: `no complete answer came within ${timeout / 1000} s` }
  const reasons = []
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    reasons.push(typeof code === 'string' && !at.message.includes(code) ? `${at.message} (${code})` : at.message)
  }
  return { kind: 'connection', message: mask(reasons.join(': ')) || 'the connection failed' }
}

const SECRET_HEADERS = new Set(['cookie', 'set-cookie', 'proxy-authorization'])

const seenHeaders = (headers: Headers, mask: Mask): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name, SECRET_HEADERS.has(name) ? '••••' : maskCredentials(mask(value))]),
  )
