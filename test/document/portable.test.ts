import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { run } from '../../generated/examples.js'
import type { Json } from '../../scripts/contract/index.js'
import { validate } from '../../src/validators/index.js'
import { repository } from '../support/project.js'

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

describe('a YAML 1.1 reader', () => {
  it.each(['generated/openapi.yaml', 'openapi/released.yaml'])(
    'a YAML 1.1 reader reads %s as a YAML 1.2 reader does',
    (file) => {
      expect(parse(read(file), { version: '1.1' })).toEqual(parse(read(file)))
    },
  )
})

/** The names of the schemas that a node refers to, by way of others too. */
function schemasIn(node: Json, schemas: Json, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(node).matchAll(/#\/components\/schemas\/(\w+)"/g))
    if (!found.has(name)) schemasIn(schemas[name], schemas, found.add(name))
  return found
}

describe('a tool for other languages', () => {
  const document = JSON.parse(read('generated/openapi.json'))

  it('every object of a response allows additional properties explicitly', () => {
    const { responses, schemas } = document.components
    for (const name of schemasIn(responses, schemas))
      if (schemas[name].type === 'object') expect(schemas[name].additionalProperties, name).toBe(true)
  })

  it('every pattern is anchored, and none stands beside a format', () => {
    const strings: { pattern?: string; format?: string }[] = []
    JSON.stringify(document.components, (_, value) => {
      if (typeof value?.pattern === 'string') strings.push(value)
      return value
    })
    expect(strings.length).toBeGreaterThan(0)
    for (const { pattern, format } of strings) {
      expect(pattern).toMatch(/^\^.*\$$/)
      expect(format).toBeUndefined()
    }
  })

  it('no pattern writes a digit as \\d, which matches other digits in Python, PHP, .NET and Rust', () => {
    expect(JSON.stringify(document.components)).not.toContain('\\\\d')
  })

  it('the server is one URL that can be used as it is', () => {
    expect(document.servers).toHaveLength(1)
    expect(document.servers[0].variables).toBeUndefined()
    expect(new URL(document.servers[0].url).href).toBe(document.servers[0].url)
  })

  it('every parameter has its example on the parameter, and that of a pin is not a release of this package', () => {
    for (const { name, example, schema } of Object.values<Json>(document.components.parameters)) {
      expect(example, name).toBeDefined()
      expect(schema.examples, name).toBeUndefined()
    }
    expect(read('CHANGELOG.md')).not.toContain(document.components.parameters.ServiceVersion.example)
  })

  it('no message of an example has a double quote, with which the code of Spring would not compile', () => {
    for (const [name, { value }] of Object.entries<Json>(document.components.examples))
      expect(value.message ?? '', name).not.toContain('"')
  })

  it('a description says shortly what is assumed, and no whole sentence about its basis, which tools would copy into messages and prompts', () => {
    const descriptions: string[] = []
    const { 'x-basis-register': _, ...rest } = document
    JSON.stringify(rest, (key, value) => {
      if (key === 'description' && typeof value === 'string') descriptions.push(value)
      return value
    })
    expect(descriptions.length).toBeGreaterThan(0)
    for (const description of descriptions)
      expect(description.replaceAll(/ \((assumed, )?(A\d\d(, )?)+\)/g, '')).not.toMatch(
        /\b[SODA]\d\d\b|Basis:|Assumed \(/,
      )
    expect(document.components.schemas.Playbook.properties.name['x-basis']).toHaveLength(1)
  })

  it('every source file has a name that Windows and URI references allow', () => {
    const files = readdirSync(join(repository, 'openapi'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /[{}<>:"|?*%#]/.test(file))).toEqual([])
  })

  it('links lead from the list of playbooks to the trigger, and from there to the run', () => {
    const { responses } = document.components
    expect(responses.PlaybookList200.links.triggerRun).toMatchObject({
      operationId: 'triggerRun',
      parameters: { id: '$response.body#/data/0/id' },
    })
    expect(responses.TriggeredRun201.links.getRun).toMatchObject({
      operationId: 'getRun',
      parameters: { id: '$response.body#/id' },
    })
  })
})

it('the message of a pattern says what the pattern means', () => {
  const messages = validate('Run', { ...run, started_at: 'yesterday' }).map(({ message }) => message)
  expect(messages).toEqual(['the body property "started_at" must be a UTC timestamp such as 2026-11-21T09:30:00Z'])
})
