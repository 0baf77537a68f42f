/**
 * Replaces the address of the repository wherever it is written. The one in package.json is a placeholder until the
 * project has a home; the publish workflow inserts its own.
 *
 *     npm run address -- https://github.com/acme/contract
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that name the address. */
export const ADDRESSED = ['package.json', 'README.md', 'SECURITY.md']

/** The address as package.json has it. */
export const addressOf = (root: string): string =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository.url.replace(/^git\+|\.git$/g, '')

function replaceAddress(root: string, address: string): void {
  const before = addressOf(root)
  for (const file of ADDRESSED.map((name) => join(root, name)))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, address))
}

if (process.argv[1] === import.meta.filename) {
  const [address = ''] = process.argv.slice(2)
  if (!/^https:\/\/[^/\s]+\/\S*[^/\s]$/.test(address)) {
    process.stderr.write(`"${address}" is not an address. Write npm run address -- https://<host>/<owner>/<name>\n`)
    process.exit(1)
  }
  replaceAddress(process.cwd(), address)
}
