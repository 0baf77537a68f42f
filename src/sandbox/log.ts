import type { OperationId } from '../../generated/operations.js'
import { parseJson } from '../internal/json.js'
import { createMask, MASKED, type Mask, maskDeep } from '../internal/mask.js'
import type { RequestHeaders } from '../service/request.js'
import type { SerializedResponse, Reason as ServiceReason } from '../service/respond.js'
import { type Budget, isShallow, sizeOf } from './budget.js'

/** Why a request was refused, or which fault was applied. */
export type Reason = ServiceReason | { type: 'fault'; number: number }

/** A request to the sandbox and its response. Keys are masked. */
export interface RequestRecord {
  /** Numbers the requests since the sandbox was made; a reset does not restart it. */
  number: number
  /** When it ended, by the clock that refills limits, in UTC. */
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
    /** Parsed when it is JSON. Undefined without a body, or when the request was refused before its body was read. */
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
}

/** A record without long bodies, as events have it. */
export interface BriefRecord extends RequestRecord {
  /** A body was left out; the request log has it. */
  partial?: true
}

/** A request until the log is read: building its record at once would slow every request. */
export interface RawRecord extends Pick<RequestRecord, 'operation' | 'key' | 'reason' | 'error' | 'duration'> {
  /** In ms since 1970. */
  time: number
  method: string
  path: string
  headers: RequestHeaders
  body: string | undefined
  response: SerializedResponse | undefined
}

/** Which requests of the log; what is left out matches all. */
export interface RequestFilter {
  operation?: OperationId | undefined
  /** The status of the response. */
  status?: number | undefined
  /** The name of the key in the world. */
  key?: string | undefined
  /** What the body contains at least, such as `{ inputs: { order: '42' } }`. */
  body?: unknown
  /** Only requests after the one with this number. */
  after?: number | undefined
}

export type RequestLog = ReturnType<typeof createRequestLog>

interface Kept {
  number: number
  raw: RawRecord
  /** Made when somebody looks at it. */
  record?: RequestRecord
  bytes: number
}

/** Keeps the last `size` requests within the budget. Every occurrence of one of `secrets` is masked. */
export function createRequestLog(size: number, budget: Budget, secrets: readonly string[]) {
  const kept: Kept[] = []
  let last = 0
  // Test authors name keys as they like, such as "customer": a short one is masked where it stands alone.
  const mask = createMask(secrets, MASKED, SHORT_KEY)
  const forget = () => budget.add(-kept.shift()!.bytes)
  /** Keeps the record that it makes when there is space: tests look at the log again and again. */
  const recordOf = (each: Kept): RequestRecord => {
    if (each.record) return each.record
    const record = frozen(recordOfRaw(each.raw, each.number, mask))
    const bytes = sizeOf(record)
    if (budget.used + bytes > budget.max) return record
    each.record = record
    each.bytes += bytes
    budget.add(bytes)
    return record
  }
  return {
    /** Keeps a request and returns its number. */
    add(raw: RawRecord): number {
      if (kept.length >= size) forget()
      const bytes = sizeOf(raw)
      kept.push({ number: ++last, raw, bytes })
      budget.add(bytes)
      while (budget.exceeded && kept.length > 0) forget()
      return last
    },
    /** The last requests that match, the oldest first, `limit` of them at most. */
    records({ after = 0, ...filter }: RequestFilter = {}, limit = Number.POSITIVE_INFINITY): RequestRecord[] {
      const found = kept.filter(({ number, raw }) => number > after && matches(raw, filter))
      return found.slice(0, limit).map(recordOf)
    },
    /** A request without long bodies. */
    brief(raw: RawRecord, number: number): BriefRecord {
      const { body, response } = raw
      if (!isLong(body) && !isLong(response?.text)) return recordOfRaw(raw, number, mask)
      const sent = response && { ...response, text: shortened(response.text) }
      return { ...recordOfRaw({ ...raw, body: shortened(body), response: sent }, number, mask), partial: true }
    },
    /** The number of the last request. */
    last: (): number => last,
    reset(): void {
      while (kept.length > 0) forget()
    },
  }
}

/** Keys with fewer characters may be words; those of a service are longer. */
const SHORT_KEY = 16

const matches = (raw: RawRecord, { operation, status, key, body }: RequestFilter): boolean =>
  (operation ?? raw.operation) === raw.operation &&
  (status ?? raw.response?.status) === raw.response?.status &&
  (key ?? raw.key) === raw.key &&
  (body === undefined || contains(parseJson(raw.body ?? ''), body))

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
  const { operation, key, method, path, headers, body, response, reason, error, duration, time } = raw
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
  }
}

/** How many characters a text of an event has at most; longer ones are fetched when somebody looks at them. */
export const MAX_EVENT_TEXT = 10_000

const isLong = (text = ''): boolean => text.length > MAX_EVENT_TEXT

const shortened = <Text extends string | undefined>(text: Text) =>
  isLong(text) ? `… (${text!.length} characters, which GET requests has)` : text

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** The value of a JSON text, or the text if it is nested too deep to be serialized again. */
function readable(text: string, mask: Mask): unknown {
  const value = parseJson(text)
  return value === undefined || !isShallow(value, MAX_DEPTH) ? mask(text) : maskDeep(value, mask)
}

const MAX_DEPTH = 100
