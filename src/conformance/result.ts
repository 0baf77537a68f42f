import { type BasisId, basis } from '../../generated/operations.js'
import type { Message } from './message.js'
import type { Discovery } from './report.js'

/** What was seen of one entry of the register. */
export interface Result extends Details {
  basis: BasisId
  /** `client` is of what a recorded client did, and says nothing of the service. */
  outcome: 'passed' | 'failed' | 'skipped' | 'discovered' | 'client'
  message: Message
  discovery?: Discovery | undefined
}

export interface Details {
  /** Where the contract says it: a file, and a JSON pointer. */
  location?: string | undefined
  /** Where in the body, as a JSON pointer. */
  pointer?: string | undefined
  /** The JSON Schema keyword that fails, or the name of a rule that no keyword states. */
  keyword?: string | undefined
  /** What was seen, without what was expected. */
  fact?: Message | undefined
}

export const passed = (id: BasisId, message: Message, details?: Details): Result => ({
  basis: id,
  outcome: 'passed',
  message,
  ...details,
})

export const failed = (id: BasisId, message: Message, details?: Details): Result => ({
  basis: id,
  outcome: 'failed',
  message,
  ...details,
})

/** What is stated or derived has to be so; what was observed or assumed may turn out wrong. */
export const isBinding = (id: BasisId): boolean => BINDING.has(id)

const BINDING = new Set(
  (Object.keys(basis) as BasisId[]).filter((id) => basis[id].kind === 'stated' || basis[id].kind === 'derived'),
)
