import { operations } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import { type OptionRules, oneOf, optionProblems, shown, throwIfProblems, wholeNumber } from '../internal/options.js'
import { withTimeout } from '../internal/sleep.js'
import { STEP_STATUS } from '../internal/status.js'
import { onAbort } from '../internal/time.js'
import type { Engine } from './engine.js'
import type { RequestFilter, RequestRecord } from './log.js'

/** How long to wait for a request. */
export interface WaitOptions {
  /** In ms of real time; default 5,000. */
  timeout?: number | undefined
  signal?: AbortSignal | undefined
}

const FILTER: OptionRules<RequestFilter> = {
  operation: oneOf(...Object.keys(operations)),
  status: wholeNumber(100, 599),
  key: [(value) => typeof value === 'string', 'the name of a key'],
  body: [() => true, 'a JSON value'],
  after: wholeNumber(0),
}

const WAIT: OptionRules<WaitOptions> = {
  timeout: [(value) => typeof value === 'number' && value >= 0, 'a number of ms, 0 or more'],
  signal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
}

/** @throws TypeError that names every invalid property */
export function requireFilter(filter: RequestFilter): RequestFilter {
  throwIfProblems('This filter of requests is not valid', optionProblems(filter, FILTER))
  return filter
}

/** The first request of the log that matches, or the next one. @throws Error after `timeout` */
export async function waitForRequest(
  { log, events }: Engine,
  filter: RequestFilter = {},
  options: WaitOptions = {},
): Promise<RequestRecord> {
  requireFilter(filter)
  throwIfProblems('waitForRequest', optionProblems(options, WAIT))
  const { timeout = 5_000, signal } = options
  const [found] = log.records(filter, 1)
  if (found) return found
  const late = () => new Error(nothingMatched(filter, timeout, log.records({ after: filter.after })))
  return withTimeout(
    signal,
    timeout,
    late,
    (ended) =>
      new Promise((resolve) => {
        const unsubscribe = events.subscribe(
          (event) => {
            if (event.type !== 'request' || !event.request) return
            const [came] = log.records({ ...filter, after: Math.max(filter.after ?? 0, event.request.number - 1) }, 1)
            if (!came) return
            unsubscribe()
            resolve(came)
          },
          () => {},
        )
        onAbort(ended, unsubscribe)
      }),
  )
}

/** How many of the requests that came a message lists. */
const MOST_LISTED = 10

function nothingMatched(filter: RequestFilter, timeout: number, came: RequestRecord[]): string {
  const wanted = Object.entries(filter).map(([name, value]) => `${name}: ${shownJson(value)}`)
  const listed = came.slice(-MOST_LISTED).map(({ operation, key, request, response }) => {
    const outcome = response?.status ?? 'without a response'
    return `- ${request.method} ${request.path} (${operation ?? 'no operation'}, key ${key ?? 'none'}): ${outcome}`
  })
  const instead =
    came.length === 0
      ? 'No request came.'
      : `The last ${listed.length} of ${came.length} that came:\n${listed.join('\n')}`
  return `No request with { ${wanted.join(', ')} } came within ${timeout} ms. ${instead}`
}

const shownJson = (value: unknown): string => JSON.stringify(value) ?? shown(value)

/** Calls `listener` once with each run and each of its steps that waits for approval. Returns a function that ends it. */
export function onWaiting({ events, runs }: Engine, listener: (run: Run) => unknown): () => void {
  if (typeof listener !== 'function') throw new TypeError('onWaiting takes a function.')
  let ended = false
  const { look, lookAtAll, forget } = announceWaiting((run) => ended || listener(run))
  const unsubscribe = events.subscribe(
    (event) => {
      if (event.type === 'reset') forget()
      if (event.type === 'run') look(event.run)
      else if (event.type === 'clock' || event.type === 'reset') lookAtAll(runs.waiting())
    },
    () => {},
  )
  lookAtAll(runs.waiting())
  return () => {
    ended = true
    unsubscribe()
  }
}

/** Calls `listener` with a run that is looked at, once for each of its steps that waits for approval. */
export function announceWaiting(listener: (run: Run) => unknown) {
  let seen = new Map<string, string>()
  const look = (run: Run): void => {
    const step = run.steps.find(({ status }) => status === STEP_STATUS.waitingApproval)?.id
    if (step === undefined) seen.delete(run.id)
    else if (seen.get(run.id) !== step) {
      seen.set(run.id, step)
      // What it throws is an error of the test, and not of the request that moved the run.
      queueMicrotask(() => listener(run))
    }
  }
  return {
    look,
    /** Looks at all runs that wait, and forgets the others. */
    lookAtAll(waiting: readonly Run[]): void {
      const ids = new Set(waiting.map(({ id }) => id))
      seen = new Map([...seen].filter(([id]) => ids.has(id)))
      for (const run of waiting) look(run)
    },
    forget: () => seen.clear(),
  }
}
