import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { run } from '../support/process.js'
import { openStage } from '../support/stage.js'
import { withRelease } from './changelog.js'
import { freeze } from './document.js'

/** The paths that a release commits. */
const COMMITTED = [
  'openapi',
  'generated',
  'docs/guides',
  'examples',
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
]

/**
 * Makes, tests and commits a release in a Git worktree below `.build/`, which is removed when the process ends. The
 * project receives the release at the end: one that fails or is interrupted before leaves every file, branch and tag as
 * it was.
 */
export async function publish(root: string, version: string, date: string): Promise<void> {
  const stage = openStage(root)
  process.on('exit', () => execFileSync('git', ['worktree', 'prune'], { cwd: root }))
  let isCommitted = false
  const stopped = new AbortController()
  // SIGHUP is that of a terminal that was closed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isCommitted) return
      stopped.abort()
      process.exit(128 + constants.signals[signal])
    })
  const npm = async (...args: string[]) => {
    process.stdout.write(`Running npm ${args.join(' ')} …\n`)
    await run('npm', [...args, '--silent'], { cwd: stage.folder, signal: stopped.signal, detached: true })
  }
  try {
    await run('git', ['worktree', 'add', '--detach', stage.folder], { cwd: root })
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(stage.folder, 'node_modules'))
    // Before the tests, which build: they would hide that what is generated was not committed.
    await npm('run', 'check')
    await write(stage.folder, version, date)
    await npm('test')
    await npm('run', 'lint')
    await run('git', ['add', ...COMMITTED], { cwd: stage.folder })
    await run('git', ['commit', '-m', `Release ${version}`], { cwd: stage.folder })
    const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: stage.folder })).trim()
    isCommitted = true
    await moveTo(root, commit, version)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\nNothing is released; every file is as it was.`, { cause: error })
  }
  try {
    stage.swapIn([])
  } catch (error) {
    const message = `Version ${version} is released, but its build could not be put in place: run npm run build.`
    throw new Error(`${(error as Error).message}\n\n${message}`, { cause: error })
  }
}

/** Writes the version, the section of the changelog, and the document as released. */
async function write(folder: string, version: string, date: string): Promise<void> {
  const edit = (file: string, change: (text: string) => string) => {
    const path = join(folder, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  edit('openapi/openapi.yaml', (text) => text.replace(/^( {2}version: ).+$/m, `$1${version}`))
  for (const file of ['package.json', 'package-lock.json'])
    edit(file, (text) => {
      const content = JSON.parse(text)
      for (const each of [content, content.packages?.['']]) if (each) each.version = version
      return `${JSON.stringify(content, null, 2)}\n`
    })
  for (const file of examplePackages(folder))
    edit(file, (text) => text.replace(/("@workflow-automation\/contract": ")[^"]+/, `$1^${version}`))
  edit('CHANGELOG.md', (text) => withRelease(text, version, date))
  await freeze(folder)
}

/** The examples ask for the version that they come with. */
const examplePackages = (folder: string): string[] =>
  readdirSync(join(folder, 'examples'))
    .map((name) => join('examples', name, 'package.json'))
    .filter((file) => existsSync(join(folder, file)))

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
