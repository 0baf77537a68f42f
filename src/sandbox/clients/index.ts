import { operations, protocol } from '../../../generated/operations.js'
import { STATUS } from '../../internal/contract/status.js'
import { parseJson } from '../../internal/http/json.js'
import { requestedWait } from '../../internal/http/retry-after.js'
import type { Report } from '../../internal/report.js'
import { type Exchange, operationOf } from '../../service/pipeline.js'
import { MAX_BODY, type ServiceRequest } from '../../service/request.js'
import type { ServiceResponse } from '../../service/respond.js'
import type { EngineParts } from '../engine.js'
import type { SandboxResponse } from '../faults/effects.js'
import type { AppliedFault } from '../faults/types.js'
import type { RequestRecord } from '../log/request-record.js'
import { WORLDS } from '../world/name.js'
import type { SandboxWorkspace } from '../world/workspaces.js'
import { mergedResults } from './checks.js'
import { clientReport, type SeenExchange } from './report.js'
import type { ClientCall, RuleResult } from './types.js'

/** A request whose client is checked. */
export interface CheckedExchange extends Exchange<SandboxWorkspace> {
  fault: AppliedFault | undefined
  /** What the service responded, which a fault may replace. */
  handled: ServiceResponse | undefined
  /** The request as the checks see it; undefined where the contract has no such operation. */
  call: ClientCall | undefined
}

/** Checks a request that has come. Its body is read first, because a fault may end it before its handler would. */
export async function checkArrival(
  { clients, clock, exercise }: EngineParts,
  exchange: CheckedExchange,
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

/** Checks a request that was handled or lost at `time`. */
export function checkEnd(
  { clients, limits, clock }: EngineParts,
  { request, call, context, handled, fault }: CheckedExchange,
  response: SandboxResponse | undefined,
  time: number,
  logged: () => RequestRecord,
): void {
  if (!call) return
  const clientLeft = request.isAborted()
  const isWhole = response && !clientLeft && !response.cutOff && !fault?.malformed
  const outcome = {
    status: isWhole ? response.status : undefined,
    clientLeft,
    wait: response?.status === STATUS.rateLimited ? askedWait(response, clock.runTime()) : undefined,
    refused: handled?.reason?.type === 'limit',
    tokens: context && limits.tokens(context.limit),
  }
  clients.end(call, outcome, time, () => shownOf(logged()))
}

const askedWait = ({ headers, text }: SandboxResponse, wallTime: number): number | undefined =>
  requestedWait(new Headers(headers), parseJson(text), wallTime)

/** A request of the log, as reports show it. */
function shownOf({ request, response, duration }: RequestRecord): SeenExchange {
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
  first: number | undefined
  last: number | undefined
  remarks: string[]
}

/** What a sandbox, or a world of this name, has seen of its clients. */
export function seenClients({ clients, exercise }: EngineParts, world?: string): SeenClients {
  const { requests, first, last } = clients
  const results = clients.results().map((each) => (world === undefined ? each : withWorldPath(each, world)))
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

/** What several sandboxes have seen, as one. */
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

/** Of thousands of worlds only the last ones say what was exercised. */
const MOST_REMARKS = 100

/** Whether clients have kept their rules. */
export function clientRulesOf({ results, requests, first, last, remarks }: SeenClients, baseUrl: string): Report {
  const startedAt = new Date(first ?? Date.now()).toISOString()
  return clientReport(results, { baseUrl, startedAt, duration: (last ?? 0) - (first ?? 0), requests, remarks })
}
