import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** Where the matrix keeps what it downloads and makes; git ignores it. */
export const workshop = (root: string): string => join(root, '.matrix')

/**
 * Installs runtimes, compilers and bundlers at the versions of `tools.json`, unless an earlier run has. Their binaries are
 * in packages of their own, so no install script runs.
 *
 * @returns the folder of the packages
 */
export async function installTools(root: string): Promise<string> {
  const folder = join(workshop(root), 'tools')
  const wanted = await readFile(join(import.meta.dirname, 'tools.json'), 'utf8')
  const marker = join(folder, 'installed.json')
  const packages = join(folder, 'node_modules')
  if ((await readFile(marker, 'utf8').catch(() => undefined)) === wanted) return packages
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), wanted)
  await npmInstall(folder)
  await writeFile(marker, wanted)
  return packages
}

/** Installs the packed tarball into an empty project, as its users do. */
export async function installPackage(root: string, tarball: string): Promise<string> {
  const folder = join(workshop(root), 'project')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await copyFile(tarball, join(folder, 'contract.tgz'))
  const manifest = { name: 'consumer', private: true, type: 'module' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await npmInstall(folder, './contract.tgz')
  return folder
}

const npmInstall = (folder: string, ...packages: string[]) =>
  exec('npm', ['install', ...packages, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  })
