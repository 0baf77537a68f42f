import { operations } from '../../../../generated/contract.js'
import type { Run } from '../../../../generated/types.js'
import { untilAborted } from '../../../internal/time/abort.js'
import { operationOf } from '../../service/pipeline.js'
import { keyOf } from '../../service/request/authorization.js'
import { MAX_BODY, pathWithQuery } from '../../service/request/index.js'
import type { EngineParts, KnownRequest, SandboxExchange, SandboxPlugin, SandboxResponse } from '../engine.js'
import { chosenFault } from '../faults/choose.js'
import { UNKNOWN_KEY } from '../world/name.js'
import type { KeptRequest } from './request-record.js'

/** The plug-in that opens a request with what is known of it, logs it when it has ended, and emits the events of its changes. */
export const log =
  (engine: EngineParts): SandboxPlugin =>
  (next) =>
  async (exchange) => {
    const { request } = exchange
    const operation = operationOf(exchange)
    const start = engine.clock.now()
    const resetSignal = engine.resetSignal()
    const key = engine.keys.get(keyOf(request.header('authorization') ?? '') ?? '')
    const fault = chosenFault(engine, exchange, key?.name)
    // Read first, because a fault may end the request before it is handled.
    const hasBody = operation !== undefined && 'body' in operations[operation]
    const readBody = () => request.text(MAX_BODY)
    const body = hasBody ? await untilAborted(resetSignal, readBody).catch(() => undefined) : undefined
    resetSignal.throwIfAborted()
    const known: KnownRequest = { start, resetSignal, key, fault, body }
    let response: SandboxResponse | undefined
    let failure: unknown
    try {
      response = await next(exchange, known)
      resetSignal.throwIfAborted()
      return response
    } catch (error) {
      failure = error
      throw error
    } finally {
      if (!resetSignal.aborted) {
        const recordOf = engine.log.add(keptRequest(engine, exchange, known, response, failure))
        engine.events.emit(() => ({ type: 'request', request: recordOf() }))
        emitChanges(engine, exchange, response)
      }
    }
  }

/** A request as the log keeps it, once it has ended: with a response, without, or with the error of its handler. */
export function keptRequest(
  { clock }: EngineParts,
  exchange: SandboxExchange,
  { start, key, fault, body }: KnownRequest,
  response: SandboxResponse | undefined,
  error?: unknown,
): KeptRequest {
  const { request } = exchange
  const isUnknownKey = response?.handled?.reason?.type === 'key' && request.header('authorization') !== null
  const time = clock.now()
  return {
    time,
    operation: operationOf(exchange),
    key: key?.name ?? (isUnknownKey ? UNKNOWN_KEY : undefined),
    method: request.method,
    path: pathWithQuery(request),
    headers: request.headers(),
    body,
    response: response?.connection === 'dropped' ? undefined : response,
    reason: response ? response.logReason : fault?.reason,
    // What a client that leaves aborts is no error of a handler.
    error: error === undefined || request.isAborted() ? undefined : messageOf(error),
    duration: time - start,
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Emits what a request has changed: the tokens of its workspace, and its run. */
function emitChanges(
  { limits, runs, events }: EngineParts,
  { context }: SandboxExchange,
  response: SandboxResponse | undefined,
): void {
  if (!context || !events.observed()) return
  const { name, limit } = context
  const tokens = limits.tokens(limit)
  if (tokens !== undefined) events.emit(() => ({ type: 'limit', workspace: name, tokens }))
  const run = runIn(response?.handled?.body)
  if (run) events.emit(() => ({ type: 'run', workspace: name, run, ...runs.view(run.id) }))
}

/** The run that a body is; undefined for another body. A custom handler may respond with a run to any operation. */
function runIn(body: unknown): Run | undefined {
  const { playbook_id, steps } = (body ?? {}) as Partial<Run>
  return playbook_id !== undefined && steps ? (body as Run) : undefined
}
