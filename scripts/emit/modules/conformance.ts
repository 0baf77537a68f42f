import { toPointer } from '../../../src/runtime/json-pointer.js'
import {
  type BasisEntry,
  type Contract,
  componentOf,
  type Json,
  jsonBody,
  type Operation,
  resolve,
  valuesOf,
} from '../../contract/index.js'
import { banner, literal, mapValues } from '../text.js'

/** The basis and the location of each node of the contract, which the conformance kit reads at run time. */
export function emitConformance({ document, operations, register, retired }: Contract): string {
  const rules = new Map<string, string>()
  for (const { rule, id } of register) if (rule && !rules.has(rule)) rules.set(rule, id)
  const firm = register.filter(({ kind, rule }) => rule && isFirm(kind))
  const successors = retired.map(({ id, replacedBy }) => [id, replacedBy])
  const schemaNodes = mapValues(document.components?.schemas ?? {}, schemaOf(document, register))
  const operationNodes = operations.map((operation) => [operation.id, operationOf(operation, document)])
  return `${banner()}import type { EntryNode, OperationNode, SchemaNode } from '../../src/runtime/contract-nodes.js'
import type { BasisId, OperationId } from '../operations.js'

/** The entries of the register by the name of the rule that they state. */
export const rules = ${literal(Object.fromEntries(rules))} as const

/** What is stated of a service, and what of that responses show: each area has a table of these. */
export type ServiceRule = ${unionOf(firm.filter(({ client, verify }) => !(client && verify?.unobservable)))}
export type VerifyRule = ${unionOf(firm.filter(({ verify }) => !verify?.unobservable))}

/** The entries of the register, with the properties that checks need. */
export const entries: Record<BasisId, EntryNode> = ${literal(Object.fromEntries(register.map(entryOf)))}

/** The entries that replace a retired one. */
export const retired: Readonly<Record<string, readonly BasisId[]>> = ${literal(Object.fromEntries(successors))}

export const schemaNodes: Record<string, SchemaNode<BasisId>> = ${literal(schemaNodes)}

export const operationNodes: Record<OperationId, OperationNode<BasisId>> = ${literal(Object.fromEntries(operationNodes))}
`
}

const entryOf = ({ id, kind, verify, notEnforced }: BasisEntry): [id: string, entry: Json] => [
  id,
  { binding: isFirm(kind), ...(notEnforced && { unobservable: `Not enforced: ${notEnforced}` }), ...verify },
]

const isFirm = (kind: BasisEntry['kind']): boolean => kind === 'stated' || kind === 'derived'

const unionOf = (entries: BasisEntry[]): string =>
  [...new Set(entries.map(({ rule }) => `'${rule}'`))].join(' | ') || 'never'

const basisOf = (node: Json): string[] => node['x-basis']

const assumedPatternsOf =
  (register: BasisEntry[]) =>
  (ids: string[] = []): Json => {
    const patterns = register.flatMap(({ id, pattern }) => (pattern && ids.includes(id) ? [[id, pattern]] : []))
    return patterns.length > 0 ? Object.fromEntries(patterns) : undefined
  }

function schemaOf(document: Json, register: BasisEntry[]) {
  const patternsOf = assumedPatternsOf(register)
  const enumerating = new Set(register.flatMap(({ id, enumerates }) => (enumerates ? [id] : [])))
  return (schema: Json, name: string): Json => ({
    location: `openapi.yaml#/components/schemas/${name}`,
    basis: basisOf(schema),
    required: schema.required,
    properties: mapValues(schema.properties, (property) => ({
      ...propertyOf(property),
      assumedPatterns: patternsOf(basisOf(property)),
    })),
    ...valuesWithBasis(schema, enumerating),
    valueTypes: typesOf(schema.additionalProperties, document),
    transitions: schema['x-transitions-basis'],
  })
}

/** The values of a string with what each rests on, and the entry that lists them; of a complete list, each value shows that. */
function valuesWithBasis(schema: Json, enumerating: Set<string>): Json {
  const known: Json = schema['x-known-values'] ?? {}
  const enumeratedBy = [schema, ...Object.values<Json>(known)].flatMap(basisOf).find((id) => enumerating.has(id))
  const idsOf = (value: string): string[] => [
    ...new Set([...(known[value]?.['x-basis'] ?? []), ...(schema.enum && enumeratedBy ? [enumeratedBy] : [])]),
  ]
  const values = valuesOf(schema)?.map((value) => [value, idsOf(value)])
  return values && { values: Object.fromEntries(values), enumeratedBy }
}

const propertyOf = (property: Json): Json => ({
  basis: basisOf(property),
  schema: componentOf(property),
  items: componentOf(property.items),
})

/** The JSON type of a schema, besides `null`. */
const typeOf = (schema: Json): string | undefined => [schema?.type].flat().find((type) => type !== 'null')

/** The JSON types of the values that a schema allows, those of its alternatives too; undefined when it names none. */
function typesOf(node: Json, document: Json): string[] | undefined {
  const schema = resolve(document, node)
  const alternatives: Json[] = schema?.anyOf ?? schema?.oneOf ?? []
  const types = [schema?.type ?? [], ...alternatives.map((each) => typesOf(each, document) ?? [])].flat()
  return types.length > 0 ? [...new Set<string>(types)] : undefined
}

const operationOf = ({ path, method, node, parameters, requestBody, responses }: Operation, document: Json): Json => ({
  location: `openapi.yaml#${toPointer(['paths', path, method.toLowerCase()])}`,
  basis: basisOf(node),
  parameters: parameters.map((parameter) => ({
    name: parameter.name,
    in: parameter.in,
    type: typeOf(resolve(document, parameter.schema)),
    example: parameter.example,
    basis: basisOf(parameter),
  })),
  request: componentOf(jsonBody(requestBody)?.schema),
  responses: mapValues(Object.fromEntries(responses), (response, status) => {
    const component = componentOf(node.responses[status])
    return {
      location: component && `openapi.yaml#/components/responses/${component}`,
      basis: basisOf(response),
      schema: componentOf(jsonBody(response)?.schema),
      headers: mapValues(response.headers ?? {}, (header) => basisOf(resolve(document, header))),
    }
  }),
})
