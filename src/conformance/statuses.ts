import type { knownValues } from '../../generated/operations.js'

/** A run that goes on, and a step that waits for approval. */
export const RUNNING = 'running' satisfies (typeof knownValues.RunStatus)[number]
export const WAITING = 'waiting_approval' satisfies (typeof knownValues.StepStatus)[number]
