import type { CommanderError } from 'commander'
import { ConformanceError } from '../conformance/errors.js'

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
  /** A run was started, or may have been, and its id is not known: check first. */
  unknown: 5,
} as const

/** Ends a command whose arguments are wrong, or whose help was asked for. */
export const exitOf = ({ exitCode }: CommanderError): never =>
  process.exit(exitCode === 0 ? EXIT.done : EXIT.notPossible)

/** The exit code of a command. What it throws is printed: a mistake of the user as it is, anything else behind `failed`. */
export async function attempt(failed: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const isExpected = error instanceof ConformanceError || isSystemError(error)
    process.stderr.write(`${isExpected ? error.message : `${failed}: ${error}`}\n`)
    return EXIT.notPossible
  }
}

/** Node's errors of files have a path and a code. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'path' in error && 'code' in error
