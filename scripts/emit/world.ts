import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { valueAt } from '../../src/runtime/json-pointer.js'
import { type Contract, isDecided, type Json, valuesOf } from '../contract/index.js'

const WORLD_SCHEMA = join(import.meta.dirname, '../../src/tools/sandbox/world/schema.yaml')
/** A component as a whole, and no part of one. */
const COMPONENT = /^#\/components\/schemas\/\w+$/

/**
 * The JSON Schema of the sandbox's worlds. Of the properties of components it has what is stated or derived, and of those that the
 * world itself requires all of the contract: others may differ in a service, so that a world may have them as that service does. Runs are strict,
 * also where the contract assumes, because they go on by the sandbox's own transitions.
 */
export function worldSchema({ document, operations, register }: Contract): Json {
  const planName = { enum: Object.keys(document['x-plans'] ?? {}) }
  const operationId = { enum: operations.map(({ id }) => id) }
  const { RunStatus, StepStatus } = document.components.schemas
  const stepStatus = { type: 'string', enum: valuesOf(StepStatus) }
  // A run of a world may stand at a step that waits.
  const { steps } = document.components.examples.RunWaitingApproval.value
  const runStatus = { type: 'string', enum: [...new Set([...(valuesOf(RunStatus) ?? []), steps.at(-1).status])] }
  const definitions = { ...document, $defs: { planName, operationId, runStatus, stepStatus } }
  return changed(parse(readFileSync(WORLD_SCHEMA, 'utf8')), (_, node) => {
    if (typeof node?.$ref !== 'string') return node
    const value: Json = valueAt(definitions, node.$ref.slice(1))
    if (COMPONENT.test(node.$ref)) {
      const { required = [] } = node
      const open = ([name, property]: [string, Json]): [string, Json] => {
        const isKept = required.includes(name) || isDecided(register, property['x-basis'] ?? [])
        return [name, isKept ? property : { description: property.description }]
      }
      const { $ref: _, ...own } = node
      return { ...value, ...own, properties: Object.fromEntries(Object.entries<Json>(value.properties).map(open)) }
    }
    if (typeof value !== 'object') return value
    const { type, format, pattern, minLength, enum: values } = value
    return { type, format, pattern, minLength, enum: values }
  })
}

/** The same schema in one file, without the fields of the contract that are not JSON Schema. */
export function emitWorldSchema(contract: Contract): string {
  const schema = changed(worldSchema(contract), (key, node) => (key.startsWith('x-') ? undefined : node))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, ...schema }, null, 2)}\n`
}

const changed = (schema: Json, change: (key: string, node: Json) => Json): Json =>
  JSON.parse(JSON.stringify(schema, change))
