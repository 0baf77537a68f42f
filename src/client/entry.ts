import { type OperationId, operations } from '../../generated/operations.js'

/** What the contract says of an operation. */
export interface OperationEntry {
  readonly method?: string
  readonly path?: string
  readonly quota?: string
  readonly cacheSeconds?: number
  readonly pathParameters?: readonly string[]
  readonly query?: readonly string[]
  readonly body?: boolean
  readonly retryable?: readonly number[]
}

/** What the contract says of an operation; nothing when it has no such operation. */
export const entryOf = (operation: OperationId | undefined): OperationEntry => (operation ? operations[operation] : {})

/** The operation of a method and a path of the contract. */
export const operationOf = (method: string, path: string): OperationId | undefined =>
  (Object.keys(operations) as OperationId[]).find(
    (id) => operations[id].method === method && operations[id].path === path,
  )
