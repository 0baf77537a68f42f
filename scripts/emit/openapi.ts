import downConvert from '@apiture/openapi-down-convert'
import { stringify } from 'yaml'
import { withAssumptions } from '../contract/decorate.js'
import { type Contract, componentOf, indexContract, type Json, resolve, startsRun } from '../contract/index.js'
import { mockDocument } from './mock.js'

/** YAML 1.1 readers, such as Ruby's and PyYAML, take an unquoted 2026-11-21 for a date. */
const YAML_OPTIONS = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const

const yamlOf = (document: Json): string =>
  `# Generated from openapi/ by \`npm run build\`. Edit that, not this.\n${stringify(document, YAML_OPTIONS)}`

/** For programs: readers have the YAML, and a document in one line is a tenth smaller when it is packed. */
const jsonOf = (document: Json): string => `${JSON.stringify(document)}\n`

/** The document in all its forms, by file. */
export function emitDocuments(contract: Pick<Contract, 'document'>): Record<string, string> {
  const withFaker = withAssumptions(contract.document)
  const document = without(withFaker, (field) => field === 'x-faker')
  const plain = plainDocument(inWords(document))
  return {
    'openapi.yaml': yamlOf(document),
    'openapi.json': jsonOf(document),
    'openapi.plain.json': jsonOf(plain),
    'openapi.plain.yaml': yamlOf(plain),
    'openapi-3.0.json': jsonOf(documentOf30(inWords(document))),
    'openapi.mock.yaml': yamlOf(plainDocument(mockDocument(withFaker))),
  }
}

/** Successes of a trigger that readers of single statuses may meet (RFC 9110, section 15.3). */
const SUCCESSES = ['200', '201', '202', '204']

/**
 * The document for readers that ignore fields of our own and ranges of statuses: descriptions have the plans and how long a
 * list is kept, and a trigger lists each success.
 */
function inWords(source: Json): Json {
  const document = structuredClone(source)
  const plans = Object.values<Json>(document['x-plans'] ?? {}).map(({ name, apiAccess, requestsPerMinute, burst }) =>
    apiAccess ? `${name}: ${requestsPerMinute} requests per minute, burst ${burst}` : `${name}: no API access`,
  )
  if (plans.length > 0)
    document.info.description = `${document.info.description.trim()}\n\nLimits of a workspace by its plan: ${plans.join('; ')}.`
  for (const { node } of indexContract(document).operations) {
    const seconds = node['x-cache-seconds']
    if (seconds) node.description = `${node.description.trim()} Keep it for ${seconds} seconds.`
    const { '2XX': any, ...responses } = node.responses
    if (!startsRun(node) || !any) continue
    const { content, ...rest } = resolve(document, any)
    const withoutBody = { ...rest, description: 'A run was started. The response has no body.' }
    const added = SUCCESSES.map((status) => [status, status === '204' ? withoutBody : any])
    node.responses = { ...Object.fromEntries(added), ...responses }
  }
  return document
}

/**
 * The document for tools that follow few references and drop named strings: only objects are components, and everything
 * else stands where it is used.
 */
function plainDocument(document: Json): Json {
  const { schemas = {}, securitySchemes } = document.components
  const used = new Set<string>()
  const follow = (node: Json): Json => {
    const target = resolve(document, node)
    if (target === node || target.type !== 'object') return target
    used.add(componentOf(node)!)
    return node
  }
  const plain = (node: Json): Json => without(node, isLeftOut, follow)
  const whole = plain({ ...document, components: { schemas: {}, securitySchemes } })
  const made: Json = {}
  // A set also visits what is added to it meanwhile.
  for (const name of used) made[name] = plain(schemas[name])
  for (const name of Object.keys(schemas)) if (used.has(name)) whole.components.schemas[name] = made[name]
  return whole
}

/**
 * Fields of our own, but for Prism's; links, of which Bruno makes scripts that do not run; the range 2XX, which orval writes
 * as a number; and "additionalProperties: true", which means the same when it is absent, and of which swagger-codegen and
 * the generators for Kotlin and FastAPI make maps.
 */
const isLeftOut = (field: string, value: Json): boolean =>
  /^(x-(?!faker$).*|links|2XX)$/.test(field) || (field === 'additionalProperties' && value === true)

/** A node without some fields at any depth. `follow` returns the node that stands in the place of another, or the node itself. */
function without(
  node: Json,
  isLeftOut: (field: string, value: Json) => boolean,
  follow = (node: Json): Json => node,
  key = '',
): Json {
  if (typeof node !== 'object' || node === null || VALUES.test(key)) return node
  if (Array.isArray(node)) return node.map((each) => without(each, isLeftOut, follow))
  const target = follow(node)
  if (target !== node) return without(target, isLeftOut, follow)
  const isNamed = NAMED.test(key)
  const fields = Object.entries<Json>(node).filter(([field, each]) => isNamed || !isLeftOut(field, each))
  return Object.fromEntries(
    fields.map(([field, each]) => [field, without(each, isLeftOut, follow, isNamed ? '' : field)]),
  )
}

/** Fields whose members have names of their own. */
const NAMED = /^(properties|examples)$/

/** Fields that contain data, whatever its properties are called. */
const VALUES = /^(value|example|const|enum|x-faker)$/

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
