import type { BasisId } from '../../../../generated/contract.js'
import { rules, schemaNodes } from '../../../../generated/contract.js'
import type { ListMeta, Run } from '../../../../generated/types.js'
import { percentDecoded } from '../../../internal/http/url.js'
import { isListMeta, isRun, type Schemas } from '../../../validators/index.js'
import { apiPlans, bindingOf } from './contract.js'
import type { Exchange } from './exchange.js'
import { counted, failed, failedIf, passed, quote, type Result, text } from './result.js'
import { isTimestamp } from './timestamp.js'
import { idFormResults } from './triggers.js'

/** What a schema cannot say: how the parts of one response belong together. */
export function semanticResults(schema: keyof Schemas, { body, headers }: Exchange): Result[] {
  if (schema === 'RateLimitBody') return rateLimitResults(Object(body), headers)
  if (schema === 'Run' && isRun(body)) return runFormResults(body)
  if (!isListEnvelope(body) || itemsOf(schema) === undefined) return []
  const { data, meta } = body
  const { total, page, per_page } = meta
  const numbers = negativeResults('meta of a list', { total, page, per_page }, '/meta')
  return [
    ...numbers,
    ...metaResults(data.length, meta),
    ...uniqueIds(itemRule(schema), 'items of the list', '/data', data),
  ]
}

/** The named schema of the items of a list. */
const itemsOf = (schema: string): string | undefined => schemaNodes[schema]?.properties?.data?.items?.schema

/** The entry that the ids of the items of a list rest on: it binds where they are required. */
export function itemRule(schema: string): BasisId {
  const { properties, basis: own = [] } = schemaNodes[itemsOf(schema) ?? ''] ?? {}
  const ids = properties?.id?.basis ?? own
  return bindingOf(ids)
}

/** Basis: S14, S15. */
export function isListEnvelope(body: unknown): body is { data: unknown[]; meta: ListMeta } {
  const { data, meta } = Object(body) as { data?: unknown; meta?: unknown }
  return Array.isArray(data) && isListMeta(meta)
}

/** Basis: S30, S32. */
function rateLimitResults(body: { retry_after?: unknown; message?: unknown }, headers: Headers): Result[] {
  const { retry_after: wait, message } = body
  const header = headers.get('retry-after')
  const isOther = header !== null && Number.isInteger(wait) && Number(header) !== wait
  const differ = text`the header "Retry-After": expected ${quote(wait)} as retry_after in the body, got ${quote(header)}`
  const unstated = text`the message of a 429: expected a number of requests per minute, got ${quote(message)}`
  const isUnstated = typeof message === 'string' && !statesLimit(message, wait)
  return [
    ...(typeof wait === 'number' ? negativeResults('retry_after', { retry_after: wait }, '') : []),
    ...failedIf(isOther, rules.retryAfterHeader, differ, { keyword: 'equal' }),
    ...failedIf(isUnstated, rules.statesLimit, unstated, { pointer: '/message', keyword: 'states-limit' }),
  ]
}

/**
 * Whether a text can state a limit. Its language is unknown: any number that is neither a time nor `retry_after` is enough,
 * and so are digits of another script, and a text that mentions minutes and spells its number out. Basis: S30, A33.
 */
const statesLimit = (message: string, retryAfter: unknown): boolean =>
  statedLimits(message, retryAfter).length > 0 ||
  OTHER_DIGITS.test(message) ||
  (!/\p{N}/u.test(message) && PER_MINUTE.test(message))

/** Digits of another script, whose value is not read. */
const OTHER_DIGITS = /(?!\d)\p{Nd}/u

const PER_MINUTE = /min|rpm|мин|分|분/iu

