import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { build } from '../../scripts/build.js'
import { listOf } from '../support/fixtures.js'
import { copyProject, type Project, tsc } from '../support/project.js'

/** A copy whose contract uses what the lint does not refuse, and the contract of today does not need. */
let project: Project
const generated = (file: string) => readFileSync(join(project.root, 'generated', file), 'utf8')

const PARAMETERS = {
  Labels: `name: labels
in: query
description: Only runs with one of these labels.
schema: { type: array, items: { type: string }, examples: [[urgent, billing]] }
`,
  Steps: `name: steps
in: query
style: form
explode: true
description: Only playbooks with one of these numbers of steps.
deprecated: true
schema: { type: array, items: { type: integer, minimum: 1 }, maxItems: 3, examples: [[2, 3]] }
`,
  MaxAge: `name: max_age
in: query
description: How old a playbook is at most, in days.
schema: { type: [integer, 'null'], minimum: 1, examples: [30] }
`,
  Trace: `name: X-Trace
in: header
description: Names the request in the logs.
schema: { type: integer, examples: [7] }
`,
}

/** What the features rest on. */
const STATED = `- id: S98
  kind: stated
  section: 4
  text: The features of this test are stated.
  verify:
    unobservable: No request of verify has them.
  keywords: [type, minimum, maxItems, status]
`

beforeAll(async () => {
  project = copyProject()
  for (const [name, text] of Object.entries(PARAMETERS))
    project.write(`openapi/components/parameters/${name}.yaml`, `${text}x-basis: [S98]\n`)
  project.edit('openapi/basis.yaml', '- id: S03\n', `${STATED}- id: S03\n`)
  const references = Object.keys(PARAMETERS).map((name) => `\n    - $ref: ../components/parameters/${name}.yaml`)
  project.edit('openapi/paths/playbooks.yaml', '/PerPage.yaml', `/PerPage.yaml${references.join('')}`)
  project.edit(
    'openapi/components/schemas/Provider.yaml',
    'properties:\n',
    `properties:
  region:
    type: [string, 'null']
    description: Where the provider is run; null when nobody knows.
    x-basis: [A03]
  zone:
    type: string
    deprecated: true
    description: The old name of the region.
    x-basis: [A03]
`,
  )
  project.edit(
    'openapi/components/examples/ProviderList.yaml',
    '- id: billing\n',
    '- id: billing\n      region: null\n      zone: north\n',
  )
  project.write('openapi/components/responses/Deleted.yaml', 'description: The run is gone.\nx-basis: [S98]\n')
  const run = readFileSync(join(project.root, 'openapi/paths/runs_id.yaml'), 'utf8')
  project.write(
    'openapi/paths/runs_id.yaml',
    run +
      run
        .replace(/^get:/, 'delete:')
        .replace('getRun', 'deleteRun')
        .replace(/summary: .*/, 'summary: Delete a run\n  deprecated: true')
        .replace("'200'", "'204'")
        .replace('responses/Run200.yaml', 'responses/Deleted.yaml')
        .replace(/ {4}'2XX':\n.*\n/, ''),
  )
  await build({ root: project.root, output: { write: () => true } })
})
afterAll(() => project.remove())

it('the generated types and the client mark what is deprecated', () => {
  expect(generated('types.ts')).toMatch(/@deprecated[\s\S]{0,400}zone\?: string/)
  expect(generated('client/methods.ts')).toMatch(
    /@deprecated\n {3}\*\/\n {2}deleteRun\(id: string, options\?: Options\): Promise<undefined>/,
  )
})

it('the documentation shows arrays, nullable types and deprecated parts, and a DELETE whose code samples read no body', () => {
  const text = readFileSync(join(project.root, 'dist/docs/llms-full.txt'), 'utf8')
  for (const type of ['`region` (string or null)', '`zone` (string, deprecated)', '`labels` (array of string)'])
    expect(text).toContain(type)
  const section = text.slice(text.indexOf('## deleteRun'), text.indexOf('## ', text.indexOf('## deleteRun') + 5))
  expect(section).toContain("await client.deleteRun('")
  expect(section).not.toMatch(/unknown|response\.json\(\)/)
})

/** A module of the package that was built from the copy. */
const built = (path: string) => import(/* @vite-ignore */ join(project.root, 'dist', path))

interface Received {
  operation: string
  query: unknown
  headers: unknown
}

/** A client of the copy, and what its sandbox on a port receives. */
async function connected() {
  const { createClient } = await built('src/index.js')
  const { createSandbox } = await built('src/tools/sandbox/index.js')
  const { listen } = await built('src/tools/sandbox/node.js')
  const received: Received[] = []
  const playbooks = (request: Received) => {
    received.push(request)
    return { status: 200, body: listOf([], { total: 0, page: 1, per_page: 20 }) }
  }
  const sandbox = createSandbox({ handlers: { listPlaybooks: playbooks } })
  const server = await listen(sandbox)
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key_valid', cache: false })
  return { client, sandbox, server, received, [Symbol.asyncDispose]: () => server.close() }
}

