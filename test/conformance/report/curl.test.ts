import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createMask } from '../../../src/internal/mask.js'
import { similarKeys } from '../../../src/tools/conformance/live/cases/wrong-keys.js'
import { curlOf, type NamedKey } from '../../../src/tools/conformance/report/curl.js'
import { VERSION } from '../../support/fixtures.js'
import { refuse, tryService } from '../service.js'

const KEY = 'key_Az09-hobby'
const KEYS: NamedKey[] = [
  ['OTHER_WORKSPACE_KEY', 'key_of_the_other_workspace'],
  ['WORKFLOW_API_KEY', KEY],
]
const SIMILAR = similarKeys(KEY)
const mask = createMask([...KEYS.map(([, key]) => key), ...Object.values(SIMILAR)])
const commandOf = (authorization: string, url = `https://workflow-automation.example${VERSION}/runs/run_1`) =>
  curlOf({ method: 'GET', url, headers: new Headers({ authorization }) }, KEYS, mask)

/** What a shell makes of the arguments of a command. */
const argumentsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\n'`)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...Object.fromEntries(KEYS) },
  }).split('\n')

it.each([
  ['the key', `Bearer ${KEY}`],
  ['the key of another workspace', 'Bearer key_of_the_other_workspace'],
  ['more after the key', `Bearer ${KEY}0`],
  ['a wrong key', 'Bearer conformance-check-wrong-key'],
  ['Basic', `Basic ${btoa(`conformance:${KEY}`)}`],
  ['a quotation mark', `Bearer "it's" ${KEY}`],
  ...(['sameForm', 'sameBeginning', 'sameEnd', 'otherCase', 'otherEnd', 'withoutEnd', 'withoutBeginning'] as const).map(
    (name) => [name, `Bearer ${SIMILAR[name]}`],
  ),
])('the command of a finding sends what was sent, with %s, and shows no key', (_, authorization = '') => {
  const command = commandOf(authorization)
  expect(argumentsOf(command)).toContain(`authorization: ${authorization}`)
  for (const [, key] of KEYS) expect(command).not.toContain(key)
  expect(command).not.toContain('another-key')
})

it('a key in a URL is a variable as well', () => {
  const url = `https://workflow-automation.example${VERSION}/playbooks?api_key=${KEY}`
  expect(argumentsOf(commandOf('Bearer x', url))).toContain(url)
})

it.each([
  ['', "-H 'accept: application/json' --data-binary ''"],
  ["it's", "-H 'accept: application/json' --data-binary 'it'\\''s'"],
])('the command of a request with the body %j quotes each word once, and sends that body', (body, expected) => {
  const url = `https://workflow-automation.example${VERSION}/playbooks`
  const headers = new Headers({ accept: 'application/json' })
  const command = curlOf({ method: 'POST', url, headers, body }, KEYS, mask)
  expect(command).toBe(`curl -i -X POST ${expected} '${url}'`)
  expect(argumentsOf(command).slice(-4)).toEqual(['--data-binary', body, url, ''])
})

it.each([
  [undefined, '"$OTHER_WORKSPACE_KEY"'],
  [{ otherWorkspaceKey: 'OTHER' }, '"$OTHER"'],
])(
  'a finding about another workspace names the variable of its key, with the variables %j',
  async (names, variable) => {
    const report = await tryService(
      (it, { keys }) => it.key === keys.otherWorkspace && it.path === '/providers' && refuse(it, 500),
      { options: { keyVariables: names } },
    )
    const found = report.findings.find(({ outcome, operation }) => outcome === 'fail' && operation === 'listProviders')
    expect(found?.curl).toContain(variable)
  },
)
