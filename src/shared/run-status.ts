import { STEP_STATUS, terminalStatusesOfRun, terminalStatusesOfStep } from '../../generated/contract.js'
import type { Run, Step } from '../../generated/types.js'

export { RUN_STATUS, STEP_STATUS } from '../../generated/contract.js'

/** A run status that is terminal. */
export type TerminalRunStatus = (typeof terminalStatusesOfRun)[number]

/** A step status that is terminal. */
export type TerminalStepStatus = (typeof terminalStatusesOfStep)[number]

/** Whether a run with this status changes no more. An unknown status is not terminal. That is assumed. */
export const isTerminalRunStatus = (status: string): status is TerminalRunStatus =>
  isOneOf(terminalStatusesOfRun, status)

/** Whether a step with this status changes no more. An unknown status is not terminal. That is assumed. */
export const isTerminalStepStatus = (status: string): status is TerminalStepStatus =>
  isOneOf(terminalStatusesOfStep, status)

/** Whether a status is one of the known ones. */
export const isOneOf = <Status extends string>(all: readonly Status[], status: string): status is Status =>
  (all as readonly string[]).includes(status)

/** The steps of a run, which it may lack. */
export const stepsOf = ({ steps }: Run): readonly Step[] => (Array.isArray(steps) ? steps : [])

/** Whether a run, or one of its steps, waits for somebody to approve it. */
export const waitsForApproval = (run: Run): boolean =>
  run.status === STEP_STATUS.waitingApproval ||
  stepsOf(run).some((step) => step?.status === STEP_STATUS.waitingApproval)
