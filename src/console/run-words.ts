import { STEP_STATUS } from '../internal/run-status.js'
import { isRunning, type Model, nextChangeInOf, playbookOf, type ShownRun, waitingStepOf } from './model.js'
import { durationOf, visible } from './text.js'

/** The name of its playbook. */
export const nameOf = (model: Model, shown: ShownRun): string =>
  visible(playbookOf(model, shown)?.playbook.name ?? shown.run.playbook_id)

/** How a run progresses, and when next. */
export function movementOf(shown: ShownRun, model: Model): string {
  const { progress, paused } = model
  if (!isRunning(shown)) return 'has ended'
  if (waitingStepOf(shown)) return 'waits for approval'
  if (progress === 'poll') return 'moves with the next GET'
  if (paused) return 'moves with time, which is paused'
  const left = nextChangeInOf(shown, model) ?? 0
  return left > 0 ? `moves in ${durationOf(Math.ceil(left / 100) * 100)}` : 'moves now'
}

/** Why a run can be neither approved nor rejected; undefined when it can. */
export function whyNotDecidable(shown: ShownRun, model: Model): string | undefined {
  const script = playbookOf(model, shown)
  if (waitingStepOf(shown)) return undefined
  if (!isRunning(shown)) return `No step waits for approval: the run has ${shown.run.status}.`
  const next = script?.steps.findIndex(({ approval }, index) => approval && index >= shown.run.steps.length) ?? -1
  if (next === -1) {
    const hadOne = script?.steps.some(({ approval }) => approval)
    return `No step of this run needs approval${hadOne ? ' any more' : ''}.`
  }
  const how = model.progress === 'poll' ? 'GETs of the run move it there' : 'time moves it there'
  return `Step ${next + 1} of ${script?.steps.length} needs approval, and has not begun: ${how}.`
}

/** What was decided about a step; undefined for one that needs no approval or waits for it. */
export function decisionOf(
  status: string,
  step: { approval?: boolean; fails?: boolean } | undefined,
): string | undefined {
  if (!step?.approval) return undefined
  if (status === STEP_STATUS.succeeded) return 'approved'
  return status === STEP_STATUS.failed ? (step.fails ? status : 'rejected') : undefined
}
