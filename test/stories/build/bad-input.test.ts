import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { build } from '../../../scripts/build.js'
import { BuildError } from '../../../scripts/support/diagnostics.js'
import { copyProject, finish, type Project, repository } from '../../support/project.js'

const EXAMPLES = 'openapi/components/examples'

const CURSORS = `type: object
description: Where the next page begins.
x-basis: [S15]
required: [next_cursor]
properties:
  next_cursor:
    type: string
    description: The cursor of the next page.
additionalProperties: true
`

const NEW_ENTRY = '- id: S97\n  kind: stated\n  section: 8\n  text: Plans have a name.\n  schema: true\n- id: S03\n'

let project: Project
let before: Record<string, string>
beforeAll(() => {
  project = copyProject()
  before = project.generated()
})
afterEach(() => {
  expect(project.generated(), 'generated/ has changed').toEqual(before)
  for (const folder of ['openapi', 'docs/guides']) {
    rmSync(join(project.root, folder), { recursive: true })
    cpSync(join(repository, folder), join(project.root, folder), { recursive: true })
  }
})
afterAll(() => project.remove())

it.each<[what: string, edit: () => void, ...messages: RegExp[]]>([
  [
    'the location of an unresolved reference',
    () => project.edit('openapi/components/schemas/Run.yaml', '$ref: RunStatus.yaml', '$ref: RunState.yaml'),
    /^openapi\/components\/schemas\/Run\.yaml:\d+:11 {2}reference {2}"RunState\.yaml" leads to openapi\/components\/schemas\/RunState\.yaml, which is not there\. Correct the path or add the file\.$/m,
  ],
  [
    'an empty file',
    () => project.write('openapi/components/schemas/Step.yaml', '# Nothing yet.\n'),
    /^openapi\/components\/schemas\/Step\.yaml:1:1 {2}empty {2}The file is empty\. Write the component, or delete the file/m,
  ],
  [
    'all examples that still have a property that was renamed in its schema',
    () => project.edit('openapi/components/schemas/Playbook.yaml', '\n  description:\n', '\n  summary:\n'),
    /half-done {2}Playbook has no property "description", which its examples have\. Edit them too: openapi\/components\/examples\/PlaybookList\.yaml, openapi\/components\/examples\/PlaybookListLastPage\.yaml; or/,
  ],
  [
    'a file that no reference uses',
    () => project.write('openapi/components/schemas/Forgotten.yaml', 'type: string\n'),
    /^openapi\/components\/schemas\/Forgotten\.yaml {2}unused {2}.+Refer to it or delete it\.$/m,
  ],
  [
    'a node without basis, a duplicate operationId, an example that contradicts its schema and a pattern that does not compile',
    () => {
      project.edit('openapi/paths/providers.yaml', /^ {2}x-basis: .*\n/m, '')
      project.edit('openapi/paths/runs_id.yaml', 'operationId: getRun', 'operationId: listPlaybooks')
      project.edit('openapi/components/examples/RunFailed.yaml', 'status: failed', 'status: 7')
      project.edit('openapi/components/headers/RetryAfter.yaml', 'type: integer', "type: integer\n  pattern: '(['")
    },
    /^openapi\/paths\/providers\.yaml:2:3 {2}basis-present {2}#\/paths\/~1providers\/get does not say what it rests on\. Add x-basis/m,
    /^openapi\/paths\/\S+:\d+:\d+ {2}operation-operationId-unique {2}/m,
    /^openapi\/components\/examples\/RunFailed\.yaml:\d+:\d+ {2}oas3-valid-media-example {2}"status" property type must be string$/m,
    /^openapi\/components\/headers\/RetryAfter\.yaml:\d+:\d+ {2}patterns-compile {2}The pattern does not compile as .+\. Correct it/m,
  ],
  [
    'the code that must be extended when lists have cursors',
    () => {
      project.write('openapi/components/schemas/ListMeta.yaml', CURSORS)
      project.edit('openapi/components/parameters/Page.yaml', 'name: page', 'name: cursor')
      project.edit(
        'openapi/components/parameters/Page.yaml',
        'type: integer\nexample: 2',
        'type: string\nexample: b2Zm',
      )
      for (const name of readdirSync(join(project.root, EXAMPLES)).filter((file) => /List/.test(file)))
        project.edit(join(EXAMPLES, name), /^ {4}total: [\s\S]*per_page: .*\n/m, '    next_cursor: b2Zm\n')
    },
    /^openapi\/components\/schemas\/ListMeta\.yaml:1:1 {2}supported-by-code {2}ListMeta has no property page\. .+ Extend src\/client\/pages\.ts and src\/tools\/sandbox\/runs\/operations\.ts and "fields"/m,
    /^openapi\/components\/parameters\/Page\.yaml:1:1 {2}supported-by-code {2}listPlaybooks has the query parameter "cursor"\. .+ Extend src\/tools\/sandbox\/runs\/operations\.ts/m,
  ],
  [
    'the code of the console that a contract breaks',
    () => {
      project.edit('openapi/components/schemas/Playbook.yaml', '\n  name:\n', '\n  title:\n')
      for (const name of readdirSync(join(project.root, EXAMPLES)).filter((file) =>
        /^PlaybookList(LastPage)?\.yaml/.test(file),
      ))
        project.edit(join(EXAMPLES, name), /^ {6}name:/gm, '      title:')
    },
    /^src\/tools\/console\/\S+:\d+:\d+ {2}TS2339 {2}Property 'name' does not exist/m,
  ],
  [
    'the prose that names an entry which is retired or was never there',
    () => {
      project.edit(
        'openapi/basis.yaml',
        /(- id: A02\n {2}kind: .*\n {2}section: .*\n {2}text: .*\n)( {2}.*\n)*/,
        '$1  replacedBy: [S17]\n',
      )
      project.edit('openapi/components/schemas/Playbook.yaml', /\[A02\]/g, '[S17]')
      project.edit('docs/guides/errors-and-retries.md', '(', '(S97) (')
    },
    /^docs\/guides\/getting-started\.md:\d+:\d+ {2}prose {2}"A02" is retired: S17 \(stated\) says it now\. Name that, and correct what the sentence says\.$/m,
    /^docs\/guides\/what-may-i-rely-on\.md:\d+:\d+ {2}prose {2}"A02" is retired/m,
    /^docs\/guides\/errors-and-retries\.md:\d+:\d+ {2}prose {2}"S97" is not in openapi\/basis\.yaml\. Name an id that is, or add the entry\.$/m,
  ],
  [
    'a guide that shows another version of the path, and a plan that the contract does not have',
    () => {
      project.edit(
        'docs/guides/errors-and-retries.md',
        '(',
        '(https://service.example/v98/runs, /v98, `plan: "gold"`) (',
      )
    },
    /^docs\/guides\/errors-and-retries\.md:\d+:\d+ {2}prose {2}"\/v98" \(2 times in this file\) is not the version of the path\. Write \/v\d+\.$/m,
    /^docs\/guides\/errors-and-retries\.md:\d+:\d+ {2}prose {2}"gold" is not a plan of the contract\. Name one of .+\.$/m,
  ],
  [
    'an entry that needs an option of verify, and one that nothing shows',
    () => {
      project.edit('openapi/basis.yaml', /(- id: S05\n(?: {2}.*\n)*?) {2}verify: .*\n/, '$1')
      project.edit('openapi/basis.yaml', '- id: S03\n', NEW_ENTRY)
      project.edit('openapi/openapi.yaml', '    x-basis: [S34', '    x-basis: [S97, S34')
    },
    /^openapi\/basis\.yaml:\d+:\d+ {2}exercised {2}S05: verify shows it only with options\. Name them in "verify\.needs"\.$/m,
    /^openapi\/basis\.yaml:\d+:\d+ {2}exercised {2}S97: no request of verify shows it, .+ Give the reason in "verify\.unobservable"/m,
  ],
  [
    'a file that cannot be read',
    // A link to itself cannot be read by anybody, root included.
    () => symlinkSync('Loop.yaml', join(project.root, 'openapi/components/schemas/Loop.yaml')),
    /^openapi\/components\/schemas\/Loop\.yaml {2}read {2}The file cannot be read: ELOOP.+readable\.$/m,
  ],
])('the build reports %s', async (_, edit, ...messages) => {
  edit()
  const failure = await build({ root: project.root, output: { write: () => true }, site: false }).catch(
    (error) => error,
  )
  expect(failure).toBeInstanceOf(BuildError)
  for (const message of messages) expect(failure.message).toMatch(message)
})

