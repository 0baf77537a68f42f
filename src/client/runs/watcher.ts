import { assumedValues } from '../../../generated/contract.js'
import type { Run } from '../../../generated/types.js'
import { parseJson } from '../../internal/http/json.js'
import { abortReason, onAbort, throwIfAborted } from '../../internal/time/abort.js'
import { secondsText } from '../../internal/time/time.js'
import { stepsOf, waitsForApproval } from '../../shared/run-status.js'
import { isKnownRunStatus, isKnownStepStatus, isTerminalRunStatus } from '../../status/index.js'
import { parseError } from '../check.js'
import { WATCH_TIMEOUT } from '../defaults.js'
import { NotFoundError, RateLimitError, ResponseParseError, RunTimeoutError } from '../errors.js'
import { notifyOnce } from '../hooks.js'
import { apiErrorOf, type Invoke, type Received } from '../methods.js'
import type { CallOptions, Settings } from '../options.js'
import { targets } from '../request/call.js'
import { headersByName } from '../request/headers.js'
import { createKeys, type Keys, validKey } from '../request/keys.js'
import type { Beginning } from '../request/pipeline.js'
import { namesUntilReset } from '../resets.js'
import { createPolling, type Poll, type Subscription } from './polling.js'

/** How a run is watched. */
export interface WatchOptions extends Pick<CallOptions, 'signal' | 'serviceVersion' | 'headers'> {
  /** How long to watch, in ms; default 900,000. `Infinity` for as long as it takes. */
  timeout?: number | undefined
}

/** Follows a run for one caller. */
export interface Watcher {
  /** Resolves to the run as it is first seen, then after its next change; to undefined after its end, or after `end()`. */
  next(): Promise<Run | undefined>
  /** Ends the polls, also the one that `next` waits for. */
  end(): void
  /** The run as it was last seen. Everybody gets a copy: what becomes of it decides nothing here. */
  copy(): Run
  /** The run as an error may show it. */
  shown(): Run
  /** Whether an error is that of its own time, and not of a wait that a callback has begun. */
  isLate(error: unknown): boolean
  /** Settles as a callback of the caller does, unless the caller aborts or the time is over first. */
  call<T>(callback: () => T | Promise<T>): Promise<T>
}

/** Makes the watchers of a client. */
export function createWatchers(invoke: Invoke, settings: Settings, hasMiddleware: () => boolean) {
  const { time, apiKey, polling } = settings
  const subscribe = createSubscribe(invoke, settings, hasMiddleware)
  const reportStatus = createReportStatus(settings)
  return (id: string, options: WatchOptions): Watcher => {
    const { signal, timeout = WATCH_TIMEOUT } = options
    const ended = new AbortController()
    let keys = createKeys(apiKey)
    const { poll, pollAlone, failure } = subscribe(id, options, keys)
    let hasLooked = false
    let begunAt: number | undefined
    let seen: Seen | undefined
    let seenAt = 0
    let hasLeft = false
    const copy = () => parseJson(seen!.text) as Run
    const shown = () => parseJson(keys.redact(seen!.text)) as Run
    let lateError: RunTimeoutError | undefined
    const late = () => {
      const last = seen && { run: shown(), age: time.now() - seenAt }
      lateError = runTimeout(keys.redact(id), timeout, last, failure() as Error | undefined)
      return lateError
    }
    const isLate = (error: unknown) => lateError !== undefined && error === lateError
    const within = async <T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      // Only while something is awaited: an iterator that is abandoned leaves nothing at the signal.
      const ignore = onAbort(signal, () => ended.abort(abortReason(signal!)))
      try {
        throwIfAborted(signal)
        return await time.withTimeout(ended.signal, ms, late, work)
      } finally {
        ignore()
      }
    }
    const inTime = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      begunAt ??= time.now()
      return within(begunAt + timeout - time.now(), work)
    }
    /** Polls a last time when the time is up, if the process stood still and has missed a poll. */
    const lastLook = async (error: unknown): Promise<Received> => {
      const stoodStill = isLate(error) && time.now() - begunAt! - timeout >= polling.minInterval
      if (hasLooked || !stoodStill) throw error
      hasLooked = true
      return await within(LONGEST_LOOK, pollAlone).catch((later: unknown) => {
        throw signal?.aborted ? later : error
      })
    }
    /** Polls until the run has changed. */
    const change = async (): Promise<Seen> => {
      for (;;) {
        if (hasLooked) throw late()
        const received = await inTime(poll)
          .catch(lastLook)
          .catch((error: unknown) => {
            // A new run may not be readable at once.
            const isNew = !seen && error instanceof NotFoundError && time.now() - begunAt! < SETTLES
            // The page of a proxy stands in for a service that was there before.
            if (!isNew && !(seen && error instanceof ResponseParseError)) throw error
          })
        const next = received && runIn(received, id, seen)
        if (!next) continue
        keys = received.call.keys
        seenAt = time.now()
        reportStatus(next)
        if (next.text !== seen?.text) return next
      }
    }
    return {
      copy,
      shown,
      isLate,
      call: (callback) => inTime(() => time.hold(async () => callback())),
      end() {
        hasLeft = true
        ended.abort()
      },
      async next() {
        if (ended.signal.aborted || (seen && isTerminalRunStatus(seen.status))) return undefined
        try {
          seen = await change()
          return copy()
        } catch (error) {
          if (hasLeft) return undefined
          ended.abort()
          throw signal?.aborted ? abortReason(signal) : error
        }
      },
    }
  }
}

