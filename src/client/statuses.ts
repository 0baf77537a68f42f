import { ends, type knownValues } from '../../generated/operations.js'
import type { RunStatus, StepStatus } from '../../generated/types.js'

/** A run status that the contract names. */
export type KnownRunStatus = (typeof knownValues.RunStatus)[number]

/** A step status that the contract names. */
export type KnownStepStatus = (typeof knownValues.StepStatus)[number]

/** Whether the contract names the status of a run. Others may come. Basis: O01, A05. */
export const isKnownRunStatus = (status: RunStatus): status is KnownRunStatus => Object.hasOwn(ends.Run, status)

/** Whether the contract names the status of a step. Others may come. Basis: O02, A06. */
export const isKnownStepStatus = (status: StepStatus): status is KnownStepStatus => Object.hasOwn(ends.Step, status)

/** Whether a run with this status changes no more. An unknown status is no end. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): boolean => isKnownRunStatus(status) && ends.Run[status]
