import type { Playbook } from '../../../../generated/types.js'
import { STEP_STATUS } from '../../../shared/run-status.js'
import type { WorldPlaybook } from '../../sandbox/world/types.js'
import { isRunning, type Model, nextChangeInOf, playbookOf, type ShownRun, waitingStepOf } from '../model.js'
import { durationOf, visible } from '../parts/text.js'

/** What a playbook is called. In a world its name may be any value; that it has this property is the contract's. */
export const nameOf = (playbook: WorldPlaybook): unknown => (playbook as Playbook).name

/** The name of the playbook of a run. */
export function playbookName(model: Model, shown: ShownRun): string {
  const found = playbookOf(model, shown)
  return visible((found && nameOf(found.playbook)) ?? shown.run.playbook_id)
}

/** How a run progresses, and when next. */
export function movementOf(shown: ShownRun, model: Model): string {
  const { progress, paused } = model
  if (!isRunning(shown)) return 'ended'
  if (waitingStepOf(shown)) return 'waiting for approval'
  if (progress === 'poll') return 'advances with the next GET'
  if (paused) return 'time is paused'
  const left = nextChangeInOf(shown, model) ?? 0
  return left > 0 ? `advances in ${durationOf(Math.ceil(left / 100) * 100)}` : 'advances now'
}

/** Why a run can be neither approved nor rejected; undefined when it can. */
export function whyNotDecidable(shown: ShownRun, model: Model): string | undefined {
  const script = playbookOf(model, shown)
  if (waitingStepOf(shown)) return undefined
  if (!isRunning(shown)) return `No step is waiting for approval: the run has ${shown.run.status}.`
  const next = script?.steps.findIndex(({ approval }, index) => approval && index >= shown.run.steps.length) ?? -1
  if (next === -1) {
    const hadOne = script?.steps.some(({ approval }) => approval)
    return `No ${hadOne ? 'remaining step' : 'step of this run'} needs approval.`
  }
  const how = model.progress === 'poll' ? 'each GET advances the run' : 'the run advances with time'
  return `Step ${next + 1} of ${script?.steps.length} needs approval but has not started: ${how}.`
}

/** What was decided about a step; undefined for one that needs no approval or waits for it. */
export function decisionWord(
  status: string,
  step: { approval?: boolean; fails?: boolean } | undefined,
): string | undefined {
  if (!step?.approval) return undefined
  if (status === STEP_STATUS.succeeded) return 'approved'
  return status === STEP_STATUS.failed ? (step.fails ? status : 'rejected') : undefined
}
