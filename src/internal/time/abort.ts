import { getOrCreate } from '../maps.js'

/** The reason of a signal that is aborted. Those of the package abort-controller have none. */
export const abortReason = ({ reason }: AbortSignal): unknown =>
  reason === undefined ? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' }) : reason

/** @throws the reason of a signal that is aborted. Signals of the package abort-controller have no `throwIfAborted`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

/** Settles as the work does, unless the signal is aborted first: then it rejects with the reason. */
export function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal))
    const ignore = onAbort(signal, () => reject(abortReason(signal)))
    work().finally(ignore).then(resolve, reject)
  })
}

/**
 * Aborts with the first of some signals, until it is released. `AbortSignal.any` refuses those of other realms, such as
 * jsdom's.
 */
export function anySignal(...signals: (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const ignored = signals.map((signal) => {
    if (signal?.aborted) controller.abort(signal.reason)
    return onAbort(signal, () => controller.abort(signal?.reason))
  })
  return {
    signal: controller.signal,
    release() {
      for (const ignore of ignored) ignore()
    },
  }
}

/**
 * Runs `then` when the signal is aborted. Returns a function that cancels it. A signal gets one listener, however many
 * calls share it, because Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, then: () => void): () => void {
  if (!signal) return () => {}
  const calls = getOrCreate(callsOf, signal, () => {
    signal.addEventListener('abort', runCalls)
    return new Set()
  })
  calls.add(then)
  return () => {
    if (calls.delete(then) && calls.size === 0) forget(signal)
  }
}

/** What runs when a signal is aborted. */
const callsOf = new WeakMap<AbortSignal, Set<() => void>>()

function runCalls({ target }: Event): void {
  const signal = target as AbortSignal
  for (const call of callsOf.get(signal) ?? []) call()
  forget(signal)
}

function forget(signal: AbortSignal): void {
  signal.removeEventListener('abort', runCalls)
  callsOf.delete(signal)
}
