import type { Run } from '../../generated/types.js'

/** A state of a recorded run: what `getRun` returned of it, without ids and times, from a point in time on. */
export interface RecordedState extends Pick<Run, 'status' | 'steps'> {
  /** In ms since the run was triggered, or first seen. With `progress: 'poll'` each GET shows the next state. */
  after: number
}
