import { operationNodes } from '../../generated/conformance.js'
import { type BasisId, type OperationId, operations, protocol } from '../../generated/operations.js'
import type { Run, TriggeredRun } from '../../generated/types.js'
import { validate } from '../../generated/validators.js'
import { parseJson } from '../internal/json.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { checkFirstPage } from './checks/paging.js'
import { errorBasis, hasId, isSuccess, operationIds, startsRuns } from './contract.js'
import { idOf, type ReadAttachment, type RecordedExchange, readHar } from './har.js'
import { createLedger, type Ledger, summarize } from './ledger.js'
import { counted, type Message, quote, seconds, text } from './message.js'
import { baseUrlOf } from './options.js'
import { createPrinter } from './print.js'
import { REASONS, UNOBSERVABLE } from './reasons.js'
import type { OperationCoverage, Report } from './report.js'
import {
  changeResults,
  checkAcrossResponses,
  historyResults,
  isFollowable,
  learnCapabilities,
  runResults,
  statusResults,
} from './runs.js'
import { triggeredRunId } from './semantics.js'
import { expectSuccess, type Facts } from './session.js'
import { checkBaseUrl } from './start.js'
import { type Validation, validateExchange } from './validate.js'

export interface TrafficOptions {
  /** An HTTP archive (HAR 1.2): its text, its bytes, or what `JSON.parse` made of it. */
  har: string | Uint8Array | object
  /** Where the service was when it was recorded, ending in the version segment. Entries of other addresses are ignored. */
  baseUrl: string
  /** Reads a body that Playwright put into a file of its own (`content: 'attach'`), by its name; default not recorded. */
  attachment?: ReadAttachment | undefined
  /** Whether what the recorded client did wrong fails too; default false, because it says nothing of the service. */
  failOnClient?: boolean | undefined
  /** Whether the report holds bodies and values from them; default true. Keys in the recording are masked everywhere. */
  bodies?: boolean | undefined
}

/**
 * Checks recorded traffic against the contract. No request is sent. What was not recorded, such as a body or the header
 * Authorization, fails nothing.
 *
 * @throws ConformanceError when the recording cannot be read, or holds no request to `baseUrl`
 */
export async function checkTraffic(options: TrafficOptions): Promise<Report> {
  const { har, attachment, failOnClient = false, bodies = true } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  const recording = readHar(har, baseUrl, attachment)
  const traffic = createTraffic(failOnClient)
  checkBaseUrl(baseUrl, traffic.ledger)
  for await (const recorded of recording.exchanges) addExchange(traffic, recorded)
  for (const { facts, runs } of traffic.clients.values()) {
    for (const { history } of runs.values()) traffic.ledger.add(historyResults(history), undefined)
    checkAcrossResponses(traffic.ledger, facts)
  }
  // So many keys that to mask each of them everywhere would take too long: no value is shown.
  const { secrets } = recording
  const printer = createPrinter(secrets.slice(0, MAX_KEYS), bodies && secrets.length <= MAX_KEYS)
  const findings = traffic.ledger.findings(printer, (id) => missing(id, traffic))
  const summary = summarize(findings)
  return {
    passed: summary.fail === 0,
    complete: true,
    baseUrl,
    startedAt: new Date(Number.isFinite(traffic.from) ? traffic.from : Date.now()).toISOString(),
    duration: Math.max(0, Math.round(traffic.to - traffic.from)) || 0,
    requests: traffic.exchanges,
    summary,
    remarks: remarksOn(traffic, recording.ignored),
    findings,
    coverage: coverageOf(traffic),
  }
}

const MAX_KEYS = 1_000

/** What is known after some of the entries. */
interface Traffic {
  ledger: Ledger
  failOnClient: boolean
  /** By the header Authorization; one for all requests without it. */
  clients: Map<string, Client>
  counts: Map<OperationId, Map<number, { times: number; withBody: number }>>
  exchanges: number
  pinned: number
  untimed: number
  /** When the first request was sent, and when the last one was, in ms. */
  from: number
  to: number
}

