import { systemClock, timeOf } from './time.js'

export { LONGEST_DELAY, onAbort } from './time.js'

/** The time of the system's clock. */
export const { now, after, withTimeout, sleep } = timeOf(systemClock)
