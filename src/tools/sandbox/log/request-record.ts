import type { OperationId } from '../../../../generated/contract.js'
import { isShallow, MAX_DEPTH, parseJson } from '../../../internal/http/json.js'
import { MASKED, type Mask, maskDeep } from '../../../internal/mask.js'
import type { RequestHeaders } from '../../service/request/index.js'
import type { Reason as ServiceReason } from '../../service/response/respond.js'
import type { SerializedResponse } from '../../service/response/serialize.js'

// A request as the log shows it: masked, and cut to MAX_TEXT characters.

/** Why a request was refused, or which fault was applied; `exercise` for a situation of `exercise()`. */
export type Reason = ServiceReason | { type: 'fault'; number: number } | { type: 'exercise' }

/** A request to the sandbox and its response. Keys are masked. */
export interface RequestRecord {
  /** Numbers the requests since the sandbox was made; a reset does not restart it. */
  number: number
  /** When the request ended, in UTC, by the clock that refills limits. */
  time: string
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  /** The name of the key in the world; `unknown` for an unknown key, undefined without one. */
  key: string | undefined
  request: {
    method: string
    /** With the query. */
    path: string
    headers: Record<string, string>
    /** Parsed when it is JSON. Undefined without a body, or when it could not be read. */
    body: unknown
  }
  /** Undefined when the connection was dropped, or the handler failed. */
  response: { status: number; headers: Record<string, string>; body: unknown } | undefined
  /** Why the request was refused, or which fault was applied. */
  reason: Reason | undefined
  /** The error that the handler threw, or why its response does not match the contract. */
  error: string | undefined
  /** How long the response took, in ms of the sandbox's time. */
  duration: number
  /** A body or header has more than 4,000 characters: the log keeps its beginning, as text, and its length. */
  partial?: true
}

/** A request as the log keeps it. Its record is made when the log is read: making it at once would slow every request. */
export interface KeptRequest
  extends Pick<RequestRecord, 'operation' | 'key' | 'reason' | 'error' | 'duration' | 'partial'> {
  /** In ms since 1970. */
  time: number
  method: string
  path: string
  headers: RequestHeaders
  body: string | undefined
  response: SerializedResponse | undefined
}

/** The record of a request, with keys masked. */
export function shownRecord(kept: KeptRequest, number: number, mask: Mask): RequestRecord {
  const { operation, key, method, path, headers, body, response, reason, error, duration, time, partial } = kept
  const shown = (all: RequestHeaders) =>
    mapped(all, (value, name) => (SECRET_HEADERS.has(name.toLowerCase()) ? MASKED : mask(String(value))))
  return {
    number,
    time: new Date(time).toISOString(),
    operation,
    key,
    request: {
      method,
      path: mask(path),
      headers: shown(headers),
      body: body === undefined ? undefined : readable(body, mask),
    },
    response: response && {
      status: response.status,
      headers: shown(response.headers),
      body: readable(response.text, mask),
    },
    reason:
      reason?.type === 'validation'
        ? { ...reason, problem: maskDeep(reason.problem, mask) }
        : reason && structuredClone(reason),
    error: error && mask(error),
    duration,
    ...(partial && { partial }),
  }
}

/** How many characters are kept of a body, of a header, and of the inputs of a run. */
export const MAX_TEXT = 4_000

export const isLong = (text: unknown): boolean => typeof text === 'string' && text.length > MAX_TEXT

/** Cuts a text after `most` characters, never within one, and appends its length, or `length` if it was cut before. */
export const cut = (text: string, most = MAX_TEXT, length = text.length): string =>
  // A copy, because in V8 a part of a string keeps the whole string in memory.
  length > most
    ? JSON.parse(JSON.stringify(`${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}… (${length} characters)`))
    : text

/** Whether a text of a record was cut. */
export const isCut = (text: unknown): boolean => typeof text === 'string' && /… \(\d+ characters\)$/.test(text)

/** A request with its long texts cut. */
export function withoutLongTexts(request: KeptRequest, mask: Mask): KeptRequest {
  const { path, headers, body, response } = request
  const all = [path, body, response?.text, ...Object.values(headers), ...Object.values(response?.headers ?? {})]
  if (!all.some(isLong)) return request
  // Masked before it is cut: half a key at the end would not be recognized.
  const short = (text: string) => (isLong(text) ? cut(mask(text.slice(0, 2 * MAX_TEXT)), MAX_TEXT, text.length) : text)
  return {
    ...request,
    path: short(path),
    headers: mapped(headers, (value) => short(String(value))),
    body: body && short(body),
    response: response && { ...response, headers: mapped(response.headers, short), text: short(response.text) },
    partial: true,
  }
}

/** The headers, each with another value. */
const mapped = <Value>(
  headers: Readonly<Record<string, Value>>,
  to: (value: Value, name: string) => string,
): Record<string, string> => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, to(value, name)]))

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** The value of a JSON text, or the text if it is nested too deep to be serialized again. */
function readable(text: string, mask: Mask): unknown {
  const value = parseJson(text)
  return value === undefined || !isShallow(value, MAX_DEPTH) ? mask(text) : maskDeep(value, mask)
}