interface Client {
  facts: Facts
  runs: Map<string, { playbook?: string; status?: string | undefined; history: Run[]; receivedAt: number }>
  /** By the request: the responses 429 after which it was not sent again yet. */
  refused: Map<string, RecordedExchange[]>
  failed: Map<string, RecordedExchange>
  lists: Map<string, RecordedExchange>
  triggered: Set<string>
}

const createTraffic = (failOnClient: boolean): Traffic => ({
  ledger: createLedger(),
  failOnClient,
  clients: new Map(),
  counts: new Map(),
  exchanges: 0,
  pinned: 0,
  untimed: 0,
  from: Number.POSITIVE_INFINITY,
  to: Number.NEGATIVE_INFINITY,
})

function addExchange(traffic: Traffic, recorded: RecordedExchange): void {
  const { ledger } = traffic
  const { exchange, sentAt } = recorded
  const validation = validateExchange(exchange)
  ledger.add(validation.results, exchange)
  count(traffic, recorded)
  const client = clientOf(traffic, exchange.request.headers.get('authorization') ?? '')
  if (isSuccess(exchange.status) || validation.looksLikeSuccess) addSuccess(traffic, client, recorded, validation)
  else addError(ledger, recorded, validation)
  checkPin(traffic, recorded)
  if (Number.isNaN(sentAt)) return
  checkWait(traffic, client, recorded)
  checkRepetition(ledger, client, recorded)
  checkCaching(traffic, client, recorded)
}

function clientOf({ clients }: Traffic, authorization: string): Client {
  const client = clients.get(authorization) ?? {
    facts: { bodies: {}, runId: undefined, capabilities: new Set(), pin: undefined },
    runs: new Map(),
    refused: new Map(),
    failed: new Map(),
    lists: new Map(),
    triggered: new Set(),
  }
  clients.set(authorization, client)
  return client
}

function count(traffic: Traffic, { exchange, sentAt }: RecordedExchange): void {
  const { operation, status, bodyState } = exchange
  traffic.exchanges++
  if (Number.isNaN(sentAt)) traffic.untimed++
  else {
    traffic.from = Math.min(traffic.from, sentAt)
    traffic.to = Math.max(traffic.to, sentAt)
  }
  const own = traffic.counts.get(operation) ?? new Map()
  traffic.counts.set(operation, own)
  const { times, withBody } = own.get(status) ?? { times: 0, withBody: 0 }
  own.set(status, { times: times + 1, withBody: withBody + (bodyState === 'complete' ? 1 : 0) })
}

function addSuccess(traffic: Traffic, client: Client, recorded: RecordedExchange, validation: Validation): void {
  const { ledger } = traffic
  const { exchange } = recorded
  const { operation, request } = exchange
  const before = client.facts.bodies[operation]
  const isRead = expectSuccess({ ledger, facts: client.facts }, { ...exchange, ...validation }, operation)
  if (!isSuccess(exchange.status)) return
  if (isRead && new URL(request.url).search === '') checkFirstPage({ ledger }, exchange)
  if (isRead && operation === 'getCurrentWorkspace') checkSameWorkspace(ledger, before, recorded)
  if (startsRuns(operation)) addTrigger(ledger, client, recorded)
  if (operation === 'getRun' && isFollowable(exchange.body)) addPoll(ledger, client, recorded, exchange.body)
}

/** Basis: S03. */
function checkSameWorkspace(ledger: Ledger, before: unknown, { exchange }: RecordedExchange): void {
  if (before === undefined || !exchange.request.headers.has('authorization')) return
  const [one, other] = [before, exchange.body].map((body) => (Object(body) as { id?: unknown }).id)
  if (one === other) ledger.passes('S03', 'the key reads the same workspace each time', exchange)
  else ledger.fails('S03', text`the key reads the workspace ${quote(one)}, then ${quote(other)}`, exchange)
}

