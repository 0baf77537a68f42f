import { knownValuesOfRunStatus } from '../../../../generated/contract.js'
import { isOneOf, isTerminalStepStatus, RUN_STATUS, STEP_STATUS } from '../../../shared/run-status.js'
import { type GivenState, statusOf, stepId } from '../runs/run.js'
import type { ScriptedPlaybook, WorldRun } from './types.js'

/** The state of a scripted run when the sandbox starts. */
export interface Start {
  /** How many steps have started, and how many of these have ended. */
  startedSteps: number
  endedSteps: number
  /** Whether the last step that has ended was rejected. */
  rejected: boolean
}

/** How a run of a world contradicts its playbook or itself. */
export interface Contradiction {
  message: string
  /** The location in the run. */
  at: (string | number)[]
}

export const isContradiction = (found: Start | Contradiction): found is Contradiction => 'message' in found

/**
 * The state of a run that no script reaches, because the run or a step has another status of the contract. The run is served
 * unchanged and never progresses.
 */
export function givenState({ status, steps = [] }: WorldRun): GivenState | undefined {
  const isScripted =
    (status === undefined || SCRIPTED_RUN.has(status)) && steps.every((step) => SCRIPTED_STEP.has(step.status))
  if (isScripted) return undefined
  return {
    // One that stands at a step that waits is in progress (A09).
    status: status !== undefined && isOneOf(knownValuesOfRunStatus, status) ? status : RUN_STATUS.running,
    steps: steps.map((step, index) => ({ ...step, id: stepId(index) })),
  }
}

/** The statuses of scripted runs and steps. A run of a world may also have the status of a step that waits. */
const { running, succeeded, failed } = RUN_STATUS
const SCRIPTED_RUN = new Set<string>([running, succeeded, failed, STEP_STATUS.waitingApproval])
const { waitingApproval } = STEP_STATUS
const SCRIPTED_STEP = new Set<string>([STEP_STATUS.running, waitingApproval, STEP_STATUS.succeeded, STEP_STATUS.failed])

/** The state that the world gives a scripted run; undefined if the world has only the time at which the run started. */
export function worldStart(run: WorldRun, script: ScriptedPlaybook): Start | Contradiction | undefined {
  const start = run.steps ? startBySteps(run.steps, script) : startByStatus(run, script)
  if (!start || isContradiction(start)) return start
  return contradictionIn(run, start, script) ?? start
}

function startBySteps(steps: NonNullable<WorldRun['steps']>, script: ScriptedPlaybook): Start {
  const startedSteps = steps.length
  const status = steps[startedSteps - 1]?.status
  const hasEnded = status !== undefined && isTerminalStepStatus(status)
  const endedSteps = hasEnded ? startedSteps : Math.max(0, startedSteps - 1)
  const rejected = status === STEP_STATUS.failed && script.steps[startedSteps - 1]?.approval === true
  return { startedSteps, endedSteps, rejected }
}

function startByStatus(
  { status, decisions = [] }: WorldRun,
  { steps }: ScriptedPlaybook,
): Start | Contradiction | undefined {
  const decided = (index: number) => decisions.find(({ step }) => step === stepId(index))?.approved
  const rejection = steps.findIndex((_, index) => decided(index) === false)
  const failure = steps.findIndex(({ fails }, index) => fails || decided(index) === false)
  const after = (endedSteps: number, rejected = false): Start => ({ startedSteps: endedSteps, endedSteps, rejected })
  if (status === RUN_STATUS.succeeded) return after(steps.length)
  if (status === STEP_STATUS.waitingApproval) {
    const index = steps.findIndex(({ approval }, index) => approval && decided(index) === undefined)
    if (index === -1) return { message: 'the playbook has no such undecided step.', at: ['status'] }
    return { startedSteps: index + 1, endedSteps: index, rejected: false }
  }
  if (status === RUN_STATUS.failed) {
    const index = failure === -1 ? steps.findIndex(({ approval }) => approval) : failure
    if (index === -1) return { message: 'no step of the playbook fails, or can be rejected.', at: ['status'] }
    return after(index + 1, !steps[index]?.fails)
  }
  const last = steps.findLastIndex((_, index) => decided(index) !== undefined)
  return last === -1 ? undefined : after(last + 1, rejection === last)
}

/** How a run contradicts its playbook or itself; undefined if it does not. */
const contradictionIn = (run: WorldRun, start: Start, script: ScriptedPlaybook): Contradiction | undefined =>
  wrongStep(run, start, script) ?? wrongStatus(run, start, script) ?? wrongDecision(run, start, script)

function wrongStep({ steps: given = [] }: WorldRun, start: Start, script: ScriptedPlaybook): Contradiction | undefined {
  const { startedSteps, endedSteps, rejected } = start
  const { length } = script.steps
  if (startedSteps > length)
    return { message: `the playbook has only ${length} steps.`, at: ['steps', startedSteps - 1] }
  const expected = given.map((_, index) => statusOf({ script, endedSteps, rejected }, index, endedSteps))
  const wrong = given.findIndex(({ status }, index) => status !== expected[index])
  return wrong === -1 ? undefined : { message: `must be ${expected[wrong]} there.`, at: ['steps', wrong, 'status'] }
}

function wrongStatus({ status }: WorldRun, start: Start, { steps }: ScriptedPlaybook): Contradiction | undefined {
  const { startedSteps, endedSteps, rejected } = start
  const failed = steps.findIndex(({ fails }, index) => index < endedSteps && fails)
  if (failed !== -1 && failed < startedSteps - 1)
    return { message: `the step ${stepId(failed)} of the playbook fails.`, at: ['status'] }
  const waits = startedSteps > endedSteps && steps[endedSteps]?.approval
  const ended = endedSteps === steps.length ? RUN_STATUS.succeeded : RUN_STATUS.running
  const is = rejected || failed !== -1 ? RUN_STATUS.failed : ended
  const allowed: string[] = waits ? [RUN_STATUS.running, STEP_STATUS.waitingApproval] : [is]
  if (status === undefined || allowed.includes(status)) return undefined
  return { message: `must be ${allowed.join(' or ')}, as its steps are.`, at: ['status'] }
}

function wrongDecision(
  { decisions = [] }: WorldRun,
  { endedSteps, rejected }: Start,
  { steps }: ScriptedPlaybook,
): Contradiction | undefined {
  for (const [index, { step, approved }] of decisions.entries()) {
    const decided = steps.findIndex((each, index) => each.approval && stepId(index) === step)
    if (decided === -1 || decided >= endedSteps)
      return { message: 'is not a step that waited for approval and has ended.', at: ['decisions', index, 'step'] }
    if (approved === (rejected && decided === endedSteps - 1))
      return { message: `must be ${!approved}, as its steps are.`, at: ['decisions', index, 'approved'] }
  }
  return undefined
}
