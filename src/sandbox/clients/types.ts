import type { OperationId } from '../../../generated/operations.js'
import type { clientRules } from '../../../generated/sandbox/client-rules.js'

export type ClientRule = keyof typeof clientRules

/** A request of a client. */
export interface ClientRequest {
  operation: OperationId
  method: string
  /** With the query. */
  path: string
  body: string | undefined
  authorization: string | null
  /** The release that it asks for. */
  pin: string | null
  userAgent: string | null
  /** What requests of one client share; undefined where there is no connection. */
  connection: object | undefined
}

/** What became of a request. */
export interface ClientOutcome {
  /** Undefined where the client got no whole response. */
  status: number | undefined
  /** Whether the client left before it had the response. */
  clientLeft: boolean
  /** How long the response asks the client to wait, in ms. */
  wait: number | undefined
  /** Whether it was refused because the rate of the workspace was used up, and how many tokens are left. */
  refused: boolean
  tokens: number | undefined
}

/** A request on its way, with what it has shown so far. */
export interface ClientCall extends Pick<ClientRequest, 'operation' | 'connection'> {
  sentAt: number
  /** The key and the user agent. */
  client: string
  /** The same request of the same client has the same. */
  identity: string
  /** The same requests that came while this one was open. */
  overlapped: ClientCall[]
  results: RuleResult[]
}

/** What requests have shown of a rule; the first of its kind in detail. `E` is the exchange as a report shows it. */
export interface RuleResult<E = unknown> {
  rule: ClientRule
  outcome: 'kept' | 'broken' | 'advice'
  operation: OperationId
  message: string
  times: number
  exchange?: E | undefined
}
