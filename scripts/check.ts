import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { generate } from './build.js'
import { type Diagnostic, exitWithError, throwIfProblems } from './diagnostics.js'
import { emitDist } from './emit/dist.js'
import { frozenProblems } from './release/frozen.js'
import { breakingChanges, compare, contractVersion } from './release/plan.js'
import { openStage } from './stage.js'

/**
 * `npm run check`: `generated/` is what `openapi/` makes, no frozen release has changed, and the version says so when
 * the contract breaks the last release. Changes nothing.
 *
 * @throws BuildError with everything that fails
 */
async function check(root: string): Promise<void> {
  using stage = openStage(root, process.stdout)
  const { files } = generate(root, stage)
  const generated = join(stage.folder, 'generated')
  const frozen = stage.step('frozen', [], () => throwIfProblems(frozenProblems(root)))
  stage.step('drift', [files], () => throwIfProblems(driftProblems(generated, join(root, 'generated'))))
  const dist = stage.step('dist', [files], () => emitDist(root, stage.folder))
  stage.step('version', [frozen, dist], async () => throwIfProblems(await versionProblems(root, stage.folder)))
  await stage.settled()
}

function driftProblems(made: string, there: string): Diagnostic[] {
  const contentOf = (path: string) => existsSync(path) && readFileSync(path, 'latin1')
  const files = new Set([made, there].filter(existsSync).flatMap((folder) => readdirSync(folder)))
  const stale = [...files].filter((file) => contentOf(join(made, file)) !== contentOf(join(there, file)))
  const message = 'This is not what openapi/ makes. Run "npm run build" and commit the result.'
  return stale.map((file) => ({ file: join('generated', file), rule: 'drift', message }))
}

/** What breaks those who use the last release, unless the version of the contract is the next major one. */
async function versionProblems(root: string, folder: string): Promise<Diagnostic[]> {
  const comparison = await compare(root, folder)
  const { last, impact, version } = comparison
  if (impact !== 'major' || !semver.lt(contractVersion(root), version)) return []
  return breakingChanges(comparison).map((text) => ({
    file: 'openapi/openapi.yaml',
    rule: 'breaking',
    message: `${text}. This breaks those who use ${last?.version}; undo it, or give the contract the version ${version} (info.version).`,
  }))
}

check(process.cwd()).catch(exitWithError)
