import { Ajv2020 } from 'ajv/dist/2020.js'
import { compiles } from './schemas-compile.js'
import { nodes } from './walk.js'

const names = { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true }
const described = { type: 'string', minLength: 1 }

/** What each behaviour field may hold, by the kind of node that it stands on. */
const FIELDS = {
  operation: {
    'x-quota': { enum: ['requests', 'runs'] },
    'x-cache-seconds': { type: 'integer', minimum: 1 },
  },
  response: { 'x-retryable': { type: 'boolean' } },
  schema: {
    'x-transitions': {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        oneOf: [
          { type: 'object', required: ['next'], properties: { next: names }, additionalProperties: false },
          {
            type: 'object',
            required: ['terminal'],
            properties: { terminal: { const: true } },
            additionalProperties: false,
          },
        ],
      },
    },
    'x-assumed-patterns': {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^A\\d\\d$' },
      additionalProperties: { type: 'string', format: 'regex' },
    },
    'x-known-values': {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        required: ['description', 'x-basis'],
        properties: { description: described, 'x-basis': names },
        additionalProperties: false,
      },
    },
  },
}
const DOCUMENT_FIELDS = {
  'x-plans': {
    type: 'object',
    minProperties: 1,
    additionalProperties: {
      type: 'object',
      required: ['name', 'apiAccess', 'x-basis'],
      properties: {
        name: described,
        apiAccess: { type: 'boolean' },
        requestsPerMinute: { type: 'integer', minimum: 1 },
        burst: { type: 'integer', minimum: 1 },
        'x-basis': names,
      },
      additionalProperties: false,
      if: { properties: { apiAccess: { const: true } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['requestsPerMinute', 'burst'] },
    },
  },
  'x-scenarios': { type: 'object', minProperties: 1, additionalProperties: described },
}

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, formats: { regex: compiles } })

/** The fields that tell behaviour have the form that the generators read. */
export default function behaviourFields(/** @type {import('./walk.js').Node} */ document) {
  return [
    ...check(document, DOCUMENT_FIELDS, []),
    ...nodes(document).flatMap(({ kind, node, path }) => [
      ...check(node, FIELDS[/** @type {keyof FIELDS} */ (kind === 'property' ? 'schema' : kind)] ?? {}, path),
      ...unknownStatuses(node, path),
    ]),
  ]
}

/** @param {import('./walk.js').Node} node @param {Record<string, object>} fields @param {import('./walk.js').Path} path */
function check(node, fields, path) {
  return Object.entries(fields)
    .filter(([field, schema]) => node[field] !== undefined && !ajv.validate(schema, node[field]))
    .map(([field, schema]) => {
      ajv.validate(schema, node[field])
      return {
        message: `${field} is not of its form: ${ajv.errorsText(ajv.errors, { dataVar: field })}. See CONTRIBUTING.md, "Behaviour fields".`,
        path: [...path, field],
      }
    })
}

/** The statuses of x-transitions are the known values of the status beside it, no more and no fewer.
 * @param {import('./walk.js').Node} node @param {import('./walk.js').Path} path */
function unknownStatuses(node, path) {
  const transitions = node['x-transitions']
  const values = node.properties?.status?.['x-known-values']
  if (!transitions || !values) return []
  const named = new Set([...Object.keys(transitions), ...Object.values(transitions).flatMap((t) => t?.next ?? [])])
  const wrong = [
    ...[...named].filter((status) => !(status in values)),
    ...Object.keys(values).filter((status) => !(status in transitions)),
  ]
  return wrong.map((status) => ({
    message: `"${status}" does not stand both in x-transitions and in the known values of status. Add it where it is missing.`,
    path: [...path, 'x-transitions'],
  }))
}
