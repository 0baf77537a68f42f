/**
 * How much there is to read, and to install.
 *
 *     npm run build && npx tsx bench/sources.ts
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: root, encoding: 'utf8' })

const linesOf = (...folders: string[]): number =>
  run('git', 'ls-files', ...folders)
    .trim()
    .split('\n')
    .reduce((sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0)

const print = (what: string, figure: number, most?: number) =>
  console.log(
    `${what.padEnd(34)}${figure.toLocaleString('en').padStart(9)}${most ? `   at most ${most.toLocaleString('en')}` : ''}`,
  )

print('lines of src/ and scripts/', linesOf('src', 'scripts'), 14_000)
for (const folder of ['src/client', 'src/service', 'src/sandbox', 'src/conformance', 'src/redis', 'src/testing'])
  print(`  ${folder}/`, linesOf(folder))
print('  scripts/', linesOf('scripts'), 3_500)
print("lines of site/, the site's sources", linesOf('site'))
const [{ size, unpackedSize, entryCount }] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'))
print('bytes of the tarball', size, 220_000)
print('bytes of it unpacked', unpackedSize)
print('files of it', entryCount)
