import {
  type Contract,
  componentOf,
  isDecided,
  isUndecidedItem,
  type Json,
  jsonBody,
  resolve,
} from '../../contract/index.js'
import { banner, isName } from '../text.js'

/**
 * What a handler may respond with: the types of what is stated, and anything where the contract only assumes. Open objects take
 * rows of a database, also instances of classes, which an index signature of `unknown` refuses.
 */
export function emitHandlerBodies(contract: Contract): string {
  const { document, operations, register } = contract
  const types = new Map<string, string>()
  const named = new Set<string>()
  const isOpen = (ids: string[] | undefined) => ids !== undefined && !isDecided(register, ids)

  const objectOf = (schema: Json, ids: string[] | undefined): string => {
    const { properties = {}, required = [], additionalProperties } = schema
    const members = Object.entries<Json>(properties).map(([name, each]) => {
      const type = isOpen(ids) ? 'unknown' : typeOf(each, ids)
      return `  ${isName(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${type}\n`
    })
    const isMap = members.length === 0 && typeof additionalProperties === 'object'
    return `{\n${members.join('')}  [name: string]: ${isMap ? typeOf(additionalProperties, ids) : 'any'}\n}`
  }
  const ofType = (type: string, schema: Json, ids: string[] | undefined): string => {
    if (type === 'object') return objectOf(schema, ids)
    if (type === 'array') return `ReadonlyArray<${itemOf(schema.items, ids)}>`
    return type === 'integer' ? 'number' : type
  }
  const itemOf = (items: Json, ids: string[] | undefined): string => {
    if (!items) return 'unknown'
    return isUndecidedItem(contract, items) ? `${typeOf(items, ids)} | AnyValue` : typeOf(items, ids)
  }
  const typeOf = (node: Json, around: string[] | undefined): string => {
    const schema = resolve(document, node)
    const ids: string[] | undefined = node['x-basis'] ?? schema['x-basis'] ?? around
    if (isOpen(ids)) return 'unknown'
    const component = componentOf(node)
    if (component) return nameOf(component, schema)
    const { const: constant, enum: values, anyOf, oneOf, allOf, type } = schema
    if (constant !== undefined) return JSON.stringify(constant)
    if (values) return values.map((each: Json) => JSON.stringify(each)).join(' | ')
    if (anyOf || oneOf) return (anyOf ?? oneOf).map((each: Json) => typeOf(each, ids)).join(' | ')
    if (allOf) return allOf.map((each: Json) => typeOf(each, ids)).join(' & ')
    return [type ?? 'object']
      .flat()
      .map((each) => ofType(each, schema, ids))
      .join(' | ')
  }
  /** The name of the type of a component. A string keeps its own, with the values that an editor completes. */
  const nameOf = (component: string, schema: Json): string => {
    const name = `Sent${component}`
    if (schema.type === 'string') return named.add(component) && component
    if (types.has(name)) return name
    types.set(name, '')
    const open = isOpen(schema['x-basis'])
    types.set(name, open ? `${objectOf(schema, schema['x-basis'])} | AnyValue` : typeOf({ ...schema }, undefined))
    return name
  }
  const bodyOf = (response: Json): string => {
    const schema = jsonBody(response)?.schema
    const component = componentOf(schema)
    if (!schema) return 'undefined'
    return component ? nameOf(component, resolve(document, schema)) : typeOf(schema, undefined)
  }
  const bodies = operations.map(({ id, responses }) => {
    const lines = responses.map(
      ([status, response]) => `    ${isName(status) ? status : JSON.stringify(status)}: ${bodyOf(response)}\n`,
    )
    return `  ${id}: {\n${lines.join('')}  }\n`
  })
  const imports = named.size > 0 ? `import type { ${[...named].sort().join(', ')} } from '../types.js'\n\n` : ''
  return `${banner()}${imports}/** A body or an item of which nothing is stated: none, or any JSON value. */
type AnyValue = undefined | null | string | number | boolean | readonly unknown[]

${[...types].map(([name, type]) => `type ${name} = ${type}\n\n`).join('')}/** What the responses of handlers may have as their bodies, by operation and status. */
export interface HandlerBodies {
${bodies.join('')}}
`
}
