import type { CommanderError } from 'commander'
import { ConformanceError } from '../conformance/errors.js'
import { err, out } from './screen.js'
import { isInterrupted } from './signals.js'

/** The exit codes of all commands. */
export const EXIT = {
  /** What was asked for is done: it was read, triggered or checked, or the run succeeded. */
  done: 0,
  /** A check has failed, or the run ended without success. */
  failed: 1,
  /** It failed, and running the command again is safe. */
  notPossible: 2,
  /** The run still goes on, as far as is known. */
  running: 3,
  /** The run waits for an approval. */
  approval: 4,
  /** A run was started, or may have been, and its id or its end is not known: check first. */
  unknown: 5,
} as const

/** A mistake in the arguments or the environment: its message is the whole output. */
export class UsageError extends Error {}

interface Attempt {
  /** What a message of an error that nobody expects begins with. */
  failed?: string
  /** The exit code in the place of 0 when standard output could not be written. */
  ifLost?: number
}

/** Does the work of a command, prints what it throws, and sets its exit code. */
export async function perform(work: () => Promise<number>, { failed, ifLost }: Attempt = {}): Promise<void> {
  const code = await work().catch((error: unknown) => {
    const isExpected = failed === undefined || error instanceof ConformanceError || isSystemError(error)
    // Problems of a file are a list; the lines of any other message may be those of a service.
    if (error instanceof UsageError) err.block(`${error.message}\n`)
    else err.line(isExpected ? messageOf(error) : `${failed}: ${error}`)
    return EXIT.notPossible
  })
  await end(code, ifLost)
}

/** Ends a command whose arguments are wrong, or whose help was asked for. */
export const endOf = ({ exitCode }: CommanderError): Promise<void> => end(exitCode === 0 ? EXIT.done : EXIT.notPossible)

/** A reader that has left, such as `head`, has what it wants. After a signal one that does not read is not waited for. */
async function end(code: number, ifLost: number = EXIT.notPossible): Promise<void> {
  if (isInterrupted()) setTimeout(() => process.exit(code), GRACE).unref()
  await out.flushed()
  const isLost = out.lost !== undefined && !out.readerLeft
  if (isLost) err.line(`The output could not be written: ${out.lost?.message}.`)
  process.exitCode = isLost && code === EXIT.done ? ifLost : code
}

/** How long the output may take after a signal, in ms. */
const GRACE = 1_000

/** The message of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Node's errors of files have a code and the name of a call. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error
