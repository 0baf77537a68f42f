import { protocol } from '../../../../generated/contract.js'
import { STATUS } from '../../../internal/contract/status.js'
import { parseJson } from '../../../internal/http/json.js'
import { requestedWait } from '../../../internal/http/retry-after.js'
import type { SeenExchange } from '../../client-rules/report.js'
import type { ClientResponse } from '../../client-rules/types.js'
import { operationOf } from '../../service/pipeline.js'
import { pathWithQuery } from '../../service/request/index.js'
import type { EngineParts, SandboxPlugin, SandboxResponse } from '../engine.js'
import { keptRequest } from '../log/plugin.js'
import type { RequestRecord } from '../log/request-record.js'

/** The plug-in that checks whether a client keeps the rules of the service: each request as it arrives, and as it ends. */
export const clientRules =
  (engine: EngineParts): SandboxPlugin =>
  (next) =>
  async (exchange, known) => {
    const { clients, clock, exercise, limits, log } = engine
    const { request } = exchange
    const operation = operationOf(exchange)
    if (operation === undefined) return next(exchange, known)
    const call = clients.arrive(
      {
        operation,
        method: request.method,
        path: pathWithQuery(request),
        body: known.body,
        authorization: request.header('authorization'),
        pin: request.header(protocol.versionHeader),
        userAgent: request.header('user-agent'),
        connection: request.connection,
      },
      // While the time stands still, a client that waits seems not to wait.
      clock.isPaused() ? Number.NaN : known.start,
    )
    exercise.follow(call, known.fault)
    let response: SandboxResponse | undefined
    let hasFailed = false
    try {
      response = await next(exchange, known)
      const text = known.fault ? undefined : exercise.change(call, response)
      if (text !== undefined) response = { ...response, text, logReason: { type: 'exercise' } }
      return response
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      if (!known.resetSignal.aborted) {
        const time = clock.now()
        const clientLeft = request.isAborted()
        const received = response?.connection === 'dropped' ? undefined : response
        const isWhole = received && !clientLeft && !received.connection && !known.fault?.malformed
        // A port, where connections are visible, responds with a 500 when a handler fails; in process `fetch` rejects.
        const isReplaced = hasFailed && !clientLeft && request.connection !== undefined
        const outcome = new Received(
          received,
          isWhole ? received.status : isReplaced ? STATUS.internalError : undefined,
          time,
          clientLeft,
          received?.status === STATUS.rateLimited ? waitOf(received, clock.runNow()) : undefined,
          response?.handled?.reason?.type === 'limit',
          exchange.context && limits.tokens(exchange.context.limit),
          !known.fault && !response?.handled?.sent,
        )
        clients.end(call, outcome, time, () => seenExchange(log.show(keptRequest(engine, exchange, known, response))))
      }
    }
  }

/** What a client received. Few rules ask for its headers and its body: to read them takes longer than all rules. */
class Received implements ClientResponse {
  constructor(
    private readonly response: SandboxResponse | undefined,
    readonly status: number | undefined,
    readonly respondedAt: number,
    readonly clientLeft: boolean,
    readonly wait: number | undefined,
    readonly refused: boolean,
    readonly tokens: number | undefined,
    /** Whether it is JSON that the sandbox made: no fault, and no web response of a handler. */
    private readonly isOwn: boolean,
  ) {}

  get headers(): Headers {
    return new Headers(this.response?.headers)
  }

  get isJsonOrEmpty(): boolean {
    return this.isOwn || !this.response?.text || parseJson(this.response.text) !== undefined
  }
}

/** The wait that a 429 asks for, in ms. */
const waitOf = ({ headers, text }: SandboxResponse, wallTime: number): number | undefined =>
  requestedWait(new Headers(headers), parseJson(text), wallTime)

/** A request as reports show it. */
function seenExchange({ request, response, duration }: RequestRecord): SeenExchange {
  const { method, path, headers, body } = request
  return {
    request: { method, url: path, headers, ...(body !== undefined && { body: textOf(body) }) },
    response: response && { status: response.status, headers: response.headers, body: textOf(response.body), duration },
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))
