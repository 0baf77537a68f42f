import type { Clock } from '../../shared/clock.js'
import { timeOf } from './time.js'

let lastRead = 0
let restarts = 0

/** The clock of the runtime. It never steps, but begins again when a test replaces `performance`. */
export const systemClock: Clock = {
  now() {
    const time = performance.now()
    restarts = Math.max(restarts, lastRead - time)
    lastRead = time + restarts
    return lastRead
  },
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/** The time of the system's clock. */
export const { now, after, withTimeout, sleep } = timeOf(systemClock)
