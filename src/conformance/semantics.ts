import { type BasisId, type knownValues, plans } from '../../generated/operations.js'
import type { ListMeta, RateLimitBody, Run } from '../../generated/types.js'
import { isListMeta, isRun, type Problem, type Schemas } from '../../generated/validators.js'
import { STATUS } from '../internal/status.js'
import { startsRuns } from './contract.js'
import type { Exchange } from './exchange.js'
import { type Message, quote, text } from './message.js'
import { failed, passed, type Result } from './result.js'

/** A run that goes on, and a step that waits for approval. */
export const RUNNING = 'running' satisfies (typeof knownValues.RunStatus)[number]
export const WAITING = 'waiting_approval' satisfies (typeof knownValues.StepStatus)[number]

/** What a schema cannot say: how the parts of one response belong together. */
export function semanticResults(schema: keyof Schemas, { body, headers }: Exchange): Result[] {
  if (schema === 'RateLimitBody') return rateLimitResults(Object(body), headers)
  if (schema === 'Run' && isRun(body)) return runResults(body)
  const { data, meta } = Object(body) as { data?: unknown; meta?: unknown }
  if (!Array.isArray(data) || !isListMeta(meta)) return []
  return [...metaResults(data.length, meta), ...idResults(schema === 'PlaybookList' ? 'D01' : 'A03', data)]
}

/** Basis: S30, S32. */
function rateLimitResults({ retry_after, message }: { retry_after?: unknown; message?: unknown }, headers: Headers) {
  const results: Result[] = []
  const header = headers.get('retry-after')
  if (header !== null && Number.isInteger(retry_after) && Number(header) !== retry_after)
    results.push(
      failed(
        'S32',
        text`the header "Retry-After" is ${quote(header)}, and retry_after in the body is ${quote(retry_after)}`,
        { keyword: 'equal' },
      ),
    )
  if (typeof message === 'string' && !statesLimit(message, Number(retry_after)))
    results.push(
      failed('S30', text`the message of a 429 states no number of requests per minute: ${quote(message)}`, {
        pointer: '/message',
        keyword: 'states-limit',
      }),
    )
  return results
}

/**
 * Whether a text can be the statement of a limit. Its language is not known: a number that is neither a time nor
 * `retry_after` will do, and so will a text that names minutes and writes its number in words. Basis: S30, A33.
 */
const statesLimit = (message: string, retryAfter: number): boolean =>
  statedLimits(message, retryAfter).length > 0 || (!/\p{N}/u.test(message) && MINUTE.test(message))

const MINUTE = /min|rpm|мин|分|분/iu

/** The numbers of a message that may be a limit. */
function statedLimits(message: string, retryAfter: number): { number: number; perMinute: boolean }[] {
  return [...message.matchAll(/(?<![A-Za-z\p{N}.])(\p{Nd}{1,3}(?:[,.' ]\d{3})+|\p{Nd}+)(?!\.\d)([^\p{N}]*)/gu)].flatMap(
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

/** The limit that a 429 states, in requests per minute: one of a plan if there is one; undefined when it is not in digits. */
export function statedLimit(body: unknown): number | undefined {
  const { message, retry_after } = Object(body) as { message?: unknown; retry_after?: unknown }
  const limits = statedLimits(String(message ?? ''), Number(retry_after))
  const rates = new Set<number>(Object.values(plans).map((plan) => (plan.apiAccess ? plan.requestsPerMinute : 0)))
  return (limits.find(({ number }) => rates.has(number)) ?? limits.find(({ perMinute }) => perMinute))?.number
}

/** Basis: S08, S10. */
function runResults({ started_at, steps }: Run): Result[] {
  const results: Result[] = []
  if (!isCalendarDay(started_at))
    results.push(
      failed('S08', text`started_at names a day that does not exist: ${quote(started_at)}`, {
        pointer: '/started_at',
        keyword: 'calendar',
      }),
    )
  const twice = firstDuplicate(steps.map(({ id }) => id))
  if (twice !== undefined)
    results.push(
      failed('S10', text`two steps of the run have the id ${quote(twice)}`, {
        pointer: '/steps',
        keyword: 'unique-id',
      }),
    )
  return results
}

/** The pattern of the schema checks the form and the ranges of the parts, but not which months have 31 days. */
function isCalendarDay(timestamp: string): boolean {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)[Tt]/.exec(timestamp) ?? []
  if (day === undefined) return true
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
}

/** Basis: A32. */
function metaResults(count: number, { total, per_page, page }: ListMeta): Result[] {
  const wrong: Message[] = []
  if (count > total) wrong.push(`meta.total is ${total}, and the page alone has ${counted(count)}`)
  if (count > per_page) wrong.push(`meta.per_page is ${per_page}, and the page has ${counted(count)}`)
  if (count === 0 && total > 0 && page === 1) wrong.push(`meta.total is ${total}, and page ${page} has no item`)
  if (wrong.length > 0) return wrong.map((message) => failed('A32', message, { pointer: '/meta', keyword: 'meta' }))
  return [passed('A32', `a page of ${counted(count)} fits to its meta`)]
}

const counted = (count: number): string => `${count} item${count === 1 ? '' : 's'}`

function idResults(id: BasisId, items: readonly unknown[]): Result[] {
  const ids = items.map((item) => (Object(item) as { id?: unknown }).id).filter((each) => typeof each === 'string')
  const twice = firstDuplicate(ids)
  return twice === undefined
    ? []
    : [failed(id, text`two items of the list have the id ${quote(twice)}`, { pointer: '/data', keyword: 'unique-id' })]
}

function firstDuplicate(ids: readonly unknown[]): unknown {
  const seen = new Set()
  return ids.find((id) => seen.size === seen.add(id).size)
}

/** The id of a run in the response to its trigger, and whether it stands where the contract assumes it. Basis: D02, A31. */
export function triggeredRunId({ body, headers }: Exchange): { id: string; isProperty: boolean } | undefined {
  const { id } = Object(body) as { id?: unknown }
  if (typeof id === 'string' && id !== '') return { id, isProperty: true }
  const nested = idWithin(body, /^(run_?)?id$/i)
  const location = headers.get('location')
  const last = location?.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1)
  const found = nested ?? (last === undefined ? undefined : decoded(last))
  return found === undefined ? undefined : { id: found, isProperty: false }
}

/** A segment of a path, as it is when it cannot be decoded. */
export const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Whether an item of a list has an id somewhere. Basis: D01, A30. */
export const hasSomeId = (item: unknown): boolean =>
  idWithin(item, /(id|key|slug|uuid|ref|handle|code)$/i) !== undefined

/** The value of the first property with such a name, at most three levels deep. */
function idWithin(value: unknown, name: RegExp, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 3) return undefined
  const entries = Object.entries(value)
  const own = entries.find(([key, each]) => name.test(key) && /^(string|number)$/.test(typeof each) && each !== '')
  if (own) return String(own[1])
  for (const [, each] of entries) {
    const nested = idWithin(each, name, depth + 1)
    if (nested !== undefined) return nested
  }
  return undefined
}

/**
 * Whether a problem is none of the contract: what a trigger gets when the run quota is used up is not modelled, also
 * when it is a 429 of another kind. Basis: A23.
 */
export const isQuotaRefusal = ({ operation, status, body }: Exchange, problem: Problem): boolean =>
  startsRuns(operation) &&
  status === STATUS.rateLimited &&
  (Object(body) as { error?: unknown }).error !== RATE_LIMITED &&
  problem.in !== 'status'

const RATE_LIMITED = 'rate_limit_exceeded' satisfies RateLimitBody['error']
