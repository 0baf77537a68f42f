import type { Run } from '../../../../generated/types.js'
import type { Engine } from '../engine.js'

/** Calls `listener` once with each run and each of its steps that waits for approval. Returns a function that ends this. */
export function onWaiting({ events, runs }: Engine, listener: (run: Run) => unknown): () => void {
  if (typeof listener !== 'function') throw new TypeError('onWaiting expects a function.')
  let ended = false
  const poll = announceWaiting((run) => ended || listener(run))
  const unsubscribe = events.subscribe(
    ({ type }) => {
      if (type === 'reset') poll([])
      if (type === 'run' || type === 'clock' || type === 'reset') poll(runs.waiting())
    },
    () => {},
  )
  poll(runs.waiting())
  return () => {
    ended = true
    unsubscribe()
  }
}

/** Calls `listener` with each waiting run that was not waiting at the last call, or was at another step. */
export function announceWaiting(listener: (run: Run) => unknown): (waiting: readonly Run[]) => void {
  let seen = new Map<string, number>()
  return (waiting) => {
    const before = seen
    seen = new Map(waiting.map(({ id, steps }) => [id, steps.length]))
    // An error of the listener belongs to the test, not to the request that moved the run.
    for (const run of waiting) if (before.get(run.id) !== run.steps.length) queueMicrotask(() => listener(run))
  }
}
