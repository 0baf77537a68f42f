import type { BasisId } from '../../../../generated/contract.js'
import { rules } from '../../../../generated/contract.js'
import { notify } from '../../../internal/notify.js'
import type { Report } from '../../../shared/report.js'
import { acrossResults } from '../judge/across.js'
import { baseUrlResults } from '../judge/base-url.js'
import { isChosen, isServerError, READ_RUN } from '../judge/contract.js'
import type { Exchange } from '../judge/exchange.js'
import type { Message } from '../judge/result.js'
import {
  type ConformanceOptions,
  type ConformanceProgress,
  type ConformanceSettings,
  KEYS,
  settingsOf,
} from '../options.js'
import { Coverage } from '../report/coverage.js'
import type { NamedKey } from '../report/curl.js'
import { createReport, Ledger } from '../report/ledger.js'
import { createPrinter } from '../report/print.js'
import { reasonOf } from '../report/reasons.js'
import { similarKeys } from './cases/wrong-keys.js'
import { pollDue } from './checks/follow.js'
import { EndedError, LeftOutError } from './ended.js'
import type { Known } from './known.js'
import { type CheckPlan, checkNames, createPlan, warningsOf } from './plan.js'
import { Session } from './session.js'
import { clearTextWarnings, throwIfUnusable } from './start.js'

/**
 * Checks a live service against the contract. It starts no run and changes nothing, unless `trigger` says
 * otherwise, keeps to the rate of the plan unless `rateLimit` says otherwise, obeys every 429, and sends no more
 * requests and starts no more runs than it announces. What is stated or derived passes or fails; what was observed or
 * assumed is confirmed or contradicted, and fails nothing.
 *
 * @throws ConformanceError when the check is not possible: an option is invalid, no response arrives, the key is refused
 */
export async function checkConformance(options: ConformanceOptions): Promise<Report> {
  const given = settingsOf(options)
  const plan = createPlan(given)
  const settings = { ...given, totalTimeout: options.totalTimeout ?? timeFor(given, plan) }
  const { baseUrl, clock, failOn, bodies, depth } = settings
  const printer = createPrinter(secretsOf(settings), bodies, namedKeys(settings))
  const startedAt = new Date().toISOString()
  const from = clock.now()
  const ledger = new Ledger()
  const coverage = new Coverage()
  notify('onProgress', settings.onProgress, announcement(plan, settings))
  ledger.add(baseUrlResults(baseUrl))
  const { known, leftOut, ended, requests, remarks } = await runChecks(plan, settings, ledger, coverage)
  ledger.add([...acrossResults(known), ...known.after500.results()])
  const early = ended && `The check ended before. ${printer.message(ended)}`
  const findings = ledger.findings(printer, (id) => early ?? reasonOf(id, settings) ?? leftOut)
  const reasons = [ended, hasUnnamedRun(known, settings) && UNNAMED].filter(
    (each) => each !== undefined && each !== false,
  )
  const incomplete =
    reasons.length > 0
      ? `Not everything was checked. ${reasons.map((each) => printer.message(each)).join(' ')}`
      : undefined
  return createReport(findings, {
    failOn,
    complete: incomplete === undefined,
    baseUrl,
    startedAt,
    duration: Math.round(clock.now() - from),
    requests,
    depth,
    remarks: [incomplete, leftOut, ...remarks, plan.omittedByDepth, ...remarksOn(ledger, settings)].filter(
      (each) => each !== undefined,
    ),
    coverage: coverage.result(),
  })
}

/** Whether runs could not be read, because nothing names them: neither the responses to their triggers nor the caller. */
const hasUnnamedRun = (known: Known, settings: ConformanceSettings): boolean =>
  known.hasUnnamedRun && settings.run === undefined && isChosen(settings, READ_RUN)

const UNNAMED =
  'A trigger started a run, or may have, and no response has an id by which the run is found. Name one to read with --run (run).'

/** What keeping to the rate takes, with repetitions, and the waits of the runs and of the rate limit. */
const timeFor = ({ maxWait, rateLimit }: ConformanceSettings, { duration }: CheckPlan): number =>
  300_000 + maxWait + 2 * duration + (rateLimit ? 900_000 : 0)

