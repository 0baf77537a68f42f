import { rules, schemaNodes } from '../../../generated/conformance.js'
import type { BasisId } from '../../../generated/operations.js'
import type { ListMeta, Run } from '../../../generated/types.js'
import { isListMeta, isRun, type Schemas } from '../../../generated/validators.js'
import { apiPlans, isBinding } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { counted, failed, failedIf, passed, quote, type Result, text } from './result.js'
import { idFormResults } from './runs.js'
import { isTimestamp } from './timestamp.js'

/** What a schema cannot say: how the parts of one response belong together. */
export function semanticResults(schema: keyof Schemas, { body, headers }: Exchange): Result[] {
  if (schema === 'RateLimitBody') return rateLimitResults(Object(body), headers)
  if (schema === 'Run' && isRun(body)) return runResults(body)
  if (!isListEnvelope(body) || itemsOf(schema) === undefined) return []
  const { data, meta } = body
  return [...metaResults(data.length, meta), ...uniqueIds(itemRule(schema), 'items of the list', '/data', data)]
}

/** The named schema of the items of a list. */
const itemsOf = (schema: string): string | undefined => schemaNodes[schema]?.properties?.data?.items

/** The entry that the ids of the items of a list rest on: it binds where they are required. */
export function itemRule(schema: string): BasisId {
  const { properties, basis: own = [] } = schemaNodes[itemsOf(schema) ?? ''] ?? {}
  const ids = properties?.id?.basis ?? own
  return ids.find((id) => isBinding(id) && id !== rules.notEmpty) ?? ids[0] ?? rules.unknownFields
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
  const differ = text`the header "Retry-After" must be ${quote(wait)} as retry_after in the body, and is ${quote(header)}`
  const unstated = text`the message of a 429 must state a number of requests per minute, and is ${quote(message)}`
  const isUnstated = typeof message === 'string' && !statesLimit(message, wait)
  return [
    ...failedIf(isOther, rules.retryAfterHeader, differ, { keyword: 'equal' }),
    ...failedIf(isUnstated, rules.statesLimit, unstated, { pointer: '/message', keyword: 'states-limit' }),
  ]
}

/**
 * Whether a text can state a limit. Its language is unknown: any number that is neither a time nor
 * `retry_after` is enough, and so is a text that mentions minutes and spells its number out. Basis: S30, A33.
 */
const statesLimit = (message: string, retryAfter: unknown): boolean =>
  statedLimits(message, retryAfter).length > 0 || (!/\p{N}/u.test(message) && MINUTE.test(message))

const MINUTE = /min|rpm|мин|分|분/iu

/** The numbers of a message that may be a limit. */
function statedLimits(message: string, retryAfter: unknown): { number: number; perMinute: boolean }[] {
  const written = message.replaceAll(/\p{Nd}/gu, digitValue)
  return [...written.matchAll(/(?<![A-Za-z\p{N}.])(\d{1,3}(?:[,.' ]\d{3})+|\d+)(?!\.\d)([^\p{N}]*)/gu)].flatMap(
    ([, digits = '', after = '']) => {
      const number = Number(digits.replaceAll(/[,.' ]/g, ''))
      const perMinute = MINUTE.test(after)
      const isTime =
        /^\s*(s|ms|secs?|seconds?|milliseconds?|h|hours?|days?|minutes?)\b/i.test(after) ||
        /\b(per|an?)\s+(second|hour|day)\b|\/\s*(s|sec|h|hour|d|day)\b/i.test(after)
      return isTime || (number === retryAfter && !perMinute) ? [] : [{ number, perMinute }]
    },
  )
}

/** The value of a digit of any script: those of a script follow one another from 0 to 9. Basis: Unicode, section 4.6. */
function digitValue(digit: string): string {
  const code = digit.normalize('NFKC').codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value)
}

/** The limit that a 429 states, in requests per minute: that of a plan if possible; undefined when it is not in digits. */
export function statedLimit(body: unknown): number | undefined {
  const { message, retry_after } = Object(body) as { message?: unknown; retry_after?: unknown }
  const limits = statedLimits(typeof message === 'string' ? message : '', retry_after)
  const rates = new Set<number>(apiPlans.map(({ requestsPerMinute }) => requestsPerMinute))
  return (limits.find(({ number }) => rates.has(number)) ?? limits.find(({ perMinute }) => perMinute))?.number
}

/** Basis: S05, S08, S10. */
function runResults({ id, started_at: at, steps }: Run): Result[] {
  const noTime = text`started_at must be a time of ISO 8601 that exists, and is ${quote(at)}`
  return [
    ...failedIf(!isTimestamp(at), rules.startedAt, noTime, { pointer: '/started_at', keyword: 'calendar' }),
    ...idFormResults(id),
    ...uniqueIds(rules.stepId, 'steps of the run', '/steps', steps),
  ]
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

/** The id of the run in the response to its trigger, where the contract has it. Basis: D02, A31. */
export function triggeredRunId({ body }: Pick<Exchange, 'body'>): string | undefined {
  const { id } = Object(body) as { id?: unknown }
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** A text that may be an id, on its own or first in a list. Basis: S05. */
const bareId = (value: unknown): string | undefined =>
  Array.isArray(value)
    ? bareId(value[0])
    : typeof value === 'string' && /^(?=.*[\d_-])[\w.:~-]+$/.test(value)
      ? value
      : undefined

/** A decoded path segment; unchanged when it cannot be decoded. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Whether a list item contains an id. Basis: D01, A30. */
export const hasSomeId = (item: unknown): boolean =>
  (bareId(item) ?? idWithin(item, /(id|key|slug|uuid|ref|handle|code)$/i)) !== undefined

/** The value of the first property with such a name, at most three levels deep and outside of the excluded ones. */
function idWithin(value: unknown, name: RegExp, leftOut?: RegExp, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 3) return undefined
  const entries = Object.entries(value).filter(([key]) => !leftOut?.test(key))
  const own = entries.find(([key, each]) => name.test(key) && /^(string|number)$/.test(typeof each) && each !== '')
  if (own) return String(own[1])
  for (const [, each] of entries) {
    const nested = idWithin(each, name, leftOut, depth + 1)
    if (nested !== undefined) return nested
  }
  return undefined
}
