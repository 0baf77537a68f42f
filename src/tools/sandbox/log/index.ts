import type { OperationId } from '../../../../generated/contract.js'
import { MAX_DEPTH, parseJson } from '../../../internal/http/json.js'
import { createMask, MASKED } from '../../../internal/mask.js'
import { stringHash } from '../../../internal/random.js'
import { isLong, type KeptRequest, type RequestRecord, shownRecord, withoutLongTexts } from './request-record.js'

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

interface LogEntry {
  number: number
  request: KeptRequest
  /** Made when the log is read. */
  record?: RequestRecord
  /** The hashes of the values of a body that is cut, for filters. */
  values: readonly number[] | undefined
}

/** Keeps the last `size` requests. Every occurrence of one of `secrets` is masked. */
export function createRequestLog(size: number, secrets: readonly string[]) {
  const entries: LogEntry[] = []
  let last = 0
  // Test authors name keys as they like, such as "customer": a short one is masked where it stands alone.
  const mask = createMask(secrets, MASKED, SHORT_KEY)
  const recordOf = (entry: LogEntry): RequestRecord => {
    entry.record ??= frozen(shownRecord(entry.request, entry.number, mask))
    return entry.record
  }
  return {
    /** Keeps a request. Returns a function that makes its record. */
    add(request: KeptRequest): () => RequestRecord {
      const values = isLong(request.body) ? valueHashes(parseJson(request.body ?? '')) : undefined
      const added = { number: ++last, request: withoutLongTexts(request, mask), values }
      entries.push(added)
      if (entries.length > size) entries.shift()
      return () => recordOf(added)
    },
    /** The record of a request that is not kept. */
    show: (request: KeptRequest): RequestRecord => shownRecord(withoutLongTexts(request, mask), 0, mask),
    /** The last requests that match, the oldest first, `limit` of them at most. */
    records({ after = 0, ...filter }: RequestFilter = {}, limit = Number.POSITIVE_INFINITY): RequestRecord[] {
      return entries
        .filter((each) => each.number > after && matches(each, filter))
        .slice(0, limit)
        .map(recordOf)
    },
    /** The number of the last request. */
    last: (): number => last,
    reset(): void {
      entries.length = 0
    },
  }
}

/** A key with fewer characters may be an ordinary word; those of a service are longer. */
const SHORT_KEY = 16

function matches({ request, values }: LogEntry, { operation, status, key, body }: RequestFilter): boolean {
  if ((operation ?? request.operation) !== request.operation || (key ?? request.key) !== request.key) return false
  if ((status ?? request.response?.status) !== request.response?.status) return false
  if (body === undefined) return true
  if (!values) return contains(parseJson(request.body ?? ''), body)
  return valueHashes(body).every((each) => values.includes(each))
}

/**
 * A hash of each value of a body and its location, for the first MOST_VALUES of them. With these a filter finds what a long
 * body contained before it was cut.
 */
function valueHashes(body: unknown): number[] {
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

/** Whether a value contains all properties of another one, at any depth. */
const contains = (value: unknown, wanted: unknown): boolean =>
  typeof wanted !== 'object' || wanted === null
    ? value === wanted
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(wanted).every(([name, each]) => contains((value as Record<string, unknown>)[name], each))
