import type { Run, Step } from '../../../generated/types.js'
import { parseJson } from '../../internal/json.js'
import { FUNCTION, type OptionRules, oneOf, TRUE_OR_FALSE } from '../../internal/options.js'
import { RUN_STATUS, STEP_STATUS } from '../../internal/status.js'
import { onAbort, type Time, throwIfAborted } from '../../internal/time.js'
import { type Keys, targets } from '../call.js'
import { parseError } from '../check.js'
import { WATCH_TIMEOUT } from '../defaults.js'
import { NotFoundError, RateLimitError, ResponseParseError, RunFailedError, RunTimeoutError } from '../errors.js'
import { createKeys } from '../layers/authenticate.js'
import { notifyOnce } from '../layers/observe.js'
import type { Invoke, Received } from '../methods.js'
import { headersByName } from '../openapi-fetch.js'
import { type CallOptions, checkOptions, either, type Settings, SHARED_RULES } from '../options.js'
import type { StartedRuns } from '../started-run.js'
import { createPolling } from './polling.js'
import { isKnownRunStatus, isTerminalRunStatus } from './statuses.js'

/** How a run is watched. */
export interface WatchOptions extends Pick<CallOptions, 'signal' | 'serviceVersion' | 'headers'> {
  /** How long to watch, in ms; default 900,000. `Infinity` for as long as it takes. */
  timeout?: number | undefined
}

/** How a run is waited for. */
export interface WaitForRunOptions extends WatchOptions {
  /**
   * What to wait for: `terminal`, the default, for the end; `approval` for a step that waits for approval, or the end.
   * A function decides by itself; the wait ends with the run in any case.
   */
  until?: 'terminal' | 'approval' | ((run: Run) => boolean | Promise<boolean>) | undefined
  /** Called with the run as it is first seen, and after each change. An error that it throws ends the wait. */
  onUpdate?: ((run: Run) => unknown) | undefined
  /** Called for each step that appears, and after each change of its status. An error that it throws ends the wait. */
  onStep?: ((step: Step, run: Run) => unknown) | undefined
  /** Whether a run that ends badly rejects with a `RunFailedError`; default false. */
  throwOnFailure?: boolean | undefined
}

/** A run, by its id or as what `triggerRun` resolves to. */
export type RunReference = string | { readonly id: string }

/** The part of a client that follows runs. Basis: S21, A38. */
export interface RunMethods {
  /**
   * Polls a run until it is where it is wanted. Watchers of one run share its polls, and all watchers together use a
   * share of the rate limit. Outages, errors from 500 on and 429s are waited out, and, once the run has been seen, pages
   * that are no run. A 404 is repeated for 10 s after this client has triggered the run. A run that ends badly resolves,
   * unless `throwOnFailure` is set. A status that the contract does not know is not terminal.
   *
   * @throws RunTimeoutError when the time is over; it has the run as it was last seen
   * @throws RunFailedError with `throwOnFailure`
   * @throws ApiError for any other error status
   * @throws ResponseParseError when the first response is no run, or any is another run
   * @throws RedirectError when the service redirects
   */
  waitForRun(run: RunReference, options?: WaitForRunOptions): Promise<Run>
  /**
   * The run as it is first seen, and after each change until it ends. Leaving the loop ends the polls.
   *
   * @throws what `waitForRun` throws, other than RunFailedError
   */
  watchRun(run: RunReference, options?: WatchOptions): AsyncGenerator<Run, void, undefined>
}

const WAIT_RULES: OptionRules<WaitForRunOptions> = {
  ...SHARED_RULES,
  until: either(oneOf('terminal', 'approval'), FUNCTION),
  onUpdate: FUNCTION,
  onStep: FUNCTION,
  throwOnFailure: TRUE_OR_FALSE,
}

