import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { otherLanguagesPage } from '../../scripts/emit/docs/other-languages.js'
import { repository } from '../support/project.js'

interface Entry {
  name: string
  commands: string[]
  program?: string
  outcome?: string
}

const entriesOf = (file: string): Entry[] => parse(readFileSync(join(repository, 'test/interop', file), 'utf8'))

it('the saved results are those of the tools and commands that npm run test:interop runs, and none failed', () => {
  const facts = (entries: Entry[]) => entries.map(({ name, commands, program }) => ({ name, commands, program }))
  const results = entriesOf('results.yaml')
  expect(facts(results)).toEqual(facts(entriesOf('tools.yaml')))
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

it('the page "Other languages" shows every tool with its commands and its result', () => {
  const page = otherLanguagesPage(repository) ?? ''
  for (const { name, commands, outcome } of entriesOf('results.yaml')) {
    expect(page).toContain(name)
    expect(page).toContain(`${outcome}: `)
    for (const command of commands) expect(page).toContain(command.replaceAll('&', '&amp;').split(/[<>"]/)[0])
  }
})

it('there is no page "Other languages" without results, and results are escaped', () => {
  const root = mkdtempSync(join(tmpdir(), 'site-'))
  try {
    expect(otherLanguagesPage(root)).toBeUndefined()
    mkdirSync(join(root, 'test/interop'), { recursive: true })
    const results = "- { name: tool, version: '1', commands: [a < b], does: reads, outcome: skipped, reason: <none> }\n"
    writeFileSync(join(root, 'test/interop/results.yaml'), results)
    const page = otherLanguagesPage(root)
    expect(page).toContain('<code>a &lt; b</code>')
    expect(page).toContain('skipped: &lt;none&gt;')
  } finally {
    rmSync(root, { recursive: true })
  }
})
