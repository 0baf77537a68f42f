import { type BasisId, basis } from '../../../../generated/contract.js'
import { getOrCreate, increment } from '../../../internal/maps.js'
import type { BaselineResult, Finding, Outcome, Report, Summary } from '../../../shared/report.js'
import { isBinding } from '../judge/contract.js'
import type { Message, Result } from '../judge/result.js'
import type { Printer } from './print.js'

/** Collects the results of each entry of the register. Only those who run checks write to it. */
export class Ledger {
  private readonly all = new Map<string, Tally>()
  /** The number of results of one kind. */
  private readonly sizes = new Map<string, number>()
  private readonly tried = new Map<string, number>()
  private readonly reasons = new Map<BasisId, Message>()
  /** What is undecided of each entry. */
  private readonly open = new Map<BasisId, Message[]>()

  /** With `failOnClient`, rules that a recorded client breaks are failures. */
  constructor(private readonly failOnClient = false) {}

  add(results: readonly Result[]): void {
    for (const result of results) this.addOne(result)
  }

  private addOne(result: Result): void {
    const { times = 1 } = result
    const isFailure = result.outcome === 'client' && this.failOnClient && !result.isAdvice
    const outcome = isFailure ? 'failed' : result.outcome
    // The last reason is used, and only if the entry is never exercised.
    if (outcome === 'skipped') {
      this.reasons.set(result.basis, result.message)
      if (result.isOpen) getOrCreate(this.open, result.basis, () => []).push(result.message)
      return
    }
    if (result.relation && outcome !== 'discovered') increment(this.tried, `${result.basis} ${result.relation}`)
    const kind = outcome === 'discovered' ? outcome : `${outcome} ${result.basis}`
    const key = kind + whatOf(result, outcome)
    const seen = this.all.get(key)
    if (seen) {
      seen.times += times
      if (outcome === 'failed' && sizeOf(result) < sizeOf(seen.result)) seen.result = result
    } else if ((this.sizes.get(kind) ?? 0) < MOST_KEPT[outcome]) {
      this.all.set(key, { result, outcome, times })
      increment(this.sizes, kind)
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
      if (decisive === 'failed') found.sort((one, other) => sizeOf(one.result) - sizeOf(other.result))
      if (found.length > 0) return found
      const message = this.reasons.get(id) ?? missing?.(id) ?? 'Nothing in this run showed it.'
      return [{ result: { basis: id, message }, outcome: 'skipped', times: 0 } as const]
    })
    const discovered = all.filter(({ outcome }) => outcome === 'discovered')
    return [...entries, ...discovered].map((each) => this.findingOf(each, printer))
  }

  private findingOf({ result, outcome, times }: Tally, printer: Printer): Finding {
    const open = outcome === 'skipped' || outcome === 'discovered' ? [] : (this.open.get(result.basis) ?? [])
    const undecided = [...new Set(open.map((each) => printer.message(each)))].slice(0, MOST_OPEN)
    const { basis: id, message, exchange, fact, expected, actual, discovery, relation, variation } = result
    const curl = exchange && outcome === 'failed' ? printer.curl(exchange.request) : undefined
    return {
      basis: id,
      outcome: reportedOutcome(id, outcome),
      operation: exchange?.operation,
      status: exchange?.status || undefined,
      message: printer.message(message),
      fact: fact && printer.message(fact),
      expected: expected && printer.message(expected),
      actual: actual && printer.message(actual),
      relation,
      variation,
      tried: relation === undefined ? undefined : this.tried.get(`${id} ${relation}`),
      location: result.location,
      pointer: result.pointer,
      keyword: result.keyword,
      times,
      ...(undecided.length > 0 && { undecided }),
      ...(curl !== undefined && { curl }),
      request: exchange && printer.request(exchange.request),
      response: exchange && !exchange.failure ? printer.response(exchange) : undefined,
      discovery: discovery && printer.discovery(discovery),
    }
  }
}

/** How much there is in the request of a result: of several that fail for one reason the plainest one shows it best. */
function sizeOf({ exchange }: Pick<Result, 'exchange'>): number {
  if (!exchange) return Number.POSITIVE_INFINITY
  const { url, headers, body = '' } = exchange.request
  return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, url.length + body.length)
}

interface Tally {
  result: Omit<Result, 'outcome'>
  outcome: Result['outcome']
  times: number
}

/** The identity of a result: each value that an entry names counts separately. */
const whatOf = ({ keyword, message, discovery, exchange }: Result, outcome: Result['outcome']): string => {
  if (outcome === 'passed') return keyword === 'enum' ? JSON.stringify(message) : ''
  if (outcome === 'discovered') return JSON.stringify(discovery)
  return `${outcome === 'failed' ? exchange?.operation : ''} ${JSON.stringify(message)}`
}

/** How much of an entry is named that is undecided. */
const MOST_OPEN = 5

/** Limits the report of a service whose responses differ each time. */
const MOST_KEPT = { passed: 10, failed: 25, client: 100, discovered: 100 }

const reportedOutcome = (id: BasisId, outcome: Result['outcome']): Outcome => {
  if (outcome === 'skipped') return 'not-exercised'
  if (outcome === 'client' || outcome === 'discovered') return outcome
  const isSo = outcome === 'passed'
  return isBinding(id) ? (isSo ? 'pass' : 'fail') : isSo ? 'confirmed' : 'contradicted'
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
    ...{ entries, exercised: entries - notExercised, pass: count('pass'), fail: count('fail') },
    ...{ confirmed: count('confirmed'), contradicted: count('contradicted') },
    ...{ known: count('known'), client: count('client'), notExercised },
    discovered: findings.filter(({ outcome }) => outcome === 'discovered').length,
  }
}
