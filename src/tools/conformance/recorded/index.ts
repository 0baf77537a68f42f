import { type BasisId, basis, clientRules, type OperationId, protocol, rules } from '../../../../generated/contract.js'
import type { Run } from '../../../../generated/types.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { getOrCreate } from '../../../internal/maps.js'
import { FUNCTION, type OptionRules, TRUE_OR_FALSE } from '../../../internal/options.js'
import type { OperationCoverage, Report } from '../../../shared/report.js'
import { ruleOf, ruleTitle } from '../../client-rules/entries.js'
import { RULES as CLIENT_RULES } from '../../client-rules/rules.js'
import { acrossResults } from '../judge/across.js'
import { baseUrlResults } from '../judge/base-url.js'
import { hasId, isAbout, isSuccess, OTHER_STATUS, READ_RUN, successBasis } from '../judge/contract.js'
import { errorResults } from '../judge/errors.js'
import type { Exchange } from '../judge/exchange.js'
import { type JudgedExchange, judge } from '../judge/judge.js'
import { firstPageResults } from '../judge/lists.js'
import { counted, failed, failedIf, quote, type Result, text, undecided } from '../judge/result.js'
import { areTwoRuns, isFollowable, RunHistory, type SeenOfRun } from '../judge/runs.js'
import { MISSING, successResults } from '../judge/status.js'
import { outcomeOf, triggeredRunId } from '../judge/triggers.js'
import { compareWorkspaces } from '../judge/workspaces.js'
import { ARCHIVE, baseUrlOf, COMMON_RULES, type ConformanceOptions, checkOptions, isText } from '../options.js'
import { Coverage } from '../report/coverage.js'
import { createReport, Ledger } from '../report/ledger.js'
import { createPrinter } from '../report/print.js'
import { reasonOf } from '../report/reasons.js'
import { RecordedClient, repeatedResults, triggerResults } from './client.js'
import { type RecordedExchange, type Recording, readHar } from './har.js'
import type { ReadAttachment } from './har-messages.js'
import { RecordedClients } from './rules.js'

export interface TrafficOptions extends Pick<ConformanceOptions, 'failOn' | 'bodies'> {
  /** An HTTP archive (HAR 1.2): its text, its bytes, also compressed with gzip, what `JSON.parse` made of it, or a `Blob`; up to 536 MB. */
  har: string | Uint8Array | object
  /** The base URL of the service when it was recorded, ending in the version segment. Entries of other addresses are ignored. */
  baseUrl: string
  /** Reads a body that Playwright wrote to a file of its own (`content: 'attach'`), by its name; default: such bodies count as not recorded. */
  attachment?: ReadAttachment | undefined
  /** Whether rules that the recorded client breaks fail the report too, advice excepted; default false, because they say nothing about the service. */
  failOnClient?: boolean | undefined
}

/**
 * Checks recorded traffic against the contract. No request is sent. What was not recorded, such as a body or the header
 * Authorization, fails nothing.
 *
 * @throws ConformanceError when the recording cannot be read, or has no request to `baseUrl`
 */
export async function checkTraffic(options: TrafficOptions): Promise<Report> {
  checkOptions(options, TRAFFIC_RULES, ['har', 'baseUrl'])
  const { har, attachment, failOn, failOnClient = false, bodies = true } = options
  const baseUrl = baseUrlOf(options.baseUrl)
  const recording = await readHar(har, baseUrl, attachment)
  const ledger = new Ledger(failOnClient)
  const traffic = new Traffic(recording.receivedAt)
  ledger.add(baseUrlResults(baseUrl))
  for await (const recorded of recording.exchanges) ledger.add(traffic.check(recorded))
  ledger.add(traffic.end())
  // Masking very many keys everywhere would take too long: no value is shown.
  const { secrets, sentAt } = recording
  const times = sentAt.filter((at) => !Number.isNaN(at))
  const printer = createPrinter(
    secrets.slice(0, MAX_KEYS),
    bodies && secrets.length <= MAX_KEYS,
    secrets.slice(0, 1).map((key) => ['WORKFLOW_API_KEY', key] as const),
  )
  const coverage = traffic.coverage.result()
  const findings = ledger.findings(printer, (id) => notExercised(id, coverage))
  const from = times[0] ?? Date.now()
  return createReport(findings, {
    failOn,
    complete: !traffic.isIncomplete,
    baseUrl,
    startedAt: new Date(from).toISOString(),
    duration: (times.at(-1) ?? from) - from,
    requests: sentAt.length,
    remarks: [...(traffic.isIncomplete ? [UNNAMED_RUN] : []), ...trafficRemarks(recording, traffic)],
    coverage,
  })
}

