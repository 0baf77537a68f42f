/** An entry of the register. */
export interface EntryNode {
  /** Whether a difference fails the service; otherwise it contradicts the entry. */
  binding: boolean
  /** What exercises it, all of them; default nothing more than the key. */
  needs?: readonly Need[]
  /** Why no response showed it although all of that was given. */
  unobservable?: string
  /** False where the presence of a property does not show it. */
  presence?: false
}

/** What exercises more of the register. */
export type Need = (typeof NEEDS)[number]

export const NEEDS = [
  'run',
  'trigger',
  'rateLimit',
  'readOnlyKey',
  'secondKey',
  'otherWorkspaceKey',
  'hobbyKey',
] as const

/** A named schema. `Id` is an id of the register. A property without a basis has that of its schema. */
export interface SchemaNode<Id extends string> {
  /** The file that it is written in. */
  location: string
  basis: readonly Id[]
  required?: readonly string[]
  properties?: Readonly<Record<string, PropertyNode<Id>>>
  /** The known values of an enumeration, each with its basis; those of a complete one are all that the validators accept. */
  values?: Readonly<Record<string, readonly Id[]>>
  /** The entry that lists the values. */
  enumeratedBy?: Id | undefined
  /** The JSON types of the values of an object with arbitrary keys. */
  valueTypes?: readonly string[]
  /** The basis of its states and transitions. */
  transitions?: readonly Id[]
}

export interface PropertyNode<Id extends string> {
  basis?: readonly Id[]
  /** Patterns that the text is assumed to match, by the entry that assumes it. The validators do not check them. */
  assumedPatterns?: Readonly<Partial<Record<Id, string>>>
  /** The named schema of the property, and that of its items. */
  schema?: string
  items?: string
}

export interface OperationNode<Id extends string> {
  location: string
  basis: readonly Id[]
  parameters: readonly ParameterNode<Id>[]
  /** The named schema of the body. */
  request?: string
  /** By status. */
  responses: Readonly<Record<string, ResponseNode<Id>>>
}

export interface ParameterNode<Id extends string> {
  name: string
  in: 'path' | 'query' | 'header'
  type?: string
  example?: string | number
  basis: readonly Id[]
}

export interface ResponseNode<Id extends string> {
  location?: string
  basis: readonly Id[]
  schema?: string
  /** The basis of each header. */
  headers: Readonly<Record<string, readonly Id[]>>
}
