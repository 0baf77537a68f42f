import type { OperationId } from '../../generated/operations.js'
import type { Limits } from '../service/limit.js'
import { createPipeline, type Exchange, type HandlerRequest, type Pipeline } from '../service/pipeline.js'
import { firstExample, invalidKey, type SerializedResponse, type ServiceResponse } from '../service/respond.js'
import { DroppedConnectionError, type Faults, faultResponse, type WaitingFault } from './faults.js'
import type { RawRecord } from './log.js'
import { preferredResponse } from './prefer.js'
import type { SandboxOperations } from './resources.js'
import { checkAccess, type SandboxKey, type SandboxWorkspace } from './workspaces.js'

/** The time between two resets. What began in one has no effect on the next. */
export interface Epoch {
  /** Ends the delays that are under way. */
  stops: Set<() => void>
}

/** What the sandbox keeps of a request on its way. */
export interface RequestState {
  epoch: Epoch
  /** The name of the key. */
  key: string | undefined
  fault: WaitingFault | undefined
}

export type SandboxExchange = Exchange<SandboxWorkspace, RequestState>
export type SandboxPipeline = Pipeline<SandboxWorkspace, RequestState>

/** What the handler works with; keys and epoch are asked for each request, because a reset makes new ones. */
export interface HandlerParts {
  epoch(): Epoch
  keys(): ReadonlyMap<string, SandboxKey>
  limits: Limits
  faults: Faults
  operations: Partial<SandboxOperations>
  record(record: RawRecord, exchange: SandboxExchange): void
}

type UntypedHandler = (request: HandlerRequest<SandboxWorkspace>) => ServiceResponse | Promise<ServiceResponse>

/** The sandbox as a service: faults come first, examples stand in for operations without a handler. */
export function createHandler({ epoch, keys, limits, faults, operations, record }: HandlerParts): SandboxPipeline {
  const requireCurrent = (exchange: SandboxExchange) => {
    if (exchange.state.epoch !== epoch())
      throw new DroppedConnectionError('The sandbox was reset while this request was under way.')
  }
  const log = (exchange: SandboxExchange, response: SerializedResponse | undefined, error?: unknown) => {
    if (exchange.state.epoch === epoch()) record(rawRecord(exchange, response, error), exchange)
  }
  const pipeline: SandboxPipeline = createPipeline<SandboxWorkspace, RequestState>({
    begin: () => ({ epoch: epoch(), key: undefined, fault: undefined }),
    intercept(exchange, next) {
      const fault = faults.take(operationOf(exchange))
      return fault && applyFault(exchange, fault, next)
    },
    authenticate(value, { state }, operation) {
      const key = keys().get(value)
      if (!key) return invalidKey
      state.key = key.name
      return checkAccess(key, operation) ?? { context: key.workspace }
    },
    limit: (workspace, operation) => limits.take(workspace.limit, operation),
    handle(operation, request, exchange) {
      requireCurrent(exchange)
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

  const applyFault = async (
    exchange: SandboxExchange,
    waiting: WaitingFault,
    next: (exchange: SandboxExchange) => SerializedResponse | Promise<SerializedResponse>,
  ): Promise<SerializedResponse> => {
    const { delay, drop, status, retryAfter, malformed } = waiting.fault
    exchange.state.fault = waiting
    if (delay !== undefined) await pause(delay, exchange.state.epoch, exchange.request.signal())
    requireCurrent(exchange)
    if (drop) throw new DroppedConnectionError()
    const response =
      status === undefined
        ? await next(exchange)
        : pipeline.respond(exchange, faultResponse(operationOf(exchange), status, retryAfter))
    return malformed ? { ...response, text: response.text.slice(0, response.text.length / 2) } : response
  }
  return pipeline
}

const operationOf = ({ route }: SandboxExchange): OperationId => route?.operation as OperationId

function rawRecord(exchange: SandboxExchange, response: SerializedResponse | undefined, error: unknown): RawRecord {
  const { request, route, state, body } = exchange
  const { method, path, query, headers } = request
  const refused = exchange.response?.reason
  const unknown = refused?.type === 'key' && request.header('authorization') !== null
  const dropped = error instanceof DroppedConnectionError
  return {
    operation: route?.operation,
    key: state.key ?? (unknown ? 'unknown' : undefined),
    method,
    path: query ? `${path}?${query}` : path,
    headers,
    body,
    response,
    reason: state.fault ? { type: 'fault', number: state.fault.number } : refused,
    error: error === undefined || dropped ? undefined : error instanceof Error ? error.message : String(error),
  }
}

/** Waits in real time, unless the caller gives up or the sandbox is reset. */
function pause(ms: number, { stops }: Epoch, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      stops.delete(reset)
      signal?.removeEventListener('abort', abort)
    }
    const reset = () => {
      end()
      resolve()
    }
    const abort = () => {
      end()
      reject(signal?.reason)
    }
    const timer = setTimeout(reset, ms)
    stops.add(reset)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
