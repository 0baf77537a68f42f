import type { OperationId } from '../../generated/operations.js'
import { isShallow, MAX_DEPTH, parseJson } from '../internal/http/json.js'
import { createMask, MASKED, type Mask, maskDeep } from '../internal/mask.js'
import { stringHash } from '../internal/random.js'
import type { RequestHeaders } from '../service/request.js'
import type { Reason as ServiceReason } from '../service/respond.js'
import type { SerializedResponse } from '../service/serialize.js'

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
  /** How long the response took, in ms of real time. */
  duration: number
  /** A body or header has more than 4,000 characters: the log keeps its beginning, as text, and its length. */
  partial?: true
}

/** A request until the log is read: building its record at once would slow every request. */
export interface RawRecord
  extends Pick<RequestRecord, 'operation' | 'key' | 'reason' | 'error' | 'duration' | 'partial'> {
  /** In ms since 1970. */
  time: number
  method: string
  path: string
  headers: RequestHeaders
  body: string | undefined
  response: SerializedResponse | undefined
}

/** A filter of the log. Omitted properties match every request. */
export interface RequestFilter {
  operation?: OperationId | undefined
  /** The status of the response. */
  status?: number | undefined
  /** The name of the key in the world. */
  key?: string | undefined
  /** A part of the body, such as `{ inputs: { order: '42' } }`. */
  body?: unknown
  /** Only requests after the one with this number. */
  after?: number | undefined
}

export type RequestLog = ReturnType<typeof createRequestLog>

interface Kept {
  number: number
  raw: RawRecord
  /** Made when the log is read. */
  record?: RequestRecord
  /** Of a body that is cut, what a filter may ask for. */
  values: readonly number[] | undefined
}

/** Keeps the last `size` requests. Every occurrence of one of `secrets` is masked. */
export function createRequestLog(size: number, secrets: readonly string[]) {
  const kept: Kept[] = []
  let last = 0
  // Test authors name keys as they like, such as "customer": a short one is masked where it stands alone.
  const mask = createMask(secrets, MASKED, SHORT_KEY)
  const recordOf = (each: Kept): RequestRecord => {
    each.record ??= frozen(recordOfRaw(each.raw, each.number, mask))
    return each.record
  }
  return {
    /** Keeps a request and returns what makes its record. */
    add(raw: RawRecord): () => RequestRecord {
      const values = isLong(raw.body) ? valuesOf(parseJson(raw.body ?? '')) : undefined
      const added = { number: ++last, raw: bounded(raw, mask), values }
      kept.push(added)
      if (kept.length > size) kept.shift()
      return () => recordOf(added)
    },
    /** The last requests that match, the oldest first, `limit` of them at most. */
    records({ after = 0, ...filter }: RequestFilter = {}, limit = Number.POSITIVE_INFINITY): RequestRecord[] {
      return kept
        .filter((each) => each.number > after && matches(each, filter))
        .slice(0, limit)
        .map(recordOf)
    },
    /** The number of the last request. */
    last: (): number => last,
    reset(): void {
      kept.length = 0
    },
  }
}

/** Keys with fewer characters may be words; those of a service are longer. */
const SHORT_KEY = 16

function matches({ raw, values }: Kept, { operation, status, key, body }: RequestFilter): boolean {
  if ((operation ?? raw.operation) !== raw.operation || (key ?? raw.key) !== raw.key) return false
  if ((status ?? raw.response?.status) !== raw.response?.status) return false
  if (body === undefined) return true
  return values ? valuesOf(body).every((each) => values.includes(each)) : contains(parseJson(raw.body ?? ''), body)
}

/**
 * A number for each value in a body and its location: those of a long body find what it contained before it was cut. Of a
 * body with thousands of values it has the first.
 */
function valuesOf(body: unknown): number[] {
  const found: number[] = []
  const add = (value: unknown, location: string, depth: number) => {
    if (found.length >= MOST_VALUES || depth > MAX_DEPTH) return
    const isGroup = typeof value === 'object' && value !== null
    found.push(stringHash(`${location} ${isGroup ? '' : JSON.stringify(value)}`))
    if (isGroup) for (const [name, each] of Object.entries(value)) add(each, `${location}/${name}`, depth + 1)
  }
  add(body, '', 0)
  return found
}

const MOST_VALUES = 1_000

/** Freezes a value at any depth. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}

/** Whether a value has everything that another one has. */
const contains = (value: unknown, wanted: unknown): boolean =>
  typeof wanted !== 'object' || wanted === null
    ? value === wanted
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(wanted).every(([name, each]) => contains((value as Record<string, unknown>)[name], each))

function recordOfRaw(raw: RawRecord, number: number, mask: Mask): RequestRecord {
  const { operation, key, method, path, headers, body, response, reason, error, duration, time, partial } = raw
  const shown = (name: string, value: string) => (SECRET_HEADERS.has(name.toLowerCase()) ? MASKED : mask(value))
  return {
    number,
    time: new Date(time).toISOString(),
    operation,
    key,
    request: {
      method,
      path: mask(path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shown(name, String(value))])),
      body: body === undefined ? undefined : readable(body, mask),
    },
    response: response && {
      status: response.status,
      headers: { ...response.headers },
      body: readable(response.text, mask),
    },
    reason: reason && structuredClone(reason),
    error: error && mask(error),
    duration,
    ...(partial && { partial }),
  }
}

/** How many characters are kept of a body, of a header, and of the inputs of a run. */
export const MAX_TEXT = 4_000

const isLong = (text: unknown): boolean => typeof text === 'string' && text.length > MAX_TEXT

/** The beginning of a text that has more characters than `most`, and how many it has. */
export const cut = (text: string, most = MAX_TEXT, length = text.length): string =>
  // Copied: in V8 a part of a string keeps the whole in memory.
  length > most ? JSON.parse(JSON.stringify(`${text.slice(0, most)}… (${length} characters)`)) : text

/** A request as it is kept, without the rest of long texts. */
function bounded(raw: RawRecord, mask: Mask): RawRecord {
  const { path, headers, body, response } = raw
  if (![path, body, response?.text, ...Object.values(headers)].some(isLong)) return raw
  // Masked before it is cut, because a key may be where it ends.
  const short = (text: string) => (isLong(text) ? cut(mask(text.slice(0, 2 * MAX_TEXT)), MAX_TEXT, text.length) : text)
  return {
    ...raw,
    path: short(path),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value && short(String(value))])),
    body: body && short(body),
    response: response && { ...response, text: short(response.text) },
    partial: true,
  }
}

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** The value of a JSON text, or the text if it is nested too deep to be serialized again. */
function readable(text: string, mask: Mask): unknown {
  const value = parseJson(text)
  return value === undefined || !isShallow(value, MAX_DEPTH) ? mask(text) : maskDeep(value, mask)
}
