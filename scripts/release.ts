import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import semver from 'semver'
import { build, report } from './build.js'
import { BuildError } from './diagnostics.js'
import { emitDist } from './emit/dist.js'
import { generate } from './generate.js'
import { run } from './process.js'
import { sectionText, withSection } from './release/changelog.js'
import { freeze } from './release/frozen.js'
import { type Comparison, compare, contractVersion, lastRelease, lastVersion } from './release/plan.js'
import { collectTypes } from './release/types.js'
import { makeSbom } from './sbom.js'
import { openStage } from './stage.js'
import { createSteps } from './steps.js'

const SILENT = { write: () => true }

const USAGE = `npm run release -- [--dry-run] [--version X.Y.Z] [--date YYYY-MM-DD] [--migration FILE]

  --dry-run         show what would be released, and change nothing
  --version X.Y.Z   a version of your choice, if it is not smaller than the changes need
  --date            the release date, today unless said otherwise
  --migration FILE  Markdown: what those have to do whom the release breaks
`

/** `npm run release`: compares with the last release, writes the changelog, freezes, commits and tags. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      version: { type: 'string' },
      date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
      migration: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const root = process.cwd()
  requireDate(values.date)
  if (!values['dry-run']) await requireCleanTree(root)
  const last = lastRelease(root)
  const comparison = last && (await staged(root, (folder) => compare(root, folder, last)))
  const version = chosenVersion(root, values.version, comparison)
  const migration = values.migration === undefined ? undefined : readFileSync(values.migration, 'utf8')
  if (breaks(comparison) && !migration?.trim())
    refuse(
      `This release breaks those who use the last one:\n\n${breakingList(comparison)}\n\nWrite in a file what they have to do, and name it with --migration FILE.`,
    )
  const pinned = comparison?.newDate ?? true
  if (pinned && last && values.date <= last.date)
    refuse(`The last release has the date ${last.date}. Choose a later one with --date.`)
  const section = sectionText({
    version,
    date: values.date,
    pinned,
    changes: comparison?.changes ?? [],
    brokenTypes: comparison?.brokenTypes ?? [],
    migration,
    note: last ? 'Nothing of the contract has changed.' : 'The first release.',
  })
  process.stdout.write(`${summary(comparison, version, pinned, values.date)}\n${section}\n`)
  if (values['dry-run']) return
  await publish(root, { version, date: values.date, pinned, section })
}

const breaks = (comparison: Comparison | undefined): comparison is Comparison => comparison?.impact === 'major'

const breakingList = ({ changes, brokenTypes }: Comparison): string =>
  [
    ...changes.filter(({ impact }) => impact === 'major').map(({ subject, text }) => `${subject}: ${text}`),
    ...brokenTypes,
  ]
    .map((text) => `- ${text}`)
    .join('\n')

/** The version that was asked for, or the greater of what `openapi/openapi.yaml` says and what the changes need. */
function chosenVersion(root: string, wanted: string | undefined, comparison: Comparison | undefined): string {
  const written = contractVersion(root)
  if (!comparison) return wanted ?? written
  const needed = comparison.version
  const version = wanted ?? (semver.gt(written, needed) ? written : needed)
  if (!/^\d+\.\d+\.\d+$/.test(version))
    refuse(`"${version}" is not a version. Write three numbers, for example ${needed}.`)
  if (semver.lt(version, needed))
    refuse(
      `${version} is too small: the changes since ${comparison.last.version} are ${comparison.impact ?? 'patch'}, and the last release is ${lastVersion(root)}. Release ${needed} or more.`,
    )
  return version
}

const summary = (comparison: Comparison | undefined, version: string, pinned: boolean, date: string): string =>
  [
    comparison ? `Last release  ${comparison.last.version} of ${comparison.last.date}` : 'Last release  none',
    `Changes       ${comparison ? `${comparison.changes.length} on the wire, ${comparison.brokenTypes.length} that break types; together ${comparison.impact ?? 'none'}` : 'everything'}`,
    `Next release  ${version}${pinned ? `, frozen as ${date}` : ', no new date'}`,
    '',
  ].join('\n')

