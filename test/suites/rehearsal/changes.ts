import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../../support/project.js'
import { type Edit, editsOf } from './page.js'

/** A change of the contract, as a maintainer would make it. */
export interface Change {
  name: string
  /** The change that this one continues; alone, it is made after that. */
  after?: string
  edits: Edit[]
}

interface Source {
  name: string
  after?: string
  /** Where the change is described, `changes/<name>.md` unless said otherwise. */
  page?: string
  /** The section of the page; the whole page unless said otherwise. */
  heading?: string
}

/** In the order in which they are made together. */
const SOURCES: Source[] = [
  { name: 'add-a-field', page: 'CONTRIBUTING.md', heading: 'Add a field' },
  { name: 'list-runs', page: 'docs/adding-an-operation.md' },
  { name: 'state-a-fact', page: 'docs/maintaining.md', heading: 'Turn an assumption into a stated fact' },
  { name: 'add-a-resource' },
  { name: 'remove-an-operation', after: 'add-a-resource' },
  { name: 'add-a-status' },
  { name: 'add-a-plan' },
  { name: 'require-properties' },
]

export const readChanges = (): Change[] =>
  SOURCES.map(({ page, heading, ...source }) => {
    const path = page ?? `test/suites/rehearsal/changes/${source.name}.md`
    return { ...source, edits: editsOf(readFileSync(join(repository, path), 'utf8'), heading) }
  })
