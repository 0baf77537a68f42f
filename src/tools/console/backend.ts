/**
 * `live`: events arrive; `polling`: the state is polled; `lost`: the sandbox does not respond; `locked`: it needs a token;
 * `ended`: it is gone, and asked no more.
 */
export type Connection = 'live' | 'polling' | 'lost' | 'locked' | 'ended'

/** Receives the events of a sandbox. */
export interface BackendListener {
  /** Something happened, or the connection is new: everything must be read again. */
  changed(): void
  connection(connection: Connection, problem?: string): void
}

/** The sandbox of a page: on a port, or in the page itself. */
export interface Backend {
  /** The base URL of the API; it ends in the version segment. */
  readonly baseUrl: string
  /** Whether other programs can reach it there. */
  readonly isReachable: boolean
  /** Runs a command of the control interface, such as `GET state`. @throws Error with the message of the sandbox */
  command<T>(command: string, body?: object): Promise<T>
  /** Sends a request to the API. */
  fetch(url: string, init: RequestInit): Promise<Response>
  /** Reports events until the returned function is called. */
  subscribe(listener: BackendListener): () => void
}
