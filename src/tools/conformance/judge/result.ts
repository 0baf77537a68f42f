import type { BasisId } from '../../../../generated/contract.js'
import type { Discovery, Finding } from '../../../shared/report.js'
import type { Exchange } from './exchange.js'

/** A value of an exchange or of the caller within a message. It is masked when the message is printed. */
export interface Quoted {
  readonly quoted: unknown
  /** Whether it is printed without quotation marks. */
  readonly bare?: boolean
}

/** A message whose values are still data, so that only they are masked. */
export type Message = string | readonly (string | Quoted)[]

/** A value as JSON, on one line and cut to length. */
export const quote = (value: unknown): Quoted => ({ quoted: value })

/** A text of the service or of the caller, without quotation marks. */
export const bare = (value: string): Quoted => ({ quoted: value, bare: true })

/** A template tag; values may be messages. */
export function text(strings: TemplateStringsArray, ...values: readonly (Message | Quoted | number)[]): Message {
  return strings.flatMap((string, index) => {
    const value = values[index]
    if (value === undefined) return [string]
    if (typeof value === 'object') return [string, ...('quoted' in value ? [value] : value)]
    return [string, String(value)]
  })
}

/** `1 run`, `2 runs`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export { secondsText } from '../../../internal/time/time.js'

/** What one or several exchanges show of an entry of the register. */
export interface Result extends Details {
  basis: BasisId
  /** `client` is about the recorded client, not about the service; `skipped` says why nothing is shown. */
  outcome: 'passed' | 'failed' | 'skipped' | 'discovered' | 'client'
  message: Message
  discovery?: Discovery | undefined
  /** Whether what the client did may have another reason, or is only recommended otherwise: then it never fails. */
  isAdvice?: boolean
  /** Whether a skipped result is reported also when others decide its entry. */
  isOpen?: boolean
  /** How often it occurred, default once. */
  times?: number
}

/** More of a finding; what was seen is still a message. */
export interface Details extends Partial<Pick<Finding, 'location' | 'pointer' | 'keyword' | 'relation' | 'variation'>> {
  exchange?: Exchange | undefined
  fact?: Message | undefined
  expected?: Message | undefined
  actual?: Message | undefined
}

export const resultOf = (id: BasisId, isSo: boolean, message: Message, details?: Details): Result => ({
  basis: id,
  outcome: isSo ? 'passed' : 'failed',
  message,
  ...details,
})

export const passed = (id: BasisId, message: Message, details?: Details) => resultOf(id, true, message, details)
export const failed = (id: BasisId, message: Message, details?: Details) => resultOf(id, false, message, details)

/** Why entries were not exercised, or what is inconclusive. */
export const skipped = (ids: BasisId | readonly BasisId[], message: Message): Result[] =>
  [ids].flat().map((basis) => ({ basis, outcome: 'skipped', message }))

/** What of an entry stays undecided, although other responses may decide the rest of it. */
export const undecided = (ids: BasisId | readonly BasisId[], message: Message): Result[] =>
  skipped(ids, message).map((each) => ({ ...each, isOpen: true }))

/** No result unless it is wrong. */
export const failedIf = (isWrong: boolean, ...result: Parameters<typeof failed>): Result[] =>
  isWrong ? [failed(...result)] : []
