import { knownValues, terminalStatuses } from '../../../generated/operations.js'
import type { RunStatus, StepStatus } from '../../../generated/types.js'

/** A run status that the contract names. */
export type KnownRunStatus = (typeof knownValues.RunStatus)[number]

/** A step status that the contract names. */
export type KnownStepStatus = (typeof knownValues.StepStatus)[number]

/** A run status that is terminal. */
export type TerminalRunStatus = (typeof terminalStatuses.Run)[number]

/** A step status that is terminal. */
export type TerminalStepStatus = (typeof terminalStatuses.Step)[number]

const includes = <Status extends string>(all: readonly Status[], status: string): status is Status =>
  (all as readonly string[]).includes(status)

/** Whether the contract names the status of a run. Others may come. Basis: O01, A05. */
export const isKnownRunStatus = (status: RunStatus): status is KnownRunStatus => includes(knownValues.RunStatus, status)

/** Whether the contract names the status of a step. Others may come. Basis: O02, A06. */
export const isKnownStepStatus = (status: StepStatus): status is KnownStepStatus =>
  includes(knownValues.StepStatus, status)

/** Whether a run with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): status is TerminalRunStatus =>
  includes(terminalStatuses.Run, status)

/** Whether a step with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalStepStatus = (status: StepStatus): status is TerminalStepStatus =>
  includes(terminalStatuses.Step, status)
