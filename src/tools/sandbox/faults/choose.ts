import { isResponse } from '../../service/response/respond.js'
import type { EngineParts, SandboxExchange } from '../engine.js'
import type { AppliedFault, FaultTarget } from './types.js'

/** The fault, or the situation of an exercise, that waits for a request like this one. It is taken, so it is asked for once, when a request arrives. */
export function chosenFault(
  engine: EngineParts,
  exchange: SandboxExchange,
  key: string | undefined,
): AppliedFault | undefined {
  const { faults, exercise, runs } = engine
  const { route } = exchange
  if (isResponse(route) || (!faults.isWaiting() && !exercise.isStarted())) return undefined
  const { operation, path } = route
  const run = operation === 'getRun' ? path.id : undefined
  const playbook = operation === 'triggerRun' ? path.id : run && runs.playbookOf(run)
  const target: FaultTarget = { operation, key, run, playbook }
  if (exercise.isStarted()) exercise.approve(engine)
  return faults.take(target) ?? exercise.take(target)
}
