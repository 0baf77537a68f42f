import { operationNodes } from '../../generated/conformance.js'
import { type BasisId, operations, protocol } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import { validate } from '../../generated/validators.js'
import { parseJson } from '../internal/json.js'
import { FUNCTION, type OptionRules, TRUE_OR_FALSE } from '../internal/options.js'
import { requestedWait } from '../internal/retry-after.js'
import { STATUS } from '../internal/status.js'
import { compareWorkspaces } from './checks/keys.js'
import { checkFirstPage } from './checks/reading.js'
import { checkNewRun, checkTriggered } from './checks/trigger.js'
import { errorBasis, hasId, isSuccess, operationIds, startsRuns, successStatus, VERSION } from './contract.js'
import type { Exchange } from './exchange.js'
import { type ReadAttachment, type RecordedExchange, type Recording, readHar } from './har.js'
import { createReport, Ledger } from './ledger.js'
import { baseUrlOf, COMMON_RULES, type ConformanceOptions, checkOptions, isText } from './options.js'
import { createPrinter } from './print.js'
import { reasonOf, UNOBSERVABLE } from './reasons.js'
import type { OperationCoverage, Report } from './report.js'
import { counted, type Message, quote, seconds, text } from './result.js'
import { checkAcrossResponses, type FollowedRun, followRun, isFollowable } from './runs.js'
import { expectSuccess, Facts } from './session.js'
import { checkBaseUrl } from './start.js'
import { noteRepetition } from './transport.js'
import { type Checked, observe } from './validate.js'

export interface TrafficOptions extends Pick<ConformanceOptions, 'failOn' | 'bodies'> {
  /** An HTTP archive (HAR 1.2): its text, its bytes, or what `JSON.parse` made of it. */
  har: string | Uint8Array | object
  /** The base URL of the service when it was recorded, ending in the version segment. Entries of other addresses are ignored. */
  baseUrl: string
  /** Reads a body that Playwright wrote to a file of its own (`content: 'attach'`), by its name; default: such bodies count as not recorded. */
  attachment?: ReadAttachment | undefined
  /** Whether mistakes of the recorded client fail the report too; default false, because they say nothing about the service. */
  failOnClient?: boolean | undefined
}

/**
 * Checks recorded traffic against the contract. No request is sent. What was not recorded, such as a body or the header
 * Authorization, fails nothing.
 *
 * @throws ConformanceError when the recording cannot be read, or has no request to `baseUrl`
 */
export async function checkTraffic(options: TrafficOptions): Promise<Report> {
  checkOptions(options, RULES, ['har', 'baseUrl'])
  const { har, attachment, failOn, failOnClient = false, bodies = true } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  const recording = readHar(har, baseUrl, attachment)
  const traffic: Traffic = { ledger: new Ledger(failOnClient), clients: new Map(), responses: [], pinned: 0 }
  const { ledger, responses } = traffic
  checkBaseUrl(baseUrl, ledger)
  for await (const recorded of recording.exchanges) checkExchange(traffic, recorded)
  for (const { facts, runs } of traffic.clients.values()) {
    for (const { followed } of runs.values()) followed.end()
    checkAcrossResponses(ledger, facts)
  }
  // Masking very many keys everywhere would take too long: no value is shown.
  const { secrets, sentAt } = recording
  const times = sentAt.filter((at) => !Number.isNaN(at))
  const printer = createPrinter(secrets.slice(0, MAX_KEYS), bodies && secrets.length <= MAX_KEYS)
  const coverage = coverageOf(responses)
  const findings = ledger.findings(printer, (id) => notExercised(id, coverage))
  const from = times[0] ?? Date.now()
  return createReport(findings, {
    failOn,
    complete: true,
    baseUrl,
    startedAt: new Date(from).toISOString(),
    duration: (times.at(-1) ?? from) - from,
    requests: sentAt.length,
    remarks: remarksOn(recording, traffic.pinned),
    coverage,
  })
}

const RULES: OptionRules<TrafficOptions> = {
  ...COMMON_RULES,
  har: [(value) => isText(value) || Object(value) === value, 'an HTTP archive: its text, its bytes or its parsed JSON'],
  attachment: FUNCTION,
  failOnClient: TRUE_OR_FALSE,
}

const MAX_KEYS = 1_000

