import type { Hooks } from '../../../client/hooks.js'
import { STATUS } from '../../../internal/contract/status.js'
import { err } from '../screen.js'

/** Hooks of the client that say on standard error why nothing happens for a while. */
export const progressOf = (): Pick<Hooks, 'onWait' | 'onRetry'> => ({
  onWait: ({ wait, reason }) => {
    const why = reason === 'retry-after' ? 'Waiting after a 429' : "The plan's rate is used up"
    if (wait >= SHORTEST) countDown(why, wait)
  },
  onRetry: ({ status, wait, reason }) => {
    const why = status === undefined ? `No response (${reason})` : `The service responded with ${status}`
    // A 429 pauses every call: onWait says for how long.
    if (wait >= SHORTEST && status !== STATUS.rateLimited) countDown(`${why}; retrying`, wait)
  },
})

/** A shorter wait needs no words, in ms. */
const SHORTEST = 1_000

let ticking: NodeJS.Timeout | undefined

/** On a terminal a line that counts down; elsewhere one line. */
function countDown(why: string, wait: number): void {
  const seconds = (ms: number) => `${Math.ceil(ms / 1_000)} s`
  if (!err.isLive) {
    err.line(`${why}: ${seconds(wait)}.`)
    return
  }
  const end = performance.now() + wait
  clearInterval(ticking)
  const show = () => {
    const left = end - performance.now()
    err.status(left > 0 ? `${why}: ${seconds(left)} ` : '')
    if (left <= 0) clearInterval(ticking)
  }
  show()
  ticking = setInterval(show, 1_000).unref()
}
