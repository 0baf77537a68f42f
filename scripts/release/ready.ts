import semver from 'semver'
import { run } from '../support/process.js'

/**
 * Requires that everything is committed, on a branch that is published and contains what others have pushed to it, and
 * that something has changed since the last release. Resolves to the name of the branch.
 *
 * @throws Error that says what to do
 */
export async function requireReady(root: string, last: string): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: root })).trimEnd()
  const status = await git('status', '--porcelain')
  if (status !== '')
    throw new Error(
      `Something is not committed yet:\n\n${status}\nCommit it first, so that the release contains only itself.`,
    )
  const branch = await git('branch', '--show-current')
  const older = `${semver.major(last)}.x`
  if (branch !== 'main' && branch !== older)
    throw new Error(
      `This is ${branch ? `the branch ${branch}` : 'no branch'}. Release from main, or from ${older} for users who stay on that version.`,
    )
  const upstream = await git('for-each-ref', '--format=%(upstream:short)', `refs/heads/${branch}`)
  if (upstream !== '') {
    await git('fetch', '--quiet')
    const missing = Number(await git('rev-list', '--count', `HEAD..${upstream}`))
    if (missing > 0)
      throw new Error(
        `${upstream} has ${missing === 1 ? '1 commit that is' : `${missing} commits that are`} not here. Pull first, and test what was pulled.`,
      )
  }
  const tag = `v${last}`
  if ((await git('tag', '--list', tag)) !== '' && (await git('diff', '--name-only', tag, 'HEAD')) === '')
    throw new Error(`Nothing has changed since ${tag}. There is nothing to release.`)
  return branch
}
