import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../contract/index.js'
import { banner, literal } from './text.js'

/** What each node of the contract rests on, and where it is written: what the conformance kit asks at run time. */
export function emitConformance({ document, operations }: Contract): string {
  const schemas = Object.entries<Json>(document.components?.schemas ?? {}).map(([name, schema]) => [
    name,
    schemaOf(schema, `openapi/components/schemas/${name}.yaml`),
  ])
  return [
    banner(),
    TYPES,
    `export const schemaNodes: Record<string, SchemaNode> = ${literal(Object.fromEntries(schemas))}\n\n`,
    `export const operationNodes: Record<OperationId, OperationNode> = ${literal(
      Object.fromEntries(operations.map((operation) => [operation.id, operationOf(operation, document)])),
    )}\n`,
  ].join('')
}

const schemaOf = (schema: Json, location: string): Json => ({
  location,
  basis: schema['x-basis'],
  required: schema.required,
  properties:
    schema.properties &&
    Object.fromEntries(Object.entries<Json>(schema.properties).map(([name, each]) => [name, propertyOf(each)])),
  values:
    schema['x-known-values'] &&
    Object.fromEntries(
      Object.entries<Json>(schema['x-known-values']).map(([value, known]) => [value, known['x-basis']]),
    ),
  valueType: schema.additionalProperties?.type,
  transitions: schema['x-transitions-basis'],
})

const propertyOf = (property: Json): Json => ({
  basis: property['x-basis'],
  assumedPatterns: property['x-assumed-patterns'],
  type: [property.type].flat().find((type) => type !== 'null'),
  schema: componentOf(property),
  items: componentOf(property.items),
})

const operationOf = ({ path, node, parameters, requestBody, responses }: Operation, document: Json): Json => ({
  location: `openapi/paths/${path.slice(1).replace(/[{}]/g, '').replaceAll('/', '_')}.yaml`,
  basis: node['x-basis'],
  parameters: parameters.map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    type: resolve(document, parameter.schema)?.type,
    example: [resolve(document, parameter.schema)?.examples?.[0]].flat()[0],
    basis: parameter['x-basis'],
  })),
  request: componentOf(jsonBody(requestBody)?.schema),
  responses: Object.fromEntries(
    responses.map(([status, response]) => {
      const component = componentOf(node.responses[status])
      return [
        status,
        {
          location: component && `openapi/components/responses/${component}.yaml`,
          basis: response['x-basis'],
          schema: componentOf(jsonBody(response)?.schema),
          headers: Object.fromEntries(
            Object.entries<Json>(response.headers ?? {}).map(([name, header]) => [
              name,
              resolve(document, header)['x-basis'],
            ]),
          ),
        },
      ]
    }),
  ),
})

const TYPES = `import type { BasisId, OperationId } from './operations.js'

/** A named schema. A property without a basis of its own rests on that of its schema. */
export interface SchemaNode {
  /** The file that it is written in. */
  location: string
  basis: readonly BasisId[]
  required?: readonly string[]
  properties?: Readonly<Record<string, PropertyNode>>
  /** The known values of an open enumeration, with what each rests on. */
  values?: Readonly<Record<string, readonly BasisId[]>>
  /** The JSON type of the values of an object whose keys are free. */
  valueType?: string
  /** What its states and their order rest on. */
  transitions?: readonly BasisId[]
}

export interface PropertyNode {
  basis?: readonly BasisId[]
  /** Patterns that the text is assumed to match, by the entry that assumes it. The validators do not check them. */
  assumedPatterns?: Readonly<Partial<Record<BasisId, string>>>
  type?: string
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
  /** What each header rests on. */
  headers: Readonly<Record<string, readonly BasisId[]>>
}

`
