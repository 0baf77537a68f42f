import { expect, it } from 'vitest'
import openapi from '../../generated/openapi.json' with { type: 'json' }
import type { Json } from '../../scripts/contract/index.js'

const { 'x-basis-register': register, ...document }: Json = openapi
const entryOf = (id: string): Json => register.find((entry: Json) => entry.id === id)

/** What the node at a pointer rests on; a node without a basis rests on that of the node around it. */
function basisAt(pointer: string): string[] {
  let node: Json = document
  let basis: string[] = []
  for (const token of ['', ...pointer.split('/').slice(1)]) {
    if (token !== '') node = node?.[token.replaceAll('~1', '/').replaceAll('~0', '~')]
    if (node?.$ref)
      node = node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, part: string) => at[part], document)
    basis = node?.['x-basis'] ?? basis
  }
  expect(node, `${pointer} is not in the document`).toBeDefined()
  return [...basis, ...(node['x-transitions-basis'] ?? [])]
}

const schema = (name: string, property?: string) =>
  `/components/schemas/${name}${property ? `/properties/${property}` : ''}`
const operation = (path: string, method = 'get') => `/paths/${path.replaceAll('/', '~1')}/${method}`
const response = (name: string) => `/components/responses/${name}`
const parameter = (name: string) => `/components/parameters/${name}`
const KEY = '/components/securitySchemes/bearerAuth'
const TRIGGER = operation('/playbooks/{id}/runs', 'post')
const INPUTS = schema('RunInputs')