const TRAFFIC_RULES: OptionRules<TrafficOptions> = {
  ...COMMON_RULES,
  har: ARCHIVE,
  attachment: FUNCTION,
  failOnClient: TRUE_OR_FALSE,
}

const MAX_KEYS = 1_000

/** What a recording shows, exchange by exchange. */
class Traffic {
  readonly coverage = new Coverage()
  pinned = 0
  /** How many requests have a key that is not known, and how many responses a body that is not. */
  keysLost = 0
  bodiesLost = 0
  /** Whether a trigger started a run that nothing names, and whether any run was read. */
  private hasUnnamedRun = false
  private hasReadRun = false
  private readonly clients = new Map<string, RecordedClient>()
  /** The operations that succeeded, and those that were denied. */
  private readonly offered = new Set<OperationId>()
  private readonly denied = new Map<OperationId, Exchange>()
  /** The client that triggered or read each run first, and others that did, with the first exchange that shows it. */
  private readonly readers = new Map<string, RecordedClient>()
  private readonly otherReaders = new Map<string, Map<RecordedClient, Exchange>>()

  private readonly rules: RecordedClients

  constructor(receivedAt: readonly number[]) {
    this.rules = new RecordedClients(receivedAt)
  }

  check(recorded: RecordedExchange): Result[] {
    this.rules.add(recorded)
    if (recorded.exchange.failure) return []
    const exchange = judge(recorded.exchange)
    const { request, operation, status } = exchange
    this.coverage.add(exchange)
    const authorization = request.headers.get('authorization') ?? ''
    const client = getOrCreate(this.clients, authorization, () => new RecordedClient(authorization))
    const pin = request.headers.get(protocol.versionHeader)
    if (pin !== null) this.pinned++
    if (recorded.authorization === undefined) this.keysLost++
    if (exchange.bodyState === 'not-recorded') this.bodiesLost++
    if (isSuccess(status)) this.offered.add(operation)
    else if (MISSING.has(status) && (!hasId(operation) || status === OTHER_STATUS.methodNotAllowed))
      this.denied.set(operation, exchange)
    return [
      ...exchange.results,
      ...(isSuccess(status) || exchange.looksLikeSuccess || hasStarted(exchange)
        ? this.success(client, recorded, exchange)
        : errorResults(exchange)),
      ...repeatedResults(client, recorded),
    ]
  }

  /** Whether runs were started, and nothing shows whether they keep to the contract. */
  get isIncomplete(): boolean {
    return this.hasUnnamedRun && !this.hasReadRun
  }

  /** What only the whole recording shows. */
  end(): Result[] {
    const denied = [...this.denied].flatMap(([operation, exchange]) => {
      const message = `${operation}: expected to be offered, got ${exchange.status} each time`
      return failedIf(!this.offered.has(operation), successBasis(operation), message, { exchange })
    })
    const ofClients = [...this.clients.values()].flatMap((client) => [
      ...[...client.runs.values()].flatMap(({ history }) => history.end()),
      ...acrossResults(client),
    ])
    return [...this.apartResults(), ...denied, ...ofClients, ...this.rules.results()]
  }

  private success(client: RecordedClient, recorded: RecordedExchange, exchange: JudgedExchange): Result[] {
    const { operation, request, body, status } = exchange
    const before = client.bodies[operation]
    const results = successResults(exchange, operation)
    if (!isSuccess(status) && !hasStarted(exchange)) return results
    if (exchange.isValid) client.bodies[operation] = body
    if (exchange.isValid && !request.url.includes('?')) results.push(...firstPageResults(exchange))
    if (exchange.isValid && operation === 'getCurrentWorkspace' && before && client.authorization)
      results.push(...compareWorkspaces(before, exchange, true))
    if (recorded.authorization === null)
      results.push(failed(rules.invalidKey, `${operation} without a key: expected 401, got ${status}`, { exchange }))
    if (isTrigger(operation)) {
      results.push(...triggerResults(client, recorded))
      const id = triggeredRunId(exchange)
      if (id !== undefined) this.seenBy(client, id, exchange)
      else if (exchange.hasHeaders && exchange.bodyState === 'complete') this.hasUnnamedRun = true
    }
    if (operation === READ_RUN) this.hasReadRun = true
    const polled = operation === READ_RUN && isFollowable(body) ? this.poll(client, recorded, body) : []
    return [...results, ...polled]
  }