interface Traffic {
  ledger: Ledger
  /** By the Authorization header; one for all requests without it. */
  clients: Map<string, Client>
  responses: CountedResponse[]
  pinned: number
}

class Client {
  readonly facts = new Facts()
  /** With the time of the last response that contained it. */
  readonly runs = new Map<string, { followed: FollowedRun; receivedAt: number | undefined }>()
  readonly triggered = new Set<string>()
  /** By request: responses with 429 or 500 that were not followed by a repetition yet, and the last list. */
  readonly repeatable = new Map<string, RecordedExchange[]>()
  readonly lists = new Map<string, RecordedExchange>()
}

function checkExchange(traffic: Traffic, recorded: RecordedExchange): void {
  const { ledger, clients, responses } = traffic
  const { request, operation, status, bodyState } = recorded.exchange
  responses.push({ operation, status, bodyState })
  const exchange = observe(ledger, recorded.exchange)
  const authorization = request.headers.get('authorization') ?? ''
  const client = clients.get(authorization) ?? new Client()
  clients.set(authorization, client)
  if (isSuccess(status) || exchange.looksLikeSuccess) checkSuccess(ledger, client, recorded, exchange)
  else checkError(ledger, exchange)
  const pin = request.headers.get(protocol.versionHeader)
  const message = text`the client pinned ${operation} to ${quote(pin)}, which is not a date YYYY-MM-DD`
  if (pin !== null) traffic.pinned++
  if (pin !== null && !VERSION.test(pin)) ofClient(ledger, 'S40', message, exchange)
  const key = `${request.method} ${request.url} ${request.body ?? ''}`
  checkRepetition(ledger, client, recorded, key)
  checkCaching(ledger, client, recorded, key)
}

function checkSuccess(ledger: Ledger, client: Client, recorded: RecordedExchange, exchange: Checked): void {
  const { operation, request, body } = exchange
  const { facts } = client
  const before = facts.bodies[operation]
  const isRead = expectSuccess({ ledger, facts }, exchange, operation)
  if (!isSuccess(exchange.status)) return
  if (isRead && !request.url.includes('?')) checkFirstPage({ ledger }, exchange)
  if (isRead && operation === 'getCurrentWorkspace' && before && request.headers.has('authorization'))
    compareWorkspaces(ledger, before, exchange, true)
  if (startsRuns(operation)) checkTrigger(ledger, client, recorded)
  if (operation === 'getRun' && isFollowable(body)) checkPoll(ledger, client, recorded, body)
}

function checkTrigger(ledger: Ledger, { facts, runs, triggered }: Client, recorded: RecordedExchange): void {
  const { exchange, id: playbook, receivedAt } = recorded
  const run = checkTriggered(ledger, exchange, playbook)
  if (!run) return
  checkNewRun(ledger, exchange, run.id, triggered)
  triggered.add(run.id)
  runs.set(run.id, { followed: followRun(ledger, facts, run.id, playbook, run.status), receivedAt })
}

/** A poll that was sent before the last one had its response may show an earlier state. */
function checkPoll(ledger: Ledger, { facts, runs }: Client, recorded: RecordedExchange, run: Run): void {
  const { exchange, id, sentAt, receivedAt } = recorded
  const known = runs.get(id) ?? { followed: followRun(ledger, facts, id), receivedAt: undefined }
  const isLater = known.receivedAt === undefined || sentAt >= known.receivedAt
  known.followed.poll(run, exchange, isLater)
  runs.set(id, isLater ? { ...known, receivedAt } : known)
}

/** What an error shows beyond its body. A 500 needs the next request to show something. */
function checkError(ledger: Ledger, exchange: Checked): void {
  const { operation, status, results } = exchange
  const id = errorBasis(operation, status)
  if (id === undefined || status === STATUS.internalError) return
  if (status === STATUS.badRequest && !isWrongBody(exchange)) return
  if (status === STATUS.notFound && !hasId(operation)) return
  if (results.some(({ outcome, basis: skipped }) => outcome === 'skipped' && skipped === 'A23')) return
  ledger.passes(id, `${operation} gets ${status}`, exchange)
}

function isWrongBody({ operation, request: { body } }: Exchange): boolean {
  const schema = operationNodes[operation].request as Parameters<typeof validate>[0] | undefined
  return schema !== undefined && body !== undefined && validate(schema, parseJson(body)).length > 0
}

