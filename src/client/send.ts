import type { OperationId } from '../../generated/operations.js'
import type { Terms } from './options.js'
import type { Workspace } from './workspace.js'

/** A request on its way: text only, so that it can be sent again as it is. */
export interface Outgoing {
  /** Undefined when the contract knows no such operation. */
  readonly operation: OperationId | undefined
  readonly url: string
  readonly method: string
  /** By lower-case name, without the key. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
  readonly terms: Terms
  /** When the call has to be over, on the clock of `now()`. */
  readonly deadline: number
  /** Whether a watcher sends it: polls go after ordinary calls. */
  readonly poll: boolean
  /** How often it was tried to send. */
  attempts: number
  /** Set by the authentication, anew for each attempt. */
  authorization: string
  workspace?: Workspace
}

/** An answer whose body has been read. */
export interface Answer {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly text: string
  /** As `fetch` gave it; undefined when it came from the cache or is shared with other calls. */
  readonly response?: Response
  readonly attempts: number
}

/** Every behaviour of the client is a `Send` that wraps a `Send`. */
export type Send = (request: Outgoing) => Promise<Answer>
