import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { oncePerDocument } from './context.js'

/** The fields of a schema that JSON Schema does not have. */
export const OWN_FIELDS = [
  ...['x-basis', 'x-known-values', 'x-extensible-enum', 'x-transitions', 'x-transitions-basis'],
  ...['x-pattern-means', 'x-faker', 'example'],
]

/**
 * The schema compiles as JSON Schema 2020-12 in strict mode. Prism drops a schema that does not, without a word, and
 * accepts anything instead.
 * @type {import('./context.js').Rule}
 */
export default (schema, _, context) => {
  // A circular schema keeps its references; they are checked where they lead.
  const text = JSON.stringify(schema, (_key, node) => (typeof node?.$ref === 'string' ? true : node))
  const reason = compilerOf(context)(text)
  return reason ? [{ message: `The schema does not compile: ${reason}. Correct it; see JSON Schema 2020-12.` }] : []
}

/** Why the schema of a text does not compile; each text is compiled once. */
const compilerOf = oncePerDocument(() => {
  // ajv-formats is CommonJS: its function is the default export of the default export.
  const plugin = /** @type {any} */ (addFormats).default ?? addFormats
  const ajv = plugin(
    new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, logger: false, keywords: OWN_FIELDS }),
  )
  const reasons = new Map()
  return (/** @type {string} */ text) => {
    if (!reasons.has(text))
      try {
        ajv.compile(JSON.parse(text))
        reasons.set(text, undefined)
      } catch (error) {
        reasons.set(text, withoutOptions(/** @type {Error} */ (error).message))
      }
    return reasons.get(text)
  }
})

/** Ajv's reasons without its options, which a contract does not have. @param {string} reason */
const withoutOptions = (reason) =>
  reason
    .replace(/^strict mode: /, '')
    .replace(/^use \w+ to allow /, 'it has ')
    .replace(/,? ?\(?(?:use|see) (?:option )?"?(?:allow|strict)\w+"?[^)]*\)?$/, '')
