import { type BasisId, type OperationId, operations, versionPattern } from '../../../generated/operations.js'
import { clientRules } from '../../../generated/sandbox/client-rules.js'
import { secondsText } from '../time/time.js'

// The rules of a client that the sandbox applies to the requests that it gets, and `verify` to recordings.

/**
 * The end of a sentence about a client that repeated a request too early after its 429; undefined if it waited. Times in
 * ms. Basis: S33.
 */
export function earlyRepetition(
  { operation, respondedAt, wait }: { operation: OperationId; respondedAt: number; wait: number },
  sentAt: number,
): string | undefined {
  const waited = sentAt - respondedAt
  if (waited + TOLERANCE >= wait) return undefined
  return `sent ${operation} again ${secondsText(waited)} after a 429 that asked for ${secondsText(wait)}`
}

/** The end of a sentence about a client that requested a list again instead of keeping it. Basis: S38. */
export function earlyListing(operation: OperationId, receivedAt: number, sentAt: number): string | undefined {
  const keep = cacheSecondsOf(operation)
  if (keep === undefined || sentAt - receivedAt + TOLERANCE >= keep * 1_000) return undefined
  return `requested ${operation} again within ${keep} s`
}

/** The entry that states a rule of clients, for an operation: that of each list says how long it is kept. */
export function clientRuleBasis(rule: keyof typeof clientRules, operation: OperationId): BasisId {
  const { basis, of } = clientRules[rule] as { basis: BasisId; of?: Partial<Record<OperationId, BasisId>> }
  return of?.[operation] ?? basis
}

/** How long a client should keep a list, in s; undefined for any other operation. */
export const cacheSecondsOf = (operation: OperationId): number | undefined =>
  (operations[operation] as { cacheSeconds?: number }).cacheSeconds

/** Whether a pin is not the date of a release. Basis: S40. */
export const isWrongPin = (pin: string | null): boolean => pin !== null && !RELEASE.test(pin)

const RELEASE = new RegExp(versionPattern, 'u')

/** Clocks and timers may be so much off, in ms. */
export const TOLERANCE = 50
