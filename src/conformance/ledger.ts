import { type BasisId, basis } from '../../generated/operations.js'
import type { Exchange } from './exchange.js'
import { REASONS } from './reasons.js'
import type { Discovery, Finding, Outcome, Summary } from './report.js'

/** Keeps what was seen of each entry of the register. */
export interface Ledger {
  /** What the contract says was seen to be so. */
  holds(id: BasisId, message: string, exchange?: Exchange, place?: string): void
  /** What the contract says was seen not to be so. */
  breaks(id: BasisId, message: string, exchange?: Exchange, place?: string): void
  /** An entry could not be judged here. The last reason counts, and only if it is never judged. */
  skips(id: BasisId, reason: string): void
  discovers(id: BasisId, message: string, discovery: Discovery, exchange: Exchange, place: string): void
  /** Whether an entry was judged, and how. */
  verdict(id: BasisId): 'holds' | 'breaks' | undefined
  /** All findings in the order of the register; an entry that was not judged tells why. */
  findings(missing: (id: BasisId) => string | undefined): Finding[]
}

interface Seen {
  message: string
  exchange: Exchange | undefined
  place: string | undefined
  times: number
}

export function createLedger(): Ledger {
  const held = new Map<BasisId, Seen>()
  const broken = new Map<BasisId, Map<string, Seen>>()
  const skipped = new Map<BasisId, string>()
  const discovered = new Map<string, Seen & { id: BasisId; discovery: Discovery }>()
  return {
    holds(id, message, exchange, place) {
      const seen = held.get(id)
      if (seen) seen.times++
      else held.set(id, { message, exchange, place, times: 1 })
    },
    breaks(id, message, exchange, place) {
      const own = broken.get(id) ?? new Map<string, Seen>()
      broken.set(id, own)
      const key = `${exchange?.operation} ${message}`
      const seen = own.get(key)
      if (seen) seen.times++
      else if (own.size < MOST) own.set(key, { message, exchange, place, times: 1 })
    },
    skips(id, reason) {
      skipped.set(id, reason)
    },
    discovers(id, message, discovery, exchange, place) {
      const key = JSON.stringify(discovery)
      const seen = discovered.get(key)
      if (seen) seen.times++
      else if (discovered.size < MOST_DISCOVERIES)
        discovered.set(key, { id, message, discovery, exchange, place, times: 1 })
    },
    verdict: (id) => (broken.has(id) ? 'breaks' : held.has(id) ? 'holds' : undefined),
    findings: (missing) => [
      ...(Object.keys(basis) as BasisId[]).flatMap((id): Finding[] => {
        const breaks = broken.get(id)
        if (breaks) return [...breaks.values()].map((seen) => findingOf(id, outcomeOf(id, false), seen))
        const holds = held.get(id)
        if (holds) return [findingOf(id, outcomeOf(id, true), holds)]
        const message = skipped.get(id) ?? missing(id) ?? REASONS[id] ?? 'Nothing in this run showed it.'
        return [findingOf(id, 'not-exercised', { message, exchange: undefined, place: undefined, times: 0 })]
      }),
      ...[...discovered.values()].map(({ id, discovery, ...seen }) => findingOf(id, 'discovered', seen, discovery)),
    ],
  }
}

/** A service that answers differently each time must not make a report without end. */
const MOST = 10
const MOST_DISCOVERIES = 100

/** What is stated or derived has to hold; an observation or an assumption may turn out wrong. */
export const isFirm = (id: BasisId): boolean => basis[id].kind === 'stated' || basis[id].kind === 'derived'

const outcomeOf = (id: BasisId, holds: boolean): Outcome =>
  isFirm(id) ? (holds ? 'pass' : 'fail') : holds ? 'confirmed' : 'contradicted'

const findingOf = (
  id: BasisId,
  outcome: Outcome,
  { message, exchange, place, times }: Seen,
  discovery?: Discovery,
): Finding => ({
  basis: id,
  outcome,
  operation: exchange?.operation,
  message,
  place,
  times,
  request: exchange?.request,
  response: exchange?.response,
  discovery,
})

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
    notExercised,
    discovered: findings.filter(({ outcome }) => outcome === 'discovered').length,
  }
}
