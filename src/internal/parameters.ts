import type { OperationId, queryDefaults } from '../../generated/operations.js'
import type { operations as Contract } from '../../generated/types.js'

/** The parameters of a valid request as the contract types them. */
export interface OperationParameters<O extends OperationId = OperationId> {
  path: Parameters<O, 'path'>
  /** With the contract's defaults; numbers are numbers. */
  query: WithDefaults<Parameters<O, 'query'>, Defaulted<O>>
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

/** The parameters with a default, which a valid request always has after parsing. */
type Defaulted<O extends OperationId> = O extends keyof typeof queryDefaults ? keyof (typeof queryDefaults)[O] : never

type WithDefaults<Values, Names extends PropertyKey> = Omit<Values, Names> &
  Readonly<Required<Pick<Values, Names & keyof Values>>>
