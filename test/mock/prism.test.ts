import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { examples } from '../../generated/examples.js'
import { errorStatuses, type OperationId, operations } from '../../generated/operations.js'
import { keepMock, type Mock, startMock } from '../../scripts/mock.js'
import { validateResponse } from '../../src/validators/index.js'
import { recipes } from '../sandbox/guide.js'
import { finish, repository } from '../support/project.js'

let mock: Mock
beforeAll(async () => {
  mock = await startMock(join(repository, 'generated/openapi.yaml'), await getPort({ host: '127.0.0.1' }))
})
afterAll(() => mock.close())

const KEY = { Authorization: 'Bearer any-key' }

const request = (
  id: OperationId,
  headers: Record<string, string>,
  body: unknown = examples.triggerRun.request.default,
) => {
  const { method, path } = operations[id]
  return fetch(mock.url + path.replace('{id}', 'some_id'), {
    method,
    headers: { ...headers, ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}) },
    ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
  })
}

const problems = async (id: OperationId, response: Response) =>
  validateResponse(id, { status: response.status, headers: response.headers, body: await response.clone().json() })

const cases = Object.entries(examples).flatMap(([id, bodies]) =>
  Object.entries(bodies)
    .filter(([key]) => key !== 'request')
    .flatMap(([status, scenarios]) =>
      Object.entries(scenarios).map(([scenario, value]) => ({
        id: id as OperationId,
        status: Number(status),
        scenario,
        value,
      })),
    ),
)

it('there is an example for every operation and every status', () => {
  for (const [id, { success }] of Object.entries(operations))
    for (const status of [...success, ...errorStatuses[id as OperationId]])
      expect(
        cases.some((each) => each.id === id && each.status === status),
        `${id} ${status}`,
      ).toBe(true)
})

describe('the named examples of the contract', () => {
  it.each(cases)(
    'Prism responds to $id with $status and the example $scenario',
    async ({ id, status, scenario, value }) => {
      const response = await request(id, { ...KEY, Prefer: `code=${status}, example=${scenario}` })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('sl-violations')).toBeNull()
      expect(await problems(id, response)).toEqual([])
      expect(await response.json()).toEqual(value)
    },
  )
})

describe('Prism without Prefer', () => {
  it.each(Object.keys(operations) as OperationId[])('Prism responds to %s with its default example', async (id) => {
    const response = await request(id, KEY)
    expect(response.status).toBe(operations[id].success[0])
    expect(await problems(id, response)).toEqual([])
  })

  it('Prism responds with 401 to a request without a key', async () => {
    const response = await request('listPlaybooks', {})
    expect(response.status).toBe(401)
    expect(await problems('listPlaybooks', response)).toEqual([])
    expect(await response.json()).toEqual(examples.listPlaybooks[401].missingKey)
  })

  it.each<[what: string, id: OperationId, headers: Record<string, string>, body?: unknown]>([
    ['a trigger without inputs', 'triggerRun', KEY, {}],
    ['a trigger with a number as a value', 'triggerRun', KEY, { inputs: { order: 42 } }],
    ['a malformed version pin', 'getRun', { ...KEY, 'Service-Version': 'latest' }],
  ])('Prism responds with 400 to %s', async (_, id, headers, body) => {
    const response = await request(id, headers, body)
    expect(response.status).toBe(400)
    expect(await problems(id, response)).toEqual([])
  })

  it('Prism responds with 400 to a page that is no number, without naming another parameter', async () => {
    const response = await fetch(`${mock.url}/playbooks?page=x`, { headers: KEY })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).not.toContain('Service-Version')
  })

  it('Prism responds with 404 to a path that the contract does not have', async () => {
    const response = await fetch(`${mock.url}/nothing`, { headers: KEY })
    expect(response.status).toBe(404)
  })
})

it('the Retry-After of a 429 is the value of its body', async () => {
  const response = await request('getRun', { ...KEY, Prefer: 'code=429' })
  expect(response.headers.get('retry-after')).toBe('17')
  expect(await response.json()).toMatchObject({ error: 'rate_limit_exceeded', retry_after: 17 })
})

it('the mock restarts Prism when it crashes, and reports it', async () => {
  const said: string[] = []
  const document = join(repository, 'generated/openapi.yaml')
  const kept = await keepMock(document, await getPort({ host: '127.0.0.1' }), (message) => said.push(message))
  const headers = { ...KEY, 'Content-Type': 'application/json' }
  // Prism cannot put a character outside Latin-1 into its header of violations.
  const fatal = fetch(`${kept.url}/playbooks/any/runs`, { method: 'POST', headers, body: '{"inputs":{"€":1}}' })
  await expect(fatal).rejects.toThrow()
  await vi.waitUntil(() => said.length === 2, 30_000)
  expect(said[0]).toContain('Prism has ended by itself')
  expect((await fetch(`${kept.url}/workspaces/me`, { headers: KEY })).status).toBe(200)
  await kept.close()
  await expect(fetch(kept.url)).rejects.toThrow()
})

it('the mock responds to the client as the guide shows', async () => {
  const [program = ''] = recipes('ts').get('The mock') ?? []
  const folder = await mkdtemp(join(repository, '.build/mock-'))
  await writeFile(join(folder, 'guide.ts'), program.replace('http://127.0.0.1:4020', mock.url))
  const { printed } = await finish(process.execPath, ['--import', 'tsx', join(folder, 'guide.ts')], repository)
  await rm(folder, { recursive: true })
  expect(printed).toBe('waiting_approval\n')
})

it('the mock responds to curl as the README shows', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  expect(readme).toMatch(
    /^npx -p @stoplight\/prism-cli prism mock -p 4020 node_modules\/.+\/contract\/generated\/openapi\.yaml$/m,
  )
  const [command = ''] = /^curl http:\/\/127\.0\.0\.1:4020\/.+$/m.exec(readme) ?? []
  const line = command.replace('curl http://127.0.0.1:4020', `curl -s ${mock.url}`)
  const { printed } = await finish('bash', ['-c', line], repository)
  expect(JSON.parse(printed).steps).toContainEqual(expect.objectContaining({ status: 'waiting_approval' }))
})
