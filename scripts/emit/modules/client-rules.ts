import type { Contract } from '../../contract/index.js'
import { banner, literal } from '../text.js'

/** The entries of the register that bind a client, by the name of their rule; the first of several. */
export function emitClientRules({ register, operations }: Contract): string {
  const all = register.filter(({ rule, client }) => rule && client)
  const first = all.filter(({ rule }, index) => all.findIndex((each) => each.rule === rule) === index)
  const binding = first.map(({ rule, id, client }) => {
    // Where several entries state a rule, each for operations that name it.
    const others = all.filter((each) => each.rule === rule && each.id !== id)
    const of = operations.flatMap(({ id: operation, node }) =>
      others.filter((each) => node['x-basis'].includes(each.id)).map((each) => [operation, each.id]),
    )
    return [rule, { basis: id, client, of: of.length > 0 ? Object.fromEntries(of) : undefined }]
  })
  return `${banner()}/** The rules that bind a client: \`must\` fails, \`should\` is advice. \`of\` has the operations that another entry states it for. */
export const clientRules = ${literal(Object.fromEntries(binding))} as const

/** What each of these entries asks of a client, as reports name it. */
export const clientTitles = ${literal(Object.fromEntries(all.map(({ id, title }) => [id, title])))} as const
`
}
