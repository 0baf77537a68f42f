import { chmod, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { build } from './build.js'
import { exitWithError } from './diagnostics.js'
import { run } from './process.js'

/** A tarball as `npm pack` makes it. */
export interface Packed {
  /** Where it is. */
  path: string
  /** Its size in bytes. */
  size: number
  files: { path: string }[]
}

/**
 * Packs the project as it would be published into a folder. `dist/` and `generated/` are taken as they are: build first.
 * A dry run writes nothing.
 *
 * @throws Error with what npm printed
 */
export async function pack(root: string, into: string, { dryRun = false } = {}): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into, ...(dryRun ? ['--dry-run'] : [])]
  const [{ filename, ...packed }] = JSON.parse(await run('npm', args, { cwd: root }))
  return { ...packed, path: join(into, filename) }
}

/** Gives every file that would be packed the mode that it has on any machine: a tarball keeps modes, and git does not. */
export async function settleModes(root: string): Promise<void> {
  const { bin = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const commands = Object.values<string>(bin).map(normalize)
  const { files } = await pack(root, tmpdir(), { dryRun: true })
  for (const { path } of files) await chmod(join(root, path), commands.includes(path) ? 0o755 : 0o644)
}

/**
 * Run by npm before it packs or publishes this package or that of the releases: builds, so that nothing stale is packed,
 * and settles the modes of the files.
 */
async function prepack(): Promise<void> {
  await build({ root: join(import.meta.dirname, '..'), output: process.stderr })
  await settleModes(process.cwd())
}

if (process.argv[1] === import.meta.filename) prepack().catch(exitWithError)
