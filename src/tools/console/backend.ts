import type { FollowListener } from '../sandbox/remote/control.js'

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
  subscribe(listener: FollowListener): () => void
}
