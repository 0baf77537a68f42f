import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf } from '../../../scripts/emit/dist.js'
import { exportsOf, optionsOf } from '../../../scripts/support/surface.js'
import { repository } from '../../support/project.js'

/**
 * What no reader meets does not exist: every exported value and option is in the prose, a command or a snippet of
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

const text = documents.join('\n')
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

it('every option is shown in README, AGENTS, a guide or an example', () => {
  const missing = Object.entries(optionsOf(join(repository, 'dist'), entries)).flatMap(([entry, names]) =>
    names.filter((name) => !isShown(name)).map((name) => `${entry} ${name}`),
  )
  expect(missing).toEqual([])
})
