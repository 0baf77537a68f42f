import type { OperationId, operations } from '../../generated/operations.js'
import type { operations as Contract } from '../../generated/types.js'
import type { OperationParameters } from '../internal/parameters.js'

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined

/** A request of an operation that has passed every check. */
export interface OperationRequest<O extends OperationId = OperationId, Context = unknown>
  extends OperationParameters<O> {
  operation: O
  /** What `authenticate` returned. */
  context: Context
  body: Contract[O] extends { requestBody: infer Body } ? Json<Body> : undefined
}

type Responses<O extends OperationId> = Contract[O]['responses']
type Success<O extends OperationId> = (typeof operations)[O]['success'][number]
type Headers = { headers?: Readonly<Record<string, string>> | undefined }

type WithBody<Status, Body> = Body extends undefined
  ? { status: Status; body?: undefined }
  : { status: Status; body: Body }

/**
 * The response of an operation, by status. A success needs its body. An error without a body gets the contract's; what
 * a body names replaces a part of it, such as `{ status: 404, body: { message } }`.
 */
export type OperationResponse<O extends OperationId = OperationId> = O extends OperationId
  ? {
      [Status in keyof Responses<O>]: Headers &
        (Status extends Success<O>
          ? WithBody<Status, Json<Responses<O>[Status]>>
          : { status: Status; body?: Partial<NonNullable<Json<Responses<O>[Status]>>> | undefined })
    }[keyof Responses<O>]
  : never

export type MaybePromise<T> = T | Promise<T>

/** How a service implements an operation. `Extra` is what else its requests carry. */
export type OperationHandler<O extends OperationId, Context, Extra = unknown> = (
  request: OperationRequest<O, Context> & Extra,
) => MaybePromise<OperationResponse<O>>

/** A handler for each operation of the contract. */
export type Operations<Context, Extra = unknown> = {
  [O in OperationId]: OperationHandler<O, Context, Extra>
}
