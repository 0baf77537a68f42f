import type { Contract } from '../../contract/index.js'
import { banner, literal } from '../text.js'

/** The entries of the register that bind a client, by the name of their rule. */
export function emitClientRules({ register }: Contract): string {
  const binding = register.flatMap(({ id, rule, client, title }) =>
    rule && client ? [[rule, { basis: id, client, title }]] : [],
  )
  return `${banner()}/** The rules that bind a client: \`must\` fails, \`should\` is advice. */
export const clientRules = ${literal(Object.fromEntries(binding))} as const
`
}