/** The same request may be open several times; each is repeated on its own. Basis: S28, S33. */
function checkRepetition(ledger: Ledger, { repeatable }: Client, recorded: RecordedExchange, key: string): void {
  const { exchange, sentAt } = recorded
  const earlier = repeatable.get(key) ?? []
  const index = earlier.findIndex(({ respondedAt }) => sentAt >= respondedAt)
  const [last] = index === -1 ? [] : earlier.splice(index, 1)
  if (last) {
    const wait =
      last.exchange.status === STATUS.rateLimited ? requestedWait(last.exchange.headers, last.exchange.body) : 0
    const waited = sentAt - last.respondedAt
    if (wait !== undefined && waited + TOLERANCE < wait) {
      const after = `${seconds(waited)} after a 429 that asked for ${seconds(wait)}`
      ofClient(ledger, 'S33', `the client sent ${exchange.operation} again ${after}`, exchange)
    } else if (wait !== undefined) noteRepetition(ledger, last.exchange, exchange)
  }
  if (exchange.status === STATUS.rateLimited || exchange.status === STATUS.internalError)
    repeatable.set(key, [...earlier, recorded])
}

/** A reloaded page starts without a cache. Basis: S38. */
function checkCaching(ledger: Ledger, { lists }: Client, recorded: RecordedExchange, request: string): void {
  const { exchange, sentAt, page } = recorded
  const operation = operations[exchange.operation]
  if (!('cacheSeconds' in operation) || exchange.status !== successStatus(exchange.operation) || Number.isNaN(sentAt))
    return
  const key = JSON.stringify([request, exchange.request.headers.get(protocol.versionHeader), page])
  const last = lists.get(key)
  lists.set(key, recorded)
  if (!last || !(sentAt >= last.receivedAt)) return
  const keep = `${operation.cacheSeconds} s`
  if (sentAt - last.receivedAt + TOLERANCE < operation.cacheSeconds * 1000)
    ofClient(ledger, 'S38', `the client requested ${exchange.operation} again within ${keep}`, exchange)
  else ledger.passes('S38', `the client kept ${exchange.operation} for ${keep}`, exchange)
}

const ofClient = (ledger: Ledger, basis: BasisId, message: Message, exchange: Exchange): void =>
  ledger.add([{ basis, outcome: 'client', message, keyword: 'client' }], exchange)

/** How far a clock of a recorder may be off, in ms. */
const TOLERANCE = 50

type CountedResponse = Pick<Exchange, 'operation' | 'status' | 'bodyState'>

const coverageOf = (responses: readonly CountedResponse[]): OperationCoverage[] =>
  operationIds.map((operation) => {
    const own = responses.filter((each) => each.operation === operation)
    const documented = Object.keys(operationNodes[operation].responses).map(Number)
    const statuses = [...new Set([...documented, ...own.map(({ status }) => status)])].sort((a, b) => a - b)
    const counts = statuses.map((status) => {
      const these = own.filter((each) => each.status === status)
      return { status, times: these.length, withBody: these.filter((each) => each.bodyState === 'complete').length }
    })
    return { operation, responses: counts }
  })

function notExercised(id: BasisId, coverage: readonly OperationCoverage[]): string {
  if (UNOBSERVABLE.has(id)) return reasonOf(id, {}) ?? ''
  const unread = coverage.filter(({ operation, responses }) => {
    const { basis: own, responses: nodes } = operationNodes[operation]
    const isAbout = own.includes(id) || Object.values(nodes).some(({ basis: ids }) => ids.includes(id))
    return isAbout && responses.some(({ times, withBody }) => withBody < times)
  })
  if (unread.length === 0) return 'The recording does not show it.'
  return `Not recorded: bodies of ${unread.map(({ operation }) => operation).join(', ')}.`
}

function remarksOn({ ignored, sentAt }: Recording, pinned: number): string[] {
  const left = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const untimed = sentAt.filter(Number.isNaN).length
  const noOrder = `${counted(untimed, 'entry', 'entries')} had no startedDateTime, so nothing was checked that needs their order.`
  const pins = `The client pinned ${pinned} of ${sentAt.length} requests to a release; the others get the latest one.`
  return [
    ...(left ? [`Entries that were ignored: ${left}.`] : []),
    ...(untimed > 0 ? [noOrder] : []),
    ...(pinned > 0 && pinned < sentAt.length ? [pins] : []),
  ]
}
