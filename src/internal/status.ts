import type { OperationId, operations } from '../../generated/operations.js'

type DocumentedStatus = (typeof operations)[OperationId]['errors'][number]

/** The statuses by meaning; a status that leaves the contract no longer compiles here. */
export const STATUS = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  rateLimited: 429,
  internalError: 500,
} as const satisfies Record<string, DocumentedStatus>
