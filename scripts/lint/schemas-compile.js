import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isObject, oncePerDocument } from './context.js'

/** The fields of a schema that JSON Schema does not have. */
export const OWN_FIELDS = [
  'x-basis',
  'x-known-values',
  'x-extensible-enum',
  'x-assumed-patterns',
  'x-transitions',
  'x-transitions-basis',
  'example',
]

/**
 * The schema compiles as JSON Schema 2020-12 in strict mode. Prism drops a schema that does not, without a word, and
 * accepts anything in its place.
 * @type {import('./context.js').Rule}
 */
export default (schema, _, context) => {
  const { ajv, compiled } = compilerOf(context)
  const key = JSON.stringify(schema)
  if (!compiled.has(key)) compiled.set(key, reasonOf(ajv, schema))
  const reason = compiled.get(key)
  if (!reason) return []
  const message = `The schema does not compile: ${reason}. Correct it; see JSON Schema 2020-12.`
  return [{ message }]
}

const compilerOf = oncePerDocument(() => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, logger: false })
  for (const field of OWN_FIELDS) ajv.addKeyword(field)
  // ajv-formats is CommonJS: its function is the default export of the default export.
  const plugin = /** @type {any} */ (addFormats).default ?? addFormats
  return { ajv: plugin(ajv), compiled: new Map() }
})

/** @param {Ajv2020} ajv @param {any} schema @returns {string | undefined} */
function reasonOf(ajv, schema) {
  try {
    ajv.compile(withoutReferences(schema))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** A circular schema keeps its references; they are checked where they lead. @param {any} node @returns {any} */
function withoutReferences(node) {
  if (Array.isArray(node)) return node.map(withoutReferences)
  if (!isObject(node)) return node
  if (typeof node.$ref === 'string') return true
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutReferences(value)]))
}
