import { rules } from '../../../../generated/conformance/nodes.js'
import type { BasisId } from '../../../../generated/operations.js'
import { notify } from '../../../internal/notify.js'
import type { Report } from '../../../internal/report.js'
import { acrossResults } from '../judge/across.js'
import { isChosen, isServerError } from '../judge/contract.js'
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
import { Transport } from './http/transport.js'
import { Facts } from './known.js'
import { createPlan, type Plan, warningsOf } from './plan.js'
import { baseUrlResults, clearTextWarnings, throwIfUnusable } from './start.js'
import type { Session, Step } from './step.js'

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
  const { baseUrl, clock, failOn, bodies, seed, depth } = settings
  const printer = createPrinter(secretsOf(settings), bodies, namedKeys(settings))
  const startedAt = new Date().toISOString()
  const from = clock.now()
  const ledger = new Ledger()
  const coverage = new Coverage()
  notify('onProgress', settings.onProgress, announcement(plan, settings))
  ledger.add(baseUrlResults(baseUrl))
  const { facts, leftOut, ended, requests, remarks } = await runSteps(plan, settings, ledger, coverage)
  ledger.add([...acrossResults(facts), ...facts.after500.results()])
  const early = ended && `The check ended before. ${printer.message(ended)}`
  const findings = ledger.findings(printer, (id) => early ?? reasonOf(id, settings) ?? leftOut)
  const reasons = [ended, hasUnnamedRun(facts, settings) && UNNAMED].filter(
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
    seed,
    depth,
    remarks: [incomplete, leftOut, ...remarks, plan.leftOut, ...remarksOn(ledger, settings)].filter(
      (each) => each !== undefined,
    ),
    coverage: coverage.result(),
  })
}

/** Whether runs could not be read, because nothing names them: neither the responses to their triggers nor the caller. */
const hasUnnamedRun = (facts: Facts, settings: ConformanceSettings): boolean =>
  facts.hasUnnamedRun && settings.run === undefined && isChosen(settings, 'getRun')

const UNNAMED =
  'A trigger started a run, or may have, and no response has an id by which the run is found. Name one to read with --run (run).'

/** What keeping to the rate takes, with repetitions, and the waits of the runs and of the rate limit. */
const timeFor = ({ maxWait, rateLimit }: ConformanceSettings, { duration }: Plan): number =>
  300_000 + maxWait + 2 * duration + (rateLimit ? 900_000 : 0)

const announcement = (plan: Plan, settings: ConformanceSettings): ConformanceProgress => ({
  type: 'plan',
  baseUrl: settings.baseUrl,
  checks: relationsOf(plan.steps),
  requests: plan.requests,
  maxRequests: plan.budget.requests,
  maxRuns: plan.budget.runs + plan.budget.spareRuns,
  duration: plan.duration,
  seed: settings.seed,
  warnings: warningsOf(settings, plan),
})

/** The names of the parts of a check, in their order. */
const relationsOf = (steps: readonly Step[]): string[] => [...new Set(steps.map(({ relation }) => relation))]

/** Runs all steps; ends early when the first ones show that the service cannot be checked. */
async function runSteps(
  { steps, first, budget }: Plan,
  settings: ConformanceSettings,
  ledger: Ledger,
  coverage: Coverage,
) {
  const received: Exchange[] = []
  const remarks = new Set<string>()
  const facts = new Facts()
  const transport = new Transport(
    settings,
    budget,
    (results) => ledger.add(results),
    (exchange) => {
      coverage.add(exchange)
      facts.after500.add(exchange)
      if (received.length < first) received.push(exchange)
    },
  )
  const session: Session = {
    settings,
    transport,
    facts,
    add: (results) => ledger.add([results].flat()),
    remark: (text) => remarks.add(text),
  }
  const relations = relationsOf(steps)
  let ended: Message | undefined
  let shown = ''
  for (const [index, step] of steps.entries()) {
    const { relation } = step
    if (relation !== shown)
      notify('onProgress', settings.onProgress, {
        type: 'check',
        name: relation,
        number: relations.indexOf(relation) + 1,
        of: relations.length,
      })
    shown = relation
    try {
      await step.run?.(session)
      if (index >= first && step.phase !== 'the rate limit') await pollDue(session)
    } catch (error) {
      if (error instanceof EndedError) ended = error.reason
      else if (!(error instanceof LeftOutError)) throw error
    }
    const isEndOfFirst = index === first - 1 || (index < first && ended)
    if (isEndOfFirst && !settings.signal?.aborted) throwIfUnusable(received, settings)
    const isDown = received.every(({ status }) => isServerError(status)) && facts.seen.size === 0
    if (isEndOfFirst && isDown) ended ??= `Every request got ${received[0]?.status}. ${WHEN_UP}`
    if (ended) break
  }
  const leftOut = transport.hasLeftOut ? noRunsLeft(transport) : undefined
  return { facts, leftOut, ended, requests: transport.requests, remarks: [...remarks] }
}

const WHEN_UP = 'Check again when the service responds to its plainest requests.'

/** The keys, by the variables that the commands of a report take them from; a longer one may contain a shorter one. */
const namedKeys = (settings: ConformanceSettings): NamedKey[] =>
  KEYS.flatMap((name): NamedKey[] => (settings[name] === undefined ? [] : [[VARIABLES[name], settings[name]]])).sort(
    ([, one], [, other]) => other.length - one.length,
  )

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

const noRunsLeft = ({ hasStartedWrongly }: Transport): string =>
  `${hasStartedWrongly ? STARTED_WRONGLY : MAY_HAVE_STARTED} What could start more than were announced was left out.`
const STARTED_WRONGLY = 'The service accepted triggers that it must refuse, which may have started runs.'
const MAY_HAVE_STARTED = 'Triggers that got a 5xx or no response may have started runs.'

function remarksOn(ledger: Ledger, settings: ConformanceSettings): string[] {
  const isStateless = STATE.every((id) => ledger.hasFailed(id))
  return [...clearTextWarnings(settings), ...(isStateless ? [STATELESS] : [])]
}

/** The entries that only a service with state can satisfy. */
const STATE: readonly BasisId[] = [rules.unknownId, rules.invalidKey, rules.pageParameters]
const STATELESS = `The responses depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy ${STATE.join(', ')}.`
