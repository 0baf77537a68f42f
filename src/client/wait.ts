/** A clock in ms that never jumps, whatever becomes of the time of day. */
export const now = (): number => performance.now()

/** The longest delay that a timer takes; a longer one would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1

/** Runs `then` once `ms` have passed and never earlier; `Infinity` never does. Answers how to call it off. */
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
 * Settles as `run` does, unless the signal is aborted or `ms` pass first: then `run`'s own signal is aborted and the
 * promise rejects with the caller's reason, or with what `late` makes. Leaves no listener and no timer behind.
 */
export function bounded<T>(
  signal: AbortSignal | undefined,
  ms: number,
  late: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const controller = new AbortController()
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', onAbort)
    }
    const stop = (reason: unknown) => {
      end()
      reject(reason)
      controller.abort(reason)
    }
    const onAbort = () => stop(signal?.reason)
    const cancel = after(ms, () => stop(late()))
    signal?.addEventListener('abort', onAbort)
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
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
