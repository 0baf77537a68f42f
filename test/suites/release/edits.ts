import type { Json } from '../../../scripts/contract/index.js'
import type { Impact } from '../../../scripts/release/change.js'

/** Edits by name and by what the release command has to say of them; `none` changes nothing for programs. */
type Edits = Record<Exclude<Impact, 'patch'> | 'none', Record<string, (node: Json) => unknown>>

interface Edit {
  name: string
  edit: (node: Json) => unknown
  impact: keyof Edits
}

const response = (operation: Json, status = '200') => operation.responses[status].content['application/json'].schema
const property = (operation: Json, name: string) => response(operation).properties[name]
const request = (operation: Json) => operation.requestBody.content['application/json'].schema
const parameter = (operation: Json, name: string) => operation.parameters.find((each: Json) => each.name === name)
const without = (list: string[], name: string) => list.filter((each) => each !== name)

/** Edits of operations. */
const OF_OPERATIONS: Edits = {
  major: {
    'requires an optional property of a response': (operation) => response(operation).required.push('name'),
    'removes an optional property of a response': (operation) => delete response(operation).properties.name,
    'removes a required property of a response': (operation) => {
      delete response(operation).properties.id
      response(operation).required = without(response(operation).required, 'id')
    },
    'lets a required property of a response be missing': (operation) =>
      (response(operation).required = without(response(operation).required, 'id')),
    'changes the type of a property of a response': (operation) => (property(operation, 'total').type = 'string'),
    'lets a property of a response be null': (operation) => (property(operation, 'name').type = ['string', 'null']),
    'removes the format of a property of a response': (operation) => delete property(operation, 'created_at').format,
    'raises the maximum of a property of a response': (operation) => (property(operation, 'total').maximum = 2000),
    'adds a value to a closed enumeration of a response': (operation) => property(operation, 'kind').enum.push('c'),
    'changes the const of a 429': (operation) =>
      (response(operation, '429').properties.error.const = 'too_many_requests'),
    'removes a known value from an open enumeration': (operation) =>
      delete property(operation, 'status')['x-known-values'].failed,
    'lets a run go on from a terminal status': (operation) =>
      (response(operation)['x-transitions'].failed = { next: ['running'] }),
    'removes the response of a success': (operation) => delete operation.responses['200'],
    'changes the media type of a response': (operation) => {
      const { content } = operation.responses['200']
      operation.responses['200'].content = { 'text/plain': content['application/json'] }
    },
    'removes a header of a response': (operation) => delete operation.responses['429'].headers['Retry-After'],
    'lets a header of a response be missing': (operation) =>
      (operation.responses['429'].headers['Retry-After'].required = false),
    'adds a required property to a request': (operation) => {
      request(operation).properties.label = { type: 'string' }
      request(operation).required.push('label')
    },
    'requires an optional property of a request': (operation) => request(operation).required.push('note'),
    'removes a property of a request': (operation) => delete request(operation).properties.note,
    'lowers the maxLength of a property of a request': (operation) =>
      (request(operation).properties.note.maxLength = 50),
    'lowers the maximum of a property of a request': (operation) => (request(operation).properties.count.maximum = 5),
    'adds a pattern to a property of a request': (operation) => (request(operation).properties.note.pattern = '^a'),
    'tightens the pattern of a header of a request': (operation) =>
      (parameter(operation, 'Service-Version').schema.pattern = '^2026-\\d{2}-\\d{2}$'),
    'adds a required parameter': (operation) =>
      operation.parameters.push({ name: 'sort', in: 'query', required: true, schema: { type: 'string' } }),
    'removes a parameter': (operation) =>
      (operation.parameters = operation.parameters.filter(({ name }: Json) => name !== 'page')),
    'changes the default of a parameter': (operation) => (parameter(operation, 'page').schema.default = 2),
    'removes the default of a parameter': (operation) => delete parameter(operation, 'page').schema.default,
    'requires the body of a request': (operation) => (operation.requestBody.required = true),
    'takes back that a status may be retried': (operation) => (operation.responses['429']['x-retryable'] = false),
    'takes back that a status had no effect': (operation) => (operation.responses['401']['x-no-effect'] = false),
    'counts an operation against another quota': (operation) => (operation['x-quota'] = 'runs'),
    'renames an operation': (operation) => (operation.operationId = `${operation.operationId}Again`),
  },
  minor: {
    'adds a property to a response': (operation) => (response(operation).properties.region = { type: 'string' }),
    'adds a format to a property of a response': (operation) => (property(operation, 'name').format = 'email'),
    'lowers the maximum of a property of a response': (operation) => (property(operation, 'total').maximum = 500),
    'removes a value from a closed enumeration of a response': (operation) => property(operation, 'kind').enum.pop(),
    'adds a known value to an open enumeration': (operation) =>
      (property(operation, 'status')['x-known-values'].paused = { description: 'Paused.' }),
    'adds a terminal status': (operation) => (response(operation)['x-transitions'].cancelled = { terminal: true }),
    'adds a response status': (operation) => (operation.responses['409'] = operation.responses['401']),
    'adds an optional property to a request': (operation) => (request(operation).properties.label = { type: 'string' }),
    'lets a required property of a request be missing': (operation) => (request(operation).required = []),
    'raises the maxLength of a property of a request': (operation) =>
      (request(operation).properties.note.maxLength = 500),
    'adds an optional parameter': (operation) =>
      operation.parameters.push({ name: 'sort', in: 'query', schema: { type: 'string' } }),
    'states that a status had no effect': (operation) => (operation.responses['429']['x-no-effect'] = true),
    'lets a status be retried': (operation) => (operation.responses['401']['x-retryable'] = true),
    'changes how long a response may be kept': (operation) => (operation['x-cache-seconds'] = 30),
    'deprecates an operation': (operation) => (operation.deprecated = true),
  },
  none: {
    'writes the digits of a pattern in another way': (operation) =>
      (parameter(operation, 'Service-Version').schema.pattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    'says in words what a pattern means, and how dynamic examples look': (operation) =>
      Object.assign(property(operation, 'name'), { 'x-pattern-means': 'a name', 'x-faker': 'lorem.word' }),
    'changes a description and an example': (operation) => {
      operation.description = 'Other words.'
      property(operation, 'name').examples = ['Other']
    },
  },
}

/** Edits of the whole document. */
const OF_DOCUMENTS: Edits = {
  major: {
    'removes an operation': (document) => delete document.paths['/fixed'],
    'changes the security scheme': (document) =>
      (document.components.securitySchemes.bearerAuth = { type: 'apiKey', in: 'header', name: 'X-Key' }),
    'changes the scheme of the key': (document) => (document.components.securitySchemes.bearerAuth.scheme = 'basic'),
    'requires another security scheme': (document) => {
      document.components.securitySchemes.session = { type: 'apiKey', in: 'header', name: 'X-Session' }
      document.security = [{ bearerAuth: [], session: [] }]
    },
    'moves the server to another path': (document) => (document.servers[0].url = 'https://api.example.com/v2'),
    'lowers the limit of a plan': (document) => (document['x-plans'].pro.requestsPerMinute = 30),
    'removes a plan': (document) => delete document['x-plans'].pro,
  },
  minor: {
    'raises the limit of a plan': (document) => (document['x-plans'].pro.requestsPerMinute = 90),
  },
  none: {
    'gives the server another host': (document) => (document.servers[0].url = 'https://eu.example.com/v1'),
  },
}

const listed = (edits: Edits): Edit[] =>
  Object.entries(edits).flatMap(([impact, named]) =>
    Object.entries(named).map(([name, edit]) => ({ name, edit, impact: impact as keyof Edits })),
  )

export const OPERATION_EDITS = listed(OF_OPERATIONS)
export const DOCUMENT_EDITS = listed(OF_DOCUMENTS)

const operationOf = (name: string): Json => ({
  operationId: name,
  description: 'Does something.',
  'x-cache-seconds': 60,
  'x-quota': 'requests',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'page', in: 'query', schema: { type: 'integer', default: 1 } },
    { name: 'Service-Version', in: 'header', schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } },
  ],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['inputs'],
          properties: {
            inputs: { type: 'object', additionalProperties: { type: 'string' } },
            note: { type: 'string', maxLength: 100 },
            count: { type: 'integer', maximum: 10 },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'Done.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['id'],
            'x-transitions': { running: { next: ['failed'] }, failed: { terminal: true } },
            properties: {
              id: { type: 'string' },
              name: { type: 'string', examples: ['A name'] },
              kind: { type: 'string', enum: ['a', 'b'] },
              status: {
                type: 'string',
                'x-known-values': { running: { description: 'R.' }, failed: { description: 'F.' } },
              },
              total: { type: 'integer', maximum: 1000 },
              created_at: { type: 'string', format: 'date-time' },
            },
          },
        },
      },
    },
    401: { description: 'No key.', 'x-no-effect': true },
    429: {
      description: 'Wait.',
      'x-retryable': true,
      headers: { 'Retry-After': { required: true, schema: { type: 'integer' } } },
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['error'],
            properties: { error: { type: 'string', const: 'rate_limit_exceeded' } },
          },
        },
      },
    },
  },
})

/** A contract with an operation of its own for every edit of one. */
export const baseDocument = (): Json => ({
  openapi: '3.1.0',
  info: { title: 'Cases', version: '1.0.0' },
  servers: [{ url: 'https://api.example.com/v1' }],
  security: [{ bearerAuth: [] }],
  'x-plans': { pro: { name: 'Pro', apiAccess: true, requestsPerMinute: 60, burst: 120 } },
  paths: {
    '/fixed': { get: { operationId: 'getFixed', responses: { 200: { description: 'Fine.' } } } },
    ...Object.fromEntries(
      OPERATION_EDITS.map((_, index) => [`/case-${index}/{id}`, { post: operationOf(`case${index}`) }]),
    ),
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
})

/** The same contract after every edit of an operation. */
export function editedDocument(): Json {
  const document = baseDocument()
  for (const [index, { edit }] of OPERATION_EDITS.entries()) edit(document.paths[`/case-${index}/{id}`].post)
  return document
}
