import { type BasisId, basis } from '../../generated/operations.js'
import type { Exchange } from './exchange.js'
import type { Printer } from './print.js'
import type { BaselineResult, Finding, Outcome, Report, Summary } from './report.js'
import { type Details, failed, isBinding, type Message, passed, type Result, resultOf } from './result.js'

/** Collects the results of each entry of the register. */
export class Ledger {
  private readonly all = new Map<string, Seen>()
  /** The number of results of one kind. */
  private readonly sizes = new Map<string, number>()
  private readonly reasons = new Map<BasisId, Message>()

  /** With `failOnClient`, mistakes of a recorded client are failures. */
  constructor(private readonly failOnClient = false) {}

  passes(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void {
    this.addOne(passed(id, message, details), exchange)
  }

  fails(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void {
    this.addOne(failed(id, message, details), exchange)
  }

  records(id: BasisId, isSo: boolean, message: Message, exchange?: Exchange, details?: Details): void {
    this.addOne(resultOf(id, isSo, message, details), exchange)
  }

  /** Records why an entry was not exercised; the last reason is used, and only if it never is. */
  skipped(ids: BasisId | readonly BasisId[], reason: Message): void {
    for (const id of [ids].flat()) this.reasons.set(id, reason)
  }

  add(results: readonly Result[], exchange: Exchange | undefined): void {
    for (const result of results)
      if (result.outcome === 'skipped') this.skipped(result.basis, result.message)
      else this.addOne(result, exchange)
  }

  private addOne(result: Result, exchange: Exchange | undefined): void {
    const outcome = result.outcome === 'client' && this.failOnClient ? 'failed' : result.outcome
    if (outcome === 'skipped') return
    const kind = outcome === 'discovered' ? outcome : `${outcome} ${result.basis}`
    const key = kind + whatOf(result, outcome, exchange)
    const seen = this.all.get(key)
    const size = this.sizes.get(kind) ?? 0
    if (seen) seen.times++
    else if (size < MOST[outcome]) {
      this.all.set(key, { result, outcome, exchange, times: 1 })
      this.sizes.set(kind, size + 1)
    }
  }

  hasFailed(id: BasisId): boolean {
    return this.sizes.has(`failed ${id}`)
  }

  /** All findings in the order of the register; `missing` gives the reason for an entry that was not exercised. */
  findings(printer: Printer, missing?: (id: BasisId) => string | undefined): Finding[] {
    const all = [...this.all.values()]
    const entries = (Object.keys(basis) as BasisId[]).flatMap((id) => {
      const decisive = this.hasFailed(id) ? 'failed' : 'passed'
      const own = all.filter(({ result }) => result.basis === id)
      const found = ([decisive, 'client'] as const).flatMap((each) => own.filter(({ outcome }) => outcome === each))
      if (found.length > 0) return found
      const message = this.reasons.get(id) ?? missing?.(id) ?? 'Nothing in this run showed it.'
      return [{ result: { basis: id, message }, outcome: 'skipped', exchange: undefined, times: 0 } as const]
    })
    const discovered = all.filter(({ outcome }) => outcome === 'discovered')
    return [...entries, ...discovered].map((each) => findingOf(each, printer))
  }
}

interface Seen {
  result: Omit<Result, 'outcome'>
  outcome: Result['outcome']
  exchange: Exchange | undefined
  times: number
}

/** The identity of a result: each value that an entry names counts separately. */
const whatOf = ({ keyword, message, discovery }: Result, outcome: Result['outcome'], exchange?: Exchange): string => {
  if (outcome === 'passed') return keyword === 'enum' ? JSON.stringify(message) : ''
  if (outcome === 'discovered') return JSON.stringify(discovery)
  return `${outcome === 'failed' ? exchange?.operation : ''} ${JSON.stringify(message)}`
}

/** Limits the report of a service whose responses differ each time. */
const MOST = { passed: 10, failed: 10, client: 100, discovered: 100 }

const outcomeOf = (id: BasisId, outcome: Result['outcome']): Outcome => {
  if (outcome === 'skipped') return 'not-exercised'
  if (outcome === 'client' || outcome === 'discovered') return outcome
  const isSo = outcome === 'passed'
  return isBinding(id) ? (isSo ? 'pass' : 'fail') : isSo ? 'confirmed' : 'contradicted'
}

function findingOf({ result, outcome, exchange, times }: Seen, printer: Printer): Finding {
  const { basis: id, message, location, pointer, keyword, fact, discovery } = result
  return {
    basis: id,
    outcome: outcomeOf(id, outcome),
    operation: exchange?.operation,
    status: exchange?.status || undefined,
    message: printer.message(message),
    fact: fact && printer.message(fact),
    location,
    pointer,
    keyword,
    times,
    request: exchange && printer.request(exchange.request),
    response: exchange && !exchange.failure ? printer.response(exchange) : undefined,
    discovery: discovery && printer.discovery(discovery),
  }
}

/** Whether nothing stated or derived fails, nor what `failOn` names, nor the baseline. */
export const hasPassed = ({ summary, failOn, baseline = [] }: Omit<Report, 'passed'>): boolean =>
  summary.fail === 0 && (failOn === undefined || summary[failOn] === 0) && !baseline.some(isOutdated)

/** An entry of the baseline that fails although the service does not. */
export const isOutdated = ({ state }: BaselineResult): boolean => state === 'stale' || state === 'expired'

interface ReportFacts extends Omit<Report, 'passed' | 'failOn' | 'summary' | 'findings'> {
  failOn: Report['failOn'] | undefined
}

export function createReport(findings: Finding[], { failOn, ...facts }: ReportFacts): Report {
  const all = { ...(failOn && { failOn }), ...facts, summary: summarize(findings), findings }
  return { passed: hasPassed(all), ...all }
}

export function summarize(findings: readonly Finding[]): Summary {
  const count = (outcome: Outcome) =>
    new Set(findings.filter((each) => each.outcome === outcome).map((each) => each.basis)).size
  const entries = Object.keys(basis).length
  const notExercised = count('not-exercised')
  return {
    entries,
    exercised: entries - notExercised,
    pass: count('pass'),
    fail: count('fail'),
    confirmed: count('confirmed'),
    contradicted: count('contradicted'),
    known: count('known'),
    client: count('client'),
    notExercised,
    discovered: findings.filter(({ outcome }) => outcome === 'discovered').length,
  }
}
