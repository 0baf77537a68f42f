import type { Run, RunStatus } from '../../generated/types.js'
import { now, withTimeout } from '../internal/sleep.js'
import { checkNumber } from './check.js'
import { RunFailedError, RunTimeoutError } from './errors.js'
import type { CallOptions, Settings } from './options.js'
import { createPolls, type GetRun } from './polls.js'
import { isKnownRunStatus, isTerminalRunStatus, type KnownRunStatus, type KnownStepStatus } from './statuses.js'

/** Told of a status that the contract does not know. */
export type OnUnknownStatus = (event: { status: RunStatus; run: Run }) => void

/** How a run is watched. */
export interface WatchOptions extends Pick<CallOptions, 'signal' | 'serviceVersion'> {
  /** How long to watch, in ms; default 900,000. `Infinity` for as long as it takes. */
  timeout?: number | undefined
}

/** How a run is waited for. */
export interface WaitForRunOptions extends WatchOptions {
  /**
   * What to wait for: `terminal`, the default, for the end; `approval` for a step that waits for approval, or the end.
   * A function decides by itself; the wait ends with the run in any case.
   */
  until?: 'terminal' | 'approval' | ((run: Run) => boolean) | undefined
  /** Called with the run as it is first seen, and after each change. An error that it throws ends the wait. */
  onUpdate?: ((run: Run) => void) | undefined
  /** Whether a run that ends badly rejects with a `RunFailedError`; default false. */
  throwOnFailure?: boolean | undefined
}

/** The part of a client that follows runs. Basis: S21, S41. */
export interface RunMethods {
  /**
   * Polls a run until it is where it is wanted. Watchers of one run share its polls, and all watchers together use a
   * share of the rate limit. A run that ends badly resolves, unless `throwOnFailure`. A status that the contract does
   * not know is no end.
   *
   * @throws RunTimeoutError when the time is over; it holds the run as it was last seen
   * @throws RunFailedError with `throwOnFailure`
   * @throws ApiError, ConnectionError as any call
   */
  waitForRun(id: string, options?: WaitForRunOptions): Promise<Run>
  /**
   * The run as it is first seen, and after each change until it ends. Leaving the loop ends the polls.
   *
   * @throws RunTimeoutError when the time is over; it holds the run as it was last seen
   * @throws ApiError, ConnectionError as any call
   */
  watchRun(id: string, options?: WatchOptions): AsyncGenerator<Run, void, undefined>
}

export function runMethods({ polling, onUnknownStatus }: Settings, getRun: GetRun): RunMethods {
  const polls = createPolls(polling, getRun)
  const reported = new Set<string>()

  async function* watchRun(id: string, options: WatchOptions = {}): AsyncGenerator<Run, void, undefined> {
    const { signal, serviceVersion, timeout = 900_000 } = options
    checkNumber('timeout', timeout, 1)
    const deadline = now() + timeout
    const watched = polls.join(id, serviceVersion)
    let last: Run | undefined
    try {
      do {
        const run = await withTimeout(signal, deadline - now(), () => runTimeout(id, timeout, last), watched.next)
        const changed = JSON.stringify(run) !== JSON.stringify(last)
        last = run
        if (!isKnownRunStatus(run.status) && !reported.has(run.status)) {
          reported.add(run.status)
          onUnknownStatus?.({ status: run.status, run })
        }
        if (changed) yield run
      } while (!isTerminalRunStatus(last.status))
    } finally {
      watched.leave()
    }
  }
  return {
    watchRun,
    async waitForRun(id, { until = 'terminal', onUpdate, throwOnFailure, ...options } = {}) {
      const arrived = typeof until === 'function' ? until : until === 'approval' ? waitsForApproval : () => false
      let last: Run | undefined
      for await (const run of watchRun(id, options)) {
        last = run
        onUpdate?.(run)
        if (arrived(run)) break
      }
      const run = last as Run
      if (throwOnFailure && isTerminalRunStatus(run.status) && run.status !== SUCCEEDED)
        throw new RunFailedError(`The run ${run.id} ended as ${run.status}.`, { run })
      return run
    },
  }
}

const runTimeout = (runId: string, timeout: number, run: Run | undefined): RunTimeoutError =>
  new RunTimeoutError(`The run ${runId} was ${run?.status ?? 'not seen'} after ${timeout} ms.`, { runId, run })

const SUCCEEDED = 'succeeded' satisfies KnownRunStatus
const WAITING = 'waiting_approval' satisfies KnownStepStatus

const waitsForApproval = (run: Run): boolean => run.steps?.some(({ status }) => status === WAITING)
