import { type Fields, responseFields, schemaFields } from '../../generated/fields.js'
import { operations } from '../../generated/operations.js'
import type { Problem } from '../../generated/validators.js'
import type { ServiceRequest } from './request.js'
import type { ServiceResponse } from './respond.js'
import { findRoute, type Route } from './route.js'
import { responseProblems, type ValidRequest, validatedRequest } from './validate.js'

/**
 * What the pipeline asks of a contract. A frozen release has the same functions over its own document: the build bundles
 * this module with what is generated of it.
 */
export interface Contract {
  operations: Readonly<Record<string, { path: string; quota: string; body?: true }>>
  findRoute(method: string, pathname: string, basePath?: string): Route | ServiceResponse
  validatedRequest(
    request: ServiceRequest,
    route: Route,
    text: string | undefined,
    most: number,
  ): ValidRequest | ServiceResponse
  responseProblems(operation: string, response: ServiceResponse): Problem[]
  /** A body, which is plain data, with the properties that the contract has in it, and no others. */
  contractFields(operation: string, status: number, body: unknown): unknown
}

export const contract: Contract = {
  operations,
  findRoute,
  validatedRequest,
  responseProblems: responseProblems as Contract['responseProblems'],
  contractFields: (operation, status, body) => kept(body, responseFields[operation]?.[status] ?? true),
}

function kept(value: unknown, fields: Fields): unknown {
  if (fields === true || typeof value !== 'object' || value === null) return value
  if (typeof fields === 'string') return kept(value, schemaFields[fields] ?? true)
  if (Array.isArray(fields)) return Array.isArray(value) ? value.map((item) => kept(item, fields[0])) : value
  const entries = Object.entries(value).filter(([name]) => Object.hasOwn(fields, name))
  return Object.fromEntries(
    entries.map(([name, each]) => [name, kept(each, (fields as Record<string, Fields>)[name]!)]),
  )
}
