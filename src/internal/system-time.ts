import { systemClock, timeOf } from './time.js'

/** The time of the system's clock. */
export const { now, after, withTimeout, sleep } = timeOf(systemClock)
