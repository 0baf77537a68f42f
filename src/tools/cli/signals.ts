import { constants } from 'node:os'

export type Signal = (typeof SIGNALS)[number]

/** SIGHUP is that of a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type End = (signal: Signal) => void
let current: End | undefined
let hasInterrupted = false
let ignoredUntil = 0

/**
 * Listens for the signals that end a command, in one place: the kernel ignores them for process 1, as of a container, unless
 * it listens. A file that grows over `ulimit -f` is an error of the write, not the end of the process.
 */
export function listenForSignals(): void {
  process.on('SIGXFSZ', () => {})
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (performance.now() < ignoredUntil) return
      if (current) return current(signal)
      if (process.pid === 1) process.exit(codeOfSignal(signal))
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    })
}

/**
 * Calls `end` once with the signal that ends the command. Others that follow within `ignoreRepeatsFor` ms are ignored, because
 * npx and timeout send one signal several times; a later one ends the process at once.
 *
 * Why it looks at the parent process: npx and `npm start` (npm 11) run the command in a shell. A SIGTERM to npx, such as that of
 * a CI job that is cancelled, ends the shell, which does not forward it; without this the command goes on alone, keeps its port or
 * sends requests for minutes (test/stories/cli/verify.test.ts shows it). So the exit of that shell counts as SIGTERM. A command that a
 * script runs in the background is not affected.
 *
 * @returns a function that stops listening
 */
export function onInterrupt(end: End, ignoreRepeatsFor = 0): () => void {
  const { ppid, env } = process
  const interrupt = (signal: Signal) => {
    stop()
    hasInterrupted = true
    ignoredUntil = performance.now() + ignoreRepeatsFor
    end(signal)
  }
  const look = () => process.ppid !== ppid && interrupt('SIGTERM')
  const parent = ['exec', 'start'].includes(env.npm_command ?? '')
    ? setInterval(look, PARENT_INTERVAL).unref()
    : undefined
  const stop = () => {
    if (current === interrupt) current = undefined
    clearInterval(parent)
  }
  current = interrupt
  return stop
}

/** Whether a signal has ended the command. */
export const isInterrupted = (): boolean => hasInterrupted

/** In ms: less than it takes to press Ctrl+C again. */
export const SAME_SIGNAL = 500

/** The exit code of a command that a signal ended, as a shell gives it. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** In ms. */
const PARENT_INTERVAL = 500
