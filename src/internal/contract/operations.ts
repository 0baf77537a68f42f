import { type OperationId, operations } from '../../../generated/contract.js'

/** The operations of the contract, in its order. */
export const operationIds = Object.keys(operations) as [OperationId, ...OperationId[]]

/** Whether a success of an operation starts a run: such an operation counts against the quota of runs. Basis: S36. */
export const isTrigger = (operation: OperationId): boolean => operations[operation].quota === 'runs'

/** The media type of the bodies of an operation's requests. */
export const mediaTypeOf = (operation: OperationId): string =>
  (operations[operation] as { mediaType?: string }).mediaType ?? 'application/json'

/** What a matcher has to know of operations, by their ids. */
export type Routed = Readonly<Record<string, { method: string; path: string }>>

/** An operation with a path that fits. */
export interface PathMatch {
  operation: OperationId
  method: string
  /** The parameters in the path, in their order, as they are written. One may be empty. */
  values: string[]
}

/**
 * Finds the operations that a path fits, which is below the base URL and has no query. A path without parameters comes
 * before one that it would match too: OpenAPI, Paths Object.
 */
export function createPathMatcher(operations: Routed): (path: string) => PathMatch[] {
  const templates = Object.entries(operations)
    .map(([operation, { method, path }]) => {
      const [, ...names] = path.split('{')
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '([^/]*)')}$`)
      return { operation: operation as OperationId, method, pattern, parameters: names.length }
    })
    .sort((one, other) => one.parameters - other.parameters)
  return (path) => {
    const found: PathMatch[] = []
    for (const { operation, method, pattern } of templates) {
      const match = pattern.exec(path)
      if (match) found.push({ operation, method, values: match.slice(1) })
    }
    return found
  }
}

/** The matcher of the contract. */
export const matchPath = createPathMatcher(operations)
