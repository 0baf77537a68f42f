import type { Json } from '../../scripts/contract/index.js'
import type { Impact } from '../../scripts/release/wire.js'

/** One edit of a contract, and how it is rated. */
export interface Edit {
  name: string
  /** Changes the operation of the case, or the whole document when `whole` is set. */
  edit: (node: Json) => unknown
  whole?: true
  /** What the release command has to say; `none` changes nothing for programs. */
  impact: Impact | 'none'
  /** Whether oasdiff 1.30.0 rates it as breaking (level error); where it differs, `because` says why. */
  oasdiff: boolean
  because?: string
}

const KNOWS_NO_FIELD = 'oasdiff does not rate fields of our own.'
const TYPED = 'Code that is compiled against the types breaks.'

const response = (operation: Json, status = '200') => operation.responses[status].content['application/json'].schema
const property = (operation: Json, name: string) => response(operation).properties[name]
const request = (operation: Json) => operation.requestBody.content['application/json'].schema
const parameter = (operation: Json, name: string) => operation.parameters.find((each: Json) => each.name === name)
const without = (list: string[], name: string) => list.filter((each) => each !== name)

export const EDITS: Edit[] = [
  // --- responses
  {
    name: 'removes an optional property of a response',
    edit: (operation) => delete response(operation).properties.name,
    impact: 'major',
    oasdiff: false,
    because: TYPED,
  },
  {
    name: 'removes a required property of a response',
    edit: (operation) => {
      delete response(operation).properties.id
      response(operation).required = without(response(operation).required, 'id')
    },
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'lets a required property of a response be missing',
    edit: (operation) => (response(operation).required = without(response(operation).required, 'id')),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'requires an optional property of a response',
    edit: (operation) => response(operation).required.push('name'),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'adds a property to a response',
    edit: (operation) => (response(operation).properties.region = { type: 'string' }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'changes the type of a property of a response',
    edit: (operation) => (property(operation, 'total').type = 'string'),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'lets a property of a response be null',
    edit: (operation) => (property(operation, 'name').type = ['string', 'null']),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'removes the format of a property of a response',
    edit: (operation) => delete property(operation, 'created_at').format,
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'adds a format to a property of a response',
    edit: (operation) => (property(operation, 'name').format = 'email'),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'raises the maximum of a property of a response',
    edit: (operation) => (property(operation, 'total').maximum = 2000),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'lowers the maximum of a property of a response',
    edit: (operation) => (property(operation, 'total').maximum = 500),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'adds a value to a closed enumeration of a response',
    edit: (operation) => property(operation, 'kind').enum.push('c'),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'removes a value from a closed enumeration of a response',
    edit: (operation) => property(operation, 'kind').enum.pop(),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'changes the const of a 429',
    edit: (operation) => (response(operation, '429').properties.error.const = 'too_many_requests'),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'adds a known value to an open enumeration',
    edit: (operation) => (property(operation, 'status')['x-known-values'].paused = { description: 'Paused.' }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'removes a known value from an open enumeration',
    edit: (operation) => delete property(operation, 'status')['x-known-values'].failed,
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
  {
    name: 'adds a terminal status',
    edit: (operation) => (response(operation)['x-transitions'].cancelled = { terminal: true }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'lets a run go on from a terminal status',
    edit: (operation) => (response(operation)['x-transitions'].failed = { next: ['running'] }),
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
  {
    name: 'adds a response status',
    edit: (operation) => (operation.responses['409'] = operation.responses['401']),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'removes the response of a success',
    edit: (operation) => delete operation.responses['200'],
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'changes the media type of a response',
    edit: (operation) => {
      const { content } = operation.responses['200']
      operation.responses['200'].content = { 'text/plain': content['application/json'] }
    },
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'removes a header of a response',
    edit: (operation) => delete operation.responses['429'].headers['Retry-After'],
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'lets a header of a response be missing',
    edit: (operation) => (operation.responses['429'].headers['Retry-After'].required = false),
    impact: 'major',
    oasdiff: true,
  },
  // --- requests
  {
    name: 'adds an optional property to a request',
    edit: (operation) => (request(operation).properties.label = { type: 'string' }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'adds a required property to a request',
    edit: (operation) => {
      request(operation).properties.label = { type: 'string' }
      request(operation).required.push('label')
    },
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'requires an optional property of a request',
    edit: (operation) => request(operation).required.push('note'),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'lets a required property of a request be missing',
    edit: (operation) => (request(operation).required = []),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'removes a property of a request',
    edit: (operation) => delete request(operation).properties.note,
    impact: 'major',
    oasdiff: false,
    because: TYPED,
  },
  {
    name: 'lowers the maxLength of a property of a request',
    edit: (operation) => (request(operation).properties.note.maxLength = 50),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'raises the maxLength of a property of a request',
    edit: (operation) => (request(operation).properties.note.maxLength = 500),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'lowers the maximum of a property of a request',
    edit: (operation) => (request(operation).properties.count.maximum = 5),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'adds a pattern to a property of a request',
    edit: (operation) => (request(operation).properties.note.pattern = '^a'),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'tightens the pattern of a header of a request',
    edit: (operation) => (parameter(operation, 'Service-Version').schema.pattern = '^2026-\\d{2}-\\d{2}$'),
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff warns, since it cannot tell whether a pattern is tighter; a release is decided without a person.',
  },
  {
    name: 'writes the digits of a pattern in another way',
    edit: (operation) => (parameter(operation, 'Service-Version').schema.pattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    impact: 'none',
    oasdiff: false,
  },
  {
    name: 'says in words what a pattern means, and how dynamic examples look',
    edit: (operation) =>
      Object.assign(property(operation, 'name'), { 'x-pattern-means': 'a name', 'x-faker': 'lorem.word' }),
    impact: 'none',
    oasdiff: false,
  },
  {
    name: 'adds an optional parameter',
    edit: (operation) => operation.parameters.push({ name: 'sort', in: 'query', schema: { type: 'string' } }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'adds a required parameter',
    edit: (operation) =>
      operation.parameters.push({ name: 'sort', in: 'query', required: true, schema: { type: 'string' } }),
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'removes a parameter',
    edit: (operation) => (operation.parameters = operation.parameters.filter(({ name }: Json) => name !== 'page')),
    impact: 'major',
    oasdiff: false,
    because: TYPED,
  },
  {
    name: 'changes the default of a parameter',
    edit: (operation) => (parameter(operation, 'page').schema.default = 2),
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff rates a changed default as information; a request that leaves it out gets something else.',
  },
  {
    name: 'removes the default of a parameter',
    edit: (operation) => delete parameter(operation, 'page').schema.default,
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff rates a removed default as information; a request that leaves it out gets something else.',
  },
  {
    name: 'requires the body of a request',
    edit: (operation) => (operation.requestBody.required = true),
    impact: 'major',
    oasdiff: true,
  },
  // --- behaviour and words
  {
    name: 'takes back that a status may be retried',
    edit: (operation) => (operation.responses['429']['x-retryable'] = false),
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
  {
    name: 'lets a status be retried',
    edit: (operation) => (operation.responses['401']['x-retryable'] = true),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'counts an operation against another quota',
    edit: (operation) => (operation['x-quota'] = 'runs'),
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
  {
    name: 'changes an assumed pattern, which only verify reports',
    edit: (operation) => (property(operation, 'name')['x-assumed-patterns'] = { A1: '^B' }),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'changes how long a response may be kept',
    edit: (operation) => (operation['x-cache-seconds'] = 30),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'renames an operation',
    edit: (operation) => (operation.operationId = `${operation.operationId}Again`),
    impact: 'major',
    oasdiff: false,
    because: TYPED,
  },
  {
    name: 'deprecates an operation',
    edit: (operation) => (operation.deprecated = true),
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'changes a description and an example',
    edit: (operation) => {
      operation.description = 'Other words.'
      property(operation, 'name').examples = ['Other']
    },
    impact: 'none',
    oasdiff: false,
  },
  // --- the whole document
  {
    name: 'removes an operation',
    edit: (document) => delete document.paths['/fixed'],
    whole: true,
    impact: 'major',
    oasdiff: true,
  },
  {
    name: 'adds an operation',
    edit: (document) =>
      (document.paths['/more'] = { get: { ...document.paths['/fixed'].get, operationId: 'getMore' } }),
    whole: true,
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'changes the security scheme',
    edit: (document) =>
      (document.components.securitySchemes.bearerAuth = { type: 'apiKey', in: 'header', name: 'X-Key' }),
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff rates the change of a scheme as information; every request would be refused.',
  },
  {
    name: 'changes the scheme of the key',
    edit: (document) => (document.components.securitySchemes.bearerAuth.scheme = 'basic'),
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff rates the change of a scheme as information; every request would be refused.',
  },
  {
    name: 'requires another security scheme',
    edit: (document) => {
      document.components.securitySchemes.session = { type: 'apiKey', in: 'header', name: 'X-Session' }
      document.security = [{ bearerAuth: [], session: [] }]
    },
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff rates a changed requirement as information; every request would be refused.',
  },
  {
    name: 'moves the server to another path',
    edit: (document) => (document.servers[0].url = 'https://api.example.com/v2'),
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: 'oasdiff does not compare servers; every request would go elsewhere.',
  },
  {
    name: 'gives the server another host',
    edit: (document) => (document.servers[0].url = 'https://eu.example.com/v1'),
    whole: true,
    impact: 'none',
    oasdiff: false,
  },
  {
    name: 'lowers the limit of a plan',
    edit: (document) => (document['x-plans'].pro.requestsPerMinute = 30),
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
  {
    name: 'raises the limit of a plan',
    edit: (document) => (document['x-plans'].pro.requestsPerMinute = 90),
    whole: true,
    impact: 'minor',
    oasdiff: false,
  },
  {
    name: 'removes a plan',
    edit: (document) => delete document['x-plans'].pro,
    whole: true,
    impact: 'major',
    oasdiff: false,
    because: KNOWS_NO_FIELD,
  },
]

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
              name: { type: 'string', examples: ['A name'], 'x-assumed-patterns': { A1: '^A' } },
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
    401: { description: 'No key.' },
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
    ...Object.fromEntries(EDITS.map((_, index) => [`/case-${index}/{id}`, { post: operationOf(`case${index}`) }])),
  },
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
})

/** The same contract after every edit of an operation. */
export function editedDocument(): Json {
  const document = baseDocument()
  for (const [index, { edit, whole }] of EDITS.entries()) if (!whole) edit(document.paths[`/case-${index}/{id}`].post)
  return document
}
