import { type BasisId, protocol } from '../../generated/operations.js'
import { createMask, maskDeep } from '../internal/mask.js'
import { type Check, firstChecks, furtherChecks, warningsOf } from './checks/index.js'
import type { Exchange } from './exchange.js'
import { noteWhole } from './facts.js'
import { judge } from './judge.js'
import { createLedger, type Ledger, summarize } from './ledger.js'
import { ConformanceError, type ConformanceOptions, KEYS, type Settings, settingsOf } from './options.js'
import { remarksOn } from './remarks.js'
import type { Report } from './report.js'
import type { Facts, Session } from './session.js'
import { unusable } from './start.js'
import { createTransport, EndedError } from './transport.js'

export type { Clock } from './clock.js'
export type { SeenRequest, SeenResponse } from './exchange.js'
export { ConformanceError, type ConformanceErrorCode, type ConformanceOptions, type Progress } from './options.js'
export type { Discovery, Finding, Outcome, Report, Summary } from './report.js'

/**
 * Holds a live service against the contract. It reads only, unless `trigger` or `rateLimit` say otherwise, keeps to the
 * rate of the smallest plan and obeys every 429. What is stated or derived passes or fails; what was observed or assumed
 * is confirmed or contradicted, and fails nothing.
 *
 * @throws ConformanceError when it could not be done at all: an option is wrong, there is no answer, the key is refused
 */
export async function checkConformance(options: ConformanceOptions): Promise<Report> {
  const settings = settingsOf(options)
  const mask = createMask(KEYS.flatMap((name) => settings[name] ?? []))
  const startedAt = new Date().toISOString()
  const from = settings.clock.now()
  const ledger = createLedger()
  const answers: Exchange[] = []
  const first = firstChecks()
  const checks = [...first, ...furtherChecks(settings)]
  const transport = createTransport(settings, ledger, mask, (exchange) => {
    judge(exchange, ledger)
    if (answers.length < first.length) answers.push(exchange)
  })
  const facts: Facts = { bodies: {}, runId: undefined, capabilities: new Set() }
  const session: Session = { settings, transport, ledger, facts }
  const remarks: string[] = []
  settings.onProgress?.({
    type: 'plan',
    baseUrl: mask(settings.baseUrl),
    checks: checks.map(({ name }) => mask(name)),
    requests: checks.reduce((sum, { requests }) => sum + requests, 0),
    warnings: warningsOf(settings).map(mask),
  })
  checkBaseUrl(settings, ledger)
  let ended: string | undefined
  try {
    await runChecks(checks, session, (done) => {
      if (done === first.length) throwIfUnusable(answers, settings)
    })
  } catch (error) {
    if (!(error instanceof EndedError)) throw error
    if (!settings.signal?.aborted) throwIfUnusable(answers, settings)
    ended = error.message
    remarks.push(`Not everything was checked. ${ended}`)
  }
  noteWhole(session)
  remarks.push(...remarksOn(ledger))
  const findings = ledger.findings(() => ended && `The check ended before. ${ended}`)
  const summary = summarize(findings)
  return maskDeep(
    {
      passed: summary.fail === 0,
      complete: ended === undefined,
      baseUrl: settings.baseUrl,
      startedAt,
      duration: Math.round(settings.clock.now() - from),
      requests: transport.requests,
      summary,
      remarks,
      findings,
    },
    mask,
  )
}

async function runChecks(checks: readonly Check[], session: Session, done: (count: number) => void): Promise<void> {
  for (const [index, check] of checks.entries()) {
    session.settings.onProgress?.({ type: 'check', name: check.name, number: index + 1, of: checks.length })
    await check.run(session)
    done(index + 1)
  }
}

function throwIfUnusable(answers: readonly Exchange[], settings: Settings): void {
  const reason = unusable(answers, settings)
  if (reason) throw new ConformanceError(reason.code, reason.message)
}

/** Basis: S04, S39. */
function checkBaseUrl({ baseUrl }: Settings, ledger: Ledger): void {
  const { versionSegment } = protocol
  const path = new URL(baseUrl).pathname
  for (const id of ['S04', 'S39'] satisfies BasisId[])
    if (path.endsWith(versionSegment)) ledger.holds(id, `the base URL ends in ${versionSegment}`)
    else ledger.breaks(id, `the base URL must end in ${versionSegment}, and its path is ${path}`)
}
