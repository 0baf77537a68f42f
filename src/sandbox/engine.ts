import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { type Problem, validateRequest, validateResponse } from '../../generated/validators.js'
import { type Answer, badRequest } from './answer.js'
import type { SandboxClock } from './clock.js'
import { DroppedConnectionError, type Fault, type Faults, faultAnswer } from './faults.js'
import type { RequestLog } from './log.js'
import { firstExample, preferredAnswer } from './prefer.js'
import type { Handler } from './resources.js'
import { findRoute, isAnswer, type Route } from './route.js'
import { authenticate, refuse, type SandboxKey, type SandboxWorkspace } from './workspaces.js'

/** A request, whatever it came by. */
export interface Incoming {
  method: string
  /** The path of the URL without its query. */
  path: string
  /** What follows the `?`, or nothing. */
  query: string
  header(name: string): string | null
  headers(): Iterable<[string, string]>
  /** The body; undefined when it is larger than `MAX_BODY`. */
  text(): Promise<string | undefined>
  signal(): AbortSignal | undefined
}

/** An answer, ready to be sent. */
export interface Reply {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

/** How many bytes the body of a request may have. */
export const MAX_BODY = 2 ** 20

/** What the engine works with; `keys` is asked for each request, because a reset makes new ones. */
export interface EngineParts {
  keys(): ReadonlyMap<string, SandboxKey>
  clock: SandboxClock
  faults: Faults
  handlers: Partial<Record<OperationId, Handler>>
  log: RequestLog
}

/** Answers requests. It answers at once, without a promise, wherever nothing has to be waited for. */
export type Engine = (incoming: Incoming) => Reply | Promise<Reply>

/** An answer of the sandbox that the contract does not have. */
export class InvalidAnswerError extends Error {
  override name = 'InvalidAnswerError'
  constructor(operation: OperationId, problems: readonly Problem[]) {
    super(
      `The sandbox's answer to ${operation} does not keep to the contract: ${problems.map(({ message }) => message).join('; ')}.`,
    )
  }
}

/** What has become of a request so far. */
interface Exchange {
  incoming: Incoming
  operation: OperationId | undefined
  key: string | undefined
  body: string | undefined
}

/**
 * The order of things: route, injected fault, 401, 403, 429, 400, `Prefer`, handler; then the answer is validated.
 *
 * @throws InvalidAnswerError when the answer does not keep to the contract
 * @throws DroppedConnectionError when a fault says so
 */
export function createEngine({ keys, clock, faults, handlers, log }: EngineParts): Engine {
  const finish = (exchange: Exchange, answer: Answer, checked = true): Reply => {
    const { operation } = exchange
    const headers = answer.headers ? { ...JSON_HEADERS, ...answer.headers } : JSON_HEADERS
    if (operation && checked) {
      const problems = validateResponse(operation, { status: answer.status, headers, body: answer.body })
      if (problems.length > 0) {
        record(exchange, undefined)
        throw new InvalidAnswerError(operation, problems)
      }
    }
    return record(exchange, { status: answer.status, headers, text: JSON.stringify(answer.body) })
  }

  const record = <R extends Reply | undefined>({ incoming, operation, key, body }: Exchange, response: R): R => {
    const { method, path, query, headers } = incoming
    log.add({ operation, key, method, path: query ? `${path}?${query}` : path, headers, body, response })
    return response
  }

  const admit = (exchange: Exchange, route: Route): Reply | Promise<Reply> => {
    const { incoming } = exchange
    const header = incoming.header('authorization')
    const key = authenticate(header, keys())
    if ('status' in key) {
      exchange.key = header === null ? undefined : 'unknown'
      return finish(exchange, key)
    }
    exchange.key = key.name
    const refusal = refuse(key, route.operation, clock)
    if (refusal) return finish(exchange, refusal)
    if (!('body' in operations[route.operation])) return finish(exchange, perform(incoming, route, key.workspace))
    return incoming.text().then((text) => {
      exchange.body = text
      return finish(exchange, performWithBody(incoming, route, key.workspace, text))
    })
  }

  const performWithBody = (
    incoming: Incoming,
    route: Route,
    workspace: SandboxWorkspace,
    text: string | undefined,
  ): Answer => {
    if (text === undefined) return badRequest(`The body is larger than ${MAX_BODY} bytes.`)
    if (text === '') return perform(incoming, route, workspace)
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return badRequest('The body is not JSON.')
    }
    return perform(incoming, route, workspace, body)
  }

  const perform = (
    incoming: Incoming,
    { operation, path }: Route,
    workspace: SandboxWorkspace,
    body?: unknown,
  ): Answer => {
    const query = incoming.query === '' ? NOTHING : queryOf(incoming.query)
    const [problem] = validateRequest(operation, { path, query, headers: contractHeaders(incoming), body })
    if (problem) return badRequest(sentence(problem))
    const prefer = incoming.header('prefer')
    const preferred = prefer === null ? undefined : preferredAnswer(operation, prefer)
    return preferred ?? handlers[operation]?.({ workspace, path, query, body }) ?? firstExample(operation)
  }

  const goWrong = async (
    exchange: Exchange,
    route: Route & { operation: OperationId },
    fault: Fault,
  ): Promise<Reply> => {
    if (fault.delay !== undefined) await pause(fault.delay, exchange.incoming.signal())
    if (fault.drop) {
      record(exchange, undefined)
      throw new DroppedConnectionError()
    }
    const reply =
      fault.status === undefined
        ? await admit(exchange, route)
        : finish(exchange, faultAnswer(route.operation, fault.status, fault.retryAfter), false)
    return fault.malformed ? { ...reply, text: reply.text.slice(0, reply.text.length / 2) } : reply
  }

  return (incoming) => {
    const route = findRoute(incoming.method, incoming.path)
    const operation = isAnswer(route) ? undefined : route.operation
    const exchange: Exchange = { incoming, operation, key: undefined, body: undefined }
    if (isAnswer(route)) return finish(exchange, route)
    const fault = faults.take(route.operation)
    return fault ? goWrong(exchange, route, fault) : admit(exchange, route)
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' }
const NOTHING: Readonly<Record<string, string>> = {}

/** The parameters by name. The contract has none that may be repeated, and `1,2` is no integer. */
function queryOf(text: string): Record<string, string> {
  const parameters = new URLSearchParams(text)
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]))
}

/** The headers that the contract speaks of. */
const contractHeaders = ({ header, method }: Incoming): Record<string, string | undefined> => ({
  [protocol.versionHeader]: header(protocol.versionHeader) ?? undefined,
  'Content-Type': method === 'GET' ? undefined : (header('content-type') ?? undefined),
})

/** A clause about a request as a sentence. */
const sentence = ({ message }: Problem): string => `${message[0]?.toUpperCase()}${message.slice(1)}.`

/** Waits in real time, unless the caller gives up. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
