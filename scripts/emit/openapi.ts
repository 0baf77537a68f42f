import downConvert from '@apiture/openapi-down-convert'
import { stringify } from 'yaml'
import { withAssumptions } from '../contract/decorate.js'
import { type Contract, type Json, resolve } from '../contract/index.js'

/** YAML 1.1 readers, such as Ruby's and PyYAML, take an unquoted 2026-11-21 for a date. */
const YAML_OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

/** The document in one piece: for Prism, for other generators and for readers. */
const emitYaml = ({ document }: Pick<Contract, 'document'>): string =>
  `# Generated from openapi/ by \`npm run build\`. Edit that, not this.\n${stringify(document, YAML_OPTIONS)}`

/** The document in all its forms, by file. */
export function emitDocuments(contract: Pick<Contract, 'document'>): Record<string, string> {
  const document = withAssumptions(contract.document)
  return {
    'openapi.yaml': emitYaml({ document }),
    'openapi.json': jsonOf(document),
    'openapi.plain.json': jsonOf(plainDocument(document)),
    'openapi-3.0.json': jsonOf(documentOf30(document)),
  }
}

/** For programs: readers have the YAML, and a document in one line is a tenth smaller when it is packed. */
const jsonOf = (document: Json): string => `${JSON.stringify(document)}\n`

/**
 * The document for tools that follow few references and drop named strings: only objects are components, and everything
 * else stands where it is used.
 */
function plainDocument(document: Json): Json {
  const isComponent = (schema: Json) => schema.type === 'object'
  const plain = (node: Json, key = ''): Json => {
    if (typeof node !== 'object' || node === null || VALUES.test(key)) return node
    if (Array.isArray(node)) return node.map((each) => plain(each))
    const target = resolve(document, node)
    if (target !== node) return isComponent(target) ? node : plain(target)
    const fields = Object.entries<Json>(node).filter(([field, each]) => NAMED.test(key) || !isLeftOut(field, each))
    return Object.fromEntries(fields.map(([field, each]) => [field, plain(each, NAMED.test(key) ? '' : field)]))
  }
  const { schemas = {}, securitySchemes } = document.components
  const objects = Object.entries<Json>(schemas).filter(([, schema]) => isComponent(schema))
  return plain({ ...document, components: { schemas: Object.fromEntries(objects), securitySchemes } })
}

/** Fields whose members have names of their own. */
const NAMED = /^(properties|examples)$/

/**
 * Fields of our own; links, of which Bruno makes scripts that do not run; the range 2XX, which orval writes as a number;
 * and "additionalProperties: true", which means the same when it is absent, and of which swagger-codegen and the
 * generators for Kotlin and FastAPI make maps.
 */
const isLeftOut = (field: string, value: Json): boolean =>
  /^(x-.*|links|2XX)$/.test(field) || (field === 'additionalProperties' && value === true)

/** Fields that contain data, whatever its properties are called. */
const VALUES = /^(value|example)$/

/** The plain document as OpenAPI 3.0, which has no summary of the whole, and one type of a schema. */
function documentOf30(document: Json): Json {
  const { summary, ...info } = document.info
  return new downConvert.Converter(withOneType(plainDocument({ ...document, info }))).convert()
}

/** A node whose schemas of several types are alternatives of one type each. */
function withOneType(node: Json): Json {
  if (Array.isArray(node)) return node.map(withOneType)
  if (typeof node !== 'object' || node === null) return node
  const { type, ...rest } = Object.fromEntries(
    Object.entries<Json>(node).map(([field, value]) => [field, VALUES.test(field) ? value : withOneType(value)]),
  )
  const isSchema = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
  if (!isSchema) return type === undefined ? rest : { type, ...rest }
  return { anyOf: type.map((each) => ({ type: each })), ...rest }
}
