import type { OperationId } from '../../../../generated/contract.js'
import { rules } from '../../../../generated/contract.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { requestedWait } from '../../../internal/http/retry-after.js'
import { TOLERANCE } from '../../client-rules/rules.js'
import { isTransient } from '../judge/contract.js'
import { failed, type Result, secondsText, skipped } from '../judge/result.js'
import { RunHistory } from '../judge/runs.js'
import { LONG_ENOUGH, repetitionResults } from '../judge/status.js'
import { newRunResults, startedRun, triggeredResults } from '../judge/triggers.js'
import type { RecordedExchange } from './har.js'

/** One client of the recording: what was sent with one Authorization header, or without any. */
export class RecordedClient {
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  readonly capabilities = new Set<string>()
  /** Those that were read last, with the time of the last response that contained it. */
  readonly runs = new Map<string, { history: RunHistory; receivedAt: number | undefined }>()
  /** The playbook of each run that was triggered. */
  readonly triggered = new Map<string, string>()
  /** By request: responses with 429 or 500 that were not followed by a repetition yet. */
  readonly repeatable = new Map<string, RecordedExchange[]>()
  /** How long waits were obeyed in a row and ended with another 429, in ms; those at one time count once. */
  waitedInVain = 0
  /** When the last of these ended, in ms. */
  waitedUntil = Number.NEGATIVE_INFINITY

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

/** How many of the equal requests that were open at one time are followed. */
const MOST_REPEATABLE = 100

/** What a trigger shows, and the run that it started. */
export function triggerResults(
  client: RecordedClient,
  { exchange, id: playbook, receivedAt }: RecordedExchange,
): Result[] {
  const started = startedRun(exchange)
  if (!started) return []
  const { id, status } = started
  const results = [...triggeredResults(exchange, playbook), ...newRunResults(exchange, id, client.triggered, playbook)]
  client.triggered.set(id, playbook)
  const history = new RunHistory(id, playbook, status)
  return [...results, ...client.keepRun(id, history, receivedAt)]
}

/** What a repetition shows of the service. The same request may be open several times; each is repeated on its own. Basis: S28, S33. */
export function repeatedResults(client: RecordedClient, recorded: RecordedExchange): Result[] {
  const { exchange, sentAt } = recorded
  const { method, url, body = '' } = exchange.request
  const key = `${method} ${url} ${body}`
  const isLimited = exchange.status === STATUS.rateLimited
  const earlier = client.repeatable.get(key) ?? []
  const index = earlier.findIndex(({ respondedAt }) => sentAt >= respondedAt)
  const [last] = index === -1 ? [] : earlier.splice(index, 1)
  const isFailed = exchange.status === STATUS.internalError && isTransient(exchange.operation)
  if (isLimited || isFailed) client.repeatable.set(key, [...earlier.slice(-MOST_REPEATABLE), recorded])
  if (!last) return []
  const isAfterLimit = last.exchange.status === STATUS.rateLimited
  const wait = isAfterLimit ? requestedWait(last.exchange.headers, last.exchange.body) : 0
  if (wait === undefined) return []
  const waited = sentAt - last.respondedAt
  if (waited + TOLERANCE < wait) return []
  if (!isAfterLimit || !isLimited || isTrigger(exchange.operation)) {
    client.waitedInVain = 0
    return repetitionResults(last.exchange, exchange)
  }
  client.waitedInVain += Math.max(0, sentAt - Math.max(last.respondedAt, client.waitedUntil))
  client.waitedUntil = Math.max(client.waitedUntil, sentAt)
  const what = `a request after the wait of ${secondsText(wait)} that a 429 asked for: expected a success, got 429 again`
  if (client.waitedInVain >= LONG_ENOUGH) return [failed(rules.waitSuffices, what, { exchange })]
  return skipped(rules.waitSuffices, `${what}; another client of the workspace would explain it once.`)
}
