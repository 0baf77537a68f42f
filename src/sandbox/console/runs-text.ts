import { RUN_STATUS, STEP_STATUS } from '../../internal/status.js'
import type { Model, ShownPlaybook, ShownRun } from './model.js'
import { durationOf } from './text.js'

/** The playbook of a run. */
export const playbookOf = ({ playbooks }: Pick<Model, 'playbooks'>, { run }: ShownRun): ShownPlaybook | undefined =>
  playbooks.find(({ playbook }) => playbook.id === run.playbook_id)

/** The step that waits for approval. */
export const waitingStepOf = ({ run }: ShownRun) =>
  run.steps.find(({ status }) => status === STEP_STATUS.waitingApproval)

export const isRunning = ({ run }: ShownRun): boolean => run.status === RUN_STATUS.running

/** How a run progresses, and when next. */
export function movementOf(shown: ShownRun, { progress, paused }: Pick<Model, 'progress' | 'paused'>): string {
  if (!isRunning(shown)) return 'has ended'
  if (waitingStepOf(shown)) return 'waits for approval'
  if (progress === 'poll') return 'moves with the next GET'
  if (paused) return 'moves with time, which is paused'
  const left = (shown.movesIn ?? 0) - (performance.now() - shown.seenAt)
  return left > 0 ? `moves in ${durationOf(Math.ceil(left / 100) * 100)}` : 'moves now'
}

/** Why a run can be neither approved nor rejected; undefined when it can. */
export function whyNotDecidable(shown: ShownRun, script: ShownPlaybook | undefined, model: Pick<Model, 'progress'>) {
  if (waitingStepOf(shown)) return undefined
  if (!isRunning(shown)) return `No step waits for approval: the run has ${shown.run.status}.`
  const next = script?.steps.findIndex(({ approval }, index) => approval && index >= shown.run.steps.length) ?? -1
  if (next === -1) return 'No step of this run needs approval any more.'
  const how = model.progress === 'poll' ? 'GETs of the run move it there' : 'time moves it there'
  return `Step ${next + 1} of ${script?.steps.length} needs approval, and has not begun: ${how}.`
}
