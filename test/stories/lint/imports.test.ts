import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { binary, finish, repository } from '../../support/project.js'

const CONFIG = '.dependency-cruiser.json'
const rules = JSON.parse(readFileSync(join(repository, CONFIG), 'utf8')).forbidden.map(
  ({ name }: { name: string }) => name as string,
)

/** For each rule an import that breaks it: which file imports what, in which words. */
const broken: Record<string, [from: string, text: string][]> = {
  'no-cycles': [['src/client/one.ts', "import type { Two } from './two.js'\nexport type One = Two"]],
  'contract-apart': [
    ['src/client/a.ts', "import '../tools/conformance/index.js'"],
    ['src/b.ts', "import type { T } from './tools/console/index.js'\nexport type U = T"],
  ],
  'conformance-apart': [
    ['src/tools/conformance/a.ts', "import type { T } from '../sandbox/index.js'\nexport type U = T"],
  ],
  'judging-apart': [['src/tools/conformance/judge/a.ts', "import '../report/b.js'"]],
  'recordings-apart': [['src/tools/conformance/recorded/a.ts', "import '../live/b.js'"]],
  'client-rules-apart': [['src/tools/client-rules/a.ts', "import '../conformance/index.js'"]],
  'service-apart': [['src/tools/service/a.ts', "import '../sandbox/index.js'"]],
  'sandbox-apart': [['src/tools/sandbox/a.ts', "import '../../client/index.js'"]],
  'remote-without-engine': [
    ['src/tools/sandbox/remote/a.ts', "import { T } from '../create.js'\nexport const t = T"],
    ['src/tools/sandbox/log/waiting.ts', "import { T } from '../create.js'\nexport const t = T"],
  ],
  'control-below-port': [
    ['src/tools/sandbox/control/a.ts', "import type { T } from '../port/b.js'\nexport type U = T"],
  ],
  'console-apart': [['src/tools/console/a.ts', "import '../../client/index.js'"]],
  'console-above': [['src/tools/sandbox/e.ts', "import '../console/page.js'"]],
  'redis-apart': [['src/tools/redis/a.ts', "import '../sandbox/index.js'"]],
  'redis-types-only': [['src/tools/redis/b.ts', "import { T } from '../../client/index.js'\nexport const t = T"]],
  'cli-apart': [['src/tools/cli/a.ts', "import '../service/index.js'"]],
  'testing-apart': [['src/tools/testing/a.ts', "import '../conformance/index.js'"]],
  'testing-above': [['src/tools/sandbox/d.ts', "import '../testing/index.js'"]],
  'internal-below': [
    ['src/internal/a.ts', "import '../client/index.js'"],
    ['src/validators/a.ts', "import '../client/index.js'"],
  ],
  'shared-below': [['src/shared/a.ts', "import '../internal/index.js'"]],
  'runtime-below': [['src/runtime/a.ts', "import type { T } from '../../generated/b.js'\nexport type U = T"]],
  'generated-below': [['generated/a.ts', "import '../src/internal/index.js'"]],
  'src-without-tools': [['src/d.ts', "import '../scripts/index.js'"]],
  'scripts-without-tests': [['scripts/a.ts', "import '../test/index.js'"]],
}

/** What the rules allow; a cycle is reported once. */
const allowed: [from: string, text: string][] = [
  ['src/client/two.ts', "import type { One } from './one.js'\nexport type Two = One | 1"],
  ['src/tools/sandbox/c.ts', "import '../service/index.js'\nimport '../client-rules/index.js'"],
  ['src/tools/conformance/c.ts', "import '../client-rules/index.js'"],
  ['src/tools/conformance/live/b.ts', "import '../judge/b.js'\nimport '../report/b.js'"],
  ['src/tools/conformance/report/b.ts', "import '../judge/b.js'"],
  ['src/tools/conformance/judge/b.ts', 'export const T = 1'],
  ['src/tools/client-rules/c.ts', "import '../../internal/index.js'"],
  ['src/tools/sandbox/create.ts', 'export const T = 1\nexport type T = 1'],
  ['src/tools/sandbox/port/b.ts', "import '../control/b.js'\nexport type T = 1"],
  ['src/tools/sandbox/control/b.ts', 'export const T = 1'],
  [
    'src/tools/sandbox/remote/b.ts',
    "import type { T } from '../create.js'\nimport '../log/waiting.js'\nexport type U = T",
  ],
  ['src/internal/b.ts', "import '../runtime/b.js'\nimport '../../../generated/b.js'"],
  ['src/runtime/b.ts', 'export const T = 1'],
  ['generated/b.ts', "import '../src/runtime/b.js'\nexport type T = 1"],
  ['src/tools/console/page.ts', "import '../sandbox/index.js'"],
  ['src/c.ts', "import './client/index.js'\nimport './internal/index.js'"],
  ['src/tools/redis/c.ts', "import type { T } from '../../client/index.js'\nexport type U = T"],
  ['src/tools/cli/c.ts', "import '../conformance/index.js'\nimport '../sandbox/index.js'"],
  ['src/tools/testing/c.ts', "import '../../client/index.js'\nimport '../sandbox/index.js'"],
]

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'imports-'))
  for (const file of [CONFIG, 'tsconfig.json']) copyFileSync(join(repository, file), join(root, file))
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const names = ['service', 'sandbox', 'console', 'client-rules', 'conformance', 'redis', 'testing']
  const tools = names.map((tool) => `src/tools/${tool}`)
  for (const folder of ['src/client', 'src/internal', ...tools, 'scripts', 'test'])
    write(`${folder}/index.ts`, 'export const T = 1\nexport type T = 1')
  for (const [file, text] of [...Object.values(broken).flat(), ...allowed]) write(file, text)
})
afterAll(() => rmSync(root, { recursive: true }))

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

it('the import lint reports each import that a rule forbids, and no other', async () => {
  const args = ['--config', CONFIG, '--output-type', 'json', 'src', 'scripts', 'generated']
  const { printed } = await finish(binary('depcruise'), args, root)
  const { violations } = JSON.parse(printed.slice(printed.indexOf('{'))).summary as {
    violations: { from: string; rule: { name: string; severity: 'error' } }[]
  }
  const found = new Set(violations.map(({ from, rule }) => `${rule.name}: ${from}`))
  const expected = Object.entries(broken).flatMap(([rule, files]) => files.map(([from]) => `${rule}: ${from}`))
  expect([...found].sort()).toEqual(expected.sort())
  expect(Object.keys(broken).sort()).toEqual(rules.sort())
})
