import { operations } from '../../generated/operations.js'
import { type Fields, responseFields, schemaFields } from '../../generated/service/fields.js'
import { ofStatus } from '../runtime/validate.js'
import { findRoute } from './route.js'
import { responseProblems, validatedRequest } from './validate.js'

/**
 * What the pipeline asks of a contract. A frozen release has the same functions over its own document: the build bundles
 * this module with what is generated of it.
 */
export const contract = {
  operations: operations as Readonly<Record<string, { path: string; quota: string; body?: true }>>,
  findRoute,
  validatedRequest,
  responseProblems,
  /** A body, which is plain data, with the properties that the contract has in it, and no others. */
  contractFields: (operation: string, status: number, body: unknown): unknown =>
    kept(body, ofStatus(responseFields[operation] ?? {}, status) ?? true),
}

export type Contract = typeof contract

function kept(value: unknown, fields: Fields): unknown {
  if (fields === true || typeof value !== 'object' || value === null) return value
  if (typeof fields === 'string') return kept(value, schemaFields[fields] ?? true)
  if (Array.isArray(fields)) return Array.isArray(value) ? value.map((item) => kept(item, fields[0])) : value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name))
  return Object.fromEntries(
    entries.map(([name, each]) => [name, kept(each, (fields as Record<string, Fields>)[name]!)]),
  )
}
