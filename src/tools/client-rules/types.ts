import type { clientRules, OperationId } from '../../../generated/contract.js'
import type { TriggerResponse } from '../../internal/contract/trigger-outcome.js'
import type { Sender, Ticket } from './open-requests.js'

export type ClientRule = keyof typeof clientRules

/** A request of a client. */
export interface ClientRequest extends Sender {
  operation: OperationId
  method: string
  /** With the query. */
  path: string
  /** Undefined if it has none, or if it is not known. */
  body: string | undefined
  /** The header Authorization: null without it, undefined if that is not known. */
  authorization: string | null | undefined
  /** The release that it asks for. */
  pin: string | null
  userAgent: string | null
  /** Whether it was recorded: then other workers and tabs are told apart by `connection` and `page` alone. */
  isRecorded?: boolean
  /** Whether `body` is only the beginning of what was sent. */
  isCut?: boolean
}

/** How a request ended. */
export interface ClientResponse extends Omit<TriggerResponse, 'status'> {
  /** Undefined if the client got no whole response. */
  status: number | undefined
  /** When its headers came, in ms; NaN if that is not known. */
  respondedAt: number
  /** Whether the client left before it had the response. */
  clientLeft: boolean
  /** How long the response asks the client to wait, in ms. */
  wait: number | undefined
  /** Whether it was refused because the requests that were seen have used up the rate of the workspace. */
  refused: boolean
  /** How many tokens of the workspace are left; undefined without a limit, or if that is not known. */
  tokens: number | undefined
}

/** A request that was sent. */
export interface ClientCall extends ClientRequest {
  sentAt: number
  /** How many requests were sent before it. */
  number: number
  /** The key and the user agent. */
  client: string
  /** Equal for equal requests of one client. */
  identity: string
  /** Undefined if it is not known when it was sent: then it is judged alone. */
  ticket: Ticket | undefined
  /** Set if it may be an early repetition by another caller: what it did, and the response before it. */
  early: { message: string; after: Limited } | undefined
  results: RuleResult[]
}

/** A response with 429. Times in ms. */
export interface Limited {
  respondedAt: number
  /** When its body was complete. */
  completeAt: number
  wait: number | undefined
  /** The request that got it. */
  call: Sender
  /** Whether another request of the client was open at that time. */
  isOverlapped: boolean
}

export interface Judgement {
  outcome: 'kept' | 'broken' | 'advice'
  /** A sentence without its subject, which is the client, and without its full stop. */
  message: string
  /** Further sentences: what else would explain it, or what to do. */
  note?: string | undefined
}

/** A result of a rule, with the first request that had it. `E` is the exchange as a report shows it. */
export interface RuleResult<E = unknown> extends Judgement {
  rule: ClientRule
  operation: OperationId
  /** How many requests had this result. */
  times: number
  exchange?: E | undefined
}
