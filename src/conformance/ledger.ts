import { type BasisId, basis } from '../../generated/operations.js'
import type { Exchange } from './exchange.js'
import type { Message } from './message.js'
import type { Printer } from './print.js'
import type { Finding, Outcome, Report, Summary } from './report.js'
import { type Details, failed, isBinding, passed, type Result } from './result.js'

/** Keeps what was seen of each entry of the register. */
export interface Ledger {
  passes(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void
  fails(id: BasisId, message: Message, exchange?: Exchange, details?: Details): void
  /** The last reason counts, and only if the entry is never exercised. */
  skipped(id: BasisId, reason: Message): void
  add(results: readonly Result[], exchange: Exchange | undefined): void
  /** Whether an entry was exercised, and how. */
  outcome(id: BasisId): 'passed' | 'failed' | undefined
  /** All findings in the order of the register; `missing` gives the reason for an entry that was not exercised. */
  findings(printer: Printer, missing?: (id: BasisId) => string | undefined): Finding[]
}

interface Seen {
  result: Result
  exchange: Exchange | undefined
  times: number
}

/** With `failOnClient`, what a recorded client did fails as what a service does. */
export function createLedger(failOnClient = false): Ledger {
  const passing = new Map<BasisId, Map<string, Seen>>()
  const failing = new Map<BasisId, Map<string, Seen>>()
  const reasons = new Map<BasisId, Message>()
  const discovered = new Map<string, Seen>()
  const ofClient = new Map<string, Seen>()

  const count = <Key>(all: Map<Key, Seen>, key: Key, result: Result, exchange: Exchange | undefined, most: number) => {
    const seen = all.get(key)
    if (seen) seen.times++
    else if (all.size < most) all.set(key, { result, exchange, times: 1 })
  }

  const add = (results: readonly Result[], exchange: Exchange | undefined): void => {
    for (const result of results) {
      const { basis: id, outcome, message } = result
      if (outcome === 'passed') {
        const own = passing.get(id) ?? new Map<string, Seen>()
        passing.set(id, own)
        // Each value that an entry names is seen on its own.
        count(own, result.keyword === 'enum' ? JSON.stringify(message) : '', result, exchange, MAX_FAILURES)
      } else if (outcome === 'skipped') reasons.set(id, message)
      else if (outcome === 'client' && !failOnClient)
        count(ofClient, `${id} ${JSON.stringify(message)}`, result, exchange, MAX_DISCOVERIES)
      else if (outcome === 'discovered') {
        count(discovered, JSON.stringify(result.discovery), result, exchange, MAX_DISCOVERIES)
      } else {
        const own = failing.get(id) ?? new Map<string, Seen>()
        failing.set(id, own)
        count(own, `${exchange?.operation} ${JSON.stringify(message)}`, result, exchange, MAX_FAILURES)
      }
    }
  }

  return {
    add,
    passes: (id, message, exchange, details) => add([passed(id, message, details)], exchange),
    fails: (id, message, exchange, details) => add([failed(id, message, details)], exchange),
    skipped: (id, reason) => reasons.set(id, reason),
    outcome: (id) => (failing.has(id) ? 'failed' : passing.has(id) ? 'passed' : undefined),
    findings: (printer, missing) => [
      ...(Object.keys(basis) as BasisId[]).flatMap((id): Finding[] => {
        const client = [...ofClient.values()]
          .filter(({ result }) => result.basis === id)
          .map((seen) => findingOf('client', seen, printer))
        const failures = failing.get(id)
        const seen = failures ?? passing.get(id)
        if (seen)
          return [...[...seen.values()].map((each) => findingOf(outcomeOf(id, !failures), each, printer)), ...client]
        if (client.length > 0) return client
        const message = reasons.get(id) ?? missing?.(id) ?? 'Nothing in this run showed it.'
        const result = { basis: id, outcome: 'skipped', message } as const
        return [findingOf('not-exercised', { result, exchange: undefined, times: 0 }, printer)]
      }),
      ...[...discovered.values()].map((seen) => findingOf('discovered', seen, printer)),
    ],
  }
}

/** A service that responds differently each time must not make a report without end. */
const MAX_FAILURES = 10
const MAX_DISCOVERIES = 100

const outcomeOf = (id: BasisId, isSo: boolean): Outcome =>
  isBinding(id) ? (isSo ? 'pass' : 'fail') : isSo ? 'confirmed' : 'contradicted'

function findingOf(outcome: Outcome, { result, exchange, times }: Seen, printer: Printer): Finding {
  const { basis: id, message, location, pointer, keyword, fact, discovery } = result
  return {
    basis: id,
    outcome,
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
