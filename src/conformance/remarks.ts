import type { BasisId } from '../../generated/operations.js'
import type { Ledger } from './ledger.js'

/** What only somebody who remembers can satisfy. */
const STATE: readonly BasisId[] = ['S22', 'S24', 'A15']

/** What the findings mean together. */
export function remarksOn(ledger: Ledger): string[] {
  const broken = STATE.filter((id) => ledger.verdict(id) === 'breaks')
  if (broken.length < STATE.length) return []
  return [
    `The answers depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy ${broken.join(', ')}.`,
  ]
}
