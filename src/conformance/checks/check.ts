import type { Session } from '../session.js'

/** Something that is tried on the service. */
export interface Check {
  /** What it tries, for people. */
  name: string
  /** How many requests it sends at least. */
  requests: number
  run(session: Session): Promise<void>
}
