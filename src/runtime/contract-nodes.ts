/** An entry of the register: what a part of the contract rests on. */
export interface BasisEntry {
  readonly kind: 'stated' | 'observed' | 'derived' | 'assumed'
  /** The section of the source specification that it was read from. */
  readonly section: number
  readonly text: string
  /** What exercises it, all of them; default nothing more than the key. */
  readonly needs?: readonly Need[]
  /** Why no response showed it although all of that was given. */
  readonly unobservable?: string
  /** False where the presence of a property does not show it. */
  readonly presence?: false
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

/** An operation: OpenAPI, Operation Object. `Id` is an id of the register. */
export interface OperationNode<Id extends string> {
  /** The place in the document. */
  location: string
  basis: readonly Id[]
  parameters: readonly ParameterNode<Id>[]
  requestBody?: BodyNode
  /** By status, or range of statuses. */
  responses: Readonly<Record<string, ResponseNode<Id>>>
}

export interface ParameterNode<Id extends string> extends ValueNode<Id> {
  name: string
  in: 'path' | 'query' | 'header'
}

/** The value of a parameter or a header. */
export interface ValueNode<Id extends string> {
  /** Its JSON types. */
  types: readonly string[]
  /** Its schema, if that has a name. */
  schema?: string
  required?: true
  example?: string | number
  basis: readonly Id[]
}

export interface ResponseNode<Id extends string> {
  location?: string
  basis: readonly Id[]
  body?: BodyNode
  headers?: Readonly<Record<string, ValueNode<Id>>>
}

/** A JSON body. */
export interface BodyNode {
  /** Its schema, if that has a name. */
  schema?: string
  required: boolean
  /** Where it is not `application/json`. */
  mediaType?: string
  /** Whether the media type is only assumed. */
  isTypeAssumed?: true
}

/** A property, or the items of an array. Without a basis it has that of the schema around it. */
export interface PropertyNode<Id extends string> {
  basis?: readonly Id[]
  /** Its schema, if that has a name. */
  schema?: string
  items?: PropertyNode<Id>
  properties?: Readonly<Record<string, PropertyNode<Id>>>
  /** The JSON types of the values of an object with arbitrary keys. */
  valueTypes?: readonly string[]
  /** Patterns that the text is assumed to match, by the entry that assumes it. The validators do not check them. */
  assumedPatterns?: Readonly<Partial<Record<Id, string>>>
}

/** A named schema. */
export interface SchemaNode<Id extends string> extends PropertyNode<Id> {
  location: string
  basis: readonly Id[]
  required?: readonly string[]
  /** The known values of an enumeration, each with its basis; those of a complete one are all that the validators accept. */
  values?: Readonly<Record<string, readonly Id[]>>
  /** The entry that lists the values. */
  enumeratedBy?: Id | undefined
  /** The basis of its states and transitions. */
  transitions?: readonly Id[]
}
