import { clientRules } from '../../../generated/client-rules.js'
import type { BasisId } from '../../../generated/operations.js'
import type { ClientRule } from './types.js'

const byBasis = new Map(Object.entries(clientRules).map(([rule, { basis }]) => [basis as BasisId, rule as ClientRule]))

/** The rule that an entry of the register is for clients; undefined if it binds none. */
export const ruleOf = (id: BasisId): ClientRule | undefined => byBasis.get(id)

/** The rule in words. */
export const titleOf = (id: BasisId): string | undefined => {
  const rule = ruleOf(id)
  return rule && clientRules[rule].title
}
