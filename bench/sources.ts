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
    `${what.padEnd(42)}${figure.toLocaleString('en').padStart(9)}${most ? `   at most ${most.toLocaleString('en')}` : ''}`,
  )

print('lines of src/ and scripts/', linesOf('src', 'scripts'), 19_000)
for (const [most, ...folders] of [
  [2_400, 'src/client'],
  [5_800, 'src/sandbox', 'src/console', 'src/service'],
  [5_200, 'src/conformance'],
  [undefined, 'src/redis'],
  [undefined, 'src/testing'],
  [undefined, 'src/cli'],
  [undefined, 'scripts'],
] as const)
  print(`  ${folders.join(', ')}`, linesOf(...folders), most)
print('lines of test/ without fixtures', linesOf('test') - linesOf('test/fixtures'), 24_000)
print('  test/client', linesOf('test/client'), 5_500)
print("lines of site/, the site's sources", linesOf('site'))
const [{ size, unpackedSize, entryCount }] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'))
print('bytes of the tarball', size, 260_000)
print('bytes of it unpacked', unpackedSize)
print('files of it', entryCount)
