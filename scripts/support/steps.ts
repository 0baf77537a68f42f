import { BuildError } from './diagnostics.js'

/** Receives the progress of a command. */
export interface Output {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

/** Runs the steps of a command: each begins when what it needs is there, and its time is printed when it ends. */
export interface Steps {
  /** Aborted by `stop`, and when a step fails, so that the other steps need not go on. */
  stopped: AbortSignal
  stop(): void
  /** Begins a step; `needs` are the promises of earlier ones. It fails with the first of them that does. */
  step<T>(name: string, needs: Promise<unknown>[], work: () => Promise<T> | T): Promise<T>
  /**
   * Waits until no step is under way.
   * @throws BuildError with the diagnostics of all steps that failed, or the first other error
   */
  settled(): Promise<void>
}

/** The message of an error, and of what has caused it. */
const reasonOf = (error: unknown): string => {
  const { message = String(error), cause } = error as Error
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${reasonOf(cause)})` : message
}

export function createSteps(output: Output): Steps {
  const begun = performance.now()
  const steps: Promise<unknown>[] = []
  const underWay = new Set<string>()
  const failures: unknown[] = []
  const stopped = new AbortController()
  const print = (line?: string) => {
    if (output.isTTY) output.write('\r\u001b[K')
    if (line) output.write(`${line}\n`)
    if (output.isTTY && underWay.size > 0) output.write(`… ${[...underWay].join(', ')}`)
  }
  const perform = async <T>(name: string, needs: Promise<unknown>[], work: () => Promise<T> | T): Promise<T> => {
    await Promise.all(needs)
    underWay.add(name)
    print()
    const from = performance.now()
    try {
      return await work()
    } catch (error) {
      const failure = error instanceof BuildError ? error : new Error(`The step "${name}" failed: ${reasonOf(error)}`)
      failures.push(failure)
      stopped.abort()
      throw failure
    } finally {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1)
      underWay.delete(name)
      print(`${seconds.padStart(5)} s  ${name.padEnd(14)} ${Math.round(performance.now() - from)} ms`)
    }
  }
  return {
    stopped: stopped.signal,
    stop: () => stopped.abort(),
    step(name, needs, work) {
      const step = perform(name, needs, work)
      steps.push(step)
      return step
    },
    async settled() {
      await Promise.allSettled(steps)
      const diagnostics = failures.flatMap((failure) => (failure instanceof BuildError ? failure.diagnostics : []))
      if (diagnostics.length > 0) throw new BuildError(diagnostics)
      if (failures.length > 0) throw failures[0]
    },
  }
}
