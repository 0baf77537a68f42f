import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { build } from '../../../scripts/build.js'
import { listOf } from '../../support/fixtures.js'
import { copyProject, type Project, tsc } from '../../support/project.js'

/** A copy whose contract uses what the lint does not refuse, and the contract of today does not need. */
let project: Project
const generated = (file: string) => readFileSync(join(project.root, 'generated', file), 'utf8')

const PARAMETERS = {
  MaxAge: `name: max_age
in: query
description: How old a playbook is at most, in days.
deprecated: true
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
  notEnforced: The features of this test have no effect.
  verify:
    unobservable: No request of verify has them.
  keywords: [type, minimum]
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
  project.edit('openapi/paths/playbooks.yaml', /summary: .*/, '$&\n  deprecated: true')
  await build({ root: project.root, output: { write: () => true } })
})
afterAll(() => project.remove())

it('the generated types and the client mark what is deprecated', () => {
  expect(generated('types.ts')).toMatch(/@deprecated[\s\S]{0,400}zone\?: string/)
  expect(generated('client/methods.ts')).toMatch(/@deprecated\n {3}\*\/\n {2}listPlaybooks: \(/)
})

it('the documentation shows nullable types and deprecated parts', () => {
  const text = readFileSync(join(project.root, 'dist/docs/llms-full.txt'), 'utf8')
  for (const type of [
    '`region` (string or null)',
    '`zone` (string, deprecated)',
    '`max_age` (integer or null, deprecated)',
  ])
    expect(text).toContain(type)
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
  const { listen } = await built('src/tools/sandbox/port/index.js')
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

it('the client sends a nullable number and a header, and the sandbox parses them to their types', async () => {
  await using both = await connected()
  const { client, received } = both
  await client.listPlaybooks({ max_age: 30 }, { headers: { 'X-Trace': '7' } })
  await client.GET('/playbooks', { params: { query: { max_age: 1 } } })
  expect(received.map(({ query, headers }) => ({ query, headers }))).toEqual([
    { query: { max_age: 30 }, headers: { 'X-Trace': 7 } },
    { query: { max_age: 1 }, headers: {} },
  ])
})

it('the sandbox refuses a parameter of another type, and one that is repeated', async () => {
  await using both = await connected()
  const get = async (query: string, headers = {}) => {
    const response = await fetch(`${both.server.baseUrl}/playbooks?${query}`, {
      headers: { authorization: 'Bearer key_valid', ...headers },
    })
    return `${response.status} ${(await response.json()).message}`
  }
  expect(await get('page=1&page=2')).toBe('400 The query parameter "page" must be an integer.')
  expect(await get('max_age=soon')).toBe('400 The query parameter "max_age" must be an integer or null.')
  expect(await get('', { 'x-trace': 'x' })).toBe('400 The header parameter "X-Trace" must be an integer.')
})

it('the sandbox returns null where the contract allows it, and the validators refuse it elsewhere', async () => {
  await using both = await connected()
  const { data } = await both.client.listProviders()
  expect(data[0]).toMatchObject({ id: 'billing', region: null, zone: 'north' })
  const { validate } = await built('src/validators/index.js')
  expect(validate('Provider', { region: null })).toEqual([])
  expect(validate('Provider', { zone: null })).toHaveLength(1)
})

it('a caller and a handler have the types of the contract', async () => {
  project.write(
    'dist/uses.ts',
    `import { createClient } from './src/index.js'
import type { OperationRequest } from './src/tools/service/index.js'

const client = createClient({ baseUrl: 'https://service.test/v1', apiKey: 'key' })
export const listed = client.listPlaybooks({ max_age: 30 })
export const region: string | null | undefined = (await client.listProviders()).data[0]?.region
export const age = ({ query }: OperationRequest<'listPlaybooks'>): number | null | undefined => query.max_age
// @ts-expect-error a number
client.listPlaybooks({ max_age: '30' })
`,
  )
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck']
  const modules = ['--module', 'nodenext', '--target', 'es2022']
  expect(await tsc(project.root, ...options, ...modules, 'dist/uses.ts')).toEqual({ code: 0, printed: '' })
})

it('the conformance kit knows every parameter', async () => {
  const { operationNodes } = await built('generated/contract.js')
  const { parameters } = operationNodes.listPlaybooks
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['max_age', 'X-Trace']))
})
