let last = 0
let offset = 0

/** A monotonic clock in ms: changes of the system's time do not move it, and it goes on when the runtime's starts again. */
export function now(): number {
  const time = performance.now()
  offset = Math.max(offset, last - time)
  last = time + offset
  return last
}

/** The longest delay that a timer takes; a longer one would fire at once. */
export const LONGEST_DELAY = 2 ** 31 - 1

/** Runs `then` once `ms` have passed, never earlier; `Infinity` never does. Returns a function that cancels it. */
export function after(ms: number, then: () => void): () => void {
  if (ms === Infinity) return () => {}
  const end = now() + ms
  let timer: ReturnType<typeof setTimeout>
  const arm = (left: number) => {
    timer = setTimeout(check, Math.min(Math.ceil(left), LONGEST_DELAY))
  }
  // A timer may fire a fraction of a millisecond early.
  const check = () => {
    const left = end - now()
    if (left > 0) arm(left)
    else then()
  }
  arm(ms)
  return () => clearTimeout(timer)
}

/**
 * Runs `then` when the signal is aborted. Returns a function that cancels it. A signal gets one listener, however many
 * calls share it, because Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, then: () => void): () => void {
  if (!signal) return () => {}
  const shared = listeners.get(signal) ?? listen(signal)
  shared.calls.add(then)
  return () => {
    if (shared.calls.delete(then) && shared.calls.size === 0) shared.stop()
  }
}

const listeners = new WeakMap<AbortSignal, { calls: Set<() => void>; stop: () => void }>()

function listen(signal: AbortSignal) {
  const calls = new Set<() => void>()
  const run = () => {
    for (const call of calls) call()
    shared.stop()
  }
  const shared = {
    calls,
    stop: () => {
      signal.removeEventListener('abort', run)
      listeners.delete(signal)
    },
  }
  signal.addEventListener('abort', run)
  listeners.set(signal, shared)
  return shared
}

/**
 * Settles as `run` does, unless the signal is aborted or `ms` pass first: then `run`'s own signal is aborted and the
 * promise rejects with the caller's reason, or with what `late` makes. Leaves no listener and no timer behind.
 */
export function withTimeout<T>(
  signal: AbortSignal | undefined,
  ms: number,
  late: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const controller = new AbortController()
    const stop = (reason: unknown) => {
      end()
      reject(reason)
      controller.abort(reason)
    }
    const cancel = after(ms, () => stop(late()))
    const ignore = onAbort(signal, () => stop(signal?.reason))
    const end = () => {
      cancel()
      ignore()
    }
    run(controller.signal).then(
      (value) => {
        end()
        resolve(value)
      },
      (error) => {
        end()
        reject(error)
      },
    )
  })
}

/** Waits `ms`; an abort rejects with its reason. */
export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  withTimeout(signal, Infinity, Error, (stopped) => new Promise((resolve) => onAbort(stopped, after(ms, resolve))))