  /** A poll that was sent before the last one had its response may show an earlier state. */
  private poll(client: RecordedClient, { exchange, id, sentAt, receivedAt }: RecordedExchange, run: Run): Result[] {
    const { runs, capabilities } = client
    for (const { capability } of run.steps) if (typeof capability === 'string') capabilities.add(capability)
    const known = runs.get(id) ?? { history: new RunHistory(id), receivedAt: undefined }
    const isLater = known.receivedAt === undefined || sentAt >= known.receivedAt
    const results = known.history.poll(run, exchange, isLater)
    this.seenBy(client, id, exchange)
    return [...results, ...client.keepRun(id, known.history, isLater ? receivedAt : known.receivedAt)]
  }

  private seenBy(client: RecordedClient, run: string, exchange: Exchange): void {
    // Requests whose key is unknown may be those of several workspaces.
    if (client.authorization === '') return
    const first = this.readers.get(run)
    if (!first) return void this.readers.set(run, client)
    const others = () => getOrCreate(this.otherReaders, run, () => new Map<RecordedClient, Exchange>())
    if (client !== first) getOrCreate(others(), client, () => exchange)
  }

  /** Runs that clients of two workspaces have seen. */
  private apartResults(): Result[] {
    return [...this.otherReaders].flatMap(([run, others]) => {
      const first = this.readers.get(run)
      const known = [...(first ? [[first, undefined] as const] : []), ...others]
        .map(([client, exchange]) => ({ client, exchange, workspace: workspaceOf(client) }))
        .filter(({ workspace }) => workspace !== undefined)
      const [own] = known
      const strangers = known.filter(({ workspace }) => workspace !== own?.workspace)
      if (!own || strangers.length === 0) return []
      const other = strangers.find(({ client }) => !areTwoRuns(runOf(own.client, run), runOf(client, run)))
      if (!other) return undecided(rules.workspacesApart, SAME_ID)
      const message = text`a run of the workspace ${quote(own.workspace)} must be hidden from other workspaces, but ${quote(other.workspace)} reads it`
      return [failed(rules.workspacesApart, message, { exchange: other.exchange })]
    })
  }
}

const SAME_ID = 'Two workspaces have runs with the same id; ids may be counted in each workspace.'

/** What a client has seen of a run: what was read last, or the playbook that was triggered. */
const runOf = (client: RecordedClient, id: string): SeenOfRun =>
  client.runs.get(id)?.history.last ?? { playbook_id: client.triggered.get(id) }

/** Whether it is a trigger that has started a run. */
const hasStarted = (exchange: Exchange): boolean => isTrigger(exchange.operation) && outcomeOf(exchange) === 'started'

const workspaceOf = (client: RecordedClient | undefined): unknown => Object(client?.bodies.getCurrentWorkspace).id

function notExercised(id: BasisId, coverage: readonly OperationCoverage[]): string {
  const unread = coverage.filter(
    ({ operation, responses }) => isAbout(operation, id) && responses.some(({ times, withBody }) => withBody < times),
  )
  if (unread.length > 0) return `Not recorded: bodies of ${unread.map(({ operation }) => operation).join(', ')}.`
  const rule = ruleOf(id)
  if (rule && basis[id].unobservable) return CLIENT_RULES[rule].notSeen
  return reasonOf(id, EVERYTHING) ?? 'The recording does not show it.'
}

/** No option would make a recording show more. */
const EVERYTHING = {
  ...{ trigger: ' ', readOnlyKey: ' ', otherWorkspaceKey: ' ', hobbyKey: ' ', rateLimit: true },
}

const UNNAMED_RUN =
  'Not everything was checked. A trigger started a run, or may have, its response has no id of it, and the recording reads no run. Name one to read with verify --run (run).'

function trafficRemarks({ ignored, unshown, sentAt }: Recording, { pinned, keysLost, bodiesLost }: Traffic): string[] {
  const all = sentAt.length
  const left = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const hidden = [...unshown].map((rule) => `"${ruleTitle(clientRules[rule].basis)}" (${clientRules[rule].basis})`)
  const untimed = sentAt.filter(Number.isNaN).length
  return [
    left &&
      `Entries that were ignored: ${left}.${hidden.length > 0 ? ` They could have shown: ${hidden.join(', ')}.` : ''}`,
    keysLost > 0 &&
      `The key of ${keysLost} of ${counted(all, 'request')} was not recorded, so nothing was checked with ${keysLost === 1 ? 'it' : 'them'} that needs the key.`,
    bodiesLost > 0 && `The body of ${bodiesLost} of ${counted(all, 'response')} was not recorded.`,
    untimed > 0 &&
      `${counted(untimed, 'entry', 'entries')} had no startedDateTime, so nothing was checked that needs their order.`,
    pinned > 0 &&
      pinned < all &&
      `The client pinned ${pinned} of ${all} requests to a release; the others get the latest one.`,
  ]
    .filter(isText)
    .filter(Boolean)
}
