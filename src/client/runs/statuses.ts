import {
  knownValuesOfRunStatus,
  knownValuesOfStepStatus,
  terminalStatusesOfRun,
  terminalStatusesOfStep,
} from '../../../generated/operations.js'
import type { KnownRunStatus, KnownStepStatus, RunStatus, StepStatus } from '../../../generated/types.js'

export type { KnownRunStatus, KnownStepStatus }

/** A run status that is terminal. */
export type TerminalRunStatus = (typeof terminalStatusesOfRun)[number]

/** A step status that is terminal. */
export type TerminalStepStatus = (typeof terminalStatusesOfStep)[number]

const includes = <Status extends string>(all: readonly Status[], status: string): status is Status =>
  (all as readonly string[]).includes(status)

/** Whether the contract names the status of a run. Others may come. Basis: O01, A05. */
export const isKnownRunStatus = (status: RunStatus): status is KnownRunStatus =>
  includes(knownValuesOfRunStatus, status)

/** Whether the contract names the status of a step. Others may come. Basis: O02, A06. */
export const isKnownStepStatus = (status: StepStatus): status is KnownStepStatus =>
  includes(knownValuesOfStepStatus, status)

/** Whether a run with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalRunStatus = (status: RunStatus): status is TerminalRunStatus =>
  includes(terminalStatusesOfRun, status)

/** Whether a step with this status changes no more. An unknown status is not terminal. Basis: A07. */
export const isTerminalStepStatus = (status: StepStatus): status is TerminalStepStatus =>
  includes(terminalStatusesOfStep, status)
