import { rules } from '../../../../generated/contract.js'
import { getOrCreate } from '../../../internal/maps.js'
import type { Exchange } from './exchange.js'
import { counted, failed, passed, quote, type Result, text, undecided } from './result.js'

/**
 * Whether a key reads the same workspace as before, or as another key, where it should. The id is only assumed: a value
 * that every workspace shares, or that changes each time, may not be an id of the workspace. Basis: S03, A01.
 */
export function compareWorkspaces(before: unknown, exchange: Exchange, isSame: boolean, isTogether = false): Result[] {
  const one = idAndRest(before)
  const other = idAndRest(exchange.body)
  if (one.id === undefined || other.id === undefined) return []
  const isEqual = one.id === other.id
  const together = isTogether ? `simultaneous requests of ${exchange.operation} with the keys of two workspaces: ` : ''
  const message = text`${together}the key reads the workspace ${quote(other.id)}, and ${quote(one.id)} was read before`
  const isAnother = !isEqual && one.rest !== other.rest
  const isOneOfMany = isEqual && one.rest === other.rest && (isOpaque(one.id) || one.rest.length > '{}'.length)
  const expected = isSame
    ? 'the same workspace. Either the service shows one key what belongs to another, or the keys are of two workspaces'
    : 'another workspace. Either the service shows one key what belongs to another, or both keys are of one workspace'
  const details = { exchange, keyword: 'workspace' }
  if (isEqual === isSame) return [passed(rules.keyOfWorkspace, message, { exchange })]
  if (isAnother || isOneOfMany) return [failed(rules.keyOfWorkspace, text`${message}; expected ${expected}`, details)]
  return [failed(rules.workspaceFields, text`${message}, so its id is not that of the workspace`, details)]
}

function idAndRest(body: unknown): { id: unknown; rest: string } {
  const { id, ...rest } = Object(body) as { id?: unknown }
  return { id, rest: JSON.stringify(rest) }
}

/** Whether a text looks like an id that only one resource has, and not like a name that several may share. */
const isOpaque = (id: unknown): boolean => /^(?=.*\d).{6,}$/.test(String(id))

/** Items of lists by operation and id: each as JSON, and the response with it. */
export type Items = ReadonlyMap<string, { id: string; item: string; exchange: Exchange }>

/**
 * The items that lists of two workspaces have in common, on any page. An id may be that of an item of each, and what looks like a
 * name may be shared by design. Basis: D05.
 */
export function commonItems(ours: Items, theirs: Items): Result[] {
  const common = [...theirs].filter(([name]) => ours.has(name))
  const leaked = common.filter(([name, { id, item }]) => isOpaque(id) && ours.get(name)?.item === item)
  const firsts = new Map(leaked.map(([, each]) => [each.exchange.operation, each] as const).reverse())
  if (firsts.size > 0)
    return [...firsts].map(([operation, { id, exchange }]) => {
      const message = text`${operation} with the key of another workspace: expected no item of this one, got ${quote(id)}`
      return failed(rules.workspacesApart, message, { exchange, pointer: '/data', keyword: 'apart' })
    })
  const shared = new Map<string, string[]>()
  for (const [, { id, exchange }] of common) getOrCreate(shared, exchange.operation, () => []).push(id)
  const exchange = [...theirs.values()].at(-1)?.exchange
  const isApart = exchange && ours.size > 0 && [...theirs.keys()].some((name) => !ours.has(name))
  const apart = `the lists of two workspaces have ${shared.size === 0 ? 'no item in common' : 'items of their own'}`
  return [
    ...(isApart ? [passed(rules.workspacesApart, apart, { exchange })] : []),
    ...[...shared].flatMap(([operation, ids]) => {
      const items =
        ids.length === 1
          ? text`${quote(ids[0])}`
          : text`the same ${counted(ids.length, 'item')}, such as ${quote(ids[0])}`
      return undecided(
        rules.workspacesApart,
        text`${operation}: both workspaces list ${items}, which may be shared by design.`,
      )
    }),
  ]
}
