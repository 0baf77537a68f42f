import { isTerminalRunStatus, isTerminalStepStatus, RUN_STATUS, STEP_STATUS } from '../../../shared/run-status.js'

/** The class of a status in the style sheet. A terminal one that the page does not know is grey. */
export function runTone(status: string): string {
  if (status === RUN_STATUS.succeeded) return 'ok'
  if (status === RUN_STATUS.failed) return 'bad'
  return isTerminalRunStatus(status) ? 'over' : 'active'
}

export function stepTone(status: string): string {
  if (status === STEP_STATUS.succeeded) return 'ok'
  if (status === STEP_STATUS.failed) return 'bad'
  if (status === STEP_STATUS.waitingApproval) return 'warn'
  return isTerminalStepStatus(status) ? 'over' : 'active'
}
