import type { Bodies } from '../../../generated/bodies.js'
import type { OperationId, operations } from '../../../generated/contract.js'
import type { HandlerBodies } from '../../../generated/service/bodies.js'
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

type Responses<O extends OperationId> = HandlerBodies[O]
type IsTrigger<O extends OperationId> = (typeof operations)[O]['quota'] extends 'runs' ? true : false

/** Headers of a response. Only `Set-Cookie` may be sent several times; of any other header, the last value is sent. */
export type HandlerHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>> | undefined

/**
 * The response of an operation, by status. A success needs what is stated of its body; what the specification leaves open may be
 * anything. An error without a body gets the contract's, and properties of a body override it, such as
 * `{ status: 404, body: { message } }`. A 429 needs its message, with the limit in requests per minute, and its wait, unless
 * `Limited` says that the service counts a limit, which has both; that of the request rate is not the limit of triggers.
 */
export type OperationResponse<
  O extends OperationId = OperationId,
  Limited extends boolean = false,
> = O extends OperationId
  ?
      | {
          [Status in keyof Responses<O>]: Status extends 429
            ? RateLimited<Status, Responses<O>[Status], IsTrigger<O> extends true ? false : Limited>
            : WithBody<Status extends '2XX' ? AnySuccess : Status, Responses<O>[Status]>
        }[keyof Responses<O>]
      | WithBody<Exclude<OtherStatus, keyof Responses<O>>, unknown>
  : never

type WithBody<Status, Body> = undefined extends Body
  ? { status: Status; headers?: HandlerHeaders; body?: Body }
  : { status: Status; headers?: HandlerHeaders; body: Body }

type RateLimited<Status, Body, Limited> = Limited extends true
  ? WithBody<Status, Partial<Body> | undefined>
  : WithBody<Status, Body extends Limiting ? Partial<Body> & Pick<Body, keyof Limiting> : Body>
type Limiting = { message: unknown; retry_after: unknown }

/**
 * The statuses of the HTTP registry (RFC 9110, section 16.2) that a response may have besides those of the contract: the
 * specification rules none out. For any other, return a `Response`. A trigger whose handler does not know whether a run has started
 * returns a 502: after a 500, callers may retry (specification, section 7).
 */
type OtherStatus = Redirection | OtherError
type Redirection = 300 | 301 | 302 | 303 | 304 | 307 | 308
// biome-ignore format: one line of numbers after the other
type ClientError = 402 | 404 | 405 | 406 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 421 | 422 | 423
  | 424 | 425 | 426 | 428 | 431 | 451
export type OtherError = ClientError | ServerError
type ServerError = 501 | 502 | 503 | 504 | 506 | 507 | 508 | 511

export type MaybePromise<T> = T | Promise<T>

/**
 * The implementation of an operation. `Extra` is the type of further request properties. A web `Response` is sent unchanged: it is
 * neither validated nor completed.
 */
export type OperationHandler<O extends OperationId, Context, Extra = unknown, Limited extends boolean = false> = (
  request: OperationRequest<O, Context> & Extra,
) => MaybePromise<OperationResponse<O, Limited> | WebResponse>

/** A `Response`, without the `status` by which the compiler tells the other responses apart. */
type WebResponse = Pick<Response, 'ok' | 'arrayBuffer'>

/** The properties that handlers receive in addition to the contract's request. */
export interface HandlerExtra {
  request: Request
  /** The request's `X-Request-Id`, or a new UUID. */
  requestId: string
  /** Aborted when the caller leaves, and when `requestTimeout` has passed. */
  signal: AbortSignal
}

/** A handler for each operation of the contract. `Limited` is true for a service with a `limit`. */
export type Operations<Context, Extra = unknown, Limited extends boolean = false> = {
  [O in OperationId]: OperationHandler<O, Context, Extra, Limited>
}
