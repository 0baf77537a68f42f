import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Packed, pack } from '../../scripts/pack.js'
import { type Finished, finish, repository, tsc } from '../support/project.js'

export const NAME = '@workflow-automation/contract'

/** A project of somebody else that has installed the packed tarball. */
export interface Consumer {
  root: string
  packed: Packed
  /** The installed package. */
  installed: string
  write(file: string, text: string): void
  /** Runs Node in the project. */
  node(...args: string[]): Promise<Finished>
  /** Runs the repository's TypeScript in the project. */
  tsc(...args: string[]): Promise<Finished>
  remove(): void
}

/**
 * Packs the repository and unpacks the tarball into a project of its own. What npm would download beside it, the
 * dependencies, is linked from the repository.
 */
export async function consumer(): Promise<Consumer> {
  const { root, packed, installed } = await emptyProject()
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', packed.path, '-C', installed, '--strip-components=1'])
  for (const name of dependencyNames(installed)) link(root, name)
  return consumerOf(root, packed, installed)
}

/** The same as npm installs it in the layout of pnpm, where a project sees the package and not its dependencies. */
export async function linkedConsumer(): Promise<Consumer> {
  const { root, packed, installed } = await emptyProject()
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', ['install', '--install-strategy=linked', ...quiet, packed.path], { cwd: root, stdio: 'pipe' })
  return consumerOf(root, packed, installed)
}

async function emptyProject() {
  const root = mkdtempSync(join(tmpdir(), 'consumer-'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  return { root, packed: await pack(repository, root), installed: join(root, 'node_modules', NAME) }
}

function consumerOf(root: string, packed: Packed, installed: string): Consumer {
  return {
    root,
    packed,
    installed,
    write(file, text) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    },
    node: (...args) => finish(process.execPath, args, root),
    tsc: (...args) => tsc(root, ...args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Makes a package of the repository one of the project. */
export const link = (root: string, name: string): void => {
  const to = join(root, 'node_modules', name)
  mkdirSync(dirname(to), { recursive: true })
  const from = ['node_modules', 'test/node_modules'].map((folder) => join(repository, folder, name))
  symlinkSync(from.find((path) => existsSync(path)) ?? '', to)
}

/** The run-time dependencies of a package, and theirs. */
export function dependencyNames(folder: string): string[] {
  const names = new Set<string>()
  const add = (of: string) => {
    for (const name of Object.keys(manifestOf(of).dependencies ?? {}))
      if (!names.has(name)) {
        names.add(name)
        add(join(repository, 'node_modules', name))
      }
  }
  add(folder)
  return [...names]
}

export interface Manifest {
  exports: Record<string, string | Record<string, string>>
  bin?: Record<string, string>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Every entry of a package with its targets. */
export const entriesOf = (folder: string): [string, string | Record<string, string>][] =>
  Object.entries(manifestOf(folder).exports)

export const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
