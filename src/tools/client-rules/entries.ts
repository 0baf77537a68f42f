import { type BasisId, clientRules, clientTitles, type OperationId, operations } from '../../../generated/contract.js'
import type { ClientRule } from './types.js'

/** The entry that states a rule, for an operation: that of each list says how long it is kept. */
export function basisOf(rule: ClientRule, operation: OperationId | undefined): BasisId {
  const { basis, of } = clientRules[rule] as { basis: BasisId; of?: Partial<Record<OperationId, BasisId>> }
  return (operation && of?.[operation]) ?? basis
}

/** The entries that state a rule: one, or one for each of several operations. */
export const basesOf = (rule: ClientRule): BasisId[] => [
  ...new Set((Object.keys(operations) as OperationId[]).map((operation) => basisOf(rule, operation))),
]

const byBasis = new Map(
  (Object.keys(clientRules) as ClientRule[]).flatMap((rule) =>
    basesOf(rule).map((id): [BasisId, ClientRule] => [id, rule]),
  ),
)

/** The rule that an entry of the register is for clients; undefined if it binds none. */
export const ruleOf = (id: BasisId): ClientRule | undefined => byBasis.get(id)

/** The rule in words; undefined for an entry that binds no client. */
export const ruleTitle = (id: BasisId): string | undefined => (clientTitles as Partial<Record<BasisId, string>>)[id]
