import type { OperationId } from '../../../../generated/contract.js'
import {
  errorForbidden,
  errorInternal,
  errorInvalidKey,
  errorMalformedParameter,
  errorNotFound,
  examples,
} from '../../../../generated/examples.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { BAD_GATEWAY, unknownRun } from './bad-gateway.js'

/** The examples of an operation by status, then by scenario. */
export const examplesOf = (operation: OperationId): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  examples[operation]

/** The body of an error that a handler responds with by its status alone. */
export const documentedError = (operation: OperationId, status: number): object | undefined =>
  status === BAD_GATEWAY && isTrigger(operation) ? unknownRun : SERVICE_ERRORS[status]

/** The bodies of the errors that the service sends itself, by status. */
const SERVICE_ERRORS: Readonly<Record<number, object>> = {
  [STATUS.badRequest]: { ...errorMalformedParameter, message: 'The request is not valid.' },
  [STATUS.unauthorized]: errorInvalidKey,
  [STATUS.forbidden]: errorForbidden,
  [STATUS.notFound]: errorNotFound,
  [STATUS.internalError]: errorInternal,
}
