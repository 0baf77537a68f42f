import type { BasisId } from '../../generated/operations.js'
import { createPlan, warningsOf } from './checks/index.js'
import { swapCase } from './checks/probes.js'
import { operationIds, probedOperations } from './contract.js'
import type { Exchange } from './exchange.js'
import { createLedger, hasPassed, type Ledger, summarize } from './ledger.js'
import { ConformanceError, type ConformanceOptions, KEYS, type Settings, settingsOf } from './options.js'
import { createPrinter } from './print.js'
import { reasonOf } from './reasons.js'
import type { Report } from './report.js'
import { checkAcrossResponses } from './runs.js'
import { EndedError, NoRunsLeftError } from './sender.js'
import type { Check, Session } from './session.js'
import { checkBaseUrl, unusable } from './start.js'
import { createTransport } from './transport.js'

export { applyBaseline, updateBaseline } from './baseline.js'
export type { ReadAttachment } from './har.js'
export {
  ConformanceError,
  type ConformanceErrorCode,
  type ConformanceOptions,
  type ConformanceProgress,
  type TimeSource,
} from './options.js'
export type {
  BaselineEntry,
  BaselineResult,
  Discovery,
  Finding,
  OperationCoverage,
  Outcome,
  Report,
  SeenRequest,
  SeenResponse,
  Summary,
} from './report.js'
export { checkTraffic, type TrafficOptions } from './traffic.js'

/**
 * Checks a live service against the contract. It reads only, unless `trigger` or `rateLimit` say otherwise, keeps to the
 * rate of the smallest plan, obeys every 429, and sends no more requests and starts no more runs than it announces. What
 * is stated or derived passes or fails; what was observed or assumed is confirmed or contradicted, and fails nothing.
 *
 * @throws ConformanceError when it cannot be done at all: an option is wrong, there is no response, the key is refused
 */
export async function checkConformance(options: ConformanceOptions): Promise<Report> {
  const settings = settingsOf(options)
  const { failOn } = settings
  const printer = createPrinter(secretsOf(settings), settings.bodies ?? true)
  const startedAt = new Date().toISOString()
  const from = settings.clock.now()
  const ledger = createLedger()
  const { first, further, budget } = createPlan(settings)
  const checks = [...first, ...further]
  const received: Exchange[] = []
  const transport = createTransport(settings, ledger, budget, (exchange) => {
    if (received.length < first.length) received.push(exchange)
  })
  const session: Session = {
    settings,
    transport,
    ledger,
    facts: { bodies: {}, runId: undefined, capabilities: new Set(), pin: undefined },
  }
  settings.onProgress?.({
    type: 'plan',
    baseUrl: settings.baseUrl,
    checks: checks.map(({ name }) => name),
    requests: checks.reduce((sum, { requests }) => sum + requests, 0),
    maxRequests: budget.requests,
    maxRuns: budget.runs + budget.spareRuns,
    warnings: warningsOf(settings, budget),
  })
  checkBaseUrl(settings.baseUrl, ledger)
  const remarks: string[] = []
  let ended: string | undefined
  let isUsable = false
  try {
    await runChecks(first, session, remarks, 0, checks.length)
    throwIfUnusable(received, settings)
    isUsable = true
    await runChecks(further, session, remarks, first.length, checks.length)
  } catch (error) {
    if (!(error instanceof EndedError)) throw error
    if (!settings.signal?.aborted && !isUsable) throwIfUnusable(received, settings)
    ended = printer.message(error.reason)
    remarks.push(`Not everything was checked. ${ended}`)
  }
  checkAcrossResponses(ledger, session.facts)
  remarks.push(...remarksOn(ledger))
  const findings = ledger.findings(printer, (id) =>
    ended ? `The check ended before. ${ended}` : reasonOf(id, settings),
  )
  const summary = summarize(findings)
  return {
    passed: hasPassed(summary, failOn),
    ...(failOn && { failOn }),
    complete: ended === undefined,
    baseUrl: settings.baseUrl,
    startedAt,
    duration: Math.round(settings.clock.now() - from),
    requests: transport.requests(),
    summary,
    remarks,
    findings,
  }
}

/** The keys, and the form with which the checks try whether case matters. */
const secretsOf = (settings: Settings): string[] =>
  KEYS.flatMap((name) => settings[name] ?? []).flatMap((key) => [key, swapCase(key)])

async function runChecks(checks: readonly Check[], session: Session, remarks: string[], before: number, of: number) {
  for (const [index, { name, run }] of checks.entries()) {
    session.settings.onProgress?.({ type: 'check', name, number: before + index + 1, of })
    try {
      await run(session)
    } catch (error) {
      if (!(error instanceof NoRunsLeftError)) throw error
      if (!remarks.includes(NO_RUNS_LEFT)) remarks.push(NO_RUNS_LEFT)
    }
  }
}

const NO_RUNS_LEFT =
  'The service started runs that it must not start. What could start more than were announced was left out.'

function throwIfUnusable(received: readonly Exchange[], settings: Settings): void {
  const reason = unusable(received, settings)
  if (reason) throw new ConformanceError(reason.code, reason.message)
}

/** What the findings mean together. */
function remarksOn(ledger: Ledger): string[] {
  const left = operationIds.filter((operation) => !probedOperations.includes(operation))
  const failed = STATE.filter((id) => ledger.outcome(id) === 'failed')
  return [
    ...(left.length > 0 ? [`Not called, because they change something: ${left.join(', ')}.`] : []),
    ...(failed.length === STATE.length
      ? [
          `The responses depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy ${failed.join(', ')}.`,
        ]
      : []),
  ]
}

/** What only a service with a memory can satisfy. */
const STATE: readonly BasisId[] = ['S22', 'S24', 'A15']
