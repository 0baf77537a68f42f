/** A fault of the contract: where it is and what to do about it. */
export interface Diagnostic {
  /** Relative to the project's folder. */
  file: string
  /** From 1; absent when the whole file is meant. */
  line?: number
  column?: number
  rule: string
  message: string
}

/** Ends a build with everything that it found, once each and sorted by location. `generated/` is unchanged. */
export class BuildError extends Error {
  override name = 'BuildError'
  readonly diagnostics: Diagnostic[]

  constructor(diagnostics: Diagnostic[]) {
    // A component that is used twice is reported twice.
    const lines = new Map(diagnostics.map((each) => [lineOf(each), each]))
    const sorted = [...lines].sort(([, a], [, b]) => byLocation(a, b))
    super(sorted.map(([line]) => line).join('\n'))
    this.diagnostics = sorted.map(([, each]) => each)
  }
}

/** @throws BuildError unless the list is empty */
export function throwIfProblems(diagnostics: Diagnostic[]): void {
  if (diagnostics.length > 0) throw new BuildError(diagnostics)
}

/** Prints the problems of a failed build and the state that it leaves. */
export function printFailure(error: unknown, state = 'generated/ and dist/ are unchanged'): void {
  const message = error instanceof Error ? error.message : error
  const count = error instanceof BuildError ? error.diagnostics.length : 0
  const outcome = count === 0 ? 'The build stopped; ' : count === 1 ? '\n1 problem; ' : `\n${count} problems; `
  process.stderr.write(`\n${message}\n${outcome}${state}.\n`)
}

/** The end of a command that failed. */
export function exitWithError(error: unknown): never {
  printFailure(error)
  process.exit(1)
}

const lineOf = ({ file, line, column, rule, message }: Diagnostic): string =>
  `${[file, line, column].filter(Boolean).join(':')}  ${rule}  ${message}`

const byLocation = (a: Diagnostic, b: Diagnostic): number =>
  a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
