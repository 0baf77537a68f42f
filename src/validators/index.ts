import type { Bodies } from '../../generated/bodies.js'
import checks from '../../generated/checks.js'
import type { OperationId } from '../../generated/contract.js'
import type { components, operations } from '../../generated/types.js'
import type { AnySuccess } from '../internal/contract/status.js'
import { throwIfMismatch } from '../runtime/mismatch.js'
import { createValidators, type RequestParameters } from '../runtime/validate.js'
import { operationParts } from './parts.js'

// The entry `@workflow-automation/contract/validators`.

export * from '../../generated/validators.js'
export { MismatchError } from '../runtime/mismatch.js'
export type { Problem } from '../runtime/problems.js'
export type { StandardSchema } from '../runtime/standard-schema.js'
export type { RequestParameters, Values } from '../runtime/validate.js'

/** The parameters of a valid request as the contract types them. */
export interface OperationParameters<O extends OperationId = OperationId> {
  path: ParametersIn<O, 'path'>
  /** What the request has; numbers are numbers. */
  query: ParametersIn<O, 'query'>
  /** The headers that the contract names, by its names. */
  headers: ParametersIn<O, 'header'>
}

/** The parameters of one location, without those that were not sent; empty where the contract has none. */
type ParametersIn<O extends OperationId, In extends 'path' | 'query' | 'header'> = operations[O]['parameters'] extends {
  [location in In]?: infer Given
}
  ? [NonNullable<Given>] extends [never]
    ? Readonly<Record<never, never>>
    : { readonly [Name in keyof NonNullable<Given>]: Exclude<NonNullable<Given>[Name], undefined> }
  : never

/** The part of a valid request that has a type of its own: parameters may be text. */
export type RequestBody<Id extends OperationId> = undefined extends Bodies[Id]['request']
  ? unknown
  : { body: Bodies[Id]['request'] }

/** A valid response, whose status tells the type of its body. */
export type ResponseBody<Id extends OperationId> = {
  [Status in keyof Bodies[Id]['responses']]: {
    status: Status extends '2XX' ? AnySuccess : Status
    body: Bodies[Id]['responses'][Status]
  }
}[keyof Bodies[Id]['responses']]

const validators = createValidators<OperationId, keyof components['schemas']>(checks, operationParts)

/**
 * The problems of a value of a named schema; empty when it matches.
 *
 * @throws TypeError when the contract has no such schema
 */
export const validate = validators.validate

/**
 * The problems of a request; empty when it matches the contract. Parameters may be text, as they are in a URL. Of the body,
 * at most `maxProblems` problems are put into words, default all.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateRequest = validators.validateRequest

/**
 * The problems of a response: of its status, its headers and its body (parsed); empty when it matches the contract.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateResponse = validators.validateResponse

/**
 * Narrows a request to the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertRequest<Id extends OperationId, Request extends Parameters<typeof validateRequest>[1]>(
  operation: Id,
  request: Request,
): asserts request is Request & RequestBody<Id> {
  throwIfMismatch(`The request of ${operation}`, validateRequest(operation, request))
}

/**
 * Narrows a response to the statuses that the contract has, each with the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertResponse<Id extends OperationId, Response extends Parameters<typeof validateResponse>[1]>(
  operation: Id,
  response: Response,
): asserts response is Response & ResponseBody<Id> {
  throwIfMismatch(`The response of ${operation}`, validateResponse(operation, response))
}

/**
 * The parameters of a valid request as the contract types them: text becomes the number or boolean that it stands for,
 * and what was not sent is left out.
 *
 * @throws TypeError when the contract has no such operation
 */
export const parametersOf = validators.parametersOf as <Id extends OperationId>(
  operation: Id,
  request: RequestParameters,
) => OperationParameters<Id>