/** Writes, freezes, builds, commits and tags; when a step fails, what is tracked is put back as it was. */
async function publish(
  root: string,
  { version, date, pinned, section }: { version: string; date: string; pinned: boolean; section: string },
): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: root })
  if ((await git('tag', '--list', `v${version}`)).trim() !== '')
    refuse(`v${version} is released already. Choose a greater version with --version.`)
  try {
    setVersion(root, version)
    const changelog = join(root, 'CHANGELOG.md')
    writeFileSync(changelog, withSection(existsSync(changelog) ? readFileSync(changelog, 'utf8') : '', section))
    if (pinned) await staged(root, (folder) => freezeStage(root, folder, date, version))
    await build({ root, output: SILENT })
    writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(await makeSbom(root), undefined, 2)}\n`)
    await git('add', ...RELEASED.filter((file) => existsSync(join(root, file))))
    await git('commit', '-m', `Release ${version}`)
  } catch (error) {
    await git('reset', '--quiet', '--hard')
    await git('clean', '--quiet', '--force', '-d', 'openapi', 'generated', 'CHANGELOG.md')
    throw new Error(`${(error as Error).message}\n\nNothing is released; every file is as it was.`)
  }
  await git('tag', '-a', `v${version}`, '-m', `Release ${version}`)
  process.stdout.write(
    `\nReleased: committed and tagged v${version}. The parts that an application installs are in dist/sbom.cdx.json.\n`,
  )
}

/** What a release commits. */
const RELEASED = ['openapi', 'generated', 'package.json', 'package-lock.json', 'CHANGELOG.md']

/** Writes the version where it stands: the contract, the manifest and the lockfile. */
function setVersion(root: string, version: string): void {
  const replace = (file: string, from: RegExp) => {
    const path = join(root, file)
    if (existsSync(path)) {
      const text = readFileSync(path, 'utf8')
      writeFileSync(
        path,
        text.replace(from, (_, before: string, after: string) => `${before}${version}${after}`),
      )
    }
  }
  replace('openapi/openapi.yaml', /^( {2}version: ).+($)/m)
  replace('package.json', /^( {2}"version": ").+(",)$/m)
  replace('package-lock.json', /^( {2}"version": ").+(",)$/m)
  replace('package-lock.json', /^( {6}"version": ").+?(",)$/m)
}

const freezeStage = (root: string, folder: string, date: string, version: string): void =>
  freeze(
    root,
    date,
    version,
    readFileSync(join(folder, 'generated/openapi.yaml'), 'utf8'),
    collectTypes(join(folder, 'dist')),
  )

/** Stages `generated/` and the declarations of `dist/`, as they are now, for a work that reads them. */
async function staged<T>(root: string, work: (folder: string) => T | Promise<T>): Promise<T> {
  const stage = openStage(root)
  try {
    const steps = createSteps(SILENT)
    const { files } = generate(root, stage, steps)
    steps.step('dist', [files], () => emitDist(root, stage.folder))
    await steps.settled()
    return await work(stage.folder)
  } finally {
    stage.discard()
  }
}

async function requireCleanTree(root: string): Promise<void> {
  const status = await run('git', ['status', '--porcelain'], { cwd: root })
  if (status.trim() !== '')
    refuse(`Something is not committed yet:\n\n${status}\nCommit it first, so that the release contains only itself.`)
}

/** A day of the calendar: `2026-02-30` is none. */
function requireDate(date: string): void {
  const day = new Date(`${date}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date)
    refuse(`"${date}" is not a date. Write --date YYYY-MM-DD.`)
}

function refuse(reason: string): never {
  throw new Error(reason)
}

main().catch((error) => {
  if (error instanceof BuildError) report(error)
  else process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
