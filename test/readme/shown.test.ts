import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf } from '../../scripts/emit/dist.js'
import { exportsOf, flagsOf, optionsOf } from '../../scripts/support/surface.js'
import { repository } from '../support/project.js'

/**
 * What no reader meets does not exist: every exported value, option and flag is in the prose, a command or a snippet of
 * README, AGENTS, a guide or an example. The snippets are compiled by other tests.
 */
const files = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => !/^(node_modules|package-lock\.json)$/.test(name))
        .flatMap((name) => files(join(path, name)))
    : [path]
const documents = ['README.md', 'AGENTS.md', 'docs/guides', 'examples']
  .flatMap((path) => files(join(repository, path)))
  .map((path) => readFileSync(path, 'utf8'))

/** A table whose first column has options says what each is, and shows none in use. */
const withoutOptionTables = (text: string): string =>
  text.replaceAll(/^\|.*\n\|[-:| ]+\|\n(?:\|.*\n?)+/gm, (table) => (isOfOptions(table) ? '' : table))
const isOfOptions = (table: string): boolean =>
  /^\| *(?:[^|]*\boptions?\b|What happens|Which calls)/i.test(table) || /^\| *`--/m.test(table)

const text = documents.map(withoutOptionTables).join('\n')
const isShown = (name: string): boolean => new RegExp(`(?<![\\w$-])${name}(?![\\w-])`).test(text)

/** The checks of schemas and the examples of the document are families: there are more with each schema. */
const familyOf = (entry: string, name: string): string =>
  entry === './examples' ? (/^error[A-Z]/.test(name) ? 'error…' : 'examples') : /^is[A-Z]/.test(name) ? 'is…' : name

const entries = entriesOf(repository)

it('every exported value is shown in README, AGENTS, a guide or an example', () => {
  const exported = exportsOf(join(repository, 'dist'), entries)
  const families = new Map<string, string[]>()
  for (const [entry, all] of Object.entries(exported))
    for (const { name } of all.filter(({ isValue }) => isValue)) {
      const family = `${entry} ${familyOf(entry, name)}`
      families.set(family, [...(families.get(family) ?? []), name])
    }
  expect(families.size).toBeGreaterThan(40)
  const missing = [...families].filter(([, names]) => !names.some(isShown)).map(([family]) => family)
  expect(missing).toEqual([])
})

it('every option is shown in README, AGENTS, a guide or an example, and not only in a table of options', () => {
  const missing = Object.entries(optionsOf(join(repository, 'dist'), entries)).flatMap(([entry, names]) =>
    names.filter((name) => !isShown(name)).map((name) => `${entry} ${name}`),
  )
  expect(missing).toEqual([])
})

it('every flag of a command is shown in README, AGENTS, a guide or an example, and not only in a table of options', async () => {
  const flags = await flagsOf()
  const missing = Object.entries(flags).flatMap(([command, names]) =>
    names.filter((name) => !isShown(name)).map((name) => `${command} ${name}`),
  )
  expect(missing).toEqual([])
})

it('a name that only a table of options has counts as not shown', () => {
  const table = '| Option | Default |\n|---|---|\n| `patience` | 5 |\n\nAfter it.\n'
  expect(withoutOptionTables(table)).toBe('\nAfter it.\n')
  expect(withoutOptionTables('| error | when |\n|---|---|\n| `LostError` | it is lost |\n')).toContain('LostError')
})