/** Each sentence of the service's specification, or of its engineers, in our words: its section, its entries, and the node that has it. */
const STATED: [section: number, says: string, ids: string, node: string][] = [
  [1, 'a REST API that automates operational workflows', 'S01', '/tags/0'],
  [1, 'it offers workspaces', 'S01', '/tags/0'],
  [1, 'it offers playbooks', 'S01', '/tags/1'],
  [1, 'it offers runs of playbooks', 'S01', '/tags/2'],
  [1, 'it offers providers, which are external systems connected to the workspace', 'S01', '/tags/3'],
  [1, 'a client can read the workspace that it is authenticated as', 'S16', operation('/workspaces/me')],
  [1, 'a client can list playbooks', 'S17', operation('/playbooks')],
  [1, 'a client can list providers', 'S20', operation('/providers')],
  [1, 'a client can trigger a run of a playbook', 'S18', TRIGGER],
  [1, 'a client can poll the status of a run', 'S21', operation('/runs/{id}')],
  [1, 'every request is made for one workspace, which the key identifies', 'S03', KEY],
  [1, 'all paths are relative to a base URL', 'S04', '/servers/0'],
  [1, 'the base URL ends with /v1', 'S04', '/servers/0'],
  [2, 'a run has a string id with a prefix and an opaque part', 'S05', schema('Run', 'id')],
  [2, 'a run has a status, a string', 'S06', schema('Run', 'status')],
  [2, 'a run has the id of its playbook', 'S07', schema('Run', 'playbook_id')],
  [2, 'a run has started_at, ISO 8601 in UTC', 'S08', schema('Run', 'started_at')],
  [2, 'a run has steps, an array', 'S09', schema('Run', 'steps')],
  [2, 'steps are in order', 'S09', schema('Run', 'steps')],
  [2, 'a step has a string id within its run', 'S10', schema('Step', 'id')],
  [2, 'a step has a status, a string', 'S11', schema('Step', 'status')],
  [2, 'a step that performs a provider action has a capability', 'S12', schema('Step', 'capability')],
  [2, 'a capability is a dotted string, provider and action', 'S12', schema('Step', 'capability')],
  [2, 'a step shown as waiting_approval has none', 'O03', schema('Step', 'capability')],
  [2, 'inputs are a JSON object', 'S13', INPUTS],
  [2, 'keys and values of inputs are strings', 'S13', INPUTS],
  [2, 'inputs are sent when a run is triggered', 'S13', schema('TriggerRunRequest', 'inputs')],
  [2, 'a list endpoint returns an object with data, an array of the items of the page', 'S14', schema('PlaybookList')],
  [2, 'every list endpoint does', 'S14', schema('ProviderList')],
  [2, 'meta has total, an integer', 'S15', schema('ListMeta', 'total')],
  [2, 'meta has page, an integer', 'S15', schema('ListMeta', 'page')],
  [2, 'meta has per_page, an integer', 'S15', schema('ListMeta', 'per_page')],
  [3, 'the run status running appears', 'O01', `${schema('RunStatus')}/x-known-values/running`],
  [3, 'the step status succeeded appears', 'O02', `${schema('StepStatus')}/x-known-values/succeeded`],
  [3, 'the step status waiting_approval appears', 'O02', `${schema('StepStatus')}/x-known-values/waiting_approval`],
  [4, 'all endpoints require authentication', 'S23', KEY],
  [4, ':id is a path parameter with an identifier', 'S18', parameter('PlaybookId')],
  [4, 'GET /workspaces/me responds with the workspace of the key, a single object', 'S16', response('Workspace')],
  [4, 'GET /playbooks responds with the list envelope of the playbooks', 'S17', response('PlaybookList')],
  [4, 'POST /playbooks/:id/runs has a JSON body', 'S18', '/components/requestBodies/TriggerRunRequest'],
  [4, 'the body has an object inputs', 'S18', schema('TriggerRunRequest')],
  [4, ':id is the id of the playbook', 'S18', parameter('PlaybookId')],
  [4, 'it triggers a run of the playbook', 'S18', TRIGGER],
  [4, 'GET /runs/:id responds with a Run', 'S19', response('Run')],
  [4, 'it is used to poll the status of a run', 'S21', operation('/runs/{id}')],
  [4, 'GET /providers responds with the list envelope of the connected providers', 'S20', response('ProviderList')],
  [4, 'a client follows a run by repeating GET /runs/:id and reading status and steps', 'S21', operation('/runs/{id}')],
  [4, 'a request for an id that does not exist gets 404', 'S22', response('NotFound')],
  [5, 'every request has Authorization: Bearer with the key of the workspace', 'S23', KEY],
  [5, 'a missing or invalid key gets 401', 'S24', response('Unauthorized')],
  [5, 'a valid key without permission gets 403', 'S25', response('Forbidden')],
  [5, 'rate limit and quotas are counted per workspace', 'S35', '/x-plans/pro'],
  [6, 'polling is the only way that is given', 'S21', operation('/runs/{id}')],
  [7, '400 is a bad request, a wrong body', 'S26', response('BadRequest')],
  [7, '401 is an invalid or missing key', 'S24', response('Unauthorized')],
  [7, '403 is a missing permission', 'S25', response('Forbidden')],
  [7, '404 is a resource that is not found', 'S22', response('NotFound')],
  [7, '429 is an exceeded rate limit', 'S27', response('RateLimited')],
  [7, '500 is an internal error, transient and safe to retry', 'S28', response('InternalError')],
  [7, 'the error of a 429 is rate_limit_exceeded', 'S29', schema('RateLimitBody', 'error')],
  [7, 'its message states the limit in requests per minute', 'S30', schema('RateLimitBody', 'message')],
  [7, 'retry_after is an integer, seconds to wait', 'S31', schema('RateLimitBody', 'retry_after')],
  [7, 'a 429 has Retry-After with the same value', 'S32', '/components/headers/RetryAfter'],
  [7, 'a client waits at least as long', 'S33', response('RateLimited')],
  [7, 'without the header it waits as long as it chooses', 'S33', response('RateLimited')],
  [7, 'the same request may be sent again after a 500', 'S28', TRIGGER],
  [8, 'Hobby has no API access', 'S34', '/x-plans/hobby'],
  [8, 'Pro has 60 requests per minute and a burst of 120', 'S34', '/x-plans/pro'],
  [8, 'Pro 10× has 300 and 600', 'S34', '/x-plans/pro10x'],
  [8, 'limits apply per workspace', 'S35', '/x-plans/pro10x'],
  [8, 'beyond the limit a request gets 429', 'S27', response('RateLimited')],
  [8, 'runs count against the run quota and not against the rate', 'S36', TRIGGER],
  [8, 'higher limits are arranged through support', 'S37', '/x-plans/pro10x'],
  [8, 'playbooks change rarely and should be cached for 60 seconds', 'S38', operation('/playbooks')],
  [8, 'providers change rarely and should be cached for 60 seconds', 'S38', operation('/providers')],
  [9, 'the first path segment is the version, and v1 is the current stable one', 'S04', '/servers/0'],
  [9, 'a client may pin to a release with Service-Version, a date', 'S40', parameter('ServiceVersion')],
  [9, 'pinning protects from breaking changes in later releases', 'S40', parameter('ServiceVersion')],
]