it('the build exits with 1 when a file is not YAML, and leaves generated/ and dist/ unchanged', async () => {
  project.edit('openapi/components/schemas/Run.yaml', 'properties:', 'properties: [')
  const { code, printed } = await project.build('--no-site')
  expect(code).toBe(1)
  expect(printed).toMatch(
    /^openapi\/components\/schemas\/Run\.yaml:\d+:\d+ {2}yaml {2}This is not YAML: .+\. Correct it\.$/m,
  )
  expect(printed).toMatch(/\d problems?; generated\/ and dist\/ are unchanged\./)
})

it.each([
  ['build', '--wach'],
  ['check', '--budget'],
] as const)('npm run %s refuses the misspelt option %s', async (command, option) => {
  const { code, printed } = await project[command](option)
  expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining(`Unknown option '${option}'`) })
})

it('the build exits with 1 when the disk is full', async () => {
  // The limit of the shell makes every write beyond 20 kB fail, as a full disk does.
  const { code, printed } = await finish(
    'bash',
    ['-c', 'ulimit -f 20; exec "$0" --import tsx scripts/build.ts --no-site', process.execPath],
    project.root,
  )
  expect(code).toBe(1)
  expect(printed).toMatch(
    /^The step "[\w ]+" failed: (?:generated|docs\/guides)\/\S+ cannot be written \(EFBIG.+\)\. Make room on the disk and build again\.$/m,
  )
})

it('the build exits with 130 when it is interrupted, and leaves generated/ and dist/ unchanged', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--no-site'], { cwd: project.root })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  await new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('bundle')) resolve()
    }),
  )
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  expect(code).toBe(130)
  expect(errors).toContain('Interrupted; generated/ and dist/ are unchanged.')
  // What it keeps from build to build stays.
  expect(readdirSync(join(project.root, '.build')).filter((each) => !/^(?:reference|site)$/.test(each))).toEqual([])
})
