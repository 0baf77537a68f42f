import { type OperationId, operations } from '../../../../generated/operations.js'
import { mediaTypeOf } from '../../../internal/contract/operations.js'
import { hasDuplicateName, parseJson } from '../../../internal/http/json.js'
import { readBytes } from '../../../internal/http/read-bytes.js'
import { withTimeout } from '../../../internal/time/system.js'
import { urlOf } from '../live/base-url.js'
import type { ConformanceSettings } from '../options.js'

export interface RequestSpec {
  operation: OperationId
  path?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, string>> | undefined
  /** What follows the path, such as a slash: another address, which no client needs. */
  suffix?: string | undefined
  /** An empty one is left out. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array<ArrayBuffer> | undefined
  /** The whole Authorization header, or null for none. */
  authorization: string | null
  /** The relation that the request belongs to: how it fails once is how it fails again. */
  relation?: string | undefined
  /** Whether it may start a run: on purpose, or because it is only assumed that a service refuses it. */
  startsRun?: boolean | undefined
}

/** A sent request. It contains secrets; a report contains a `SeenRequest`. */
export interface SentRequest {
  method: string
  url: string
  headers: Headers
  body?: string | Uint8Array<ArrayBuffer> | undefined
}

/** Why the text of a body is not JSON that every parser reads the same. */
export type EncodingFault = 'byte-order-mark' | 'not-utf-8' | 'duplicate-name'

/** A raw request and response: nothing is masked or cut. */
export interface Exchange {
  operation: OperationId
  request: SentRequest
  /** Why there is no response. */
  failure: Failure | undefined
  /** 0 without a response. */
  status: number
  headers: Headers
  /** Whether the headers of the response are known; a recording may leave all of them out. */
  hasHeaders: boolean
  text: string
  /** The parsed body; undefined when it is empty, not JSON or not known. */
  body: unknown
  /** Whether `text` is the whole body; a recording may lack it. */
  bodyState: 'complete' | 'truncated' | 'not-recorded'
  encodingFaults: readonly EncodingFault[]
  /** The duration including the body, in ms. */
  duration: number
  /** Whether other requests failed at that time, too, so that it shows nothing. */
  isOutage?: boolean
}

export interface Failure {
  kind: 'timeout' | 'connection'
  /** The code of a system error, such as ECONNREFUSED. */
  code?: string | undefined
  message: string
}

/** A response as it was received or recorded; `text` is undefined when the body was not recorded. */
interface ReceivedResponse extends Pick<Exchange, 'status' | 'headers' | 'duration'> {
  text: string | undefined
  hasHeaders?: boolean
  truncated?: boolean
  isUtf8?: boolean
}

export function exchangeOf(
  operation: OperationId,
  request: SentRequest,
  { hasHeaders = true, text, truncated = false, isUtf8 = true, ...response }: ReceivedResponse,
): Exchange {
  const hasMark = text?.startsWith(BYTE_ORDER_MARK) === true
  const body = text === undefined || truncated ? undefined : parseJson(hasMark ? text.slice(1) : text)
  const bodyState = text === undefined ? 'not-recorded' : truncated ? 'truncated' : 'complete'
  const faults: (EncodingFault | false)[] = [
    hasMark && 'byte-order-mark',
    !isUtf8 && 'not-utf-8',
    body !== undefined && hasDuplicateName(text ?? '', body) && 'duplicate-name',
  ]
  const encodingFaults = faults.filter((fault) => fault !== false)
  limitDepth(body)
  const known = { hasHeaders, text: text ?? '', body, bodyState, encodingFaults } as const
  return { operation, request, failure: undefined, ...response, ...known }
}

/** Empties what is nested deeper than any schema describes: functions that recurse fail some thousand levels down. */
function limitDepth(value: unknown, levels = 100): void {
  if (typeof value !== 'object' || value === null) return
  const own = value as Record<string, unknown>
  for (const key of Object.keys(own))
    if (levels > 0) limitDepth(own[key], levels - 1)
    else own[key] = null
}

/** Sends one request and reads its response within the timeout. It throws only when the check was ended. */
export async function sendRequest(spec: RequestSpec, settings: ConformanceSettings): Promise<Exchange> {
  const request = requestOf(spec, settings)
  // A browser's fetch refuses to be called as a method.
  const { clock, timeout, fetch: send } = settings
  const from = clock.now()
  const late = new Error(`no complete response came within ${timeout / 1000} s`)
  const receive = async (signal: AbortSignal) => {
    const { method, url, headers, body = null } = request
    const response = await send(url, { method, headers, body, redirect: 'manual', signal })
    const { bytes, truncated } = await readBytes(response.body, MAX_BODY)
    return { status: response.status, headers: response.headers, ...decodeBody(bytes, truncated), truncated }
  }
  try {
    const response = await withTimeout(settings.signal, timeout, () => late, receive)
    return exchangeOf(spec.operation, request, { ...response, duration: clock.now() - from })
  } catch (error) {
    if (settings.signal?.aborted) throw error
    const nothing = { status: 0, headers: new Headers(), text: '', duration: clock.now() - from }
    const failure = error === late ? ({ kind: 'timeout', message: late.message } as const) : failureOf(error)
    return { ...exchangeOf(spec.operation, request, nothing), failure }
  }
}

function requestOf(spec: RequestSpec, { baseUrl }: ConformanceSettings): SentRequest {
  const { method, path } = operations[spec.operation]
  const query = new URLSearchParams(spec.query).toString()
  const headers = new Headers({ accept: 'application/json' })
  if (spec.body !== undefined) headers.set('content-type', mediaTypeOf(spec.operation))
  for (const [name, value] of Object.entries(spec.headers ?? {}))
    if (value === '') headers.delete(name)
    else headers.set(name, value)
  if (spec.authorization !== null) headers.set('authorization', spec.authorization)
  const url = urlOf(baseUrl, path, spec.path ?? {}) + (spec.suffix ?? '') + (query && `?${query}`)
  return { method, url, headers, body: spec.body }
}

/** The longest body that is read, in bytes. */
export const MAX_BODY = 16 * 2 ** 20

/** The text of a body, and whether it is UTF-8; one that is cut may end within a character. */
export function decodeBody(bytes: Uint8Array, truncated = false): { text: string; isUtf8: boolean } {
  const decode = (fatal: boolean) => new TextDecoder('utf-8', { ignoreBOM: true, fatal }).decode(bytes)
  try {
    return { text: decode(!truncated), isUtf8: true }
  } catch {
    return { text: decode(false), isUtf8: false }
  }
}

const BYTE_ORDER_MARK = '\ufeff'

/** Why a connection failed: the messages from the outermost to the innermost, and the innermost code. */
function failureOf(error: unknown): Failure {
  const reasons: string[] = []
  let last: string | undefined
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') last = code
    reasons.push(typeof code === 'string' && !at.message.includes(code) ? `${at.message} (${code})` : at.message)
  }
  return { kind: 'connection', code: last, message: reasons.join(': ') || 'the connection failed' }
}
