import { rules } from '../../../generated/conformance/nodes.js'
import { type BasisId, type OperationId, protocol } from '../../../generated/operations.js'
import { cacheSecondsOf, clientRuleBasis, earlyListing, earlyRepetition } from '../../internal/contract/client-rules.js'
import { isTrigger } from '../../internal/contract/operations.js'
import { STATUS } from '../../internal/contract/status.js'
import { requestedWait } from '../../internal/http/retry-after.js'
import { isTransient, successStatus } from './contract.js'
import type { Exchange } from './exchange.js'
import type { RecordedExchange } from './har.js'
import { failed, type Message, passed, type Result, secondsText, skipped } from './judge/result.js'
import { RunHistory } from './judge/runs.js'
import { LONG_ENOUGH, repetitionResults } from './judge/status.js'
import { newRunResults, triggeredResults, triggeredRunId } from './judge/triggers.js'

/** One client of the recording: what was sent with one Authorization header, or without any. */
export class Client {
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  readonly capabilities = new Set<string>()
  /** Those that were read last, with the time of the last response that contained it. */
  readonly runs = new Map<string, { history: RunHistory; receivedAt: number | undefined }>()
  /** The playbook of each run that was triggered. */
  readonly triggered = new Map<string, string>()
  /** By request: responses with 429 or 500 that were not followed by a repetition yet, and when the last list was complete. */
  readonly repeatable = new Map<string, RecordedExchange[]>()
  readonly lists = new Map<string, number>()
  /** The sum of the waits that were obeyed in a row and ended with another 429, in ms. */
  waitedInVain = 0

  constructor(readonly authorization: string) {}

  /** Keeps a run as the one that was read last. Returns what one shows that is kept no longer. */
  keepRun(id: string, history: RunHistory, receivedAt: number | undefined): Result[] {
    this.runs.delete(id)
    this.runs.set(id, { history, receivedAt })
    const [oldest] = this.runs
    if (this.runs.size <= MOST_RUNS || !oldest) return []
    this.runs.delete(oldest[0])
    return oldest[1].history.end()
  }
}

/** How many runs of a client are followed at a time: one that is read again after so many others counts as a new one. */
const MOST_RUNS = 5_000

/** What a trigger shows, and the run that it started. */
export function triggerResults(client: Client, { exchange, id: playbook, receivedAt }: RecordedExchange): Result[] {
  const id = triggeredRunId(exchange)
  if (id === undefined) return []
  const results = [...triggeredResults(exchange, playbook), ...newRunResults(exchange, id, client.triggered, playbook)]
  const { status } = Object(exchange.body) as { status?: unknown }
  client.triggered.set(id, playbook)
  const history = new RunHistory(id, playbook, typeof status === 'string' ? status : undefined)
  return [...results, ...client.keepRun(id, history, receivedAt)]
}

/** The same request may be open several times; each is repeated on its own. Basis: S28, S33. */
export function repeatedResults(client: Client, recorded: RecordedExchange, key: string): Result[] {
  const { exchange, sentAt } = recorded
  const isLimited = exchange.status === STATUS.rateLimited
  const earlier = client.repeatable.get(key) ?? []
  const index = earlier.findIndex(({ respondedAt }) => sentAt >= respondedAt)
  const [last] = index === -1 ? [] : earlier.splice(index, 1)
  const isFailed = exchange.status === STATUS.internalError && isTransient(exchange.operation)
  if (isLimited || isFailed) client.repeatable.set(key, [...earlier, recorded])
  if (!last) return []
  const isAfterLimit = last.exchange.status === STATUS.rateLimited
  const wait = isAfterLimit ? requestedWait(last.exchange.headers, last.exchange.body) : 0
  if (wait === undefined) return []
  const waited = sentAt - last.respondedAt
  const early = earlyRepetition({ operation: exchange.operation, respondedAt: last.respondedAt, wait }, sentAt)
  if (early) return [ofClient(rules.waitSuffices, `the client ${early}`, exchange)]
  client.waitedInVain = isAfterLimit && isLimited && !isTrigger(exchange.operation) ? client.waitedInVain + waited : 0
  if (client.waitedInVain === 0) return repetitionResults(last.exchange, exchange)
  const what = `a request after the wait of ${secondsText(wait)} that a 429 asked for: expected a success, got 429 again`
  if (client.waitedInVain >= LONG_ENOUGH) return [failed(rules.waitSuffices, what, { exchange })]
  return skipped(rules.waitSuffices, `${what}; another client of the workspace would explain it once.`)
}

/** A reloaded page starts without a cache. Basis: S38. */
export function cachingResults({ lists }: Client, recorded: RecordedExchange, request: string): Result[] {
  const { exchange, sentAt, receivedAt, page } = recorded
  const { operation, status } = exchange
  const keep = cacheSecondsOf(operation)
  if (keep === undefined || status !== successStatus(operation) || Number.isNaN(sentAt)) return []
  const key = JSON.stringify([request, exchange.request.headers.get(protocol.versionHeader), page])
  const last = lists.get(key)
  lists.set(key, receivedAt)
  if (last === undefined || !(sentAt >= last)) return []
  const early = earlyListing(operation, last, sentAt)
  if (early) return [ofClient(clientRuleBasis('caching', operation), `the client ${early}`, exchange)]
  return [passed(clientRuleBasis('caching', operation), `the client kept ${operation} for ${keep} s`, { exchange })]
}

export const ofClient = (basis: BasisId, message: Message, exchange: Exchange): Result => ({
  basis,
  outcome: 'client',
  message,
  keyword: 'client',
  exchange,
})
