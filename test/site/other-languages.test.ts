import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { toolCommands, toolRows } from '../../scripts/emit/docs/parts/other-languages.js'
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

it('the guide "Other languages" shows every tool with its file, its result and its commands', () => {
  const rows = toolRows(repository)
  for (const [index, entry] of entriesOf('results.yaml').entries()) {
    const [name, file, result] = rows[index] ?? []
    expect(name).toContain(entry.name.split(/[<>"&]/)[0])
    expect(file).toBe(entry.file ?? '')
    expect(result).toMatch(new RegExp(`^${entry.outcome}: .`))
  }
  const shown = toolCommands(repository)
  for (const { commands } of entriesOf('tools.yaml'))
    for (const command of commands) expect(shown).toContain(`\n${command}\n`)
})

it('the guide "Other languages" has the files with which schemathesis was run', () => {
  const guide = readFileSync(join(repository, 'docs/guides/other-languages.md'), 'utf8')
  const program = (file: string) =>
    readFileSync(join(repository, 'test/suites/interop/programs/schemathesis', file), 'utf8').split('\n')
  const lines = [...program('hooks.py').slice(-4), ...program('schemathesis.toml')]
  for (const line of lines.filter((each) => /^(from|_schema|hooks)/.test(each))) expect(guide).toContain(`\n${line}\n`)
})

it('results are escaped, and there are none before the first run', () => {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  try {
    expect(toolRows(root)).toEqual([])
    mkdirSync(join(root, 'test/suites/interop'), { recursive: true })
    const results = "- { name: tool, version: '1', does: reads, outcome: skipped, reason: <none> }\n"
    writeFileSync(join(root, 'test/suites/interop/results.yaml'), results)
    writeFileSync(join(root, 'test/suites/interop/tools.yaml'), '- { name: tool, commands: [a < b] }\n')
    expect(toolRows(root)).toEqual([['tool 1', '', 'skipped: \\<none\\>']])
    expect(toolCommands(root)).toContain('\na < b\n')
  } finally {
    rmSync(root, { recursive: true })
  }
})
