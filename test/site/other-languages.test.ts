import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { assumedValues } from '../../generated/contract.js'
import { toolRows } from '../../scripts/emit/docs/parts/other-languages.js'
import { repository } from '../support/project.js'

interface Entry {
  name: string
  commands: string[]
  file?: string
  outcome?: string
}

const entriesOf = (file: string): Entry[] => parse(readFileSync(join(repository, 'test/suites/interop', file), 'utf8'))

it('the saved results are those of the tools that npm run suite -- interop runs, and none failed', () => {
  const results = entriesOf('results.yaml')
  expect(results.map(({ name }) => name)).toEqual(entriesOf('tools.yaml').map(({ name }) => name))
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

it('the guide "Other languages" has no command that needs a file which a reader does not have', () => {
  const rows = toolRows(repository)
  const names = entriesOf('tools.yaml').map(({ name }) => name)
  expect(rows.length).toBeGreaterThan(20)
  for (const [name = '', file = '', command = ''] of rows) {
    expect(names.some((each) => name.startsWith(each.replaceAll(/[<>|{}*_]/g, '\\$&')))).toBe(true)
    const read = command.match(/[\w./-]+\.(?:ya?ml|json|[mc]?[jt]s|py|go|rb|java)\b/g) ?? []
    const made = /(?:--output|-o) ([^\s`]+)/.exec(command)?.[1]
    expect(
      read.filter((each) => each !== file && each !== made && !/^openapi[\w.-]*\.(?:yaml|json)$/.test(each)),
    ).toEqual([])
    expect(command).not.toMatch(/\$ROOT|skipped|does not work/)
  }
})

it('the guide "Other languages" has the files with which Dredd, kubb and schemathesis were run', () => {
  const guide = readFileSync(join(repository, 'docs/guides/other-languages.md'), 'utf8')
  for (const file of ['dredd/hooks.cjs', 'kubb/kubb.config.js']) {
    const lines = readFileSync(join(repository, 'test/suites/interop/programs', file), 'utf8').split('\n')
    for (const line of lines.filter((each) => !/^\s*\/\//.test(each))) expect(guide).toContain(`\n${line}\n`)
  }
  const program = (file: string) =>
    readFileSync(join(repository, 'test/suites/interop/programs/schemathesis', file), 'utf8').split('\n')
  const lines = [...program('hooks.py').slice(-4), ...program('schemathesis.toml')]
  for (const line of lines.filter((each) => /^(from|_schema|hooks)/.test(each))) expect(guide).toContain(`\n${line}\n`)
})

it('the programs in other languages wait for a new run as long as the register says', () => {
  const guide = readFileSync(join(repository, 'docs/guides/other-languages.md'), 'utf8')
  const example = readFileSync(join(repository, 'examples/pytest/refunds.py'), 'utf8')
  const figures = [
    ...`${guide}${example}`.matchAll(/^\t?unreadable = (\d+)( \* time\.Second)?$|404\s+for (\d+) seconds/gim),
  ]
  const { readableAtOnce } = assumedValues
  expect(figures.map(([, constant, , prose]) => Number(constant ?? prose))).toEqual(Array(4).fill(readableAtOnce))
})

it('names are escaped, and there are no rows before the first run', () => {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  try {
    expect(toolRows(root)).toEqual([])
    mkdirSync(join(root, 'test/suites/interop'), { recursive: true })
    writeFileSync(join(root, 'test/suites/interop/results.yaml'), "- { name: a<b>, version: '1', outcome: passed }\n")
    writeFileSync(
      join(root, 'test/suites/interop/tools.yaml'),
      "- { name: a<b>, shown: 1, commands: ['a openapi.json | $API_KEY', c] }\n- { name: other, commands: [d] }\n- { name: new, shown: 1, commands: [e] }\n",
    )
    expect(toolRows(root)).toEqual([
      ['a\\<b\\> 1', 'openapi.json', '`a openapi.json \\| $WORKFLOW_API_KEY`'],
      ['new (not tried)', '', '`e`'],
    ])
  } finally {
    rmSync(root, { recursive: true })
  }
})
