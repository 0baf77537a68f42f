import { BuildError } from './diagnostics.js'

/** Receives the progress of a build. */
export interface Output {
  isTTY?: boolean | undefined
  write(text: string): unknown
}

/** Runs the steps of a build: each begins when what it needs is there, and its time is printed when it ends. */
export interface Steps {
  /** Aborted by `stop`, and when a step fails, so that the other steps need not go on. */
  stopped: AbortSignal
  stop(): void
  /** Begins a step; `needs` are the promises of earlier ones. */
  step<T>(name: string, needs: Promise<unknown>[], work: () => Promise<T> | T): Promise<T>
  /**
   * Waits until no step is under way.
   * @throws BuildError with the diagnostics of all steps that failed, or the first other error
   */
  settled(): Promise<void>
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
      failures.push(error)
      stopped.abort()
      throw new SkippedError(name)
    } finally {
      underWay.delete(name)
      print(`${seconds(performance.now() - begun)} s  ${name.padEnd(14)} ${Math.round(performance.now() - from)} ms`)
    }
  }
  return {
    stopped: stopped.signal,
    stop: () => stopped.abort(),
    step(name, needs, work) {
      const step = perform(name, needs, work)
      steps.push(step)
      step.catch(() => {})
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

/** A step that failed, as is reported already, or that could not begin because another failed. */
class SkippedError extends Error {
  override name = 'SkippedError'
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1).padStart(5)
