import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Finished, finish, repository } from '../../support/project.js'

/** A copy of the repository as it is now, whether committed or not; it is removed when the process ends. */
export interface Copy {
  root: string
  /** Undoes every change. */
  reset(): void
  commit(): void
  run(command: string): Promise<Finished>
}

const FIRST = 'before-the-change'

export function copyRepository(): Copy {
  // In the repository's folder, since links do not lead from one disk to another.
  mkdirSync(join(repository, '.build'), { recursive: true })
  const root = mkdtempSync(join(repository, '.build/rehearsal-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  process.on('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  const files = git(repository, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate')
  for (const file of files.split('\0').filter((each) => each && existsSync(join(repository, each))))
    cpSync(join(repository, file), join(root, file), { recursive: true })
  execFileSync('cp', ['-al', join(repository, 'node_modules'), join(root, 'node_modules')])
  // What the tools of others are downloaded to.
  mkdirSync(join(repository, '.interop'), { recursive: true })
  symlinkSync(join(repository, '.interop'), join(root, '.interop'))
  const commit = (message: string) => {
    git(root, 'add', '.')
    git(root, '-c', 'user.name=A maintainer', '-c', 'user.email=maintainer@example.com', 'commit', '-qm', message)
  }
  git(root, 'init', '--quiet')
  commit('The project')
  git(root, 'tag', FIRST)
  return {
    root,
    reset() {
      git(root, 'reset', '--quiet', '--hard', FIRST)
      git(root, 'clean', '--quiet', '-fd')
    },
    commit: () => commit('The changes so far'),
    run: (command) => finish('sh', ['-c', command], root),
  }
}
