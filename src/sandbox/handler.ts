import type { OperationId } from '../../generated/operations.js'
import { sleep, withTimeout } from '../internal/sleep.js'
import type { Limits } from '../service/limit.js'
import { createPipeline, type Exchange, type HandlerRequest, type Pipeline } from '../service/pipeline.js'
import { firstExample, invalidKey, type SerializedResponse, type ServiceResponse } from '../service/respond.js'
import type { MaybePromise } from '../service/types.js'
import { DroppedConnectionError, type Faults, faultResponse, type WaitingFault } from './faults.js'
import type { RawRecord } from './log.js'
import { preferredResponse } from './prefer.js'
import type { SandboxOperations } from './resources.js'
import { checkAccess, type SandboxKey, type SandboxWorkspace } from './workspaces.js'

/** What the sandbox keeps of a request on its way. */
export interface RequestState {
  /** Aborted by a reset: what began before has no effect afterwards. */
  epoch: AbortSignal
  /** The name of the key. */
  key: string | undefined
  fault: WaitingFault | undefined
}

export type SandboxExchange = Exchange<SandboxWorkspace, RequestState>
export type SandboxPipeline = Pipeline<SandboxWorkspace, RequestState>

/** What the handler works with. */
interface HandlerParts {
  epoch(): AbortSignal
  keys: ReadonlyMap<string, SandboxKey>
  limits: Limits
  faults: Faults
  operations: Partial<SandboxOperations>
  record(record: RawRecord, exchange: SandboxExchange): void
}

type UntypedHandler = (request: HandlerRequest<SandboxWorkspace>) => MaybePromise<ServiceResponse>

/** The sandbox as a service: faults come first, examples stand in for operations without a handler. */
export function createHandler({ epoch, keys, limits, faults, operations, record }: HandlerParts): SandboxPipeline {
  const log = (exchange: SandboxExchange, response: SerializedResponse | undefined, error?: unknown) => {
    if (!exchange.state.epoch.aborted) record(rawRecord(exchange, response, error), exchange)
  }
  const pipeline: SandboxPipeline = createPipeline<SandboxWorkspace, RequestState>({
    begin: () => ({ epoch: epoch(), key: undefined, fault: undefined }),
    intercept(exchange, next) {
      const fault = faults.take(operationOf(exchange))
      return fault && applyFault(exchange, fault, next, pipeline.respond)
    },
    authenticate(value, { state }, operation) {
      const key = keys.get(value)
      if (!key) return invalidKey
      state.key = key.name
      return checkAccess(key, operation) ?? { context: key.workspace }
    },
    limit: (workspace, operation) => limits.take(workspace.limit, operation),
    handle(operation, request, exchange) {
      exchange.state.epoch.throwIfAborted()
      const prefer = exchange.request.header('prefer')
      const preferred = prefer === null ? undefined : preferredResponse(operation, prefer)
      if (preferred) return preferred
      const handler = operations[operation] as UntypedHandler | undefined
      return handler ? handler(request) : firstExample(operation)
    },
    onInvalidResponse(error) {
      throw error
    },
    fail(error, exchange) {
      log(exchange, undefined, error)
      throw error
    },
    onResponse: log,
  })

  return pipeline
}

const operationOf = ({ route }: SandboxExchange): OperationId => route?.operation as OperationId

async function applyFault(
  exchange: SandboxExchange,
  waiting: WaitingFault,
  next: (exchange: SandboxExchange) => MaybePromise<SerializedResponse>,
  respond: SandboxPipeline['respond'],
): Promise<SerializedResponse> {
  const { delay, drop, status, retryAfter, malformed } = waiting.fault
  const { state, request } = exchange
  state.fault = waiting
  // In real time, unless the caller gives up or the sandbox is reset.
  if (delay !== undefined)
    await withTimeout(request.signal(), Number.POSITIVE_INFINITY, Error, (given) =>
      sleep(delay, AbortSignal.any([state.epoch, given])),
    )
  state.epoch.throwIfAborted()
  if (drop) throw new DroppedConnectionError()
  const response =
    status === undefined
      ? await next(exchange)
      : respond(exchange, faultResponse(operationOf(exchange), status, retryAfter))
  return malformed ? { ...response, text: response.text.slice(0, response.text.length / 2) } : response
}

function rawRecord(exchange: SandboxExchange, response: SerializedResponse | undefined, error: unknown): RawRecord {
  const { request, route, state, body } = exchange
  const { method, path, query } = request
  const refused = exchange.response?.reason
  const unknown = refused?.type === 'key' && request.header('authorization') !== null
  const dropped = error instanceof DroppedConnectionError
  return {
    operation: route?.operation,
    key: state.key ?? (unknown ? 'unknown' : undefined),
    method,
    path: query ? `${path}?${query}` : path,
    headers: request.headers(),
    body,
    response,
    reason: state.fault ? { type: 'fault', number: state.fault.number } : refused,
    error: error === undefined || dropped ? undefined : error instanceof Error ? error.message : String(error),
  }
}
