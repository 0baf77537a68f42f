import type { SandboxEvent } from '../events.js'

/** `live`: events arrive; `polling`: the sandbox is asked again and again; `lost`: it does not respond; `locked`: it wants a token. */
export type Connection = 'live' | 'polling' | 'lost' | 'locked'

/** Receives what happens in a sandbox. */
export interface BackendListener {
  /** Everything has to be read again: the connection is new. */
  open(): void
  /** Numbers rise by one. */
  event(event: SandboxEvent, number: number): void
  connection(connection: Connection, problem?: string): void
}

/** The sandbox that a page shows: on a port, or in the page itself. */
export interface Backend {
  /** The base URL of the API; it ends in the version segment. */
  readonly baseUrl: string
  /** Whether other programs reach it there. */
  readonly isReachable: boolean
  /** Runs a command of the control interface, such as `GET state`. @throws Error with the message of the sandbox */
  command<T>(command: string, body?: object): Promise<T>
  /** Sends a request to the API. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Reports events until the returned function is called. */
  subscribe(listener: BackendListener): () => void
}
