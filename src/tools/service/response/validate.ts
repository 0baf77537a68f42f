import type { OperationId } from '../../../../generated/contract.js'
import { MismatchError } from '../../../runtime/mismatch.js'
import { type Problem, validateResponse } from '../../../validators/index.js'
import type { ServiceResponse } from './respond.js'
import { JSON_HEADERS } from './serialize.js'

/** A response of a handler that does not match the contract. */
export class InvalidResponseError extends MismatchError {
  override name = 'InvalidResponseError'
  constructor(
    readonly operation: OperationId,
    problems: readonly Problem[],
  ) {
    super(`The response of ${operation}`, problems)
  }
}

/** The differences of a response to the contract. */
export const responseProblems = (operation: OperationId, { status, headers, body }: ServiceResponse): Problem[] =>
  validateResponse(operation, { status, headers: { ...JSON_HEADERS, ...headers }, body })
