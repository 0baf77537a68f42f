import { toPointer } from '../../src/internal/json-pointer.js'
import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../contract/index.js'
import { banner, literal } from './text.js'

/** What each node of the contract rests on, and where it is written: what the conformance kit asks at run time. */
export function emitConformance({ document, operations }: Contract): string {
  const schemas = Object.entries<Json>(document.components?.schemas ?? {}).map(([name, schema]) => [
    name,
    schemaOf(schema, `openapi.yaml#/components/schemas/${name}`),
  ])
  return [
    banner(),
    "import type { OperationNode, SchemaNode } from '../src/internal/contract-nodes.js'\nimport type { OperationId } from './operations.js'\n\n",
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
  type: typeOf(property),
  schema: componentOf(property),
  items: componentOf(property.items),
})

/** The JSON type of a schema, besides `null`. */
const typeOf = (schema: Json): string | undefined => [schema?.type].flat().find((type) => type !== 'null')

const operationOf = ({ path, method, node, parameters, requestBody, responses }: Operation, document: Json): Json => ({
  location: `openapi.yaml#${toPointer(['paths', path, method.toLowerCase()])}`,
  basis: node['x-basis'],
  parameters: parameters.map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    type: typeOf(resolve(document, parameter.schema)),
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
          location: component && `openapi.yaml#/components/responses/${component}`,
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
