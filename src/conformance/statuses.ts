import type { knownValues, OperationId, operations } from '../../generated/operations.js'

type DocumentedStatus = (typeof operations)[OperationId]['errors'][number]

/** The statuses by meaning; one that leaves the contract no longer compiles here. */
export const STATUS = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  rateLimited: 429,
  internalError: 500,
} as const satisfies Record<string, DocumentedStatus>

/** A run that goes on, and a step that waits for approval. */
export const RUNNING = 'running' satisfies (typeof knownValues.RunStatus)[number]
export const WAITING = 'waiting_approval' satisfies (typeof knownValues.StepStatus)[number]
