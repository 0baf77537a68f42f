import { beforeAll, expect, it } from 'vitest'
import { type Contract, indexContract, type Json } from '../../scripts/contract/index.js'
import { loadContract } from '../../scripts/contract/load.js'
import { SUPPORT, unsupported } from '../../scripts/contract/supported-by-code.js'
import type { Diagnostic } from '../../scripts/support/diagnostics.js'
import { repository } from '../support/project.js'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract(repository)
})

/** The problems of the contract after a change, with their paths as files. */
function problemsOf(change: (document: Json) => unknown): Diagnostic[] {
  const document = structuredClone(contract.document)
  change(document)
  // The document has the register without what only code reads.
  const added = document['x-basis-register'].slice(contract.document['x-basis-register'].length)
  const changed = { ...indexContract(document), register: [...contract.register, ...added] }
  return unsupported(changed, (path) => ({ file: path.join('.') }))
}

const TRIGGER = '/playbooks/{id}/runs'
const run = ({ components }: Json) => components.schemas.Run
const perPage = ({ components }: Json) => components.parameters.PerPage
const jsonOf = ({ components }: Json) => components.requestBodies.TriggerRunRequest.content

const beyond: [name: string, change: (document: Json) => unknown, at: string, says: RegExp][] = [
  [
    'security',
    ({ components }) => (components.securitySchemes.apiKey = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }),
    'components.securitySchemes.apiKey',
    /"apiKey" authenticates by apiKey in header\..+client, sandbox, kit and verify .+ Extend src\/tools\/service\/request\/authorization\.ts/,
  ],
  [
    'security',
    (document) => (document.paths['/providers'].get.security = []),
    'paths./providers.get.security',
    /listProviders has other credentials than the rest/,
  ],
  [
    'mediaTypes',
    (document) => (jsonOf(document)['text/plain'] = { schema: { type: 'string' } }),
    'components.requestBodies.TriggerRunRequest.content.text/plain',
    /has the media type "text\/plain"\. The product obeys only JSON .+ Extend src\/runtime\/validate\.ts and "mediaTypes"/,
  ],
  [
    'parameters',
    (document) =>
      document.paths['/playbooks'].get.parameters.push({ name: 'name', in: 'query', schema: { type: 'string' } }),
    'paths./playbooks.get.parameters.3',
    /listPlaybooks has the query parameter "name"\. .+ sandbox and verify would go on without it\./,
  ],
  [
    'parameters',
    (document) =>
      document.paths[TRIGGER].post.parameters.push({
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string' },
      }),
    `paths.${TRIGGER}.post.parameters.2`,
    /triggerRun has the header parameter "Idempotency-Key"\. .+ Extend src\/tools\/sandbox\/runs\/operations\.ts/,
  ],
  [
    'responseHeaders',
    ({ components }) =>
      (components.responses.NotFound.headers = { 'X-Region': { required: true, schema: { type: 'string' } } }),
    'components.responses.NotFound.headers.X-Region',
    /A 404 must have the header "X-Region"\. .+ sandbox and kit would go on without it/,
  ],
  [
    'responseHeaders',
    ({ components }) => (components.responses.InternalError.headers = components.responses.RateLimited.headers),
    'components.responses.InternalError.headers.Retry-After',
    /A 500 must have the header "Retry-After"\. The product obeys only Retry-After of a 429 and headers/,
  ],
  [
    'cacheSeconds',
    (document) => (document.paths['/workspaces/me'].get['x-cache-seconds'] = 30),
    'paths./workspaces/me.get.x-cache-seconds',
    /getCurrentWorkspace is kept for a time that none of its entries states\..+"rule: caching"/,
  ],
  ['parameterForms', (document) => (perPage(document).in = 'cookie'), 'components.parameters.PerPage', /is a cookie/],
  [
    'parameterForms',
    (document) => (perPage(document).style = 'pipeDelimited'),
    'components.parameters.PerPage',
    /has the style pipeDelimited/,
  ],
  [
    'parameterForms',
    (document) => (perPage(document).schema = { type: 'array', items: { type: 'object' } }),
    'components.parameters.PerPage',
    /is a list of other things than strings, numbers or booleans/,
  ],
  [
    'parameterForms',
    ({ components }) => (components.parameters.RunId.schema.type = 'array'),
    'components.parameters.RunId',
    /"id" is array/,
  ],
  [
    'statuses',
    (document) => (document.paths['/providers'].get.responses['5XX'] = { description: 'Any.' }),
    'paths./providers.get.responses.5XX',
    /listProviders has a response 5XX/,
  ],
  [
    'statuses',
    (document) => (document.paths['/providers'].get.responses['422'] = { description: 'Wrong.' }),
    'paths./providers.get.responses.422',
    /no 422: with one, Prism would send it/,
  ],
  [
    'inputs',
    ({ components }) => (components.schemas.RunInputs.additionalProperties.type = ['string', 'number']),
    'components.schemas.RunInputs',
    /The inputs of a run are not a map of strings.+src\/tools\/cli\/terminal\/inputs\.ts/,
  ],
  ['plans', (document) => delete document['x-plans'].hobby, 'x-plans', /Every plan has access to the API\./],
  [
    'fields',
    (document) => (run(document).properties.started_at.type = ['string', 'null']),
    'components.schemas.Run.properties.started_at',
    /Run\.started_at is string or null, and not string\./,
  ],
  [
    'fields',
    ({ components }) =>
      (components.schemas.Step.properties.capability = { anyOf: [{ type: 'string' }, { type: 'object' }] }),
    'components.schemas.Step.properties.capability',
    /Step\.capability is string or object, and not string\./,
  ],
  [
    'conditions',
    (document) => (run(document).if = { required: ['ended_at'] }),
    'components.schemas.Run.if',
    /A schema has the condition "if"\./,
  ],
  [
    'conditions',
    (document) => (run(document).oneOf = [{ required: ['started_at'] }]),
    'components.schemas.Run.oneOf',
    /A schema has the condition "oneOf"\./,
  ],
  [
    'composition',
    ({ components }) => (components.schemas.Provider.allOf = [{ type: 'object' }]),
    'components.schemas.Provider.allOf',
    /A schema has "allOf"/,
  ],
  [
    'composition',
    ({ components }) => (components.schemas.ListMeta.properties.total.format = 'int64'),
    'components.schemas.ListMeta.properties.total.format',
    /int64/,
  ],
  ['webhooks', (document) => (document.webhooks = { runEnded: {} }), 'webhooks', /The contract has webhooks/],
]

