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

/** Whether a run with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): boolean =>
  isKnownRunStatus(status) && 'terminal' in transitions.Run[status]
