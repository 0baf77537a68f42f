import type { BasisId } from '../../generated/operations.js'

/** A named schema. A property without a basis of its own rests on that of its schema. */
export interface SchemaNode {
  /** The file that it is written in. */
  location: string
  basis: readonly BasisId[]
  required?: readonly string[]
  properties?: Readonly<Record<string, PropertyNode>>
  /** The known values of an open enumeration, each with its basis. */
  values?: Readonly<Record<string, readonly BasisId[]>>
  /** The JSON type of the values of an object with arbitrary keys. */
  valueType?: string
  /** The basis of its states and transitions. */
  transitions?: readonly BasisId[]
}

export interface PropertyNode {
  basis?: readonly BasisId[]
  /** Patterns that the text is assumed to match, by the entry that assumes it. The validators do not check them. */
  assumedPatterns?: Readonly<Partial<Record<BasisId, string>>>
  /** The named schema of the property, and that of its items. */
  schema?: string
  items?: string
}

export interface OperationNode {
  location: string
  basis: readonly BasisId[]
  parameters: readonly ParameterNode[]
  /** The named schema of the body. */
  request?: string
  /** By status. */
  responses: Readonly<Record<string, ResponseNode>>
}

export interface ParameterNode {
  name: string
  in: 'path' | 'query' | 'header'
  type?: string
  example?: string | number
  basis: readonly BasisId[]
}

export interface ResponseNode {
  location?: string
  basis: readonly BasisId[]
  schema?: string
  /** The basis of each header. */
  headers: Readonly<Record<string, readonly BasisId[]>>
}
