import { type BasisId, basis } from '../../generated/operations.js'
import type { Discovery, Finding } from './report.js'

/** A value of an exchange or of the caller in a message. It is masked when the message is printed. */
export interface Quoted {
  readonly quoted: unknown
  /** Whether it stands without quotation marks. */
  readonly bare?: boolean
}

/** A sentence whose values are still data, so that masking reaches them and nothing else. */
export type Message = string | readonly (string | Quoted)[]

/** A value as JSON, on one line and not too long. */
export const quote = (value: unknown): Quoted => ({ quoted: value })

/** A text of the service or of the caller as it is. */
export const bare = (value: string): Quoted => ({ quoted: value, bare: true })

/** A template whose values may be messages. */
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

/** Milliseconds as seconds. */
export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** What was seen of one entry of the register. */
export interface Result extends Details {
  basis: BasisId
  /** `client` is of what a recorded client did, and says nothing of the service. */
  outcome: 'passed' | 'failed' | 'skipped' | 'discovered' | 'client'
  message: Message
  discovery?: Discovery | undefined
}

/** More of a finding; what was seen is still a message. */
export interface Details extends Partial<Pick<Finding, 'location' | 'pointer' | 'keyword'>> {
  fact?: Message | undefined
}

export const resultOf = (id: BasisId, isSo: boolean, message: Message, details?: Details): Result => ({
  basis: id,
  outcome: isSo ? 'passed' : 'failed',
  message,
  ...details,
})

export const passed = (id: BasisId, message: Message, details?: Details) => resultOf(id, true, message, details)
export const failed = (id: BasisId, message: Message, details?: Details) => resultOf(id, false, message, details)

/** What is stated or derived has to be so; what was observed or assumed may turn out wrong. */
export const isBinding = (id: BasisId): boolean => BINDING.has(id)

const BINDING = new Set(
  (Object.keys(basis) as BasisId[]).filter((id) => basis[id].kind === 'stated' || basis[id].kind === 'derived'),
)
