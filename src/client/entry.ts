import { calls, type OperationId } from '../../generated/operations.js'

/** What the contract says of an operation. */
export interface OperationEntry {
  readonly method?: string
  readonly path?: string
  readonly free?: boolean
  readonly cacheSeconds?: number
  readonly query?: readonly string[]
  readonly body?: boolean
  readonly retryable?: readonly number[]
}

/** What the contract says of an operation; nothing when it has no such operation. */
export const entryOf = (operation: OperationId | undefined): OperationEntry => (operation ? calls[operation] : {})

/** The operation of a method and a path of the contract. */
export const operationOf = (method: string, path: string): OperationId | undefined =>
  (Object.keys(calls) as OperationId[]).find((id) => calls[id].method === method && calls[id].path === path)
