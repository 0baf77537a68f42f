import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { validateRequest } from '../../generated/validators.js'
import { repository } from '../support/project.js'

const read = (file: string): string => readFileSync(join(repository, file), 'utf8')

const releases = readdirSync(join(repository, 'openapi/releases')).filter((file) => file.endsWith('.yaml'))

describe('a YAML 1.1 reader', () => {
  it.each(['generated/openapi.yaml', ...releases.map((file) => `openapi/releases/${file}`)])(
    'a YAML 1.1 reader reads %s as a YAML 1.2 reader does',
    (file) => {
      expect(parse(read(file), { version: '1.1' })).toEqual(parse(read(file)))
    },
  )
})

describe('a tool for other languages', () => {
  const document = JSON.parse(read('generated/openapi.json'))

  it('every object of a response allows additional properties explicitly', () => {
    const requests = ['RunInputs', 'TriggerRunRequest']
    for (const [name, schema] of Object.entries<{ type: string; additionalProperties?: unknown }>(
      document.components.schemas,
    ))
      if (schema.type === 'object' && !requests.includes(name)) expect(schema.additionalProperties, name).toBe(true)
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

  it('every source file has a name that Windows and URI references allow', () => {
    const files = readdirSync(join(repository, 'openapi'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /[{}<>:"|?*%#]/.test(file))).toEqual([])
  })

  it('links lead from the list of playbooks to the trigger, and from there to the run', () => {
    const { responses } = document.components
    expect(responses.PlaybookList.links.triggerRun).toMatchObject({
      operationId: 'triggerRun',
      parameters: { id: '$response.body#/data/0/id' },
    })
    expect(responses.TriggeredRun.links.getRun).toMatchObject({
      operationId: 'getRun',
      parameters: { id: '$response.body#/id' },
    })
  })
})

it('a page number that a number cannot represent exactly is refused instead of rounded', () => {
  const problems = (page: string) => validateRequest('listPlaybooks', { query: { page } })
  expect(problems('2147483647')).toEqual([])
  expect(problems('9007199254740993')).toMatchObject([{ in: 'query', name: 'page', keyword: 'maximum' }])
})
