import type { Bodies } from '../../../generated/bodies.js'
import type { OperationId, operations } from '../../../generated/operations.js'
import type { AnySuccess } from '../../internal/contract/status.js'
import type { OperationParameters } from '../../validators/index.js'

/** A valid request of an operation. */
export interface OperationRequest<O extends OperationId = OperationId, Context = unknown>
  extends OperationParameters<O> {
  operation: O
  /** What `authenticate` returned. */
  context: Context
  body: Bodies[O]['request']
}

type Responses<O extends OperationId> = Bodies[O]['responses']
type Success<O extends OperationId> = (typeof operations)[O]['success'][number]

/** Headers of a response. Only `Set-Cookie` may be sent several times; of any other header, the last value is sent. */
export type HandlerHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>> | undefined
type WithHeaders = { headers?: HandlerHeaders }

/**
 * The response of an operation, by status. A success needs its body. An error without a body gets the contract's;
 * properties of a body override it, such as `{ status: 404, body: { message } }`.
 */
export type OperationResponse<O extends OperationId = OperationId> = O extends OperationId
  ?
      | {
          [Status in keyof Responses<O>]: WithHeaders &
            (Status extends Success<O>
              ? { status: Status; body: Responses<O>[Status] }
              : Status extends '2XX'
                ? { status: AnySuccess; body: Responses<O>[Status] }
                : { status: Status; body?: Partial<NonNullable<Responses<O>[Status]>> | undefined })
        }[keyof Responses<O>]
      | UnknownOutcome<O>
  : never

/**
 * For a trigger whose handler does not know whether a run has started. After a 500, callers may retry (specification,
 * section 7).
 */
type UnknownOutcome<O extends OperationId> = (typeof operations)[O]['quota'] extends 'runs'
  ? { status: 502; headers?: HandlerHeaders; body?: { error?: string; message?: string } | undefined }
  : never

export type MaybePromise<T> = T | Promise<T>

/** The implementation of an operation. `Extra` is the type of further request properties. */
export type OperationHandler<O extends OperationId, Context, Extra = unknown> = (
  request: OperationRequest<O, Context> & Extra,
) => MaybePromise<OperationResponse<O>>

/** The properties that handlers receive in addition to the contract's request. */
export interface HandlerExtra {
  request: Request
  /** The request's `X-Request-Id`, or a new UUID. */
  requestId: string
  /** Aborted when the caller leaves, and when `requestTimeout` has passed. */
  signal: AbortSignal
}

/** A handler for each operation of the contract. */
export type Operations<Context, Extra = unknown> = {
  [O in OperationId]: OperationHandler<O, Context, Extra>
}