/** What the specification says that it does not show. */
const NOT_SHOWN: [section: number, what: string, ids: string, node: string][] = [
  [2, 'the fields of a workspace', 'A01', schema('Workspace', 'name')],
  [2, 'the fields of a playbook', 'A02', schema('Playbook', 'name')],
  [2, 'the fields of a playbook, its id among them', 'A30', schema('Playbook', 'id')],
  [2, 'the fields of a provider', 'A03', schema('Provider', 'name')],
  [2, 'all statuses of a run', 'A05', `${schema('RunStatus')}/x-known-values/failed`],
  [2, 'all statuses of a step', 'A06', `${schema('StepStatus')}/x-known-values/failed`],
  [3, 'the transitions of a run', 'A07', schema('Run')],
  [3, 'the transitions of a step', 'A08', schema('Step')],
  [4, 'the body of the response to a trigger', 'A14', schema('TriggeredRun')],
  [4, 'where the id of the new run is', 'A31', schema('TriggeredRun', 'id')],
  [4, 'query parameters for a page', 'A15', parameter('Page')],
  [4, 'the first page', 'A16', parameter('Page')],
  [4, 'the page size', 'A37', parameter('PerPage')],
  [4, 'which inputs a playbook allows or requires', 'A54', INPUTS],
  [4, 'how inputs are validated', 'A22', INPUTS],
  [4, 'success statuses of GET', 'A12', response('Run200')],
  [4, 'success status of a trigger', 'A13', response('TriggeredRun201')],
  [5, 'how keys are issued', 'A39', KEY],
  [5, 'permissions of keys', 'A40', KEY],
  [5, 'expiry of keys', 'A41', KEY],
  [6, 'events', 'A38', '/tags/2'],
  [7, 'the body of errors other than 429', 'A17', schema('ErrorBody')],
  [8, 'the response to a Hobby workspace', 'A18', '/x-plans/hobby'],
  [8, 'how the burst is measured', 'A19', '/x-plans/pro'],
  [8, 'the run quotas', 'A58', '/x-plans/pro'],
  [9, 'a request without the header', 'A26', parameter('ServiceVersion')],
  [9, 'an unknown release', 'A55', parameter('ServiceVersion')],
  [9, 'the list of releases', 'A42', parameter('ServiceVersion')],
]

it.each(STATED)('section %i, "%s", is an entry, and the node rests on it', (_, says, id, node) => {
  expect(entryOf(id).kind, says).not.toBe('assumed')
  expect(basisAt(node)).toContain(id)
})

it.each(NOT_SHOWN)('section %i does not show %s, which is assumed and said so', (section, what, id, node) => {
  expect([entryOf(id).kind, entryOf(id).section], what).toEqual(['assumed', section])
  expect(basisAt(node)).toContain(id)
})

it('every stated and observed entry comes from a sentence of the specification or of an engineer of the service', () => {
  const named = new Set(STATED.map(([, , id]) => id))
  const entries = register.filter((entry: Json) => /stated|observed/.test(entry.kind) && !entry.replacedBy)
  const others = entries.map((entry: Json) => entry.id).filter((id: string) => !named.has(id))
  expect(
    others,
    'entries without a row in STATED, above: add the sentence that states each, and a node that rests on it',
  ).toEqual([])
})

/** Each keyword of the document that acts as a requirement, with its pointer and the entries around it. */
function requirementsOf(node: Json, pointer: string, around: string[], found: string[][] = []): string[][] {
  if (typeof node !== 'object' || node === null) return found
  const basis: string[] = node['x-basis'] ?? around
  for (const [key, value] of Object.entries<Json>(node)) {
    if (key === 'required' && Array.isArray(value))
      for (const name of value) {
        const property = node.properties[name]
        const own = property['x-basis'] ?? document.components.schemas[property.$ref?.split('/').at(-1)]?.['x-basis']
        found.push([`${pointer} required ${name}`, 'required', ...(own ?? basis)])
      }
    else if (KEYWORDS.has(key) || (key === 'additionalProperties' && value === false))
      found.push([`${pointer} ${key}`, key, ...basis])
    else if (key === 'properties' || key === 'schemas')
      for (const [name, each] of Object.entries(value)) requirementsOf(each, `${pointer}/${name}`, basis, found)
    else if (!DATA.test(key)) requirementsOf(value, `${pointer}/${key}`, basis, found)
  }
  return found
}

const KEYWORDS = new Set([
  ...['type', 'format', 'pattern', 'minLength', 'maxLength', 'enum', 'const', 'default', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'maxProperties'],
])
const DATA = /^(x-.*|examples?|securitySchemes|info|tags|servers)$/

/** A path with an empty id is another path, so the minLength of an id in a path needs no entry. */
const isIdOfPath = (where: string) => {
  const [, name = ''] = /^\/components\/parameters\/(\w+)\/schema minLength$/.exec(where) ?? []
  return document.components.parameters[name]?.in === 'path'
}

it('every keyword that acts as a requirement rests on a stated entry, and this is the list', async () => {
  const rows = requirementsOf(document, '', []).map(([where = '', keyword = '', ...ids]) => {
    const deciding = ids.filter((id) => entryOf(id).keywords?.includes(keyword))
    const stated = deciding.filter((id) => entryOf(id).kind === 'stated')
    const isOpen = keyword === 'type' && ids.every((id) => entryOf(id).kind === 'assumed')
    return [where, (isOpen ? deciding : stated).join(', ') || 'nothing'] as const
  })
  const undecided = rows.filter(([where, ids]) => ids === 'nothing' && !isIdOfPath(where))
  expect(undecided, 'name a stated entry with the keyword in its keywords, or leave the keyword out').toEqual([])
  const table = rows.map(([where, ids]) => `${where.replace('/components/', '')}: ${ids}\n`).join('')
  const accept = 'To accept the new list: npx vitest run --project fast test/document/specification.test.ts -u'
  await expect(table, accept).toMatchFileSnapshot('requirements.txt')
})
