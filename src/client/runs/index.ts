import type { Run, Step } from '../../../generated/types.js'
import { FUNCTION, type OptionRules, oneOf, TRUE_OR_FALSE } from '../../internal/options.js'
import { RUN_STATUS, stepsOf, waitsForApproval } from '../../shared/run-status.js'
import { isTerminalRunStatus } from '../../status/index.js'
import { RunFailedError } from '../errors.js'
import type { Invoke } from '../methods.js'
import { checkedOptions, either, type Settings, SHARED_RULES } from '../options.js'
import { createWatchers, type Watcher, type WatchOptions } from './watcher.js'

/** Options for `waitForRun`. */
export interface WaitForRunOptions extends WatchOptions {
  /**
   * What to wait for: `terminal` (default) is the end of the run; `approval` is a step that waits for approval, or the end.
   * A function of the run returns whether to stop. The wait always ends with the run.
   */
  until?: 'terminal' | 'approval' | ((run: Run) => boolean | Promise<boolean>) | undefined
  /** Called with the run when first seen, and after each change. An error that it throws ends the wait. */
  onUpdate?: ((run: Run) => unknown) | undefined
  /** Called for each step that appears, and after each change of its status. An error that it throws ends the wait. */
  onStep?: ((step: Step, run: Run) => unknown) | undefined
  /** Whether a run that ends without success rejects with a `RunFailedError`; default false. */
  throwOnFailure?: boolean | undefined
}

/** A run: its id, or the value that `triggerRun` resolves to. */
export type RunReference = string | { readonly id: string }

/** The changes of a run, for `for await`. */
export interface RunChanges extends AsyncIterable<Run> {
  next: () => Promise<IteratorResult<Run, undefined>>
  /** Ends the polls, also those that `next` waits for. */
  return: () => Promise<IteratorResult<Run, undefined>>
  [Symbol.asyncIterator](): RunChanges
}

/** The part of a client that follows runs. */
export interface RunMethods {
  /**
   * Polls a run until it has ended, or until the state that `until` names, and resolves to it; by default for at most 15
   * minutes (`timeout`, in ms). A run that ends without success resolves too, unless `throwOnFailure` is set. A status that
   * the contract does not know does not end a run.
   *
   * Polling continues through outages, 429s and errors >= 500. Until the run has been seen, a 404 is retried for 10 s,
   * because a new run may not be readable at once. Watchers of one run with the same key share its polls, unless the client
   * has middleware, and all watchers together use a share of the rate limit.
   *
   * Stated, section 4. Assumed: a run ends as succeeded or failed.
   *
   * @example
   * ```ts
   * const { id } = await client.triggerRun('pb_3kX9wq', { inputs: { order: '42' } })
   * const run = await client.waitForRun(id, { timeout: 600_000, throwOnFailure: true })
   * ```
   * @throws RunTimeoutError when the time is up; it has the run as last seen
   * @throws RunFailedError with `throwOnFailure`
   * @throws ApiError for any other error status
   * @throws ResponseParseError when the first response is not a run, or any response is a different run
   * @throws RedirectError when the service redirects
   */
  waitForRun: (run: RunReference, options?: WaitForRunOptions) => Promise<Run>
  /**
   * Yields the run when first seen, and after each change until it ends. Leaving the loop stops polling.
   *
   * Stated, section 4. Assumed: a run ends as succeeded or failed.
   *
   * @example
   * ```ts
   * for await (const { status, steps } of client.watchRun('run_8Zt4Lm2c')) console.log(status, steps.length)
   * ```
   * @throws what `waitForRun` throws, except RunFailedError
   */
  watchRun: (run: RunReference, options?: WatchOptions) => RunChanges
}

const WAIT_RULES: OptionRules<WaitForRunOptions> = {
  ...SHARED_RULES,
  until: either(oneOf('terminal', 'approval'), FUNCTION),
  onUpdate: FUNCTION,
  onStep: FUNCTION,
  throwOnFailure: TRUE_OR_FALSE,
}

export function runMethods(invoke: Invoke, settings: Settings, hasMiddleware: () => boolean): RunMethods {
  const watch = createWatchers(invoke, settings, hasMiddleware)
  return {
    watchRun(run, options = {}) {
      checkedOptions<WatchOptions>(options, SHARED_RULES)
      return changesOf(watch(runId(run), options))
    },
    async waitForRun(run, options = {}) {
      checkedOptions(options, WAIT_RULES)
      const watcher = watch(runId(run), options)
      const changedSteps = createChangedSteps()
      for (;;) {
        const seen = (await watcher.next())!
        if ((await isArrived(watcher, options, changedSteps)) || isTerminalRunStatus(seen.status)) {
          if (options.throwOnFailure) throwIfFailed(watcher.shown())
          return seen
        }
      }
    },
  }
}

const runId = (run: RunReference): string => (run as { id?: string } | undefined)?.id ?? (run as string)

/** The changes that a watcher sees, one after the other, however they are asked for. */
function changesOf(watcher: Watcher): RunChanges {
  let last: Promise<unknown> = Promise.resolve()
  const next = async (): Promise<IteratorResult<Run, undefined>> => {
    const value = await watcher.next()
    return value ? { value, done: false } : { value: undefined, done: true }
  }
  const changes: RunChanges = {
    next() {
      const result = last.then(next)
      last = result.catch(() => {})
      return result
    },
    async return() {
      watcher.end()
      await last
      return { value: undefined, done: true }
    },
    [Symbol.asyncIterator]: () => changes,
  }
  return changes
}

/** Reports a run that has changed. Resolves to whether it is where it is wanted. */
async function isArrived(
  watcher: Watcher,
  { until, onUpdate, onStep }: WaitForRunOptions,
  changedSteps: (run: Run) => Step[],
): Promise<boolean> {
  const { call, copy, isLate } = watcher
  try {
    if (onUpdate) await call(() => onUpdate(copy()))
    if (onStep) {
      const run = copy()
      for (const step of changedSteps(run)) await call(() => onStep(step, run))
    }
    if (until === 'approval') return waitsForApproval(copy())
    return typeof until === 'function' ? await call(() => until(copy())) : false
  } catch (error) {
    // A run that has ended in time is returned, whatever the callbacks still do.
    if (isLate(error) && isTerminalRunStatus(copy().status)) return true
    throw error
  }
}

/** Finds the steps of a run that are new, or have another status than before. */
function createChangedSteps(): (run: Run) => Step[] {
  let steps: readonly Step[] = []
  return (run) => {
    const before = new Map(steps.map((step) => [step?.id, step?.status]))
    steps = stepsOf(run)
    return steps.filter((step) => step && (!before.has(step.id) || before.get(step.id) !== step.status))
  }
}

function throwIfFailed(run: Run): void {
  if (isTerminalRunStatus(run.status) && run.status !== RUN_STATUS.succeeded)
    throw new RunFailedError(`Run ${run.id} ended as ${run.status}.`, { run })
}
