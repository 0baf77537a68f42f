import { operations as contract, errorStatuses, type OperationId } from '../../generated/operations.js'
import { now, withTimeout } from '../internal/sleep.js'
import type { Limits } from '../service/limit.js'
import {
  createPipeline,
  type HandlerRequest,
  isPromise,
  type Pipeline,
  type ServiceExchange,
} from '../service/pipeline.js'
import {
  badRequest,
  examplesOf,
  firstExample,
  invalidKey,
  type SerializedResponse,
  type ServiceResponse,
  withRetryAfter,
} from '../service/respond.js'
import type { MaybePromise } from '../service/types.js'
import type { SandboxClock } from './clock.js'
import { DroppedConnectionError, type Faults, faultResponse, type WaitingFault } from './faults.js'
import type { RawRecord } from './log.js'
import type { SandboxOperations } from './resources.js'
import { checkAccess, type SandboxKey, type SandboxWorkspace } from './workspaces.js'

/** The state of a request in the sandbox. */
export interface RequestState {
  /** Aborted by a reset, after which the request has no effect. */
  epoch: AbortSignal
  /** The name of the key. */
  key: string | undefined
  fault: WaitingFault | undefined
  /** When it started; monotonic, in ms. */
  start: number
}

export type SandboxExchange = ServiceExchange<SandboxWorkspace, RequestState>
export type SandboxPipeline = Pipeline<SandboxWorkspace, RequestState>

/** The dependencies of the handler. */
interface HandlerParts extends Pick<SandboxClock, 'sleep'> {
  epoch(): AbortSignal
  keys: ReadonlyMap<string, SandboxKey>
  limits: Limits
  faults: Faults
  operations: Partial<SandboxOperations>
  record(record: RawRecord, exchange: SandboxExchange): void
}

type UntypedHandler = (request: HandlerRequest<SandboxWorkspace>) => MaybePromise<ServiceResponse>

/** The sandbox as a service: faults are applied first, and operations without a handler respond with examples. */
export function createHandler({
  epoch,
  keys,
  limits,
  faults,
  operations,
  record,
  sleep,
}: HandlerParts): SandboxPipeline {
  const log = (exchange: SandboxExchange, response: SerializedResponse | undefined, error?: unknown) => {
    if (!exchange.state.epoch.aborted) record(rawRecord(exchange, response, error), exchange)
  }
  const pipeline: SandboxPipeline = createPipeline<SandboxWorkspace, RequestState>({
    begin: () => ({ epoch: epoch(), key: undefined, fault: undefined, start: now() }),
    intercept(exchange, next) {
      const fault = faults.take(operationOf(exchange))
      return fault && applyFault(exchange, fault, next, pipeline.respond, sleep)
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
      const response = handler ? handler(request) : firstExample(operation)
      return isPromise(response) ? untilReset(exchange, response) : response
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

/** Rejects when the sandbox is reset during a wait. */
const untilReset = <T>({ state }: SandboxExchange, waiting: Promise<T>): Promise<T> =>
  withTimeout(state.epoch, Number.POSITIVE_INFINITY, Error, () => waiting)

const operationOf = ({ route }: SandboxExchange): OperationId => route?.operation as OperationId

async function applyFault(
  exchange: SandboxExchange,
  waiting: WaitingFault,
  next: (exchange: SandboxExchange) => MaybePromise<SerializedResponse>,
  respond: SandboxPipeline['respond'],
  sleep: SandboxClock['sleep'],
): Promise<SerializedResponse> {
  const { delay, drop, status, retryAfter, malformed } = waiting.fault
  const { state, request } = exchange
  state.fault = waiting
  // An abort of the caller or a reset ends the wait.
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
    duration: now() - state.start,
  }
}

/**
 * The response that a Prefer header asks for, as in Prism: `code=` chooses the status, `example=` the scenario. Without
 * a code the scenario is one of the success; without a scenario it is the first one. Undefined without either.
 */
function preferredResponse(operation: OperationId, header: string): ServiceResponse | undefined {
  const { code, example } = preferencesOf(header)
  if (code === undefined && example === undefined) return undefined
  const status = code ?? String(contract[operation].success[0])
  const byStatus = examplesOf(operation)
  const scenarios = /^\d+$/.test(status) && Object.hasOwn(byStatus, status) ? byStatus[status] : undefined
  if (!scenarios)
    return badRequest(
      `The header "Prefer" asks for the status ${status}, and ${operation} has ${statuses(operation).join(', ')}.`,
    )
  const scenario = example ?? Object.keys(scenarios)[0] ?? ''
  if (!Object.hasOwn(scenarios, scenario))
    return badRequest(
      `The header "Prefer" asks for the example "${scenario}", and the ${status} of ${operation} has ${Object.keys(scenarios).join(', ')}.`,
    )
  return withRetryAfter(Number(status), scenarios[scenario])
}

const statuses = (operation: OperationId): number[] => [...contract[operation].success, ...errorStatuses[operation]]

/** RFC 7240: tokens with values, separated by commas; the first of each name is used. */
function preferencesOf(header: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split(';')[0]?.split('=') ?? []
    found[name.trim().toLowerCase()] ??= value.trim().replace(/^"(.*)"$/, '$1')
  }
  return found
}
