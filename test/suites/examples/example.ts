import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pack } from '../../../scripts/pack.js'
import { finish, repository } from '../../support/project.js'

const WORKSHOP = join(repository, '.build/examples')

/** The packed package, as its users get it. */
export async function packed(): Promise<string> {
  mkdirSync(WORKSHOP, { recursive: true })
  return (await pack(repository, WORKSHOP)).path
}

/** A copy of an example in which its packages are installed, and this one from its tarball. Those of others stay from run to run. */
export async function install(name: string, tarball: string): Promise<string> {
  const folder = join(WORKSHOP, name)
  cpSync(join(repository, 'examples', name), folder, { recursive: true })
  for (const stale of ['@workflow-automation', '.package-lock.json'])
    rmSync(join(folder, 'node_modules', stale), { recursive: true, force: true })
  const file = join(folder, 'package.json')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/("@workflow-automation\/contract": )"[^"]+"/, `$1"file:${tarball}"`),
  )
  const installed = await finish('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], folder)
  if (installed.code !== 0) throw new Error(`npm cannot install the packages of ${name}:\n${installed.printed}`)
  return folder
}

/** Whether a command of the machine can be called. */
export const canRun = async (command: string, ...args: string[]): Promise<boolean> =>
  (await finish(command, args, repository).catch(() => ({ code: 1 }))).code === 0
