import type { OperationId } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import { now, withTimeout } from '../internal/sleep.js'
import { onAbort, untilAborted } from '../internal/time.js'
import { handleRequest, openExchange, operationOf, type PipelineParts } from '../service/pipeline.js'
import type { ServiceRequest } from '../service/request.js'
import { invalidKey, keyOf, type ServiceResponse } from '../service/respond.js'
import { serialize } from '../service/serialize.js'
import type { MaybePromise } from '../service/types.js'
import { type JudgedExchange, judgeArrival, judgeEnd } from './client-rules.js'
import type { Engine } from './engine.js'
import { DroppedConnectionError, faultResponse, type SandboxResponse } from './faults/effects.js'
import type { AppliedFault, FaultTarget } from './faults/types.js'
import type { RawRecord } from './log.js'
import { preferredResponse } from './prefer.js'
import { exampleOf, sandboxOperations } from './runs/operations.js'
import { checkAccess, type SandboxKey, type SandboxWorkspace } from './world/workspaces.js'

/** A request on its way through the sandbox. */
interface SandboxExchange extends JudgedExchange {
  /** Aborted by a reset, after which the request has no effect. */
  resetSignal: AbortSignal
  /** The key that the request has, if the world has it. */
  key: SandboxKey | undefined
  /** When it started; monotonic, in ms. */
  start: number
}

type Parts = PipelineParts<SandboxWorkspace, SandboxExchange>

/** The sandbox as a service with faults; it logs each request, and emits the events of its changes. */
export function createServe(engine: Engine) {
  const parts = partsOf(engine)
  return async (request: ServiceRequest, resetSignal: AbortSignal): Promise<SandboxResponse> => {
    const exchange: SandboxExchange = {
      resetSignal,
      key: engine.keys.get(keyOf(request.header('authorization') ?? '') ?? ''),
      fault: undefined,
      handled: undefined,
      start: now(),
      judged: undefined,
      ...openExchange(request),
    }
    exchange.fault = faultOf(engine, exchange)
    try {
      await judgeArrival(engine, exchange)
      const response = await withFault(engine, exchange, parts)
      const dated = {
        ...response,
        headers: { date: new Date(engine.clock.runTime()).toUTCString(), ...response.headers },
      }
      record(engine, exchange, dated)
      return dated
    } catch (error) {
      record(engine, exchange, undefined, error)
      throw error
    }
  }
}

function partsOf({ limits, runs, settings, workspaces }: Engine): Parts {
  type Handler = (request: unknown) => MaybePromise<ServiceResponse>
  type Handlers = Partial<Record<OperationId, Handler>>
  const own = (settings.handlers ?? {}) as Handlers
  const common = sandboxOperations(runs) as Handlers
  return {
    authenticate(_, { key }, operation) {
      return key ? (checkAccess(key, operation) ?? { context: key.workspace }) : invalidKey
    },
    limit: (workspace, _, quota) => limits.take(workspace.limit, quota),
    handle(request, { resetSignal, request: { header } }) {
      resetSignal.throwIfAborted()
      const { operation } = request
      const prefer = header('prefer')
      const preferred = prefer === null ? undefined : preferredResponse(operation, prefer)
      if (preferred) return preferred
      // A reset ends the wait for a handler.
      return untilAborted(resetSignal, async () => {
        const handlers = operation in own ? own : common
        return handlers[operation]
          ? handlers[operation](request)
          : exampleOf(request, runs, request.context === workspaces[0])
      })
    },
    onInvalidResponse(error) {
      throw error
    },
  }
}

/** The fault or the situation of an exercise that waits for a request like this one. */
function faultOf(engine: Engine, exchange: SandboxExchange): AppliedFault | undefined {
  const { faults, exercise } = engine
  if (!faults.isWaiting() && !exercise.isWaiting()) return undefined
  const target = targetOf(engine, exchange)
  return faults.take(target) ?? exercise.take(target, engine)
}

function targetOf({ runs }: Engine, exchange: SandboxExchange): FaultTarget {
  const { route } = exchange
  const key = exchange.key?.name
  const operation = operationOf(exchange)
  const id = 'status' in route ? undefined : route.path.id
  const run = operation === 'getRun' ? id : undefined
  const playbook = operation === 'triggerRun' ? id : run && runs.playbookOf(run)
  return { operation, key, run, playbook }
}

/** Handles a request, and replaces its response by the fault that it got, before or after it has its effect. */
async function withFault(engine: Engine, exchange: SandboxExchange, parts: Parts): Promise<SandboxResponse> {
  const { fault, request, resetSignal } = exchange
  const operation = operationOf(exchange)
  const handle = async () => {
    exchange.handled = await handleRequest(exchange, parts)
    return serialize(exchange.handled)
  }
  if (!fault || operation === undefined) return handle()
  const isLate = fault.after === 'effect'
  if (!isLate) await delay(engine, exchange, fault)
  const hasEffect = isLate || (fault.status === undefined && !fault.drop)
  const handled = hasEffect ? await handle() : undefined
  if (isLate) await delay(engine, exchange, fault)
  if (fault.drop) throw new DroppedConnectionError()
  resetSignal.throwIfAborted()
  return faultResponse(operation, fault, request.query ? `${request.path}?${request.query}` : request.path, handled)
}

/** An abort of the caller or a reset ends the wait. */
async function delay({ clock }: Engine, { request, resetSignal }: SandboxExchange, fault: AppliedFault): Promise<void> {
  if (fault.delay !== undefined)
    await withTimeout(request.signal(), Number.POSITIVE_INFINITY, Error, (given, abort) => {
      const ignore = onAbort(resetSignal, () => abort(resetSignal.reason))
      return clock.sleep(fault.delay ?? 0, given).finally(ignore)
    })
  resetSignal.throwIfAborted()
}

/** Logs a request, and emits the events of its changes. */
function record(engine: Engine, exchange: SandboxExchange, response: SandboxResponse | undefined, error?: unknown) {
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
    reason: fault ? { type: 'fault', number: fault.number } : handled?.reason,
    error: error === undefined || dropped ? undefined : error instanceof Error ? error.message : String(error),
    duration: now() - start,
  } satisfies RawRecord
  const number = log.add(raw)
  judgeEnd(engine, exchange, response, { number, time })
  if (!events.observed()) return
  for (const logged of log.records({ after: number - 1 })) events.emit(() => ({ type: 'request', request: logged }))
  if (fault) for (const listener of faults.listeners) listener()
  if (!context) return
  const { name, limit } = context
  const tokens = limits.tokens(limit)
  if (tokens !== undefined) events.emit(() => ({ type: 'limit', workspace: name, tokens }))
  const run = handled?.body as Partial<Run> | undefined
  if (run?.playbook_id !== undefined && run.steps)
    events.emit(() => ({ type: 'run', workspace: name, run: run as Run, ...runs.view(run.id ?? '') }))
}
