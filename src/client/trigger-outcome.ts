import { outcomeOfResponse } from '../internal/contract/trigger-outcome.js'
import type { TriggerOutcome } from '../shared/trigger-outcome.js'
import { isContractError } from './errors.js'
import { type Call, startsRun, type Target } from './request/call.js'

/**
 * What triggers were rejected with, and whether an attempt may have arrived by then. It may be anything, such as the reason of a signal
 * or what a key function throws; that of one signal may reject several triggers.
 */
const rejections = new WeakMap<object, boolean>()

/** Does what calls the service, and notes what a trigger is rejected with. */
export const noted = <T>(target: Target, work: (onAttempt: Call['onAttempt']) => Promise<T>): Promise<T> =>
  startsRun(target) ? notedTrigger(work) : work(undefined)

async function notedTrigger<T>(work: (onAttempt: Call['onAttempt']) => Promise<T>): Promise<T> {
  let mayHaveArrived = false
  try {
    return await work((sent) => {
      mayHaveArrived = sent.mayHaveArrived
    })
  } catch (error) {
    if (Object(error) === error) rejections.set(error as object, mayHaveArrived || !!rejections.get(error as object))
    throw error
  }
}

/** The names of the errors that say that a run was started. They are the same in every copy of the package. */
const STARTED = ['MissingRunIdError', 'ContractMismatchError', 'RunTimeoutError', 'RunFailedError']

/**
 * Whether a trigger may be sent again, from the error or the response that it ended with:
 *
 * - `safe`: no run was started, or the specification calls a repetition safe: 400, 401, 403, 404, 429, 500, and whatever
 *   was not sent, also where a signal, an argument or a function of yours, such as `apiKey`, is the reason. Correct a 4xx first.
 * - `started`: a run was started. Do not trigger again.
 * - `unknown`: a run may have been started: a lost response, a gateway's error, any status or error that the contract does
 *   not have; also where an earlier attempt ended so, after which `resendPost` has sent it again. Check first, and never
 *   trigger again automatically.
 *
 * Takes what `triggerRun` rejects with, or a `Response`, also of another client. Of a `Response` the body is not read: a
 * success counts as `started` if its content type is JSON, or if it has none, as an empty one. It does not show whether there
 * was an attempt before. Specification, section 7.
 */
export function triggerOutcome(result: unknown): TriggerOutcome {
  const { name, sent, mayHaveArrived, runId, status, headers, body } = Object(result) as Record<string, unknown>
  if (isContractError(result)) {
    if (sent === false) return 'safe'
    if (STARTED.includes(name as string) || runId !== undefined) return 'started'
    const received = new Headers(headers as Headers | undefined)
    const response = { status: Number(status), headers: received, isJsonOrEmpty: false }
    return outcomeOfResponse({ ...response, mayHaveArrived: mayHaveArrived === true })
  }
  if (typeof status !== 'number' || !headers || result instanceof Error)
    return rejections.get(Object(result)) === false ? 'safe' : 'unknown'
  const received = new Headers(headers as HeadersInit)
  const type = received.get('content-type')
  const isJsonOrEmpty = body === null || type === null || /[/+]json\b/.test(type)
  return outcomeOfResponse({ status, headers: received, isJsonOrEmpty })
}
