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

/** Ends a build with everything that it found. `generated/` is unchanged. */
export class BuildError extends Error {
  override name = 'BuildError'
  readonly diagnostics: Diagnostic[]

  constructor(diagnostics: Diagnostic[]) {
    super(formatDiagnostics(diagnostics))
    this.diagnostics = diagnostics
  }
}

/** @throws BuildError unless the list is empty */
export function throwIfProblems(diagnostics: Diagnostic[]): void {
  if (diagnostics.length > 0) throw new BuildError(diagnostics)
}

/** Prints a failed build in words a person can act on. */
export function report(error: unknown): void {
  const message = error instanceof Error ? error.message : error
  const count = error instanceof BuildError ? error.diagnostics.length : 0
  const outcome = count === 0 ? 'The build stopped; ' : count === 1 ? '\n1 problem; ' : `\n${count} problems; `
  process.stderr.write(`\n${message}\n${outcome}generated/ and dist/ are unchanged.\n`)
}

/** The end of a command that failed. */
export function exitWithError(error: unknown): never {
  report(error)
  process.exit(1)
}

/** One line each, sorted by location, without duplicates. */
function formatDiagnostics(diagnostics: Diagnostic[]): string {
  const sorted = [...diagnostics].sort(
    (a, b) => a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
  const locationOf = ({ file, line, column }: Diagnostic) => [file, line, column].filter(Boolean).join(':')
  return [...new Set(sorted.map((each) => `${locationOf(each)}  ${each.rule}  ${each.message}`))].join('\n')
}
