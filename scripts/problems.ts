/** What is wrong with the contract, where, and what to do about it. */
export interface Problem {
  /** Relative to the project's folder. */
  file: string
  /** From 1; absent when the problem is the whole file's. */
  line?: number
  column?: number
  rule: string
  message: string
}

/** Ends a build with its problems. `generated/` is as it was. */
export class BuildError extends Error {
  override name = 'BuildError'
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(formatProblems(problems))
    this.problems = problems
  }
}

/** One line a problem, sorted by place, each once. */
export const formatProblems = (problems: Problem[]): string =>
  [...new Set([...problems].sort(byPlace).map(formatProblem))].join('\n')

const formatProblem = ({ file, line, column, rule, message }: Problem): string =>
  `${[file, line, column].filter((part) => part !== undefined).join(':')}  ${rule}  ${message}`

const byPlace = (a: Problem, b: Problem): number =>
  a.file.localeCompare(b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
