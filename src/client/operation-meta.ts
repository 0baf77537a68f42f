import { type OperationId, operations } from '../../generated/operations.js'

/** What an operation counts against. */
export type Quota = (typeof operations)[OperationId]['quota']

/** What the contract says of an operation. */
export interface OperationMeta {
  readonly method: string
  readonly path: string
  readonly quota: Quota
  readonly cacheSeconds?: number
  readonly pathParameters: readonly string[]
  readonly query: readonly string[]
  readonly body?: boolean
  readonly retryable: readonly number[]
}

/** What the contract says of an operation; undefined when it has no such operation. */
export const operationMeta = (operation: OperationId | undefined): OperationMeta | undefined =>
  operation && operations[operation]

/** The operation of a method and a path of the contract. */
export const operationAt = (method: string, path: string): OperationId | undefined =>
  (Object.keys(operations) as OperationId[]).find(
    (id) => operations[id].method === method && operations[id].path === path,
  )