/** Basis: D02, A14, A34. */
function addTrigger(ledger: Ledger, client: Client, { exchange, receivedAt }: RecordedExchange): void {
  const found = triggeredRunId(exchange)
  if (!found) return
  const { id } = found
  const playbook = idOf(exchange.operation, exchange.request.url)
  ledger.passes('D02', text`the id of the run is in the response to its trigger: ${quote(id)}`, exchange)
  const { playbook_id: named, status } = Object(exchange.body) as Partial<TriggeredRun>
  if (named !== undefined && named !== playbook)
    ledger.fails(
      'A14',
      text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`,
      exchange,
      {
        pointer: '/playbook_id',
      },
    )
  if (client.triggered.has(id))
    ledger.fails('A34', text`two triggers started one run, ${quote(id)}`, exchange, { keyword: 'unique-id' })
  else if (client.triggered.size > 0) ledger.passes('A34', 'two triggers started two runs', exchange)
  client.triggered.add(id)
  client.runs.set(id, { playbook, status: typeof status === 'string' ? status : undefined, history: [], receivedAt })
}

/** A poll that was sent before the last one had its response may show an earlier state. */
function addPoll(
  ledger: Ledger,
  { facts, runs }: Client,
  { exchange, sentAt, receivedAt }: RecordedExchange,
  run: Run,
) {
  const id = idOf(exchange.operation, exchange.request.url)
  const followed = runs.get(id) ?? { history: [], receivedAt }
  runs.set(id, followed)
  facts.runId = id
  learnCapabilities(facts, run)
  const { history, playbook, status } = followed
  ledger.add(runResults(run, id, playbook), exchange)
  const previous = history.at(-1)
  if ((previous || status !== undefined) && !(sentAt >= followed.receivedAt)) return
  ledger.add(previous ? changeResults(previous, run) : statusResults(status, run.status), exchange)
  // Of the polls between, the history needs only that they were; to keep them would keep the whole recording.
  if (history.length > 1) history[history.length - 1] = history[0] as Run
  history.push(run)
  followed.receivedAt = receivedAt
}

/** What an error shows beyond its form. A 500 shows something only together with what follows. */
function addError(ledger: Ledger, { exchange }: RecordedExchange, { results }: Validation): void {
  const { operation, status, request } = exchange
  const id = errorBasis(operation, status)
  if (id === undefined || status === STATUS.internalError) return
  if (status === STATUS.badRequest && !isWrongBody(operation, request.body)) return
  if (status === STATUS.notFound && !hasId(operation)) return
  if (results.some(({ outcome, basis: skipped }) => outcome === 'skipped' && skipped === 'A23')) return
  ledger.passes(id, `${operation} gets ${status}`, exchange)
}

function isWrongBody(operation: OperationId, body: string | undefined): boolean {
  const schema = operationNodes[operation].request as Parameters<typeof validate>[0] | undefined
  return schema !== undefined && body !== undefined && validate(schema, parseJson(body)).length > 0
}

/** Something that the client did and should not. */
function ofClient(
  { ledger, failOnClient }: Traffic,
  id: BasisId,
  message: Message,
  { exchange }: RecordedExchange,
): void {
  ledger.add([{ basis: id, outcome: failOnClient ? 'failed' : 'client', message, keyword: 'client' }], exchange)
}

/** Basis: S33. */
function checkWait(traffic: Traffic, { refused }: Client, recorded: RecordedExchange): void {
  const { exchange, sentAt } = recorded
  const key = requestKey(recorded)
  const waiting = refused.get(key) ?? []
  // Several of the same request may be under way; each is repeated on its own.
  const index = waiting.findIndex(({ respondedAt }) => sentAt >= respondedAt)
  if (index !== -1) {
    const [last] = waiting.splice(index, 1) as [RecordedExchange]
    const wait = requestedWait(last.exchange.headers, last.exchange.body)
    const waited = sentAt - last.respondedAt
    if (wait !== undefined && waited + TOLERANCE < wait)
      ofClient(
        traffic,
        'S33',
        `the client sent ${exchange.operation} again ${seconds(waited)} after a 429 that asked for ${seconds(wait)}`,
        recorded,
      )
    else if (wait !== undefined && exchange.status !== STATUS.rateLimited)
      traffic.ledger.passes('S33', 'after the wait of a 429 the same request was accepted', exchange)
  }
  if (exchange.status === STATUS.rateLimited && !Number.isNaN(recorded.respondedAt)) waiting.push(recorded)
  refused.set(key, waiting)
}

/** Basis: S28. */
function checkRepetition(ledger: Ledger, { failed }: Client, recorded: RecordedExchange): void {
  const { exchange, sentAt } = recorded
  const key = requestKey(recorded)
  const last = failed.get(key)
  if (last && sentAt >= last.receivedAt && exchange.status !== STATUS.internalError) {
    ledger.passes('S28', `a 500 was transient: the repeated request got ${exchange.status}`, last.exchange)
    failed.delete(key)
  }
  if (exchange.status === STATUS.internalError) failed.set(key, recorded)
}

/** A page that is loaded anew starts without what the last one kept. Basis: S38. */
function checkCaching(traffic: Traffic, { lists }: Client, recorded: RecordedExchange): void {
  const { exchange, sentAt, page } = recorded
  const operation = operations[exchange.operation]
  if (!('cacheSeconds' in operation) || exchange.status !== STATUS_OK) return
  const pin = exchange.request.headers.get(protocol.versionHeader)
  const key = JSON.stringify([requestKey(recorded), pin, page])
  const last = lists.get(key)
  lists.set(key, recorded)
  if (!last || !(sentAt >= last.receivedAt)) return
  const keep = operation.cacheSeconds
  if (sentAt - last.receivedAt + TOLERANCE < keep * 1000)
    ofClient(traffic, 'S38', `the client requested ${exchange.operation} again within ${keep} s`, recorded)
  else traffic.ledger.passes('S38', `the client kept ${exchange.operation} for ${keep} s`, exchange)
}

/** Basis: S40, A26. */
function checkPin(traffic: Traffic, recorded: RecordedExchange): void {
  const { exchange } = recorded
  const pin = exchange.request.headers.get(protocol.versionHeader)
  if (pin === null) return
  traffic.pinned++
  const what = text`${exchange.operation} pinned to ${quote(pin)}`
  if (!new RegExp(protocol.versionPattern, 'u').test(pin))
    ofClient(
      traffic,
      'S40',
      text`the client pinned ${exchange.operation} to ${quote(pin)}, which is not a date YYYY-MM-DD`,
      recorded,
    )
  else if (isSuccess(exchange.status)) {
    traffic.ledger.passes('S40', text`${what} gets ${exchange.status}`, exchange)
    traffic.ledger.passes('A26', text`${what} gets ${exchange.status}`, exchange)
  }
}

const requestKey = ({ exchange: { request } }: RecordedExchange): string =>
  `${request.method} ${request.url} ${request.body ?? ''}`

const STATUS_OK = 200
/** How far a clock of a recorder may be off, in ms. */
const TOLERANCE = 50

function coverageOf({ counts }: Traffic): OperationCoverage[] {
  return operationIds.map((operation) => {
    const own = counts.get(operation)
    const documented = Object.keys(operationNodes[operation].responses).map(Number)
    const statuses = [...new Set([...documented, ...(own?.keys() ?? [])])].sort((one, other) => one - other)
    return {
      operation,
      responses: statuses.map((status) => ({ status, ...(own?.get(status) ?? { times: 0, withBody: 0 }) })),
    }
  })
}

/** Why an entry was not exercised. */
function missing(id: BasisId, { counts }: Traffic): string {
  if (UNOBSERVABLE.has(id)) return REASONS[id] ?? ''
  const about = operationIds.filter((operation) => {
    const { basis: own, responses } = operationNodes[operation]
    return own.includes(id) || Object.values(responses).some(({ basis: ids }) => ids.includes(id))
  })
  const unread = about.filter((operation) =>
    [...(counts.get(operation)?.values() ?? [])].some(({ times, withBody }) => withBody < times),
  )
  if (unread.length > 0) return `Not recorded: bodies of ${unread.join(', ')}.`
  return 'The recording does not show it.'
}

function remarksOn({ exchanges, pinned, untimed }: Traffic, ignored: ReadonlyMap<string, number>): string[] {
  const left = [...ignored].map(([reason, times]) => `${times} ${reason}`)
  return [
    ...(left.length > 0 ? [`Entries that were ignored: ${left.join(', ')}.`] : []),
    ...(untimed > 0
      ? [
          `${counted(untimed, 'entry', 'entries')} had no startedDateTime, so nothing was checked that needs their order.`,
        ]
      : []),
    ...(pinned > 0 && pinned < exchanges
      ? [`The client pinned ${pinned} of ${exchanges} requests to a release; the others get the latest one.`]
      : []),
  ]
}
