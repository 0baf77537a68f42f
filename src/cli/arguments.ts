import { constants } from 'node:os'
import { InvalidArgumentError } from 'commander'

/** Parses a whole number within a range. */
export const wholeNumber =
  (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `It must be an integer, ${least} or more.`
        : `It must be an integer from ${least} to ${most}.`,
    )
  }

export const port = wholeNumber(0, 65_535)

/** Explains why a server cannot listen and what to do; other errors keep their message. */
export function listenProblem(error: unknown, { port, host }: { port: number; host: string }): string {
  const other = 'Choose another with --port, or 0 for any free port.'
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. ${other}`,
    EACCES: `Port ${port} is not allowed for this user. ${other}`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Omit --host to use 127.0.0.1.`,
    ENOTFOUND: `There is no host "${host}". Omit --host to use 127.0.0.1.`,
    EAI_AGAIN: `The host "${host}" could not be resolved. Omit --host to use 127.0.0.1.`,
  }
  return sentences[(error as { code?: string }).code ?? ''] ?? (error instanceof Error ? error.message : String(error))
}

export type Signal = (typeof SIGNALS)[number]

/**
 * Calls `end` once with the signal that ends the command. Others that follow within `same` ms are ignored, because npx and
 * timeout send one signal several times; a later one ends the process at once.
 *
 * Why it looks at the parent process: npx and `npm start` (npm 11) run the command in a shell. A SIGTERM to npx, such as that of
 * a CI job that is cancelled, ends the shell, which does not forward it; without this the command goes on alone, keeps its port or
 * sends requests for minutes (test/cli/verify.test.ts shows it). So the exit of that shell counts as SIGTERM. A command that a
 * script runs in the background is not affected.
 *
 * @param ignoreRepeatsFor how long, in ms, further signals do nothing after the first one
 * @returns a function that stops listening
 */
export function onInterrupt(end: (signal: Signal) => void, ignoreRepeatsFor = 0): () => void {
  const { ppid, env } = process
  const interrupt = (signal: Signal) => {
    for (const each of SIGNALS) process.on(each, ignore).off(each, interrupt)
    setTimeout(() => SIGNALS.map((each) => process.off(each, ignore)), ignoreRepeatsFor).unref()
    clearInterval(parent)
    end(signal)
  }
  const look = () => process.ppid !== ppid && interrupt('SIGTERM')
  const parent = ['exec', 'start'].includes(env.npm_command ?? '')
    ? setInterval(look, PARENT_INTERVAL).unref()
    : undefined
  for (const signal of SIGNALS) process.on(signal, interrupt)
  return () => {
    for (const signal of SIGNALS) process.off(signal, interrupt)
    clearInterval(parent)
  }
}

/** In ms: less than it takes to press Ctrl+C again. */
export const SAME_SIGNAL = 500

/** The exit code of a command that a signal ended, as a shell gives it. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** SIGHUP is that of a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const ignore = () => {}

/** In ms. */
const PARENT_INTERVAL = 500
