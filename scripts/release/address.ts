import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const GUIDES = 'docs/guides'

/** The files that name the address. */
const addressed = (root: string): string[] => [
  ...['package.json', 'README.md', 'SECURITY.md'],
  ...readdirSync(join(root, GUIDES)).map((name) => join(GUIDES, name)),
]

/** The address as package.json has it. */
export const addressOf = (root: string): string =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository.url.replace(/^git\+|\.git$/g, '')

/**
 * Replaces the address of the repository wherever it is written. The one in package.json is a placeholder until the
 * project has a home; the publish workflow inserts its own.
 *
 * @throws Error for what is no address
 */
export function replaceAddress(root: string, address: string): void {
  const after = address.replace(/\.git$/, '')
  if (!/^https:\/\/[^/\s]+(\/[^/\s?#]+){2,}$/.test(after))
    throw new Error(`"${address}" is not an address. Write npm run release -- address https://<host>/<owner>/<name>`)
  const before = addressOf(root)
  for (const file of addressed(root).map((name) => join(root, name)))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, after))
}
