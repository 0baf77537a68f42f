import { type OperationId, operations } from '../../../generated/operations.js'
import { isLoopback } from '../../internal/loopback.js'
import { FUNCTION, type OptionRule, type OptionRules } from '../../internal/options.js'
import { operationIds } from '../contract.js'
import { type Exchange, sendRequest } from '../exchange.js'
import { createReport, Ledger } from '../ledger.js'
import { ConformanceError, type ConformanceOptions, checkOptions, isText, settingsOf } from '../options.js'
import { createPrinter } from '../report/print.js'
import type { Report } from '../report/types.js'
import { Collection } from './collect.js'
import { openRecording, RECORDING_RULES, type RecordingOptions } from './read.js'
import { ReplayedExchanges } from './replayed.js'
import { DEFAULT_KEY } from './world.js'

export interface ReplayOptions
  extends RecordingOptions,
    Pick<ConformanceOptions, 'unsafe' | 'timeout' | 'fetch' | 'signal' | 'clock' | 'bodies'> {
  /** The base URL of the service to send the requests to, ending in the version segment. */
  to: string
  /** The key to send; default the keys of the world that `worldFromTraffic` makes of the same recording. */
  apiKey?: string | undefined
  /** Lets the time pass that passed between two recorded requests, in ms, such as `sandbox.advance`. Default: waits, up to `maxWait`. */
  advance?: ((ms: number) => unknown) | undefined
  /** The longest wait between two requests without `advance`, in ms. Default 5,000. */
  maxWait?: number | undefined
}

/** The report of a replay: it has the entries of the register that were compared, and no coverage. */
export type ReplayReport = Report & Required<Pick<Report, 'replay'>>

/**
 * Sends the requests of a recording in their order, and compares the responses: status and body, where ids and times may be
 * others. A run may show its recorded states at other polls than recorded, in their order; its last poll shows the recorded
 * one. Every difference fails the report. Nothing is triggered on another machine that is no sandbox, unless `unsafe` names
 * the operation.
 * Secrets in requests are replaced as in the world.
 *
 * @throws ConformanceError when the recording cannot be read, an option is invalid, or no response comes
 */
export async function replayTraffic(options: ReplayOptions): Promise<ReplayReport> {
  checkOptions(options, RULES, ['har', 'to'])
  const { to, apiKey = '', maxWait = LONGEST_WAIT, unsafe, timeout, fetch, signal, clock, bodies = true } = options
  const { har, attachment, baseUrl, keep, workspace, advance } = options
  const live = { timeout, fetch, signal, clock, maxWait, bodies }
  const settings = settingsOf({ baseUrl: to, apiKey: apiKey || DEFAULT_KEY, ...live })
  const recording = await openRecording({ har, attachment, baseUrl, keep, workspace })
  const collection = new Collection()
  for await (const recorded of recording.exchanges()) collection.add(recorded)
  // Only the time of a sandbox can be moved.
  const isSandbox = advance !== undefined || isLoopback(new URL(settings.baseUrl).hostname)
  const changing = isSandbox ? operationIds : (unsafe ?? [])
  const replayed = new ReplayedExchanges(collection, collection.keysOf(workspace).keys, apiKey, changing)
  const ledger = new Ledger()
  const startedAt = new Date().toISOString()
  const from = settings.clock.now()
  let sentAt = Number.NaN
  for await (const recorded of recording.exchanges()) {
    if (signal?.aborted) break
    const spec = replayed.requestOf(recorded)
    if (!spec) continue
    const pause = Math.max(0, recorded.sentAt - sentAt) || 0
    sentAt = recorded.sentAt
    await (advance ? advance(pause) : settings.clock.sleep(Math.min(pause, maxWait), signal))
    const received = await sendRequest(spec, settings).catch(() => undefined)
    if (!received) break
    if (replayed.sent === 0 && received.failure) throw unreachable(to, received)
    const body = recording.replacer.body(received.body, spec.operation)
    const shown = { ...received, body, text: body === undefined ? '' : JSON.stringify(body) }
    ledger.add(replayed.compare(recorded, shown))
  }
  const printer = createPrinter(apiKey ? [apiKey] : [], bodies)
  const report = createReport(ledger.findings(printer), {
    failOn: 'contradicted',
    complete: !signal?.aborted,
    baseUrl: settings.baseUrl,
    startedAt,
    duration: Math.round(settings.clock.now() - from),
    requests: replayed.sent,
    remarks: replayed.remarks(),
    coverage: [],
  })
  const findings = report.findings.filter(({ outcome }) => outcome !== 'not-exercised')
  return { ...report, findings, replay: replayed.counts() }
}

/** In ms. */
const LONGEST_WAIT = 5_000

/** Of what `settingsOf` checks. */
const CHECKED: OptionRule = [() => true, '']

const RULES: OptionRules<ReplayOptions> = {
  ...RECORDING_RULES,
  timeout: CHECKED,
  fetch: CHECKED,
  signal: CHECKED,
  clock: CHECKED,
  maxWait: CHECKED,
  bodies: CHECKED,
  to: [isText, 'the base URL of a service'],
  apiKey: [isText, 'a text'],
  advance: FUNCTION,
  unsafe: [
    (value) => Array.isArray(value) && value.every((each) => operationIds.includes(each as OperationId)),
    `a list of operations, of ${operationIds.filter((id) => operations[id].method !== 'GET').join(', ')}`,
  ],
}

const unreachable = (to: string, { failure }: Exchange) =>
  new ConformanceError(
    'unreachable',
    `${to} did not respond: ${failure?.message}. Check the address, and that the service runs.`,
  )
