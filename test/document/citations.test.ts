import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { basis } from '../../generated/operations.js'
import { repository } from '../support/project.js'

/** What people read, without the changelog, which tells of the past. */
const FILES = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md']
const FOLDERS = ['docs', 'examples', 'openapi', 'scripts', 'site', 'src']
const TEXT = /\.(md|yaml|ts|tsx|js|py|go)$/
/** The register itself, and the document as last released. */
const OTHERS = /node_modules|^openapi\/(basis|released)\.yaml$/

it('prose and comments name no entry of the register that is unknown or retired', () => {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true }).map((file) => `${folder}/${file}`),
  )
  const wrong = [...FILES, ...inFolders]
    .filter((file) => TEXT.test(file) && !OTHERS.test(file))
    .flatMap((file) =>
      idsIn(file, readFileSync(join(repository, file), 'utf8'))
        .filter((id) => !(id in basis))
        .map((id) => `${file}: ${id}`),
    )
  expect(wrong).toEqual([])
})

/** The ids in a file. Code of a page of Markdown shows changes, whose entries are only examples. */
function idsIn(file: string, text: string): string[] {
  const prose =
    file.endsWith('.md') && !file.includes('guides/') ? text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm, '') : text
  return [...new Set(prose.match(/(?<![\w#])[SODA]\d\d(?!\w)/g))]
}
