import type { Contract } from '../../contract/index.js'
import { banner, literal } from '../text.js'

/** The entries of the register that bind a client, by the name of their rule. */
export function emitClientRules({ register }: Contract): string {
  const binding = register.flatMap(({ id, rule, client }) => (rule && client ? [[rule, { basis: id, client }]] : []))
  return `${banner()}/** What binds a client: \`must\` fails, \`should\` is advice. */
export const clientRules = ${literal(Object.fromEntries(binding))} as const
`
}