/** Reports each status once that the contract does not know. */
function createReportStatus({ clock, onUnknownStatus }: Settings) {
  const reported = namesUntilReset(clock)
  return ({ status, text }: Seen): void => {
    if (!onUnknownStatus || isKnownRunStatus(status)) return
    const eventOf = () => ({ status, run: parseJson(text) as Run })
    notifyOnce(reported, status.slice(0, MAX_KEY), 'onUnknownStatus', onUnknownStatus, eventOf)
  }
}

/** What is remembered of an unknown status: a service may send one that is long. */
const MAX_KEY = 100

/** A run as it was seen, with the body of the response. */
interface Seen {
  status: string
  text: string
}

/** How long a new run may be unreadable, in ms: reads may lag behind writes. Basis: A43. */
const SETTLES = assumedValues.readableAtOnce * 1_000

/** How long the poll of a process that stood still beyond its time may take, in ms. */
const LONGEST_LOOK = 5_000

/** The run that a poll brought; undefined for the page of a proxy. */
function runIn({ reply, call, value }: Received, id: string, seen: Seen | undefined): Seen | undefined {
  const { status, id: ofRun } = Object(value) as Partial<Run>
  if (typeof status !== 'string') {
    if (seen) return undefined
    throw parseError(call, reply, 'a body that is not a run')
  }
  if (ofRun !== undefined && String(ofRun) !== id)
    throw parseError(call, reply, call.keys.redact(`the run ${ofRun} instead of ${id}`))
  return { status, text: reply.text }
}

/** How watchers ask for a run: what may be retried is retried until the watchers end it. */
const UNTIL_ABORTED = { totalTimeout: Infinity, retry: { maxRetries: Infinity } }

/**
 * Watchers share the polls of a run only where their requests are the same, with the key that each has when it joins.
 * Middleware may change a request for its caller, so that nothing is shared with it.
 */
function createSubscribe(invoke: Invoke, { time, clock, polling, apiKey }: Settings, hasMiddleware: () => boolean) {
  const share = createPolling<Received>(time, polling, clock)
  const target = targets.find(({ operation }) => operation === 'getRun')!
  return (id: string, { serviceVersion, headers }: WatchOptions, keys: Keys) => {
    /** The key that was read when the watcher joined, for its first poll, if it makes that at once. */
    let firstKey: string | undefined
    const pollAlone: Poll<Received> = async (signal, onFailure) => {
      const request = { params: { path: { id } } }
      const options = { signal, serviceVersion, headers, ...UNTIL_ABORTED }
      const how = {
        priority: 'poll',
        keys,
        onFailure: (outcome) =>
          onFailure(outcome instanceof Error ? outcome : apiErrorOf({ ...target, time }, outcome)),
      } satisfies Beginning
      for (;;) {
        try {
          const known = firstKey
          firstKey = undefined
          return await invoke({ target, request, options, ...how, firstKey: known })
        } catch (error) {
          if (!(error instanceof RateLimitError)) throw error
          onFailure(error)
          // The service asked for a longer wait than the client believes. Now and then a call finds out whether it is over.
          await time.sleep(polling.maxInterval, signal)
        }
      }
    }
    let shared: Subscription<Received> | undefined
    return {
      pollAlone: (signal: AbortSignal) => pollAlone(signal, () => {}),
      async poll(signal: AbortSignal): Promise<Received> {
        if (!shared) {
          const key = validKey(typeof apiKey === 'string' ? apiKey : await time.hold(async () => apiKey()))
          keys.add(key)
          const parts = [key, serviceVersion, ...Object.entries(headersByName(headers)).sort(), id]
          shared = share(hasMiddleware() ? undefined : parts.join('\n'), pollAlone)
          // A follower may lead much later, when the key is another one.
          if (!shared.follows()) firstKey = key
        }
        return shared.next(signal)
      },
      failure: () => shared?.failure(),
    }
  }
}

/** The error of a watcher whose time is up: `age` is how long ago its run was seen, in ms, and `cause` why polls fail since. */
function runTimeout(
  runId: string,
  timeout: number,
  last: { run: Run; age: number } | undefined,
  cause: Error | undefined,
): RunTimeoutError {
  const why = cause?.message.replace(/\.$/, '')
  const state = last
    ? `last status: ${stateOf(last.run)}; seen ${secondsText(last.age)} ago${why ? `; since then: ${why}` : ''}`
    : `no poll succeeded${why ? `: ${why}` : ''}`
  const message = `Run ${runId} did not finish within ${timeout} ms (${state}).`
  return new RunTimeoutError(message, { runId, run: last?.run }, cause && { cause })
}

/** The status of a run, and what may be the reason that it does not change. */
function stateOf(run: Run): string {
  const unknown = isKnownRunStatus(run.status) ? '' : ', which the contract does not know'
  const waits = waitsForApproval(run) ? ', and a step waits for approval' : ''
  const strange = stepsOf(run).find((step) => step?.status && !isKnownStepStatus(step.status))
  const step = strange ? `, and step ${strange.id} is ${strange.status}, which the contract does not know` : ''
  return `${run.status}${unknown}${waits}${step}`
}
