import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { valueAt } from '../../src/runtime/json-pointer.js'
import { type Contract, componentOf, type Json, valuesOf } from '../contract/index.js'

const SOURCE = join(import.meta.dirname, '../../src/tools/sandbox/world/schema.yaml')
const COMPONENT = /^#\/components\/schemas\/\w+$/

/** The JSON Schema of the sandbox's worlds. It refers to components; other references are replaced. */
export function worldSchema({ document, operations }: Contract): Json {
  const planName = { enum: Object.keys(document['x-plans'] ?? {}) }
  const operationId = { enum: operations.map(({ id }) => id) }
  const { RunStatus, StepStatus } = document.components.schemas
  const stepStatus = { type: 'string', enum: valuesOf(StepStatus) }
  // A run of a world may stand at a step that waits.
  const { steps } = document.components.examples.RunWaitingApproval.value
  const runStatus = { type: 'string', enum: [...new Set([...(valuesOf(RunStatus) ?? []), steps.at(-1).status])] }
  const definitions = { ...document, $defs: { planName, operationId, runStatus, stepStatus } }
  return changed(parse(readFileSync(SOURCE, 'utf8')), (_, node) => {
    if (typeof node?.$ref !== 'string' || COMPONENT.test(node.$ref)) return node
    const value: Json = valueAt(definitions, node.$ref.slice(1))
    if (typeof value !== 'object') return value
    const { type, format, pattern, minLength, enum: values } = value
    return { type, format, pattern, minLength, enum: values }
  })
}

/** The same schema in one file, with the components that it refers to. */
export function emitWorldSchema(contract: Contract): string {
  const $defs: Record<string, Json> = {}
  const local = (schema: Json): Json =>
    changed(schema, (key, node) => {
      if (key.startsWith('x-')) return undefined
      const name = componentOf(node)
      if (name === undefined) return node
      if (!(name in $defs)) {
        $defs[name] = {}
        $defs[name] = local(contract.document.components.schemas[name])
      }
      return { $ref: `#/$defs/${name}` }
    })
  const schema = local(worldSchema(contract))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, ...schema, $defs }, null, 2)}\n`
}

const changed = (schema: Json, change: (key: string, node: Json) => Json): Json =>
  JSON.parse(JSON.stringify(schema, change))