/** The numbers of a message that may be a limit. */
function statedLimits(message: string, retryAfter: unknown): { number: number; perMinute: boolean }[] {
  const all = [...message.matchAll(/(?<![A-Za-z\p{N}.])(\d{1,3}(?:[,.' ]\d{3})+|\d+)(?!\.\d)([^\p{N}]*)/gu)].flatMap(
    ({ 1: digits = '', 2: after = '', index }) => {
      const number = Number(digits.replaceAll(/[,.' ]/g, ''))
      const perMinute = PER_MINUTE.test(sentenceOf(after)) || NAMED_PER_MINUTE.test(message.slice(0, index))
      return isTime(after) ? [] : [{ number, perMinute }]
    },
  )
  // The wait may be the limit, where no other number is.
  const others = all.filter(({ number, perMinute }) => number !== retryAfter || perMinute)
  return others.length > 0 || !PER_MINUTE.test(message) ? others : all
}

/** What a number is of that stands behind it. */
const NAMED_PER_MINUTE = /(\brpm\b|\bper[ -]minute\b)[^.;!?\d]{0,20}$/i

/** The rest of the sentence. */
const sentenceOf = (after: string): string => after.split(/[.;!?](?:\s+(?=\p{Lu})|$)/u)[0] ?? ''

/** Whether a unit of time follows a number directly, or a rate that is not that of a minute. */
function isTime(after: string): boolean {
  const [, rate] = RATE.exec(sentenceOf(after)) ?? []
  return (
    /^\s*(s|ms|secs?|seconds?|milliseconds?|h|hours?|days?|minutes?)\b/i.test(after) ||
    /^\s*(\p{L}+\s+)?an?\s+(second|hour|day)\b/iu.test(after) ||
    (rate !== undefined && !/^m/i.test(rate))
  )
}

/** The first unit of a rate. */
const RATE =
  /(?:\bper\s+(?:an?\s+|one\s+)?|\/\s*|\ban?\s+(?=m))(m(?:in)?|minutes?|s(?:ec)?|seconds?|h|hours?|d|days?)(?![\p{L}/])/iu

/** The limit that a 429 states, in requests per minute: that of a plan if possible; undefined when it is not in digits. */
export function statedRate(body: unknown): number | undefined {
  const { message, retry_after } = Object(body) as { message?: unknown; retry_after?: unknown }
  if (typeof message !== 'string' || OTHER_DIGITS.test(message)) return undefined
  const limits = statedLimits(message, retry_after)
  const rates = new Set<number>(apiPlans.map(({ requestsPerMinute }) => requestsPerMinute))
  return (limits.find(({ number }) => rates.has(number)) ?? limits.find(({ perMinute }) => perMinute))?.number
}

/** Basis: S05, S08, S10. */
function runFormResults({ id, started_at: at, steps }: Run): Result[] {
  const noTime = text`started_at: expected a time of ISO 8601 that exists, got ${quote(at)}`
  return [
    ...failedIf(!isTimestamp(at), rules.startedAt, noTime, { pointer: '/started_at', keyword: 'calendar' }),
    ...idFormResults(id),
    ...uniqueIds(rules.stepId, 'steps of the run', '/steps', steps),
  ]
}

/** Basis: A36. */
function negativeResults(what: string, numbers: Readonly<Record<string, unknown>>, pointer: string): Result[] {
  const negative = Object.keys(numbers).find((name) => Number(numbers[name]) < 0)
  if (negative === undefined) return [passed(rules.notNegative, `${what} is not negative`)]
  const message = text`${what} has a negative number: ${negative} is ${quote(numbers[negative])}`
  return [failed(rules.notNegative, message, { pointer: `${pointer}/${negative}`, keyword: 'minimum' })]
}

/** Basis: A32. */
function metaResults(count: number, { total, per_page, page }: ListMeta): Result[] {
  const items = counted(count, 'item')
  const wrong = [
    ...(count > total ? [`meta.total is ${total}, and the page alone has ${items}`] : []),
    ...(count > per_page ? [`meta.per_page is ${per_page}, and the page has ${items}`] : []),
    ...(count === 0 && total > 0 && page === 1 ? [`meta.total is ${total}, and page ${page} has no item`] : []),
  ]
  if (wrong.length === 0) return [passed(rules.metaMeaning, `a page of ${items} fits to its meta`)]
  return wrong.map((message) => failed(rules.metaMeaning, message, { pointer: '/meta', keyword: 'meta' }))
}

function uniqueIds(basis: BasisId, what: string, pointer: string, items: readonly unknown[]): Result[] {
  const ids = items.map((item) => (Object(item) as { id?: unknown }).id).filter((id) => typeof id === 'string')
  const seen = new Set<string>()
  const twice = ids.find((id) => seen.size === seen.add(id).size)
  const message = text`two ${what} have the id ${quote(twice)}`
  return failedIf(twice !== undefined, basis, message, { pointer, keyword: 'unique-id' })
}

/** The id at the end of the path. */
export const idIn = ({ request }: Exchange): string =>
  decodedSegment(new URL(request.url).pathname.split('/').at(-1) ?? '')

/** A decoded path segment; unchanged when it cannot be decoded. */
export const decodedSegment = (segment: string): string => percentDecoded(segment) ?? segment
