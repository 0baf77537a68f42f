import type { OperationId } from '../../../generated/operations.js'
import { anySignal, untilAborted } from '../../internal/time/abort.js'
import { now } from '../../internal/time/system.js'
import { handleRequest, openExchange, operationOf, type PipelineParts } from '../service/pipeline.js'
import { invalidKey, keyOf } from '../service/request/authorization.js'
import type { ServiceRequest } from '../service/request/index.js'
import { isResponse, type ServiceResponse } from '../service/response/respond.js'
import { serialize } from '../service/response/serialize.js'
import type { MaybePromise } from '../service/types.js'
import { checkArrival } from './clients/index.js'
import type { EngineParts, SandboxExchange } from './engine.js'
import { DroppedConnectionError, faultResponse, type SandboxResponse } from './faults/effects.js'
import type { AppliedFault, FaultTarget } from './faults/types.js'
import { logRequest } from './log/log-request.js'
import { preferredResponse } from './prefer.js'
import { exampleOf, sandboxOperations } from './runs/operations.js'
import { checkAccess, type SandboxWorkspace } from './world/workspaces.js'

type Parts = PipelineParts<SandboxWorkspace, SandboxExchange>

/** Responds to requests as the service, with faults, and logs them. */
export function createServe(engine: EngineParts) {
  const parts = pipelineParts(engine)
  return async (request: ServiceRequest, resetSignal: AbortSignal): Promise<SandboxResponse> => {
    const exchange: SandboxExchange = {
      resetSignal,
      key: engine.keys.get(keyOf(request.header('authorization') ?? '') ?? ''),
      fault: undefined,
      handled: undefined,
      start: now(),
      call: undefined,
      ...openExchange(request),
    }
    const response = await responseTo(engine, exchange, parts).catch((error) => {
      logRequest(engine, exchange, undefined, error)
      throw error
    })
    logRequest(engine, exchange, response)
    return response
  }
}

async function responseTo(engine: EngineParts, exchange: SandboxExchange, parts: Parts): Promise<SandboxResponse> {
  exchange.fault = takeFault(engine, exchange)
  await checkArrival(engine, exchange)
  const response = await withFault(engine, exchange, parts)
  return { ...response, headers: { date: new Date(engine.clock.runTime()).toUTCString(), ...response.headers } }
}

function pipelineParts({ limits, runs, settings, workspaces }: EngineParts): Parts {
  type Handler = (request: unknown) => MaybePromise<ServiceResponse | Response>
  type Handlers = Partial<Record<OperationId, Handler>>
  const custom = (settings.handlers ?? {}) as Handlers
  const stateful = sandboxOperations(runs) as Partial<Record<OperationId, (request: unknown) => ServiceResponse>>
  return {
    authenticate(_, { key }, operation) {
      return key ? (checkAccess(key, operation) ?? { context: key.workspace }) : invalidKey
    },
    limit: (workspace, _, quota) => limits.take(workspace.limit, quota),
    callHandler(request, { resetSignal, request: { header } }) {
      resetSignal.throwIfAborted()
      const { operation } = request
      const prefer = header('prefer')
      const preferred = prefer === null ? undefined : preferredResponse(operation, prefer)
      if (preferred) return preferred
      // Called on its object, which may be of a class. A reset ends the wait for it.
      if (custom[operation]) return untilAborted(resetSignal, async () => custom[operation]!(request))
      const handle = operation in custom ? undefined : stateful[operation]
      const { status, headers, body } = handle?.(request) ?? exampleOf(request, runs, request.context === workspaces[0])
      return { status, headers, body, isPlain: true }
    },
    onInvalidResponse(error) {
      throw error
    },
  }
}

/** Takes the fault, or the situation of an exercise, that waits for a request like this one. */
function takeFault(engine: EngineParts, exchange: SandboxExchange): AppliedFault | undefined {
  const { faults, exercise } = engine
  if (operationOf(exchange) === undefined || (!faults.isWaiting() && !exercise.isWaiting())) return undefined
  const target = targetOf(engine, exchange)
  const fault = faults.take(target)
  if (fault) return fault
  exercise.approve(engine)
  return exercise.take(target, engine)
}

function targetOf({ runs }: EngineParts, exchange: SandboxExchange): FaultTarget {
  const { route } = exchange
  const key = exchange.key?.name
  const operation = operationOf(exchange)
  const id = isResponse(route) ? undefined : route.path.id
  const run = operation === 'getRun' ? id : undefined
  const playbook = operation === 'triggerRun' ? id : run && runs.playbookOf(run)
  return { operation, key, run, playbook }
}

/** Handles a request. A fault may replace its response, or keep it from being handled. */
async function withFault(engine: EngineParts, exchange: SandboxExchange, parts: Parts): Promise<SandboxResponse> {
  const { fault, request, resetSignal } = exchange
  const operation = operationOf(exchange)
  const handle = async () => {
    const handled = await handleRequest(exchange, parts)
    exchange.handled = handled
    return handled.sent ? textOf(handled.sent) : serialize(handled)
  }
  if (!fault || !operation) return handle()
  const isLate = fault.after === 'effect'
  if (!isLate) await delay(engine, exchange, fault)
  const hasEffect = isLate || (fault.status === undefined && !fault.drop)
  const handled = hasEffect ? await handle() : undefined
  if (isLate) await delay(engine, exchange, fault)
  if (fault.drop) throw new DroppedConnectionError()
  resetSignal.throwIfAborted()
  return faultResponse(operation, fault, request.query ? `${request.path}?${request.query}` : request.path, handled)
}

/** The web `Response` of a custom handler as text. */
const textOf = async (sent: Response): Promise<SandboxResponse> => ({
  status: sent.status,
  headers: Object.fromEntries([...sent.headers].filter(([name]) => name !== 'set-cookie')),
  cookies: sent.headers.getSetCookie(),
  text: await sent.text(),
})

/** Waits as long as a fault says, unless the caller leaves or the sandbox is reset. */
async function delay(
  { clock }: EngineParts,
  { request, resetSignal }: SandboxExchange,
  fault: AppliedFault,
): Promise<void> {
  if (fault.delay !== undefined) {
    const either = anySignal(request.signal(), resetSignal)
    await clock.sleep(fault.delay, either.signal).finally(either.release)
  }
  resetSignal.throwIfAborted()
}