it('the contract has nothing that code does not obey', () => {
  expect(problemsOf(() => {})).toEqual([])
})

it('each kind of node that code limits has a change that goes beyond it', () => {
  expect(new Set(beyond.map(([name]) => name))).toEqual(new Set(Object.keys(SUPPORT)))
})

it.each(beyond)('%s: %s is refused with its location and the file to extend', (_, change, at, says) => {
  const found = problemsOf(change).map(({ file, message }) => `${file}  ${message}`)
  expect(found).toEqual([expect.stringMatching(says)])
  expect(found[0]?.split('  ')[0]).toBe(at)
})

it('what says that it is not enforced is allowed, and nothing beside it', () => {
  const found = problemsOf((document) => {
    const entry = { id: 'S90', kind: 'stated', section: 5, text: 'A key may come in X-Api-Key.' }
    document['x-basis-register'].push({ ...entry, notEnforced: 'The service is about to remove it.' })
    const scheme = { type: 'apiKey', in: 'header' }
    document.components.securitySchemes.apiKey = { ...scheme, name: 'X-Api-Key', 'x-basis': ['S90'] }
    document.components.securitySchemes.other = { ...scheme, name: 'X-Other', 'x-basis': ['S23'] }
  })
  expect(found.map(({ file }) => file)).toEqual(['components.securitySchemes.other'])
})

it('a body may be of any type that ends with +json', () => {
  const found = problemsOf((document) => {
    const { 'application/json': body } = jsonOf(document)
    document.components.requestBodies.TriggerRunRequest.content = { 'application/merge-patch+json': body }
  })
  expect(found).toEqual([])
})
