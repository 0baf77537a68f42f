import { type knownValues, transitions } from '../../../generated/operations.js'
import type { RunStatus, StepStatus } from '../../../generated/types.js'

/** A run status that the contract names. */
export type KnownRunStatus = (typeof knownValues.RunStatus)[number]

/** A step status that the contract names. */
export type KnownStepStatus = (typeof knownValues.StepStatus)[number]

/** Whether the contract names the status of a run. Others may come. Basis: O01, A05. */
export const isKnownRunStatus = (status: RunStatus): status is KnownRunStatus => Object.hasOwn(transitions.Run, status)

/** Whether the contract names the status of a step. Others may come. Basis: O02, A06. */
export const isKnownStepStatus = (status: StepStatus): status is KnownStepStatus =>
  Object.hasOwn(transitions.Step, status)

/** The statuses that are terminal in a table of transitions. */
type TerminalIn<Table> = {
  [Status in keyof Table]: Table[Status] extends { terminal: true } ? Status : never
}[keyof Table]

/** A run status that is terminal. */
export type TerminalRunStatus = TerminalIn<typeof transitions.Run>

/** A step status that is terminal. */
export type TerminalStepStatus = TerminalIn<typeof transitions.Step>

/** Whether a run with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): status is TerminalRunStatus =>
  isKnownRunStatus(status) && 'terminal' in transitions.Run[status]

/** Whether a step with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalStepStatus = (status: StepStatus): status is TerminalStepStatus =>
  isKnownStepStatus(status) && 'terminal' in transitions.Step[status]