const announcement = (plan: CheckPlan, settings: ConformanceSettings): ConformanceProgress => ({
  type: 'plan',
  baseUrl: settings.baseUrl,
  checks: checkNames(plan.checks),
  requests: plan.requests,
  maxRequests: plan.allowance.requests,
  maxRuns: plan.allowance.runs + plan.allowance.spareRuns,
  duration: plan.duration,
  warnings: warningsOf(settings, plan),
})

/** Runs all checks; ends early when the first one shows that the service cannot be checked. */
async function runChecks(
  { checks, allowance }: CheckPlan,
  settings: ConformanceSettings,
  ledger: Ledger,
  coverage: Coverage,
) {
  const received: Exchange[] = []
  const session = new Session(settings, allowance, (results, exchange) => {
    ledger.add(results)
    if (exchange) coverage.add(exchange)
    if (exchange && isFirst) received.push(exchange)
  })
  const { known, budget, remarks } = session
  const names = checkNames(checks)
  // When none of the requests that a client sends gets through, nothing else would.
  let isFirst = true
  let ended: Message | undefined
  let shown = ''
  const endWith = (error: unknown) => {
    if (error instanceof EndedError) ended = error.reason
    else if (!(error instanceof LeftOutError)) throw error
  }
  for (const check of checks) {
    const { name } = check
    if (name !== shown) {
      const number = names.indexOf(name) + 1
      notify('onProgress', settings.onProgress, { type: 'check', name, number, of: names.length })
    }
    shown = name
    try {
      for await (const results of check.run(session)) {
        ledger.add(results)
        // Runs go on meanwhile.
        if (!isFirst) for await (const polled of pollDue(session)) ledger.add(polled)
      }
    } catch (error) {
      endWith(error)
    }
    if (isFirst && received.length > 0) {
      const isOfClient = name === 'reading' || name === 'runs'
      if (isOfClient && !settings.signal?.aborted) throwIfUnusable(received, settings)
      const isDown = isOfClient && received.every(({ status }) => isServerError(status))
      if (isDown && known.seen.size === 0) ended ??= `Every request got ${received[0]?.status}. ${WHEN_UP}`
      isFirst = false
    }
    if (ended) break
  }
  const leftOut = budget.hasLeftOut ? budget.leftOut : undefined
  const failing = known.failing.remark()
  return { known, leftOut, ended, requests: budget.requests, remarks: [...remarks, ...(failing ? [failing] : [])] }
}

const WHEN_UP = 'Check again when the service responds to its plainest requests.'

/** The keys, by the variables that the commands of a report take them from; a longer one may contain a shorter one. */
const namedKeys = (settings: ConformanceSettings): NamedKey[] =>
  KEYS.flatMap((name): NamedKey[] =>
    settings[name] === undefined ? [] : [[settings.keyVariables?.[name] ?? VARIABLES[name], settings[name]]],
  ).sort(([, one], [, other]) => other.length - one.length)

const VARIABLES: Record<(typeof KEYS)[number], string> = {
  apiKey: 'WORKFLOW_API_KEY',
  readOnlyKey: 'READ_ONLY_KEY',
  otherWorkspaceKey: 'OTHER_WORKSPACE_KEY',
  hobbyKey: 'HOBBY_KEY',
}

/** The keys, and what the checks make of them. */
const secretsOf = (settings: ConformanceSettings): string[] =>
  KEYS.flatMap((name) => settings[name] ?? [])
    .flatMap((key) => [key, ...Object.values(similarKeys(key))])
    .filter((key) => key !== '')

function remarksOn(ledger: Ledger, settings: ConformanceSettings): string[] {
  const isStateless = STATE.every((id) => ledger.hasFailed(id))
  return [...clearTextWarnings(settings), ...(isStateless ? [STATELESS] : [])]
}

/** The entries that only a service with state can satisfy. */
const STATE: readonly BasisId[] = [rules.unknownId, rules.invalidKey, rules.pageParameters]
const STATELESS = `The responses depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy ${STATE.join(', ')}.`
