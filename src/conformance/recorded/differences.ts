import { toPointer } from '../../runtime/json-pointer.js'
import { attribute, errorBasis, isSuccess, successBasis } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { bare, failed, passed, quote, type Result, text } from '../judge/result.js'
import { isTimestamp } from '../judge/timestamp.js'

/** A value that differs, and where. */
export interface Difference {
  pointer: string
  recorded: unknown
  replayed: unknown
}

/** Which id of the recording is which of the service. Each stands for one other, or the two recordings differ. */
export class Ids {
  private readonly replayed = new Map<string, string>()
  private readonly recorded = new Map<string, string>()

  of(recorded: string): string | undefined {
    return this.replayed.get(recorded)
  }

  match(recorded: string, replayed: string): boolean {
    if (!this.replayed.has(recorded) && !this.recorded.has(replayed)) {
      this.replayed.set(recorded, replayed)
      this.recorded.set(replayed, recorded)
    }
    return this.replayed.get(recorded) === replayed
  }
}

/**
 * What of a recorded value is different in the replayed one. Ids and times may be others. What only the replayed value has
 * is no difference, because clients ignore fields that they do not know.
 */
export function differences(
  recorded: unknown,
  replayed: unknown,
  ids: Ids,
  tokens: readonly string[] = [],
): Difference[] {
  const name = tokens.findLast((token) => !/^\d+$/.test(token)) ?? ''
  const different = [{ pointer: toPointer(tokens), recorded, replayed }]
  if (typeof recorded === 'object' && recorded !== null) {
    if (typeof replayed !== 'object' || replayed === null || Array.isArray(recorded) !== Array.isArray(replayed))
      return different
    if (Array.isArray(recorded) && recorded.length !== (replayed as unknown[]).length) return different
    return Object.entries(recorded).flatMap(([key, value]) =>
      differences(value, (replayed as Record<string, unknown>)[key], ids, [...tokens, key]),
    )
  }
  if (recorded === replayed) return []
  if (typeof recorded !== 'string' || typeof replayed !== 'string') return different
  const isSame = /(^|_)id$/.test(name) ? ids.match(recorded, replayed) : isTimestamp(recorded) && isTimestamp(replayed)
  return isSame ? [] : different
}

/** How a replayed exchange compares to the recorded one; `found` are the differences of their bodies. */
export function resultsOf(recorded: Exchange, replayed: Exchange, found: readonly Difference[]): Result[] {
  const { operation, status } = recorded
  const own = (isSuccess(status) ? undefined : errorBasis(operation, status)) ?? successBasis(operation)
  const what = `${operation} was recorded with ${status}`
  const exchange = replayed
  if (replayed.failure)
    return [failed(own, text`${what}, and no response came: ${bare(replayed.failure.message)}`, { exchange })]
  if (status !== replayed.status && !(isSuccess(status) && isSuccess(replayed.status)))
    return [failed(own, `${what}, and the replay got ${replayed.status}`, { exchange, keyword: 'status' })]
  if (found.length === 0) return [passed(own, `${what}, and the replay got the same`, { exchange })]
  return found.map(({ pointer, recorded: before, replayed: now }) => {
    const problem = { in: 'body', name: '', pointer, keyword: 'const', params: {}, message: '' } as const
    const expected = text`${quote(before)}`
    const actual = now === undefined ? 'nothing' : text`${quote(now)}`
    const message = text`${operation} ${status}: ${pointer || 'the body'} was recorded as ${expected}, and the replay has ${actual}`
    const details = { exchange, expected, actual, pointer, keyword: 'recorded' }
    const { basis, location } = attribute(operation, status, problem)
    return failed(basis, message, { ...details, location })
  })
}
