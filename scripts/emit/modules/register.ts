import { type BasisEntry, type Contract, isDecided, type Json } from '../../contract/index.js'
import { literal } from '../text.js'

/** The part of the index that is about the register: its entries, the rules that they state, and those that bind clients. */
export function registerOf({ register, retired, operations }: Contract): string {
  const rules = new Map<string, string>()
  for (const { rule, id } of register) if (rule && !rules.has(rule)) rules.set(rule, id)
  const decided = register.filter(({ id, rule }) => rule && isDecided(register, [id]))
  const successors = retired.map(({ id, replacedBy }) => [id, replacedBy])
  const ofClients = register.filter(({ rule, client }) => rule && client)
  return `export type BasisId = ${unionOf(register.map(({ id }) => id))}

/** What each part of the contract rests on. Its type is written out, so that declarations do not repeat its texts. */
export const basis: Readonly<Record<BasisId, BasisEntry>> = ${literal(Object.fromEntries(register.map(registerEntry)))}

/** The entries that replace a retired one. */
export const retired: Readonly<Record<string, readonly BasisId[]>> = ${literal(Object.fromEntries(successors))}

/** The entries by the name of the rule that they state; of several, the first. */
export const rules = ${literal(Object.fromEntries(rules))} as const

/** What is stated of a service, and what of that responses show: each area has a table of these. */
export type ServiceRule = ${unionOf(decided.filter(({ client, verify }) => !(client && verify?.unobservable)).map(({ rule }) => rule))}
export type VerifyRule = ${unionOf(decided.filter(({ verify }) => !verify?.unobservable).map(({ rule }) => rule))}

/** The rules that bind a client: \`must\` fails, \`should\` is advice. \`of\` has the operations that another entry states it for. */
export const clientRules = ${literal(Object.fromEntries(clientRulesOf(ofClients, operations)))} as const

/** What each of these entries asks of a client, as reports name it. */
export const clientTitles = ${literal(Object.fromEntries(ofClients.map(({ id, title }) => [id, title])))} as const

/** Numbers that are only assumed, and statuses in their order, by the rule of their entry. The sandbox has them, and \`verify\` compares. */
export const assumedValues = ${literal(Object.fromEntries(register.flatMap(({ rule, value }) => (rule && value !== undefined ? [[rule, value]] : []))))} as const
`
}

const registerEntry = ({ id, kind, section, text, verify, notEnforced }: BasisEntry): [id: string, entry: Json] => [
  id,
  { kind, section, text, ...(notEnforced && { unobservable: `Not enforced: ${notEnforced}` }), ...verify },
]

/** The first entry of each rule. Where several state one, the others are named with the operations that rest on them. */
function clientRulesOf(entries: BasisEntry[], operations: Contract['operations']): [rule: string, node: Json][] {
  const first = entries.filter(({ rule }, index) => entries.findIndex((each) => each.rule === rule) === index)
  return first.map(({ rule, id, client }) => {
    const others = entries.filter((each) => each.rule === rule && each.id !== id)
    const of = operations.flatMap(({ id: operation, node }) =>
      others.filter((each) => node['x-basis'].includes(each.id)).map((each) => [operation, each.id]),
    )
    return [rule!, { basis: id, client, of: of.length > 0 ? Object.fromEntries(of) : undefined }]
  })
}

const unionOf = (names: (string | undefined)[]): string =>
  [...new Set(names)].map((name) => `'${name}'`).join(' | ') || 'never'