export function runMethods(invoke: Invoke, settings: Settings, startedRuns: StartedRuns): RunMethods {
  const { time } = settings
  const shared = { time, take: createTake(settings), subscribe: createSubscribe(invoke, settings, startedRuns) }
  return {
    watchRun(run, options = {}) {
      checkOptions<WatchOptions>(options, SHARED_RULES)
      const ended = new AbortController()
      const runs = watch(shared, idOf(run), options, ended)
      // A generator would wait for its pending next() first. Assigned, it would be refused where prototypes are frozen.
      const end = runs.return.bind(runs)
      const value = (value: undefined) => {
        ended.abort(ended)
        return end(value)
      }
      return Object.defineProperty(runs, 'return', { value })
    },
    async waitForRun(run, options = {}) {
      checkOptions(options, WAIT_RULES)
      let last: Run | undefined
      for await (const each of watch(shared, idOf(run), options)) last = each
      return last!
    },
  }
}

const idOf = (run: RunReference): string => (run as { id?: string } | undefined)?.id ?? (run as string)

/** Takes what a poll brought. Returns whether it differs from what came before. */
type Take = (watcher: Watcher, received: Received) => boolean

function createTake({ onUnknownStatus }: Settings): Take {
  const reported = new Set<string>()
  return (watcher, received) => {
    const { reply, call, value } = received
    const { text } = reply
    const run = value as Run
    if (typeof run?.status !== 'string') {
      // The page of a proxy that stands in for a service which was there before.
      if (watcher.run) return false
      throw parseError(call, reply, 'a body that is not a run')
    }
    const { keys } = call.progress
    if (run.id !== undefined && String(run.id) !== watcher.id)
      throw parseError(call, reply, keys.redact(`the run ${run.id} in the place of ${watcher.id}`))
    if (onUnknownStatus && !isKnownRunStatus(run.status))
      notifyOnce(reported, run.status.slice(0, MAX_KEY), onUnknownStatus, { status: run.status, run: copyOf({ text }) })
    const changed = text !== watcher.text
    Object.assign(watcher, { run, keys, text, shown: parseJson(keys.redact(text)) })
    return changed
  }
}

/** What is remembered of an unknown status: a service may send one that is long. */
const MAX_KEY = 100

/** How watchers ask for a run: no failure of the service ends it, only the watchers do. */
const UNTIL_ABORTED = { totalTimeout: Infinity, retry: { maxRetries: Infinity } }

function createSubscribe(invoke: Invoke, { time, polling }: Settings, startedRuns: StartedRuns) {
  const subscribe = createPolling<Received>(time, polling)
  const target = targets.find(({ operation }) => operation === 'getRun')!
  return (id: string, { serviceVersion, headers }: WatchOptions, keys: Keys) => {
    const key = [serviceVersion, ...Object.entries(headersByName(headers)).sort(), id].join('\n')
    const poll = async (signal: AbortSignal): Promise<Received> => {
      const request = { params: { path: { id } } }
      const options = { signal, serviceVersion, headers, ...UNTIL_ABORTED }
      for (;;) {
        try {
          return await invoke({ target, request, options, priority: 'poll', keys })
        } catch (error) {
          const unsettled = error instanceof NotFoundError ? startedRuns.unsettledFor(id) : 0
          if (!(error instanceof RateLimitError || unsettled > 0)) throw error
          // The service asked for a longer wait than the client believes. Now and then a call finds out whether it is over.
          await time.sleep(unsettled ? Math.min(unsettled, polling.minInterval) : polling.maxInterval, signal)
        }
      }
    }
    return subscribe(key, poll)
  }
}

/** What the watchers of a client share. */
interface Shared {
  time: Time
  take: Take
  subscribe: ReturnType<typeof createSubscribe>
}

