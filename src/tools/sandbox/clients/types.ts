import type { OperationId } from '../../../../generated/operations.js'
import type { clientRules } from '../../../../generated/sandbox/client-rules.js'

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
  /** The same object for all requests of one connection; undefined where connections are not visible. */
  connection: object | undefined
}

/** How a request ended. */
export interface ClientOutcome {
  /** Undefined if the client got no whole response. */
  status: number | undefined
  /** Whether the client left before it had the response. */
  clientLeft: boolean
  /** How long the response asks the client to wait, in ms. */
  wait: number | undefined
  /** Whether it was refused because the rate of the workspace was used up. */
  refused: boolean
  /** How many tokens of the workspace are left; undefined without a limit. */
  tokens: number | undefined
}

/** An open request and the results so far. */
export interface ClientCall extends Pick<ClientRequest, 'operation' | 'connection'> {
  sentAt: number
  /** The key and the user agent. */
  client: string
  /** Equal for equal requests of one client. */
  identity: string
  /** Equal requests that came while this one was open. */
  overlapped: ClientCall[]
  results: RuleResult[]
}

/** A result of a rule, with the first request that had it. `E` is the exchange as a report shows it. */
export interface RuleResult<E = unknown> {
  rule: ClientRule
  outcome: 'kept' | 'broken' | 'advice'
  operation: OperationId
  message: string
  /** How many requests had this result. */
  times: number
  exchange?: E | undefined
}
