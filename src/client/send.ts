import type { OperationId } from '../../generated/operations.js'

/** A request on its way: text and headers only, so that it can be sent again as it is. */
export interface Outgoing {
  operation: OperationId | undefined
  url: string
  method: string
  headers: Headers
  body: string | undefined
  signal: AbortSignal | undefined
}

/** Every behaviour of the client is a `Send` that wraps a `Send`. */
export type Send = (request: Outgoing) => Promise<Response>
