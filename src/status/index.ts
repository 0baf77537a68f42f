import { knownValuesOfRunStatus, knownValuesOfStepStatus } from '../../generated/contract.js'
import type { KnownRunStatus, KnownStepStatus } from '../../generated/types.js'
import { isOneOf } from '../shared/run-status.js'

export {
  isTerminalRunStatus,
  isTerminalStepStatus,
  type TerminalRunStatus,
  type TerminalStepStatus,
} from '../shared/run-status.js'
export type { KnownRunStatus, KnownStepStatus }

/**
 * Whether the contract names the status of a run. Others may come. Specification, section 2; statuses that
 * it does not show are assumed.
 */
export const isKnownRunStatus = (status: string): status is KnownRunStatus => isOneOf(knownValuesOfRunStatus, status)

/**
 * Whether the contract names the status of a step. Others may come. Specification, section 2; statuses that
 * it does not show are assumed.
 */
export const isKnownStepStatus = (status: string): status is KnownStepStatus => isOneOf(knownValuesOfStepStatus, status)
