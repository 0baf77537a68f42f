import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { build } from '../../scripts/build.js'
import { copyProject, type Project } from '../support/project.js'

/** A copy whose contract uses what the lint does not refuse, and the contract of today does not need. */
let project: Project
const generated = (file: string) => readFileSync(join(project.root, 'generated', file), 'utf8')

beforeAll(async () => {
  project = copyProject()
  project.write(
    'openapi/components/parameters/Labels.yaml',
    `name: labels
in: query
description: Only runs with one of these labels.
x-basis: [D04]
schema:
  type: array
  items: { type: string }
  examples: [[urgent, billing]]
`,
  )
  project.edit(
    'openapi/paths/playbooks.yaml',
    '/PerPage.yaml',
    '/PerPage.yaml\n    - $ref: ../components/parameters/Labels.yaml',
  )
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
  project.write('openapi/components/responses/Deleted.yaml', 'description: The run is gone.\nx-basis: [D04]\n')
  const run = readFileSync(join(project.root, 'openapi/paths/runs_id.yaml'), 'utf8')
  project.write(
    'openapi/paths/runs_id.yaml',
    run +
      run
        .replace(/^get:/, 'delete:')
        .replace('getRun', 'deleteRun')
        .replace(/summary: .*/, 'summary: Delete a run\n  deprecated: true')
        .replace("'200'", "'204'")
        .replace('responses/Run.yaml', 'responses/Deleted.yaml'),
  )
  await build({ root: project.root, output: { write: () => true } })
})
afterAll(() => project.remove())

it('builds every artifact from a DELETE with 204, a query array, a nullable type, array examples and deprecated parts', () => {
  for (const file of ['dist/src/index.js', 'dist/docs/index.html', 'dist/docs/llms.txt'])
    expect(existsSync(join(project.root, file)), file).toBe(true)
})

it('types a query array, a nullable property, a deprecated property and a 204', () => {
  const types = generated('types.ts')
  expect(types).toMatch(/region\?: string \| null/)
  expect(types).toMatch(/@deprecated[\s\S]{0,400}zone\?: string/)
  expect(types).toMatch(/labels\?: components\["parameters"\]\["Labels"\]/)
  expect(types).toMatch(/ Labels: string\[\]/)
  expect(types).toMatch(/204: components\["responses"\]\["Deleted"\]/)
})

it('generates a deprecated method for a DELETE that resolves to undefined', () => {
  expect(generated('client.ts')).toMatch(
    /@deprecated\n {3}\*\/\n {2}deleteRun\(id: string, options\?: Options\): Promise<undefined>/,
  )
})

it('writes samples of a DELETE that read no body', () => {
  const text = readFileSync(join(project.root, 'dist/docs/llms.txt'), 'utf8')
  const section = text.slice(text.indexOf('## deleteRun'), text.indexOf('## ', text.indexOf('## deleteRun') + 5))
  expect(section).toContain("await client.deleteRun('")
  expect(section).not.toMatch(/unknown|response\.json\(\)/)
  expect(text).toContain('`region` (string or null)')
  expect(text).toContain('`zone` (string, deprecated)')
})
