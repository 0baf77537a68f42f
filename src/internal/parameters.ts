import type { OperationId } from '../../generated/operations.js'
import type { operations as Contract } from '../../generated/types.js'

/** The parameters of a valid request as the contract types them. */
export interface OperationParameters<O extends OperationId = OperationId> {
  path: Parameters<O, 'path'>
  /** What the request has; numbers are numbers. */
  query: Parameters<O, 'query'>
  /** The headers that the contract names, by its names. */
  headers: Parameters<O, 'header'>
}

/** The parameters of one location; empty where the contract has none. */
type Parameters<O extends OperationId, In extends 'path' | 'query' | 'header'> = Contract[O]['parameters'] extends {
  [location in In]?: infer Values
}
  ? [NonNullable<Values>] extends [never]
    ? Readonly<Record<never, never>>
    : Readonly<NonNullable<Values>>
  : never

/** The JSON body of a request or response of the contract; undefined without one. */
export type JsonBody<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined
