import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OperationId, operationNodes, operations, protocol } from '../../../generated/contract.js'
import { examples } from '../../../generated/examples.js'
import { keepMock, type Mock, startMock } from '../../../scripts/mock.js'
import { validateResponse } from '../../../src/validators/index.js'
import { finish, repository } from '../../support/project.js'
import { recipes } from '../sandbox/guide.js'

let mock: Mock
beforeAll(async () => {
  mock = await startMock(repository, await getPort({ host: '127.0.0.1' }))
})
afterAll(() => mock.close())

/** The base URL of the mock in README and guides. */
const GUIDE_URL = `http://127.0.0.1:4020${protocol.versionSegment}`

const KEY = { Authorization: 'Bearer any-key' }

const request = (
  id: OperationId,
  headers: Record<string, string>,
  body: unknown = examples.triggerRun.request.default,
  { url } = mock,
) => {
  const { method, path } = operations[id]
  return fetch(url + path.replace('{id}', 'some_id'), {
    method,
    headers: { ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}), ...headers },
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
  for (const [id, { responses }] of Object.entries(operationNodes))
    for (const status of Object.keys(responses).map(Number).filter(Number.isInteger))
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
    expect(await response.json()).toEqual(examples.listPlaybooks[401].unauthorized)
  })

  it.each<[what: string, headers: Record<string, string>, body: unknown, reason: string]>([
    ['without inputs', {}, {}, "Request body must have required property 'inputs'"],
    ['with a number as inputs', {}, { inputs: 42 }, 'Request body property inputs must be object'],
    ['with a number as an input', {}, { inputs: { order: 42 } }, 'Request body property inputs.order must be string'],
    ['of another media type', { 'Content-Type': 'text/plain' }, {}, 'Supported content types: application/json'],
    ['with a malformed version pin', { 'Service-Version': 'latest' }, undefined, 'service-version must match pattern'],
  ])('a trigger %s gets a neutral 400, and sl-violations has the reason', async (_, headers, body, reason) => {
    const response = await request('triggerRun', { ...KEY, 'Content-Type': 'application/json', ...headers }, body)
    expect(response.status).toBe(400)
    expect(await problems('triggerRun', response)).toEqual([])
    expect(await response.json()).toEqual({ error: 'bad_request', message: 'The request is invalid.' })
    const [violation] = JSON.parse(response.headers.get('sl-violations') ?? '[]')
    expect(violation.message).toContain(reason)
  })

  it('a page that is no number gets a 400, and sl-violations names the parameter', async () => {
    const response = await fetch(`${mock.url}/playbooks?page=x`, { headers: KEY })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual(examples.listPlaybooks[400].badRequest)
    expect(response.headers.get('sl-violations')).toContain('query parameter page must be integer')
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

describe('prism mock -d', () => {
  let dynamic: Mock
  beforeAll(async () => {
    dynamic = await startMock(repository, await getPort({ host: '127.0.0.1' }), '--dynamic')
  })
  afterAll(() => dynamic.close())

  const ROUNDS = Array.from({ length: 12 }, (_, round) => round)
  const ended: string[] = ['succeeded', 'failed']

  it.each(Object.keys(operations) as OperationId[])('responses to %s have no more than what is stated', async (id) => {
    const bodies: unknown[] = []
    for (const _ of ROUNDS) {
      const response = await request(id, KEY, undefined, dynamic)
      const body = await response.json()
      bodies.push(body)
      expect(response.headers.get('sl-violations')).toBeNull()
      expect(validateResponse(id, { status: response.status, headers: response.headers, body })).toEqual([])
      const named: object[] = Object.values(
        examples[id][operations[id].success[0] as keyof (typeof examples)[typeof id]],
      )
      expect(named.map(shapeOf)).toContainEqual(shapeOf(body))
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBeGreaterThan(1)
  })

  it('a run that has ended has no unfinished step, and the ids of its steps differ', async () => {
    for (const _ of ROUNDS) {
      const { status, steps } = await (await request('getRun', KEY, undefined, dynamic)).json()
      expect(new Set(steps.map((step: { id: string }) => step.id)).size).toBe(steps.length)
      for (const step of steps) if (ended.includes(status)) expect(ended).toContain(step.status)
    }
  })

  it.each(['listPlaybooks', 'listProviders'] as const)('the meta of %s fits its data, whose ids differ', async (id) => {
    for (const _ of ROUNDS) {
      const { data, meta } = await (await request(id, KEY, undefined, dynamic)).json()
      expect(new Set(data.map((item: { id: string }) => item.id)).size).toBe(data.length)
      expect(meta.page).toBeGreaterThan(0)
      expect(data).toHaveLength(Math.max(0, Math.min(meta.per_page, meta.total - (meta.page - 1) * meta.per_page)))
    }
  })

  it('the Retry-After of a 429 is the value of its body', async () => {
    for (const _ of ROUNDS) {
      const response = await request('getRun', { ...KEY, Prefer: 'code=429' }, undefined, dynamic)
      expect(response.headers.get('retry-after')).toBe(String((await response.json()).retry_after))
    }
  })
})

/** The names of all properties in a value, without their values. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]))
}

it('the mock restarts Prism when it crashes, and reports it', async () => {
  const said: string[] = []
  const kept = await keepMock(repository, await getPort({ host: '127.0.0.1' }), (message) => said.push(message))
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
  const folder = await mkdtemp(join(repository, 'test/.build/mock-'))
  await writeFile(join(folder, 'guide.ts'), program.replace(GUIDE_URL, mock.url))
  const { printed } = await finish(process.execPath, ['--import', 'tsx', join(folder, 'guide.ts')], repository)
  await rm(folder, { recursive: true })
  expect(printed).toBe('waiting_approval\n')
})

it('the mock responds to curl as the README shows', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  const command = readme.split('\n').find((line) => line.startsWith(`curl ${GUIDE_URL}`)) ?? ''
  const line = command.replace(`curl ${GUIDE_URL}`, `curl -s ${mock.url}`)
  const { printed } = await finish('bash', ['-c', line], repository)
  expect(JSON.parse(printed).steps).toContainEqual(expect.objectContaining({ status: 'waiting_approval' }))
})

it.each(['README.md', 'docs/guides/testing.md'])('%s names the Prism of package.json', async (file) => {
  const { devDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  const text = await readFile(join(repository, file), 'utf8')
  const versions = [...text.matchAll(/@stoplight\/prism-cli(\S*)/g)].map(([, version]) => version)
  expect(new Set(versions)).toEqual(new Set([`@${devDependencies['@stoplight/prism-cli']}`]))
})
