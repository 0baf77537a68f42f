import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freeze } from '../../scripts/release/frozen.js'
import { breakingChanges, type Comparison, contractVersion, inspect } from '../../scripts/release/plan.js'
import { copyProject, type Project } from '../support/project.js'

/** Replaces a text in the one file below a folder that has it. */
function editBelow(folder: string, from: RegExp, to: string): void {
  const files = readdirSync(join(project.root, folder), { recursive: true }).map((file) => join(folder, `${file}`))
  const [file = `a file of ${folder}`] = files.filter(
    (each) => /\.(ts|yaml)$/.test(each) && from.test(readFileSync(join(project.root, each), 'utf8')),
  )
  project.edit(file, from, to)
}

/** Edits of the copy, and the change that the release command lists for each. */
const EDITS: { name: string; edit: () => void; impact: 'major' | 'minor'; listed: RegExp }[] = [
  {
    name: 'removes ./redis from the exports',
    edit: () => project.edit('package.json', /\s+"\.\/redis": \{[^}]*\},/, ''),
    impact: 'major',
    listed: /removed `entry \.\/redis /,
  },
  {
    name: 'removes ./openapi.json from the exports',
    edit: () => project.edit('package.json', /\s+"\.\/openapi\.json": .*/, ''),
    impact: 'major',
    listed: /removed `entry \.\/openapi\.json /,
  },
  {
    name: 'adds an entry to the exports',
    edit: () => project.edit('package.json', '"./openapi.yaml":', '"./license": "./LICENSE",\n    "./openapi.yaml":'),
    impact: 'minor',
    listed: /added `entry \.\/license /,
  },
  {
    name: 'renames the command of the package',
    edit: () => project.edit('package.json', '"workflow-automation": "dist', '"workflow": "dist'),
    impact: 'major',
    listed: /removed `bin workflow-automation`/,
  },
  {
    name: 'raises the engines',
    edit: () => project.edit('package.json', '"node": ">=20.19"', '"node": ">=22"'),
    impact: 'major',
    listed: /modified `engine node` from >=20\.19 to >=22/,
  },
  {
    name: 'raises the major version of a peer',
    edit: () => project.edit('package.json', /"@stoplight\/prism-cli": "\^5[^"]*"/, '"@stoplight/prism-cli": "^6.0.0"'),
    impact: 'major',
    listed: /modified `optional peer @stoplight\/prism-cli`/,
  },
  {
    name: 'removes an option of a command',
    edit: () => project.edit('src/cli/sandbox.ts', /^ +\.option\('--require-world'.*\n/m, ''),
    impact: 'major',
    listed: /command sandbox: removed `--require-world`/,
  },
  {
    name: 'adds an option to a command',
    edit: () =>
      project.edit('src/cli/mock.ts', ".option('--host", ".option('--loud', 'print more')\n    .option('--host"),
    impact: 'minor',
    listed: /command mock: added `--loud`/,
  },
  {
    name: 'changes the default of an option of a command',
    edit: () => project.edit('src/cli/mock.ts', 'port, 4010', 'port, 4011'),
    impact: 'major',
    listed: /command mock: modified `--port <number>` from 4010 to 4011/,
  },
  {
    name: 'changes an exit code',
    edit: () => editBelow('src/cli', /notRun: 2/, 'notRun: 3'),
    impact: 'major',
    listed: /modified `cli notRun` from 2 to 3/,
  },
  {
    name: 'changes a default of the client',
    edit: () => editBelow('src/client', /maxRetries: 3,/, 'maxRetries: 0,'),
    impact: 'major',
    listed: /modified `client maxRetries` from 3 to 0/,
  },
  {
    name: 'adds an export',
    edit: () =>
      project.write(
        'src/index.ts',
        `${readFileSync(join(project.root, 'src/index.ts'), 'utf8')}\nexport const pace = 1\n`,
      ),
    impact: 'minor',
    listed: /types of `\.`: added `pace`/,
  },
  {
    name: 'adds an option of the client',
    edit: () => {
      editBelow('src/client', /^ {2}maxRetries\?:/m, '  jitter?: boolean | undefined\n  maxRetries?:')
      editBelow('src/client', /^ {2}maxRetries: from\(0\),/m, '  jitter: TRUE_OR_FALSE,\n  maxRetries: from(0),')
    },
    impact: 'minor',
    listed: /types of `\.`: added `RetryOptions\.jitter`/,
  },
  {
    name: 'adds an operation',
    edit: () => {
      const get = readFileSync(join(project.root, 'openapi/paths/workspaces_me.yaml'), 'utf8')
      project.write('openapi/paths/mine.yaml', get.replace('getCurrentWorkspace', 'getMine'))
      project.edit('openapi/openapi.yaml', '\npaths:\n', '\npaths:\n  /mine:\n    $ref: paths/mine.yaml\n')
    },
    impact: 'minor',
    listed: /GET \/mine: added the operation: a provider without a handler responds with 501/,
  },
]

let project: Project
let comparison: Comparison
beforeAll(async () => {
  project = copyProject()
  const { comparison: today, types } = await inspect(project.root)
  rmSync(join(project.root, 'openapi/releases'), { recursive: true })
  freeze(project.root, '2026-11-21', contractVersion(project.root), {
    yaml: readFileSync(join(project.root, 'generated/openapi.yaml'), 'utf8'),
    'types.txt': types,
    'surface.yaml': JSON.stringify(today.surface),
  })
  for (const { edit } of EDITS) edit()
  comparison = (await inspect(project.root)).comparison
})
afterAll(() => project.remove())

it.each(EDITS)('the release command rates as $impact an edit that $name', ({ impact, listed }) => {
  const lines = comparison.changes.map((each) => ({ ...each, line: `${each.subject}: ${each.text}` }))
  const found = lines.filter(({ line }) => listed.test(line))
  expect([...new Set(found.map((each) => each.impact))], lines.map(({ line }) => line).join('\n')).toEqual([impact])
})

it('the edits of these tests break no type that none of them removes', () => {
  expect(breakingChanges(comparison).filter((line) => /^"/.test(line))).toEqual([])
})
