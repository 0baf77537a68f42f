import type { Run } from '../../../generated/types.js'
import { now } from '../../internal/time/system.js'
import { operationOf } from '../../service/pipeline.js'
import { type CheckedExchange, checkEnd } from '../clients/index.js'
import type { EngineParts } from '../engine.js'
import { DroppedConnectionError, type SandboxResponse } from '../faults/effects.js'
import type { AppliedFault } from '../faults/types.js'
import type { SandboxKey } from '../world/workspaces.js'
import type { RawRecord, Reason } from './request-record.js'

/** A request on its way through the sandbox. */
export interface SandboxExchange extends CheckedExchange {
  /** Aborted by a reset, after which the request has no effect. */
  resetSignal: AbortSignal
  /** The key that the request has, if the world has it. */
  key: SandboxKey | undefined
  /** When it started; monotonic, in ms. */
  start: number
}

/** Logs a request, has its client checked, and emits the events of its changes. */
export function record(
  engine: EngineParts,
  exchange: SandboxExchange,
  response: SandboxResponse | undefined,
  error?: unknown,
): void {
  const { log, limits, runs, events, faults, clock } = engine
  const { request, fault, handled, context, body, start, key } = exchange
  if (exchange.resetSignal.aborted) return
  const { method, path, query } = request
  const unknown = handled?.reason?.type === 'key' && request.header('authorization') !== null
  const dropped = error instanceof DroppedConnectionError
  const time = clock.limitTime()
  const raw = {
    time,
    operation: operationOf(exchange),
    key: key?.name ?? (unknown ? 'unknown' : undefined),
    method,
    path: query ? `${path}?${query}` : path,
    headers: request.headers(),
    body,
    response,
    reason: fault ? faultReason(fault) : handled?.reason,
    error: error === undefined || dropped ? undefined : error instanceof Error ? error.message : String(error),
    duration: now() - start,
  } satisfies RawRecord
  const logged = log.add(raw)
  checkEnd(engine, exchange, response, time, logged)
  events.emit(() => ({ type: 'request', request: logged() }))
  if (fault) faults.changed()
  if (!context || !events.observed()) return
  const { name, limit } = context
  const tokens = limits.tokens(limit)
  if (tokens !== undefined) events.emit(() => ({ type: 'limit', workspace: name, tokens }))
  const run = handled?.body as Partial<Run> | undefined
  if (run?.playbook_id !== undefined && run.steps)
    events.emit(() => ({ type: 'run', workspace: name, run: run as Run, ...runs.view(run.id ?? '') }))
}

const faultReason = ({ number }: AppliedFault): Reason =>
  number === undefined ? { type: 'exercise' } : { type: 'fault', number }
