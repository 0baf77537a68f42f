/** The statuses by meaning; one that leaves the contract no longer compiles here. */
import type { OperationId, operations } from '../../../generated/operations.js'

type DocumentedStatus = (typeof operations)[OperationId]['errors'][number]

export const STATUS = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  rateLimited: 429,
} as const satisfies Record<string, DocumentedStatus>
