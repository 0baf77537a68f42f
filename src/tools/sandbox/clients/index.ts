import { operations, protocol } from '../../../../generated/operations.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { parseJson } from '../../../internal/http/json.js'
import { requestedWait } from '../../../internal/http/retry-after.js'
import { createMask } from '../../../internal/mask.js'
import type { Report } from '../../../internal/report.js'
import { mergedResults } from '../../client-rules/judge.js'
import { clientReport, type SeenExchange } from '../../client-rules/report.js'
import type { RuleResult } from '../../client-rules/types.js'
import { operationOf } from '../../service/pipeline.js'
import { MAX_BODY, type ServiceRequest } from '../../service/request/index.js'
import type { EngineParts, SandboxExchange } from '../engine.js'
import type { SandboxResponse } from '../faults/effects.js'
import type { RequestRecord } from '../log/request-record.js'
import { WORLDS } from '../world/name.js'

/** Checks a request that has arrived. Its body is read first, because a fault may end the request before it is handled. */
export async function checkArrival(
  { clients, clock, exercise }: EngineParts,
  exchange: SandboxExchange,
): Promise<void> {
  const operation = operationOf(exchange)
  if (operation === undefined) return
  const sentAt = clock.limitTime()
  const { method, path, query } = exchange.request
  if ('body' in operations[operation]) {
    exchange.request = withKeptBody(exchange.request)
    exchange.body = await exchange.request.text(MAX_BODY).catch(() => undefined)
  }
  exchange.call = clients.arrive(
    {
      operation,
      method,
      path: query ? `${path}?${query}` : path,
      body: exchange.body,
      authorization: exchange.request.header('authorization'),
      pin: exchange.request.header(protocol.versionHeader),
      userAgent: exchange.request.header('user-agent'),
      connection: exchange.request.connection,
    },
    sentAt,
  )
  exercise.follow(exchange.call, exchange.fault)
}

/** A request whose body can be read twice. */
function withKeptBody(request: ServiceRequest): ServiceRequest {
  let text: ReturnType<ServiceRequest['text']> | undefined
  return {
    ...request,
    text(limit) {
      text ??= request.text(limit)
      return text
    },
  }
}

/** Checks a request that has ended at `time`, with a response or without. `recordOf` makes its record in the log. */
export function checkEnd(
  { clients, limits, clock }: EngineParts,
  { request, call, context, handled, fault }: SandboxExchange,
  response: SandboxResponse | undefined,
  time: number,
  recordOf: () => RequestRecord,
): void {
  if (!call) return
  const clientLeft = request.isAborted()
  const isWhole = response && !clientLeft && !response.cutOff && !fault?.malformed
  const outcome = {
    status: isWhole ? response.status : undefined,
    respondedAt: time,
    clientLeft,
    wait: response?.status === STATUS.rateLimited ? waitOf(response, clock.runTime()) : undefined,
    refused: handled?.reason?.type === 'limit',
    tokens: context && limits.tokens(context.limit),
    ...(isTrigger(call.operation) ? triggerResponse(response) : NOTHING_KNOWN),
  }
  clients.end(call, outcome, time, () => seenExchange(recordOf()))
}

/** What the outcome of a trigger depends on. */
const triggerResponse = (response: SandboxResponse | undefined) => ({
  headers: new Headers(response?.headers),
  isJsonOrEmpty: !response?.text || parseJson(response.text) !== undefined,
})

const NOTHING_KNOWN = { headers: new Headers(), isJsonOrEmpty: true }

/** The wait that a 429 asks for, in ms. */
const waitOf = ({ headers, text }: SandboxResponse, wallTime: number): number | undefined =>
  requestedWait(new Headers(headers), parseJson(text), wallTime)

/** A request of the log, as reports show it. */
function seenExchange({ request, response, duration }: RequestRecord): SeenExchange {
  const { method, path, headers, body } = request
  return {
    request: { method, url: path, headers, ...(body !== undefined && { body: textOf(body) }) },
    response: response && { status: response.status, headers: response.headers, body: textOf(response.body), duration },
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** What a sandbox has seen of its clients. */
export interface SeenClients {
  results: RuleResult<SeenExchange>[]
  requests: number
  /** When the first and the last request arrived, in ms. */
  first: number | undefined
  last: number | undefined
  /** What an exercise has tried, as sentences. */
  remarks: string[]
}

/** What a sandbox has seen of its clients. For a world of a port, paths start with that of the world. */
export function seenClients({ clients, exercise, keys }: EngineParts, world?: string): SeenClients {
  const { requests, first, last } = clients
  const mask = createMask([...keys.keys()])
  const masked = clients.results().map((each) => ({ ...each, message: mask(each.message) }))
  const results = masked.map((each) => (world === undefined ? each : withWorldPath(each, world)))
  return { results, requests, first, last, remarks: exercise.remarks() }
}

const withWorldPath = (result: RuleResult<SeenExchange>, world: string): RuleResult<SeenExchange> => {
  const { exchange } = result
  if (!exchange) return result
  return {
    ...result,
    exchange: { ...exchange, request: { ...exchange.request, url: `${WORLDS}${world}${exchange.request.url}` } },
  }
}

/** Merges what several sandboxes have seen. */
export function mergedClients(all: readonly SeenClients[]): SeenClients {
  const times = (name: 'first' | 'last') => all.flatMap((each) => each[name] ?? [])
  return {
    results: mergedResults(all.flatMap(({ results }) => results)),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    first: times('first').length > 0 ? Math.min(...times('first')) : undefined,
    last: times('last').length > 0 ? Math.max(...times('last')) : undefined,
    remarks: all.flatMap(({ remarks }) => remarks).slice(-MOST_REMARKS),
  }
}

/** There may be thousands of worlds; only the last remarks are kept. */
const MOST_REMARKS = 100

/** The report on whether clients have followed the rules of the service. */
export function clientRulesOf({ results, requests, first, last, remarks }: SeenClients, baseUrl: string): Report {
  const startedAt = new Date(first ?? Date.now()).toISOString()
  return clientReport(results, { baseUrl, startedAt, duration: (last ?? 0) - (first ?? 0), requests, remarks })
}
