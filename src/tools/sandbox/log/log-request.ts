import type { Run } from '../../../../generated/types.js'
import { now } from '../../../internal/time/system.js'
import { operationOf } from '../../service/pipeline.js'
import { checkEnd } from '../clients/index.js'
import type { EngineParts, SandboxExchange } from '../engine.js'
import { DroppedConnectionError, type SandboxResponse } from '../faults/effects.js'
import type { AppliedFault } from '../faults/types.js'
import type { KeptRequest, Reason } from './request-record.js'

/** Logs a request that has ended, checks its client, and emits the events of its changes. */
export function logRequest(
  engine: EngineParts,
  exchange: SandboxExchange,
  response: SandboxResponse | undefined,
  error?: unknown,
): void {
  if (exchange.resetSignal.aborted) return
  const time = engine.clock.limitTime()
  const recordOf = engine.log.add(keptRequest(exchange, response, error, time))
  checkEnd(engine, exchange, response, time, recordOf)
  engine.events.emit(() => ({ type: 'request', request: recordOf() }))
  emitChanges(engine, exchange)
}

function keptRequest(
  exchange: SandboxExchange,
  response: SandboxResponse | undefined,
  error: unknown,
  time: number,
): KeptRequest {
  const { request, fault, handled, body, start, key } = exchange
  const { method, path, query } = request
  const isUnknownKey = handled?.reason?.type === 'key' && request.header('authorization') !== null
  const isDropped = error instanceof DroppedConnectionError
  return {
    time,
    operation: operationOf(exchange),
    key: key?.name ?? (isUnknownKey ? 'unknown' : undefined),
    method,
    path: query ? `${path}?${query}` : path,
    headers: request.headers(),
    body,
    response,
    reason: fault ? faultReason(fault) : handled?.reason,
    error: error === undefined || isDropped ? undefined : error instanceof Error ? error.message : String(error),
    duration: now() - start,
  }
}

const faultReason = ({ number }: AppliedFault): Reason =>
  number === undefined ? { type: 'exercise' } : { type: 'fault', number }

/** Emits what a request has changed: the faults, the tokens of its workspace, and its run. */
function emitChanges(
  { limits, runs, events, faults }: EngineParts,
  { fault, context, handled }: SandboxExchange,
): void {
  if (fault) faults.changed()
  if (!context || !events.observed()) return
  const { name, limit } = context
  const tokens = limits.tokens(limit)
  if (tokens !== undefined) events.emit(() => ({ type: 'limit', workspace: name, tokens }))
  const run = runIn(handled?.body)
  if (run) events.emit(() => ({ type: 'run', workspace: name, run, ...runs.view(run.id) }))
}

/** The run that a body is; undefined for another body. A custom handler may respond with a run to any operation. */
function runIn(body: unknown): Run | undefined {
  const { playbook_id, steps } = (body ?? {}) as Partial<Run>
  return playbook_id !== undefined && steps ? (body as Run) : undefined
}
