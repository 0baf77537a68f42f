import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, normalize, resolve } from 'node:path'
import { build } from './build.js'
import { run } from './support/process.js'

/** A tarball as `npm pack` makes it. */
export interface Packed {
  /** Where it is. */
  path: string
  /** Its size in bytes, and that of its files. */
  size: number
  unpackedSize: number
  files: { path: string }[]
}

/** The fields of a manifest that only development needs. */
const DEVELOPMENT_FIELDS = ['devDependencies', 'overrides', 'scripts']

/** The part of AGENTS.md about files that are not packed. */
const ABOUT_THE_REPOSITORY = /\n## Change the contract\n[\s\S]*$/

/**
 * Packs the project as it is published into a folder: what npm would pack, with a manifest for those who install it.
 * `dist/` and `generated/` are taken as they are: build first. A dry run writes nothing.
 *
 * @throws Error with what npm printed
 */
export async function pack(root: string, into: string, { dryRun = false } = {}): Promise<Packed> {
  const stage = await mkdtemp(join(tmpdir(), 'pack-'))
  try {
    const { files } = await npmPack(root, '--dry-run')
    for (const { path } of files) await cp(join(root, path), join(stage, path))
    const manifest = Object.entries(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
    const published = Object.fromEntries(manifest.filter(([name]) => !DEVELOPMENT_FIELDS.includes(name)))
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    const agents = join(stage, 'AGENTS.md')
    await writeFile(agents, (await readFile(agents, 'utf8')).replace(ABOUT_THE_REPOSITORY, ''))
    const { filename, ...packed } = await npmPack(stage, '--pack-destination', into, ...(dryRun ? ['--dry-run'] : []))
    return { ...packed, path: join(into, filename) }
  } finally {
    await rm(stage, { recursive: true })
  }
}

async function npmPack(folder: string, ...args: string[]): Promise<Omit<Packed, 'path'> & { filename: string }> {
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--ignore-scripts', ...args], { cwd: folder }))
  return packed
}

/** Gives every file that would be packed the mode that it has on any machine: a tarball keeps modes, and git does not. */
export async function settleModes(root: string): Promise<void> {
  const { bin = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const commands = Object.values<string>(bin).map(normalize)
  const { files } = await npmPack(root, '--dry-run')
  for (const { path } of files) await chmod(join(root, path), commands.includes(path) ? 0o755 : 0o644)
}

/** Packs the package as it is published, as `contract.tgz`. */
export async function packTarball(root: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true })
  const { path } = await pack(root, into)
  await rename(path, join(into, 'contract.tgz'))
}

/** Builds, so that nothing stale is packed, settles the modes of the files, and packs the package as it is published. */
export async function buildTarball(into: string): Promise<void> {
  const root = join(import.meta.dirname, '..')
  await build({ root, output: process.stderr, site: false })
  await settleModes(root)
  await packTarball(root, resolve(into))
}
