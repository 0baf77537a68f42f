import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isObject, nodes } from './walk.js'

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
 * Every schema compiles as JSON Schema 2020-12 in strict mode. Prism drops a schema that does not, without a word, and
 * accepts anything in its place.
 */
export default function schemasCompile(/** @type {import('./walk.js').Node} */ document) {
  const ajv = compiler()
  return nodes(document)
    .filter(({ kind, owner }) => kind === 'schema' && owner?.kind !== 'schema' && owner?.kind !== 'property')
    .flatMap(({ node, path, name }) => {
      try {
        ajv.compile(withoutReferences(node))
        return []
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        const place = placeOf(node)
        const what = place.length > 0 ? 'pattern' : `schema of "${name}"`
        return [
          {
            message: `The ${what} does not compile: ${reason}. Correct it; see JSON Schema 2020-12.`,
            path: [...path, ...place],
          },
        ]
      }
    })
}

function compiler() {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, logger: false })
  for (const field of OWN_FIELDS) ajv.addKeyword(field)
  // ajv-formats is CommonJS: its function is the default export of the default export.
  const plugin = /** @type {any} */ (addFormats).default ?? addFormats
  return plugin(ajv)
}

/** A circular schema keeps its references; they are checked where they lead. @param {any} node @returns {any} */
function withoutReferences(node) {
  if (Array.isArray(node)) return node.map(withoutReferences)
  if (!isObject(node)) return node
  if (typeof node.$ref === 'string') return true
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutReferences(value)]))
}

/** The path of the first regular expression that does not compile. @param {any} node @returns {import('./walk.js').Path} */
function placeOf(node) {
  for (const [key, value] of Object.entries(node ?? {})) {
    if (key === 'pattern' && typeof value === 'string' && !compiles(value)) return [key]
    if (typeof value === 'object') {
      const rest = placeOf(value)
      if (rest.length > 0) return [key, ...rest]
    }
  }
  return []
}

/** @param {string} pattern */
export function compiles(pattern) {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}
