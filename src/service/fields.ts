import type { OperationId } from '../../generated/operations.js'
import { type Fields, responseFields, schemaFields } from '../../generated/service/fields.js'
import { ofStatus } from '../runtime/validate.js'

/** A body, which is plain data, with the properties that the contract has in it, and no others. */
export const contractFields = (operation: OperationId, status: number, body: unknown): unknown =>
  kept(body, ofStatus(responseFields[operation] ?? {}, status) ?? true)

function kept(value: unknown, fields: Fields): unknown {
  if (fields === true || typeof value !== 'object' || value === null) return value
  if (typeof fields === 'string') return kept(value, schemaFields[fields] ?? true)
  if (Array.isArray(fields)) return Array.isArray(value) ? value.map((item) => kept(item, fields[0])) : value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name))
  return Object.fromEntries(
    entries.map(([name, each]) => [name, kept(each, (fields as Record<string, Fields>)[name]!)]),
  )
}
