import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { oncePerDocument } from './context.js'

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
 * accepts anything instead.
 * @type {import('./context.js').Rule}
 */
export default (schema, _, context) => {
  const { ajv, reasons } = compilerOf(context)
  // A circular schema keeps its references; they are checked where they lead.
  const text = JSON.stringify(schema, (_key, node) => (typeof node?.$ref === 'string' ? true : node))
  if (!reasons.has(text)) reasons.set(text, reasonOf(ajv, text))
  const reason = reasons.get(text)
  return reason ? [{ message: `The schema does not compile: ${reason}. Correct it; see JSON Schema 2020-12.` }] : []
}

const compilerOf = oncePerDocument(() => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, logger: false, keywords: OWN_FIELDS })
  // ajv-formats is CommonJS: its function is the default export of the default export.
  const plugin = /** @type {any} */ (addFormats).default ?? addFormats
  return { ajv: plugin(ajv), reasons: new Map() }
})

/** @param {Ajv2020} ajv @param {string} text @returns {string | undefined} */
function reasonOf(ajv, text) {
  try {
    ajv.compile(JSON.parse(text))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
