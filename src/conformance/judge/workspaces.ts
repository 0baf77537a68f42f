import { rules } from '../../../generated/conformance/nodes.js'
import type { Exchange } from '../exchange.js'
import { itemIds } from './lists.js'
import { failed, passed, quote, type Result, skipped, text } from './result.js'

/**
 * Whether a key reads the same workspace as before, or as another key, where it should. The id is only assumed: a value
 * that every workspace shares, or that changes each time, may not be an id of the workspace. Basis: S03, A01.
 */
export function compareWorkspaces(before: unknown, exchange: Exchange, isSame: boolean): Result[] {
  const one = idAndRest(before)
  const other = idAndRest(exchange.body)
  if (one.id === undefined || other.id === undefined) return []
  const isEqual = one.id === other.id
  const message = text`the key reads the workspace ${quote(other.id)}, and ${quote(one.id)} was read before`
  const isAnother = !isEqual && one.rest !== other.rest
  const isOneOfMany = isEqual && one.rest === other.rest && (isOpaque(one.id) || one.rest.length > '{}'.length)
  const expected = isSame
    ? 'the same workspace. Either the service shows one key what belongs to another, or the keys are of two workspaces'
    : 'another workspace. Either the service shows one key what belongs to another, or both keys are of one workspace'
  const details = { exchange, keyword: 'workspace' }
  if (isEqual === isSame) return [passed(rules.keyOfWorkspace, message, { exchange })]
  if (isAnother || isOneOfMany) return [failed(rules.keyOfWorkspace, text`${message}; it must be ${expected}`, details)]
  return [failed(rules.workspaceFields, text`${message}, so its id is not that of the workspace`, details)]
}

function idAndRest(body: unknown): { id: unknown; rest: string } {
  const { id, ...rest } = Object(body) as { id?: unknown }
  return { id, rest: JSON.stringify(rest) }
}

/** Whether a text looks like an id that only one resource has, and not like a name that several may share. */
export const isOpaque = (id: unknown): boolean => /^(?=.*\d).{6,}$/.test(String(id))

/** The ids that lists of two workspaces have in common. Some may be shared by design. Basis: D05. */
export function commonItems(ours: ReadonlySet<string>, theirs: Exchange): Result[] {
  const items = itemIds(theirs.body)
  const common = items.filter((id) => ours.has(id))
  const { operation } = theirs
  if (common.length === 0)
    return ours.size > 0 && items.length > 0
      ? [passed(rules.workspacesApart, `${operation} of two workspaces have no item in common`, { exchange: theirs })]
      : []
  const own = common.find(isOpaque)
  if (own === undefined)
    return skipped(rules.workspacesApart, text`Both workspaces list ${quote(common[0])}: it may be shared by design.`)
  const message = text`${operation} with the key of another workspace must have no item of this one, and has ${quote(own)}`
  return [failed(rules.workspacesApart, message, { exchange: theirs, pointer: '/data', keyword: 'apart' })]
}
