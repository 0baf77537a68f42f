import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.js'
import { loadContract } from '../contract/load.js'
import { emitYaml } from '../emit/openapi.js'
import { run } from '../process.js'
import { openStage } from '../stage.js'
import { withSection } from './changelog.js'
import { type Frozen, freeze } from './frozen.js'
import { changelogOf } from './plan.js'

export interface Publication {
  version: string
  date: string
  /** What is frozen beside the document; undefined when the contract gets no new date. */
  frozen: Omit<Frozen, 'yaml'> | undefined
  /** The section of the changelog. */
  section: string
}

/** What a release commits. */
const RELEASED = ['openapi', 'generated', 'packages', 'package.json', 'package-lock.json', 'CHANGELOG.md']

/**
 * Makes and commits a release in a Git worktree below `.build/`, which is removed when the process ends. The project
 * receives the release at the end: one that fails or is interrupted before leaves every file, branch and tag as it was.
 */
export async function publish(root: string, release: Publication): Promise<void> {
  const stage = openStage(root)
  process.on('exit', () => execFileSync('git', ['worktree', 'prune'], { cwd: root }))
  let isCommitted = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (!isCommitted) process.exit(130)
    })
  try {
    await run('git', ['worktree', 'add', '--detach', stage.folder], { cwd: root })
    for (const shared of ['node_modules', '.interop']) {
      mkdirSync(join(root, shared), { recursive: true })
      symlinkSync(join(root, shared), join(stage.folder, shared))
    }
    await write(stage.folder, release)
    await build({ root: stage.folder, output: { write: () => true } })
    if (release.frozen) await tryOtherTools(stage.folder)
    await run('git', ['add', ...RELEASED], { cwd: stage.folder })
    await run('git', ['commit', '-m', `Release ${release.version}`], { cwd: stage.folder })
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: stage.folder })).trim()
    isCommitted = true
    await moveTo(root, commit, release.version)
    stage.swapIn()
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\nNothing is released; every file is as it was.`)
  }
}

/** Writes the version, the section of the changelog and, for a new date, the frozen files. */
async function write(folder: string, { version, date, frozen, section }: Publication): Promise<void> {
  const contract = join(folder, 'openapi/openapi.yaml')
  writeFileSync(contract, readFileSync(contract, 'utf8').replace(/^( {2}version: ).+$/m, `$1${version}`))
  for (const file of ['package.json', 'packages/releases/package.json', 'package-lock.json']) {
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    for (const each of [content, content.packages?.[''], content.packages?.['packages/releases']])
      if (each) each.version = version
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`)
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), withSection(changelogOf(folder), section))
  if (frozen) freeze(folder, date, version, { yaml: emitYaml(await loadContract(folder)), ...frozen })
}

/** A frozen release that other tools cannot read would stay so. */
async function tryOtherTools(folder: string): Promise<void> {
  process.stdout.write('Trying linters, validators and mocks of others (npm run test:interop -- --quick) …\n')
  process.stdout.write(await run('npm', ['run', '--silent', 'test:interop', '--', '--quick'], { cwd: folder }))
}

/** Tags the commit and moves the branch to it; a branch that cannot follow keeps no tag. */
async function moveTo(root: string, commit: string, version: string): Promise<void> {
  // Apart from the terminal, whose Ctrl+C would stop Git between two files.
  const git = (...args: string[]) => run('git', args, { cwd: root, detached: true })
  await git('tag', '-a', `v${version}`, '-m', `Release ${version}`, commit)
  try {
    await git('merge', '--ff-only', commit)
  } catch (error) {
    await git('tag', '-d', `v${version}`)
    throw error
  }
}
