import { type BasisId, basis } from '../../generated/operations.js'
import type { Exchange } from './exchange.js'
import type { Printer } from './print.js'
import type { Finding, Outcome, Report, Summary } from './report.js'
import { type Details, failed, isBinding, type Message, passed, type Result, resultOf } from './result.js'

/** Keeps what was seen of each entry of the register. */
export interface Ledger {
  passes(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void
  fails(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void
  /** Passes or fails. */
  records(id: BasisId, isSo: boolean, message: Message, exchange?: Exchange, details?: Details): void
  /** The last reason counts, and only if the entry is never exercised. */
  skipped(ids: BasisId | readonly BasisId[], reason: Message): void
  add(results: readonly Result[], exchange: Exchange | undefined): void
  /** Whether an entry was exercised, and how. */
  outcome(id: BasisId): 'passed' | 'failed' | undefined
  /** All findings in the order of the register; `missing` gives the reason for an entry that was not exercised. */
  findings(printer: Printer, missing?: (id: BasisId) => string | undefined): Finding[]
}

interface Seen {
  result: Result
  outcome: Result['outcome']
  exchange: Exchange | undefined
  times: number
}

/** With `failOnClient`, what a recorded client did fails as what a service does. */
export function createLedger(failOnClient = false): Ledger {
  const all = new Map<string, Seen>()
  /** How many of one kind there are. */
  const sizes = new Map<string, number>()
  const reasons = new Map<BasisId, Message>()

  const addOne = (result: Result, exchange: Exchange | undefined): void => {
    const outcome = result.outcome === 'client' && failOnClient ? 'failed' : result.outcome
    if (outcome === 'skipped') {
      reasons.set(result.basis, result.message)
      return
    }
    const kind = outcome === 'discovered' ? outcome : `${outcome} ${result.basis}`
    const key = kind + whatOf(result, outcome, exchange)
    const seen = all.get(key)
    const size = sizes.get(kind) ?? 0
    if (seen) seen.times++
    else if (size < MOST[outcome]) {
      all.set(key, { result, outcome, exchange, times: 1 })
      sizes.set(kind, size + 1)
    }
  }
  const has = (outcome: 'passed' | 'failed', id: BasisId) => sizes.has(`${outcome} ${id}`)
  const outcome = (id: BasisId) => (has('failed', id) ? 'failed' : has('passed', id) ? 'passed' : undefined)
  return {
    add(results, exchange) {
      for (const result of results) addOne(result, exchange)
    },
    records: (id, isSo, message, exchange, details) => addOne(resultOf(id, isSo, message, details), exchange),
    passes: (id, message, exchange, details) => addOne(passed(id, message, details), exchange),
    fails: (id, message, exchange, details) => addOne(failed(id, message, details), exchange),
    skipped: (ids, reason) => {
      for (const id of typeof ids === 'string' ? [ids] : ids) reasons.set(id, reason)
    },
    outcome,
    findings(printer, missing) {
      const reason = (id: BasisId) => reasons.get(id) ?? missing?.(id) ?? 'Nothing in this run showed it.'
      const print = (seen: Seen) => findingOf(seen, printer)
      const seen = [...all.values()]
      const ids = Object.keys(basis) as BasisId[]
      const entries = ids.flatMap((id) => seenOf(id, seen, outcome(id) ?? 'passed', reason)).map(print)
      return [...entries, ...seen.filter((each) => each.outcome === 'discovered').map(print)]
    },
  }
}

/** What counts of an entry: its failures or else its passes, and what a client did; or why nothing was seen. */
function seenOf(
  id: BasisId,
  all: readonly Seen[],
  decisive: Seen['outcome'],
  reason: (id: BasisId) => Message,
): Seen[] {
  const own = (outcome: Seen['outcome']) => all.filter((seen) => seen.result.basis === id && seen.outcome === outcome)
  const found = [...own(decisive), ...own('client')]
  if (found.length > 0) return found
  const result = { basis: id, outcome: 'skipped', message: reason(id) } as const
  return [{ result, outcome: 'skipped', exchange: undefined, times: 0 }]
}

/** What tells a result from others of its kind: each value that an entry names is seen on its own. */
const whatOf = ({ keyword, message, discovery }: Result, outcome: Result['outcome'], exchange?: Exchange): string => {
  if (outcome === 'passed') return keyword === 'enum' ? JSON.stringify(message) : ''
  if (outcome === 'discovered') return JSON.stringify(discovery)
  return `${outcome === 'failed' ? exchange?.operation : ''} ${JSON.stringify(message)}`
}

/** A service that responds differently each time must not make a report without end. */
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

/** Whether nothing stated or derived fails, nor what `failOn` names. */
export const hasPassed = (summary: Summary, failOn: Report['failOn']): boolean =>
  summary.fail === 0 && (failOn === undefined || summary[failOn] === 0)

/** A report of findings. */
export function createReport(
  findings: Finding[],
  {
    failOn,
    ...facts
  }: Omit<Report, 'passed' | 'failOn' | 'summary' | 'findings'> & { failOn: Report['failOn'] | undefined },
): Report {
  const summary = summarize(findings)
  return { passed: hasPassed(summary, failOn), ...(failOn && { failOn }), ...facts, summary, findings }
}

/** Counts entries by outcome. */
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
