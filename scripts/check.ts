import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import semver from 'semver'
import { generate } from './build.js'
import { type Diagnostic, exitWithError, throwIfProblems } from './diagnostics.js'
import { emitDist } from './emit/dist.js'
import { unreleasedNotes } from './release/changelog.js'
import { frozenProblems } from './release/frozen.js'
import { breakingChanges, type Comparison, changelogOf, compare, contractVersion } from './release/plan.js'
import { openStage } from './stage.js'

/**
 * `npm run check`: `generated/` is what `openapi/` makes, no frozen release has changed, the version says so when the
 * contract breaks the last release, and the changelog names what is new in the types. Changes nothing.
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
  const compared = stage.step('compare', [frozen, dist], () => compare(root, stage.folder))
  stage.step('version', [compared], async () => throwIfProblems(versionProblems(root, await compared)))
  stage.step('changelog', [compared], async () => throwIfProblems(unreleasedProblems(root, await compared)))
  await stage.settled()
}

function driftProblems(made: string, there: string): Diagnostic[] {
  const contentOf = (path: string) => existsSync(path) && readFileSync(path, 'latin1')
  const files = new Set([made, there].filter(existsSync).flatMap(filesBelow))
  const stale = [...files].filter((file) => contentOf(join(made, file)) !== contentOf(join(there, file)))
  const message = 'This is not what openapi/ makes. Run "npm run build" and commit the result.'
  return stale.map((file) => ({ file: join('generated', file), rule: 'drift', message }))
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [relative(folder, join(each.parentPath, each.name))] : [],
  )

/** What the changelog does not name below "Unreleased" of the package's own types. */
function unreleasedProblems(root: string, { last, brokenTypes, addedTypes }: Comparison): Diagnostic[] {
  const notes = unreleasedNotes(changelogOf(root))
  const changed = [...brokenTypes.filter(({ gone }) => gone), ...addedTypes]
    .filter(({ entry }) => entry === '.')
    .map(({ name }) => name.split('.'))
    .filter(([type = '', member]) => member === undefined || type.endsWith('Options'))
    .map((parts) => parts.at(-1) ?? '')
  const missing = [...new Set(changed)].filter((name) => !new RegExp(`\\b${name}\\b`).test(notes))
  if (missing.length === 0) return []
  const message = `The public types have changed since ${last?.version}, and "## Unreleased" does not name ${missing.join(', ')}. Say there what is new, and what replaces what is gone.`
  return [{ file: 'CHANGELOG.md', rule: 'unreleased', message }]
}

/** What breaks those who use the last release, unless the version of the contract is the next major one. */
function versionProblems(root: string, comparison: Comparison): Diagnostic[] {
  const { last, impact, version } = comparison
  if (impact !== 'major' || !semver.lt(contractVersion(root), version)) return []
  return breakingChanges(comparison).map((text) => ({
    file: 'openapi/openapi.yaml',
    rule: 'breaking',
    message: `${text}. This breaks those who use ${last?.version}; undo it, or give the contract the version ${version} (info.version).`,
  }))
}

check(process.cwd()).catch(exitWithError)
