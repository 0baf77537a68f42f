import type { OperationId } from '../../../generated/operations.js'
import { MAX_DEPTH, parseJson } from '../../internal/http/json.js'
import { createMask, MASKED } from '../../internal/mask.js'
import { stringHash } from '../../internal/random.js'
import { bounded, isLong, type RawRecord, type RequestRecord, recordOfRaw } from './request-record.js'

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
  /** The values of a body that is cut, for filters; see `valuesOf`. */
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
 * A hash of each value in a body with its location, with which a filter finds what a long body contained before it was cut.
 * Only the first MOST_VALUES count.
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
