import { runTransitions, stepTransitions } from '../../../generated/operations.js'
import type { RunStatus, StepStatus } from '../../../generated/types.js'

/** A run status that the contract names. */
export type KnownRunStatus = keyof typeof runTransitions

/** A step status that the contract names. */
export type KnownStepStatus = keyof typeof stepTransitions

/** A run status that is terminal. */
export type TerminalRunStatus = Terminal<typeof runTransitions>

/** A step status that is terminal. */
export type TerminalStepStatus = Terminal<typeof stepTransitions>

/** The statuses that no other follows. */
type Terminal<Transitions> = {
  [Status in keyof Transitions]: Transitions[Status] extends readonly [] ? Status : never
}[keyof Transitions]

/** Whether the contract names the status of a run. Others may come. Basis: O01, A05. */
export const isKnownRunStatus = (status: RunStatus): status is KnownRunStatus => Object.hasOwn(runTransitions, status)

/** Whether the contract names the status of a step. Others may come. Basis: O02, A06. */
export const isKnownStepStatus = (status: StepStatus): status is KnownStepStatus =>
  Object.hasOwn(stepTransitions, status)

/** Whether a run with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): status is TerminalRunStatus =>
  Object.hasOwn(runTransitions, status) && runTransitions[status as KnownRunStatus].length === 0

/** Whether a step with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalStepStatus = (status: StepStatus): status is TerminalStepStatus =>
  Object.hasOwn(stepTransitions, status) && stepTransitions[status as KnownStepStatus].length === 0