it('the client sends arrays, a nullable number and a header, and the sandbox parses them to their types', async () => {
  await using both = await connected()
  const { client, received } = both
  await client.listPlaybooks(
    { labels: ['urgent', 'a,b & c'], steps: [2, 3], max_age: 30 },
    { headers: { 'X-Trace': '7' } },
  )
  await client.GET('/playbooks', { params: { query: { labels: ['one'], steps: [1] } } })
  expect(received.map(({ query, headers }) => ({ query, headers }))).toEqual([
    {
      query: { labels: ['urgent', 'a,b & c'], steps: [2, 3], max_age: 30 },
      headers: { 'X-Trace': 7 },
    },
    { query: { labels: ['one'], steps: [1] }, headers: {} },
  ])
})

it('the sandbox refuses an array with a wrong item or too many items, and a repeated parameter that is not an array', async () => {
  await using both = await connected()
  const get = async (query: string, headers = {}) => {
    const response = await fetch(`${both.server.baseUrl}/playbooks?${query}`, {
      headers: { authorization: 'Bearer key_valid', ...headers },
    })
    return `${response.status} ${(await response.json()).message}`
  }
  expect(await get('steps=1&steps=x')).toBe('400 The query parameter "steps" must be an integer.')
  expect(await get('steps=1&steps=2&steps=3&steps=4')).toMatch('400 The query parameter "steps" must NOT have more')
  expect(await get('page=1&page=2')).toBe('400 The query parameter "page" must be an integer.')
  expect(await get('max_age=soon')).toBe('400 The query parameter "max_age" must be an integer or null.')
  expect(await get('', { 'x-trace': 'x' })).toBe('400 The header parameter "X-Trace" must be an integer.')
})

it('a DELETE gets a 204 by operation and by path, from a sandbox and from a service', async () => {
  await using both = await connected()
  const { client } = both
  const { id } = await client.triggerRun(Object.values(both.sandbox.playbooks)[0], { inputs: {} })
  expect(await client.deleteRun(id)).toBeUndefined()
  await expect(client.deleteRun('run_1')).rejects.toMatchObject({ status: 404 })
  const byPath = await client.DELETE('/runs/{id}', { params: { path: { id } } })
  expect([byPath.data, byPath.error, byPath.response.status]).toEqual([undefined, undefined, 204])

  const { createService } = await built('src/tools/service/index.js')
  const { createClient } = await built('src/index.js')
  const none = () => ({ status: 404 })
  const service = createService({
    authenticate: () => ({ context: {} }),
    operations: {
      ...Object.fromEntries(
        ['getCurrentWorkspace', 'listPlaybooks', 'triggerRun', 'getRun', 'listProviders'].map((id) => [id, none]),
      ),
      deleteRun: ({ path }: { path: { id: string } }) => ({ status: path.id === 'run_1' ? 204 : 404 }),
    },
  })
  const send = (url: string, init: object) => service.fetch(new Request(url, init))
  const provided = createClient({ baseUrl: 'https://service.test/v1', apiKey: 'key', fetch: send })
  expect(await provided.deleteRun('run_1')).toBeUndefined()
  await expect(provided.deleteRun('run_2')).rejects.toMatchObject({ status: 404 })
})

it('the sandbox returns null where the contract allows it, and the validators refuse it elsewhere', async () => {
  await using both = await connected()
  const { data } = await both.client.listProviders()
  expect(data[0]).toMatchObject({ id: 'billing', region: null, zone: 'north' })
  const { validate } = await built('src/validators/index.js')
  expect(validate('Provider', { region: null })).toEqual([])
  expect(validate('Provider', { zone: null })).toHaveLength(1)
})

it('a service handler compiles when it returns a 204 without a body and reads typed arrays', async () => {
  project.write(
    'dist/uses.ts',
    `import { createClient } from './src/index.js'
import type { OperationRequest, OperationResponse } from './src/tools/service/index.js'

const client = createClient({ baseUrl: 'https://service.test/v1', apiKey: 'key' })
export const gone: Promise<undefined> = client.deleteRun('run_1')
export const listed = client.listPlaybooks({ labels: ['urgent'], steps: [1] })
export const remove = (): OperationResponse<'deleteRun'> => ({ status: 204 })
export const region: string | null | undefined = (await client.listProviders()).data[0]?.region
export const steps = ({ query }: OperationRequest<'listPlaybooks'>): number[] => query.steps ?? []
// @ts-expect-error an array of texts
client.listPlaybooks({ steps: ['1'] })
// @ts-expect-error a 204 has no body
export const wrong = (): OperationResponse<'deleteRun'> => ({ status: 204, body: {} })
`,
  )
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
  const modules = ['--module', 'nodenext', '--target', 'es2022']
  expect(await tsc(project.root, ...options, ...modules, 'dist/uses.ts')).toEqual({ code: 0, printed: '' })
})

it('the conformance kit knows every parameter and a response without a body', async () => {
  const { operationNodes } = await built('generated/conformance/nodes.js')
  const { parameters } = operationNodes.listPlaybooks
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['labels', 'steps', 'max_age', 'X-Trace']),
  )
  expect(operationNodes.deleteRun.responses[204]).toEqual({
    location: 'openapi.yaml#/components/responses/Deleted',
    basis: ['S98'],
    headers: {},
  })
})
