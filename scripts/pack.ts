import { execFile } from 'node:child_process'
import { chmod, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { build, report } from './build.js'

/** A tarball as `npm pack` makes it. */
export interface Packed {
  /** Where it is. */
  path: string
  /** Its size in bytes, packed and unpacked. */
  size: number
  unpackedSize: number
  /** Its digest, as a lockfile has it. */
  integrity: string
  files: { path: string; size: number; mode: number }[]
}

/**
 * Packs the project as it would be published into a folder. `dist/` and `generated/` are taken as they are: build first.
 * A dry run writes nothing.
 *
 * @throws Error with what npm printed
 */
export async function pack(root: string, into: string, { dryRun = false } = {}): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into, ...(dryRun ? ['--dry-run'] : [])]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const [report] = JSON.parse(stdout) as [Omit<Packed, 'path'> & { filename: string }]
  const { filename, size, unpackedSize, integrity, files } = report
  return { path: join(into, filename), size, unpackedSize, integrity, files }
}

/** Gives every file that would be packed the mode that it has on any machine: a tarball keeps modes, and git does not. */
export async function settleModes(root: string): Promise<void> {
  const { bin = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>
  }
  const commands = new Set(Object.values(bin).map(normalize))
  const { files } = await pack(root, tmpdir(), { dryRun: true })
  for (const { path } of files) await chmod(join(root, path), commands.has(path) ? 0o755 : 0o644)
}

/**
 * Run by npm before it packs or publishes this package or that of the releases: builds, so that nothing stale is packed,
 * and settles the modes of the files.
 */
async function prepack(): Promise<void> {
  await build({ root: join(import.meta.dirname, '..'), output: process.stderr })
  await settleModes(process.cwd())
}

if (process.argv[1] === import.meta.filename)
  prepack().catch((error) => {
    report(error)
    process.exit(1)
  })
