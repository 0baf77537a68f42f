import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Contract, indexContract, type Json } from '../../scripts/contract/index.js'
import { loadContract } from '../../scripts/contract/load.js'
import { nameProblems } from '../../scripts/contract/names.js'
import { registerProblems } from '../../scripts/contract/register.js'
import { DECIDED_IN } from '../../src/tools/conformance/rules.js'
import { OBEYED_IN } from '../../src/tools/sandbox/rules.js'
import { repository } from '../support/project.js'

const entry = (id: string, kind: 'stated' | 'assumed') => ({ id, kind, section: 2, text: 'A fact.' })
const problems = (added: object) =>
  registerProblems(
    [{ ...entry('S07', 'stated'), schema: true }, { ...entry('A41', 'assumed'), replacedBy: ['S07'] }, added],
    () => ({
      file: 'openapi/basis.yaml',
    }),
  ).map(({ message }) => message)

it('an entry without an id is told the next free one of its kind; that of a retired entry is not free', () => {
  const { id, ...added } = entry('', 'assumed')
  expect(problems(added)).toEqual(['This entry has no id. The next free one is A42.'])
  expect(problems({ ...added, kind: 'stated' })).toEqual(['This entry has no id. The next free one is S08.'])
  const { kind, ...unknown } = added
  expect(problems(unknown).join(' ')).toContain('The next free one is S08, O01, D01, A42.')
})

let contract: Contract
beforeAll(async () => {
  contract = await loadContract(repository)
})

/** What is said of the contract after a change, with paths as files. */
function namesAfter(change: (document: Json) => unknown): string[] {
  const document = structuredClone(contract.document)
  change(document)
  return nameProblems(indexContract(document), (path) => ({ file: path.join('.') })).map(
    ({ file, rule, message }) => `${file}  ${rule}  ${message}`,
  )
}

const RUN_STATUS = 'components.schemas.RunStatus'

/** States that the known statuses of a run are all. */
function complete(document: Json): Json {
  const { RunStatus } = document.components.schemas
  const entry = { id: 'S90', kind: 'stated', section: 2, text: 'These are all.', keywords: ['enum'] }
  document['x-basis-register'].push({ ...entry, enumerates: true })
  for (const each of document['x-basis-register']) if (each.id === 'A05') delete each.enumerates
  RunStatus['x-basis'].push('S90')
  RunStatus.enum = Object.keys(RunStatus['x-known-values'])
  return RunStatus
}

it('the contract names only what the register has', () => {
  expect(namesAfter(() => {})).toEqual([])
})

it.each([
  ['S99', '"S99" is not in openapi/basis.yaml. Name an id that is, or add the entry.'],
  ['D01', '"D01" is retired. Name what replaced it: A30.'],
])('an unknown or retired id is named with its location: %s', (id, message) => {
  expect(namesAfter(({ components }) => components.schemas.Run['x-basis'].push(id))).toEqual([
    `components.schemas.Run.x-basis.1  basis-known  ${message}`,
  ])
})

it('a list with a stated entry that lists the values may be complete', () => {
  expect(namesAfter(complete)).toEqual([])
})

it.each<[what: string, change: (document: Json) => unknown, at: string, says: string]>([
  [
    'nobody states to be complete',
    ({ components }) => (components.schemas.RunStatus.enum = ['running']),
    `${RUN_STATUS}.enum`,
    'no stated entry says so',
  ],
  [
    'has other values than the known ones',
    (document) => complete(document).enum.pop(),
    `${RUN_STATUS}.x-known-values`,
    'has other values',
  ],
  [
    'two entries list',
    (document) => {
      complete(document)
      document['x-basis-register'].find(({ id }: Json) => id === 'A05').enumerates = true
    },
    RUN_STATUS,
    'S90 and A05 both list these values',
  ],
])('a list that %s is refused', (_, change, at, says) => {
  const found = namesAfter(change)
  expect(found.find((each) => each.startsWith(`${at}  enumerates  `))).toContain(says)
})

it.each([
  ['src/tools', OBEYED_IN],
  ['src/tools/conformance', DECIDED_IN],
])('what obeys a rule is there: %s', (folder, places) => {
  const isMissing = (place: string) => {
    const [file = '', name = ''] = place.split(' ')
    const path = join(repository, folder, file)
    return !existsSync(path) || !new RegExp(`\\b(?:function\\*?|const|class) ${name}`).test(readFileSync(path, 'utf8'))
  }
  expect(Object.values(places).filter(isMissing)).toEqual([])
})

it.each<[what: string, effect: object, says: RegExp]>([
  [
    'nothing',
    {},
    /^S08 does not say how it takes effect\. Write "schema: true" .+ or "notEnforced" with the reason\.$/,
  ],
  ['that it is enforced and that it is not', { rule: 'aRule', notEnforced: 'It is new.' }, /Leave out "notEnforced"/],
])('a stated entry that says %s of its effect is refused', (_, effect, says) => {
  expect(problems({ ...entry('S08', 'stated'), ...effect })).toEqual([expect.stringMatching(says)])
})

it('two entries share a rule only if it is one of clients', () => {
  const two = (fields: object) =>
    registerProblems(
      ['S07', 'S08'].map((id) => ({ ...entry(id, 'stated'), rule: 'caching', ...fields })),
      () => ({ file: 'openapi/basis.yaml' }),
    )
  expect(two({})[0]?.message).toMatch(/^S07: S08 has the rule "caching", too\./)
  expect(two({ client: 'should', title: 'A list is kept.' })).toEqual([])
})