async function* watch(
  { time, take, subscribe }: Shared,
  id: string,
  options: WaitForRunOptions,
  ended = new AbortController(),
): AsyncGenerator<Run, void, undefined> {
  const { signal, until, throwOnFailure, timeout = WATCH_TIMEOUT } = options
  const arrived = typeof until === 'function' ? until : until === 'approval' ? waitsForApproval : () => false
  const deadline = time.now() + timeout
  const watcher: Watcher = { id, keys: createKeys(), text: '', run: undefined, shown: undefined, steps: [] }
  const next = subscribe(id, options, watcher.keys)
  const late = () => runTimeout(watcher.keys.redact(id), timeout, watcher.shown)
  const inTime: InTime = async (work) => {
    // Only while something is awaited: an iterator that is abandoned leaves nothing at the signal.
    const ignore = onAbort(signal, () => ended.abort(signal?.reason))
    try {
      throwIfAborted(signal)
      return await time.withTimeout(ended.signal, deadline - time.now(), late, work)
    } finally {
      ignore()
    }
  }
  let over = false
  try {
    do {
      const received = await inTime(next).catch((error: unknown) => ignoreProxy(watcher, error))
      if (!received || !take(watcher, received)) continue
      over = isTerminalRunStatus(watcher.run!.status)
      yield copyOf(watcher)
      const isThere = callBack(watcher, options, inTime).then(() => inTime(async () => arrived(copyOf(watcher))))
      // A run that has ended in time is returned, whatever the callbacks still do.
      if (await isThere.catch((error: unknown) => (over && error instanceof RunTimeoutError) || Promise.reject(error)))
        break
    } while (!over)
    if (throwOnFailure) throwIfFailed(watcher.shown!)
  } catch (error) {
    if (error !== ended) throw error
  }
}

/** @throws the error, unless it is the page of a proxy that stands in for a service which was there before */
function ignoreProxy({ run }: Watcher, error: unknown): undefined {
  if (!(run && error instanceof ResponseParseError)) throw error
}

/** What a watcher has seen of its run. */
interface Watcher {
  id: string
  keys: Keys
  /** The body of the last response that was a run. */
  text: string
  run: Run | undefined
  /** The run as an error may show it. */
  shown: Run | undefined
  /** The steps as they were last reported. */
  steps: readonly Step[]
}

type InTime = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Everybody gets a copy of the run: what becomes of it decides nothing here. */
const copyOf = ({ text }: Pick<Watcher, 'text'>): Run => parseJson(text) as Run

/** Reports a run that has changed. */
async function callBack(watcher: Watcher, { onUpdate, onStep }: WaitForRunOptions, inTime: InTime): Promise<void> {
  if (onUpdate) await inTime(async () => onUpdate(copyOf(watcher)))
  const run = onStep && copyOf(watcher)
  for (const step of run ? changedSteps(run, watcher.steps) : []) await inTime(async () => onStep?.(step, run!))
  watcher.steps = stepsOf(watcher.run!)
}

function throwIfFailed(run: Run): void {
  if (isTerminalRunStatus(run.status) && run.status !== RUN_STATUS.succeeded)
    throw new RunFailedError(`Run ${run.id} ended as ${run.status}.`, { run })
}

function runTimeout(runId: string, timeout: number, run: Run | undefined): RunTimeoutError {
  const waits = run && waitsForApproval(run) ? ', and a step waits for approval' : ''
  const unknown = run && !isKnownRunStatus(run.status) ? ', which the contract does not know' : ''
  const state = run ? `last status: ${run.status}${unknown}${waits}` : 'no poll succeeded'
  return new RunTimeoutError(`Run ${runId} did not finish within ${timeout} ms (${state}).`, { runId, run })
}

const waitsForApproval = (run: Run): boolean =>
  stepsOf(run).some((step) => step?.status === STEP_STATUS.waitingApproval)

const stepsOf = ({ steps }: Run): readonly Step[] => (Array.isArray(steps) ? steps : [])

/** The steps that are new, or have another status than before. */
function changedSteps(run: Run, before: readonly Step[]): Step[] {
  const known = new Map(before.map((step) => [step?.id, step?.status]))
  return stepsOf(run).filter((step) => step && (!known.has(step.id) || known.get(step.id) !== step.status))
}
