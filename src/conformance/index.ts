import type { BasisId } from '../../generated/operations.js'
import { createPlan, type Plan, warningsOf } from './checks/index.js'
import { shortened, swapCase } from './checks/probes.js'
import { unsafeOperations } from './contract.js'
import type { Exchange } from './exchange.js'
import { createReport, Ledger } from './ledger.js'
import {
  type ConformanceOptions,
  type ConformanceProgress,
  type ConformanceSettings,
  KEYS,
  settingsOf,
} from './options.js'
import { createPrinter } from './print.js'
import { reasonOf } from './reasons.js'
import type { Report } from './report.js'
import type { Message } from './result.js'
import { checkAcrossResponses } from './runs.js'
import { Facts, type Session } from './session.js'
import { checkBaseUrl, throwIfUnusable } from './start.js'
import { EndedError, Transport, unlessLeftOut } from './transport.js'

export { applyBaseline, updateBaseline } from './baseline.js'
export type { ReadAttachment } from './har.js'
export {
  ConformanceError,
  type ConformanceErrorCode,
  type ConformanceOptions,
  type ConformanceProgress,
  type TimeSource,
} from './options.js'
export type * from './report.js'
export { checkTraffic, type TrafficOptions } from './traffic.js'

/**
 * Checks a live service against the contract. It starts no run and changes nothing, unless `trigger` or `unsafe` say
 * otherwise, keeps to the rate of the smallest plan unless `rateLimit` says otherwise, obeys every 429, and sends no more
 * requests and starts no more runs than it announces. What is stated or derived passes or fails; what was observed or
 * assumed is confirmed or contradicted, and fails nothing.
 *
 * @throws ConformanceError when the check is not possible: an option is invalid, no response arrives, the key is refused
 */
export async function checkConformance(options: ConformanceOptions): Promise<Report> {
  const settings = settingsOf(options)
  const { baseUrl, clock, failOn, bodies } = settings
  const printer = createPrinter(secretsOf(settings), bodies)
  const startedAt = new Date().toISOString()
  const from = clock.now()
  const ledger = new Ledger()
  const plan = createPlan(settings)
  settings.onProgress?.(announcement(plan, settings))
  checkBaseUrl(baseUrl, ledger)
  const { facts, leftOut, ended, requests } = await runChecks(plan, settings, ledger)
  checkAcrossResponses(ledger, facts)
  const early = ended && `The check ended before. ${printer.message(ended)}`
  const findings = ledger.findings(printer, (id) => early ?? reasonOf(id, settings) ?? leftOut)
  const incomplete = ended && `Not everything was checked. ${printer.message(ended)}`
  return createReport(findings, {
    failOn,
    complete: incomplete === undefined,
    baseUrl,
    startedAt,
    duration: Math.round(clock.now() - from),
    requests,
    remarks: [incomplete, leftOut, ...remarksOn(ledger, settings)].filter((remark) => remark !== undefined),
  })
}

const announcement = ({ checks, budget }: Plan, settings: ConformanceSettings): ConformanceProgress => ({
  type: 'plan',
  baseUrl: settings.baseUrl,
  checks: checks.map(({ name }) => name),
  requests: checks.reduce((sum, { requests }) => sum + requests, 0),
  maxRequests: budget.requests,
  maxRuns: budget.runs + budget.spareRuns,
  warnings: warningsOf(settings, budget),
})

/** Runs all checks; ends early when the first ones show that the service cannot be checked. */
async function runChecks({ checks, first, budget }: Plan, settings: ConformanceSettings, ledger: Ledger) {
  const received: Exchange[] = []
  const transport = new Transport(settings, ledger, budget, (exchange) => {
    if (received.length < first) received.push(exchange)
  })
  const session: Session = { settings, transport, ledger, facts: new Facts() }
  let ended: Message | undefined
  for (const [index, { name, run }] of checks.entries()) {
    settings.onProgress?.({ type: 'check', name, number: index + 1, of: checks.length })
    try {
      await unlessLeftOut(run(session))
    } catch (error) {
      if (!(error instanceof EndedError)) throw error
      ended = error.reason
    }
    const isEndOfFirst = index === first - 1 || (index < first && ended)
    if (isEndOfFirst && !settings.signal?.aborted) throwIfUnusable(received, settings)
    if (ended) break
  }
  const leftOut = transport.hasLeftOut ? noRunsLeft(transport) : undefined
  return { facts: session.facts, leftOut, ended, requests: transport.requests }
}

/** The keys, and the forms with which the checks try whether case and length matter. */
const secretsOf = (settings: ConformanceSettings): string[] =>
  KEYS.flatMap((name) => settings[name] ?? []).flatMap((key) => [key, swapCase(key), shortened(key) || key])

const noRunsLeft = ({ hasStartedWrongly }: Transport): string =>
  `${hasStartedWrongly ? STARTED_WRONGLY : MAY_HAVE_STARTED} What could start more than were announced was left out.`
const STARTED_WRONGLY = 'The service accepted triggers that it must refuse, which may have started runs.'
const MAY_HAVE_STARTED = 'Triggers that got a 5xx or no response may have started runs.'

function remarksOn(ledger: Ledger, { unsafe = [] }: ConformanceSettings): string[] {
  const left = unsafeOperations.filter((operation) => !unsafe.includes(operation)).join(', ')
  const uncalled = `Not called, because they change something: ${left}. Name them as unsafe to have them called.`
  const isStateless = STATE.every((id) => ledger.hasFailed(id))
  return [...(left ? [uncalled] : []), ...(isStateless ? [STATELESS] : [])]
}

/** The entries that only a service with state can satisfy. */
const STATE: readonly BasisId[] = ['S22', 'S24', 'A15']
const STATELESS = `The responses depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy ${STATE.join(', ')}.`
