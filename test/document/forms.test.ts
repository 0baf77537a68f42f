import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { operations, plans, protocol } from '../../generated/contract.js'
import { examples } from '../../generated/examples.js'
import type { Json } from '../../scripts/contract/index.js'
import { emitDocuments } from '../../scripts/emit/openapi.js'
import { UNKNOWN_STATUS } from '../support/fixtures.js'
import { repository } from '../support/project.js'

const read = (file: string): string => readFileSync(join(repository, 'generated', file), 'utf8')
const FORMS = ['openapi.json', 'openapi.plain.json', 'openapi-3.0.json', 'openapi.mock.yaml']

describe.each(FORMS)('%s', (file) => {
  const document: Json = parse(read(file))

  it(`${file} is a valid OpenAPI document, and its examples match its schemas`, async () => {
    const config = await createConfig({
      extends: ['spec'],
      rules: { 'no-invalid-media-type-examples': 'error', 'no-invalid-parameter-examples': 'error' },
    })
    const findings = await lintFromString({ source: read(file), absoluteRef: join(repository, file), config })
    expect(findings.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  it(`${file} has the operations, statuses and named examples of the contract`, () => {
    const operations = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item))
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(examples).sort())
    for (const { operationId, responses } of operations) {
      const { request, ...expected }: Json = examples[operationId as keyof typeof examples]
      // Tools that know no ranges of statuses read the other forms, which list successes of a trigger instead.
      const more = file === 'openapi.json' ? ['2XX'] : /plain|3\.0/.test(file) ? ['200', '202', '204'] : []
      const statuses = Object.keys(responses).filter((status) => status in expected || !more.includes(status))
      expect(statuses).toEqual(Object.keys(expected))
    }
  })
})

describe.each(['openapi.plain.json', 'openapi-3.0.json'])('%s', (file) => {
  const document: Json = JSON.parse(read(file))

  it(`${file} refers to nothing but the schemas of objects, and has no fields of our own`, () => {
    const references: string[] = []
    JSON.stringify({ ...document, info: {} }, (key, value) => {
      expect(key).not.toMatch(/^x-/)
      if (key === '$ref') references.push(value)
      return value
    })
    expect(Object.keys(document.components)).toEqual(['schemas', 'securitySchemes'])
    for (const reference of references)
      expect(document.components.schemas[reference.replace('#/components/schemas/', '')]?.type).toBe('object')
  })

  it(`${file} says the plans, their limits and how long lists are kept`, () => {
    for (const { name, ...plan } of Object.values(plans)) {
      const limits = plan.apiAccess
        ? `${plan.requestsPerMinute} requests per minute, burst ${plan.burst}`
        : 'no API access'
      expect(document.info.description).toContain(`${name}: ${limits}`)
    }
    for (const operation of Object.values(operations))
      if ('cacheSeconds' in operation)
        expect(document.paths[operation.path].get.description).toContain(`${operation.cacheSeconds} seconds`)
  })

  it(`${file} lists each success that a trigger may have, 204 without a body`, () => {
    const { responses } = document.paths[operations.triggerRun.path].post
    const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
    expect(successes).toEqual(['200', '201', '202', '204'])
    for (const status of successes) expect('content' in responses[status], status).toBe(status !== '204')
  })

  it(`${file} names the known statuses in the description of each status, and closes none`, () => {
    for (const name of ['Run', 'TriggeredRun', 'Step']) {
      const { status } = document.components.schemas[name].properties
      expect(status.description, name).toContain('- `succeeded`: ')
      expect(status.enum, name).toBeUndefined()
    }
  })
})

it('openapi.plain.yaml is openapi.plain.json as YAML', () => {
  expect(parse(read('openapi.plain.yaml'))).toEqual(JSON.parse(read('openapi.plain.json')))
})

it('openapi.mock.yaml alone has generators and the version segment in its paths', () => {
  for (const file of ['openapi.yaml', 'openapi.json', 'openapi.plain.json', 'openapi.plain.yaml', 'openapi-3.0.json'])
    expect(read(file)).not.toContain('x-faker')
  const { paths } = parse(read('openapi.mock.yaml'))
  expect(read('openapi.mock.yaml')).toContain('x-faker')
  expect(Object.keys(paths)).toEqual(Object.values(operations).map(({ path }) => `${protocol.versionSegment}${path}`))
})

it('a description in openapi.plain.json says once that something is assumed, and each value of a list too', () => {
  const lines: string[] = []
  JSON.parse(read('openapi.plain.json'), function (key, value) {
    // That of the whole document explains the word.
    if (key === 'description' && typeof value === 'string' && !('version' in this)) lines.push(...value.split('\n'))
    return value
  })
  expect(lines.filter((line) => line.includes('(assumed, A')).length).toBeGreaterThan(0)
  expect(lines.filter((line) => (line.match(/assumed/gi) ?? []).length > 1)).toEqual([])
})

it('the schemas of OpenAPI 3.0 accept and refuse what those of the contract do', () => {
  const { Run, RateLimitBody } = JSON.parse(read('openapi-3.0.json')).components.schemas
  const { Step } = JSON.parse(read('openapi-3.0.json')).components.schemas
  const ajv = new Ajv2020({ strict: false, schemas: { 'http://localhost/Step': Step } })
  const local = (schema: Json): Json =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'http://localhost/'))
  expect(ajv.validate(local(Run), examples.getRun[200].default)).toBe(true)
  expect(ajv.validate(local(Run), { ...examples.getRun[200].default, status: UNKNOWN_STATUS })).toBe(true)
  expect(ajv.validate(local(Run), { ...examples.getRun[200].default, started_at: 'yesterday' })).toBe(false)
  expect(ajv.validate(local(RateLimitBody), { ...examples.getRun[429].rateLimited, error: 'other' })).toBe(false)
})

it('a property, an example and a value may have the name of a field of OpenAPI', () => {
  const value = { $ref: 'data', 'x-note': 'data' }
  const Thing = { type: 'object', properties: { value: { type: 'string', 'x-basis': ['S01'] } } }
  const media = { schema: { $ref: '#/components/schemas/Thing' }, examples: { example: { value, 'x-note': 1 } } }
  const responses = { 200: { description: 'A thing.', content: { 'application/json': media } } }
  const document = {
    openapi: '3.1.0',
    info: {},
    servers: [{ url: 'https://host.example/v1' }],
    paths: { '/things': { get: { responses } } },
    components: { schemas: { Thing } },
  }
  const plain = JSON.parse(emitDocuments({ document })['openapi.plain.json'] ?? '')
  expect(plain.paths['/things'].get.responses[200].content['application/json'].examples).toEqual({ example: { value } })
  expect(plain.components.schemas.Thing.properties).toEqual({ value: { type: 'string' } })
})
