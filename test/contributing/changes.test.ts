import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entriesOf } from '../../scripts/emit/dist.js'
import { NATIVE_TSC, run } from '../../scripts/process.js'
import { freeze } from '../../scripts/release/frozen.js'
import { contractVersion } from '../../scripts/release/plan.js'
import { collectTypes } from '../../scripts/release/types.js'
import { copyProject, type Finished, finish, type Project, repository } from '../support/project.js'

/** The three changes of CONTRIBUTING.md, done to a copy; outside `openapi/` only a check that names the id is edited. */
let project: Project
let built: Finished
let planned: Finished

beforeAll(async () => {
  project = copyProject()
  const declarations = join(project.root, '.build/declarations')
  const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', declarations]
  await run(process.execPath, [NATIVE_TSC, ...args], { cwd: repository })
  releaseToday(declarations)
  addField()
  addOperation()
  stateAssumption()
  built = await project.build()
  planned = await finish(
    process.execPath,
    ['--import', 'tsx', 'scripts/release.ts', '--dry-run', '--date', '2999-01-01'],
    project.root,
  )
})
afterAll(() => project.remove())

/** Makes today's contract the last release, so that the plan contains the three changes alone. */
function releaseToday(declarations: string) {
  rmSync(join(project.root, 'openapi/releases'), { recursive: true, force: true })
  freeze(project.root, '2026-11-21', contractVersion(project.root), {
    yaml: readFileSync(join(project.root, 'generated/openapi.yaml'), 'utf8'),
    'types.txt': collectTypes(declarations, entriesOf(project.root)),
    'changes.json': '[]',
  })
}

function addField() {
  project.edit(
    'openapi/components/schemas/Provider.yaml',
    'properties:\n',
    'properties:\n  region:\n    type: string\n    description: Where the provider is run.\n    x-basis: [A03]\n',
  )
  project.edit(
    'openapi/components/examples/ProviderList.yaml',
    '- id: billing\n',
    '- id: billing\n      region: north\n',
  )
}

function addOperation() {
  const playbooks = readFileSync(join(project.root, 'openapi/paths/playbooks.yaml'), 'utf8')
  project.write(
    'openapi/paths/runs.yaml',
    playbooks
      .replace('listPlaybooks', 'listRuns')
      .replace('[Playbooks]', '[Runs]')
      .replace('List the playbooks of the workspace', 'List the runs of the workspace')
      .replace(/^ {2}x-cache-seconds.*\n/m, '')
      .replace('responses/PlaybookList', 'responses/RunList'),
  )
  const response = readFileSync(join(project.root, 'openapi/components/responses/PlaybookList.yaml'), 'utf8')
  project.write(
    'openapi/components/responses/RunList.yaml',
    response.replaceAll('PlaybookList', 'RunList').replace(/ {6}(empty|lastPage):\n.*\n/g, ''),
  )
  const list = readFileSync(join(project.root, 'openapi/components/schemas/PlaybookList.yaml'), 'utf8')
  project.write(
    'openapi/components/schemas/RunList.yaml',
    list.replaceAll('playbooks', 'runs').replace('Playbook.yaml', 'Run.yaml'),
  )
  project.write(
    'openapi/components/examples/RunList.yaml',
    'summary: No run yet\nvalue:\n  data: []\n  meta:\n    total: 0\n    page: 1\n    per_page: 20\n',
  )
  project.edit('openapi/openapi.yaml', '  /runs/{id}:\n', '  /runs:\n    $ref: paths/runs.yaml\n  /runs/{id}:\n')
}

function stateAssumption() {
  project.edit('openapi/basis.yaml', /^- id: A01\n[\s\S]*?(?=^- id: A02)/m, '')
  project.edit(
    'openapi/basis.yaml',
    /\n# --- observed/,
    '- id: S42\n  kind: stated\n  section: 2\n  text: A workspace has an id and a name.\n\n# --- observed',
  )
  project.edit('openapi/components/schemas/Workspace.yaml', /A01/g, 'S42')
  project.edit('src/conformance/checks/keys.ts', /'A01'/g, "'S42'")
  project.edit('openapi/components/schemas/Workspace.yaml', 'properties:\n', 'required: [id, name]\nproperties:\n')
}

/** Runs a module of the copy, as somebody who installed it would. */
const tryOut = (code: string): Promise<Finished> =>
  finish(process.execPath, ['--input-type=module', '-e', code], project.root)

it('the build accepts an added field, an added operation and an assumption that is now stated', () => {
  expect(built.printed).toContain('Built generated/ and dist/.')
  expect(built.code).toBe(0)
})

describe('the generated types after the three changes', () => {
  it.each([
    ['an added field', /Provider: \{[^}]*region\?: string;/],
    ['an added operation', /listRuns: \{\s+parameters/],
    ['a stated fact', /Workspace: \{[^}]*\bid: string;[^}]*\bname: string;/],
  ])('the generated types contain %s', (_, expected) => {
    expect(project.generated()['types.ts']).toMatch(expected)
  })
})

it('the client has a method for the added operation, and the sandbox responds to it', async () => {
  const { printed } = await tryOut(`
    import { createClient } from './dist/src/index.js'
    import { createSandbox } from './dist/src/sandbox/index.js'
    const sandbox = createSandbox({ seed: 1 })
    const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.valid, fetch: sandbox.fetch })
    console.log(JSON.stringify(await client.listRuns({ page: 1 })))
    console.log(JSON.stringify(await client.listProviders()))
  `)
  const [runs, providers] = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(runs).toMatchObject({ data: [], meta: { total: 0 } })
  expect(providers.data).toContainEqual(expect.objectContaining({ id: 'billing', region: 'north' }))
})

it('the validators check the added field and the stated fact', async () => {
  const { printed } = await tryOut(`
    import { validate } from './dist/generated/validators.js'
    console.log(JSON.stringify(validate('Provider', { region: 7 }).map(({ name }) => name)))
    console.log(JSON.stringify(validate('Workspace', {}).map(({ name }) => name)))
  `)
  expect(printed.trim().split('\n')).toEqual(['["region"]', '["id","name"]'])
})

it('the site shows all three changes', () => {
  const reference = readFileSync(join(project.root, 'dist/docs/llms.txt'), 'utf8')
  for (const expected of ['region', 'List the runs of the workspace', 'S42']) expect(reference).toContain(expected)
  expect(reference).not.toContain('A01')
})

it('the release plan lists the field and the operation under a minor version', () => {
  expect(planned.printed).toMatch(/Next release {2}\d+\.\d+\.0, frozen as 2999-01-01/)
  expect(planned.printed).toMatch(/\*\*GET \/providers\*\*[\s\S]*added .*region/)
  expect(planned.printed).toContain('**GET /runs**')
})
