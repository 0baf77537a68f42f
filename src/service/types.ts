import type { OperationId, operations } from '../../generated/operations.js'
import type { operations as Contract } from '../../generated/types.js'

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined

/** The parameters of one location; none where the contract has none. */
type Parameters<O extends OperationId, In extends 'path' | 'query' | 'header'> = Contract[O]['parameters'] extends {
  [location in In]?: infer Values
}
  ? [NonNullable<Values>] extends [never]
    ? Readonly<Record<never, never>>
    : Readonly<NonNullable<Values>>
  : never

/** The parameters that have a default, which is there when the request leaves them out. */
type Defaulted<O extends OperationId> = (typeof operations)[O] extends { defaults: infer Defaults }
  ? keyof Defaults
  : never

type WithDefaults<Values, Names extends PropertyKey> = Omit<Values, Names> &
  Readonly<Required<Pick<Values, Names & keyof Values>>>

/** A request of an operation that has passed every check. */
export interface OperationRequest<O extends OperationId = OperationId, Context = unknown> {
  operation: O
  /** What `authenticate` returned. */
  context: Context
  path: Parameters<O, 'path'>
  /** With the contract's defaults; numbers are numbers. */
  query: WithDefaults<Parameters<O, 'query'>, Defaulted<O>>
  /** The headers that the contract names, by its names. */
  headers: Parameters<O, 'header'>
  body: Contract[O] extends { requestBody: infer Body } ? Json<Body> : undefined
}

type Responses<O extends OperationId> = Contract[O]['responses']
type Success<O extends OperationId> = (typeof operations)[O]['success'][number]
type Headers = { headers?: Readonly<Record<string, string>> | undefined }

/**
 * The response of an operation, by status. A success needs its body. An error without a body gets the contract's; what
 * a body names replaces a part of it, such as `{ status: 404, body: { message } }`.
 */
export type OperationResponse<O extends OperationId = OperationId> = O extends OperationId
  ? {
      [Status in keyof Responses<O>]: Headers &
        (Status extends Success<O>
          ? { status: Status; body: Json<Responses<O>[Status]> }
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
