import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { BuildError, report } from './diagnostics.js'
import { YAML_OPTIONS } from './emit/openapi.js'
import { run } from './process.js'
import { releaseChanges, sectionText, unreleasedNotes } from './release/changelog.js'
import { publishingPlan } from './release/packages.js'
import { breakingChanges, type Comparison, changelogOf, chosenVersion, inspect } from './release/plan.js'
import { publish } from './release/publish.js'

const USAGE = `npm run release -- [--dry-run] [--version X.Y.Z] [--date YYYY-MM-DD] [--migration FILE]

  --dry-run         show what would be released, and change nothing
  --version X.Y.Z   a version of your choice, if it is not smaller than the changes need
  --date            the release date, today unless said otherwise
  --migration FILE  Markdown: what those have to do whom the release breaks; what CHANGELOG.md
                    has under "## Unreleased" becomes part of the section as well
`

/** `npm run release`: compares with the last release, writes the changelog, freezes, commits and tags. */
async function main(root: string): Promise<void> {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      version: { type: 'string' },
      date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
      migration: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const { date, 'dry-run': isDryRun } = values
  // A day of the calendar: 2026-02-30 is none.
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date))
    throw new Error(`"${date}" is not a date. Write --date YYYY-MM-DD.`)
  if (!isDryRun) await requireCleanTree(root)
  const { comparison, types } = await inspect(root)
  const version = chosenVersion(root, values.version, comparison)
  if (!isDryRun && (await run('git', ['tag', '--list', `v${version}`], { cwd: root })) !== '')
    throw new Error(`v${version} is released already. Choose a greater version with --version.`)
  const migration = values.migration && `### How to migrate\n\n${readFileSync(values.migration, 'utf8').trim()}`
  const notes = [unreleasedNotes(changelogOf(root)), migration].filter(Boolean).join('\n\n')
  if (comparison.impact === 'major' && notes === '') throw new Error(withoutNotes(comparison))
  const { last, newDate } = comparison
  const changes = releaseChanges(comparison, notes)
  const free = newDate && last && date <= last.date ? dayAfter(last.date) : date
  const section = sectionText({ version, date: free, comparison, changes, notes })
  process.stdout.write(`${summary(comparison, version, free)}\n${section}\n`)
  const taken = `The last release has the date ${last?.date}, and each has one of its own: release with --date ${free}, or from that day on.`
  if (free !== date && !isDryRun) throw new Error(taken)
  if (free !== date) process.stdout.write(`\n${taken}\n`)
  if (isDryRun) return void process.stdout.write(`\n${await publishingPlan(root, version)}\n`)
  const frozen = {
    'types.txt': types,
    'surface.yaml': stringify(comparison.surface, YAML_OPTIONS),
    'changes.json': `${JSON.stringify(changes, null, 2)}\n`,
  }
  await publish(root, { version, date, frozen: newDate ? frozen : undefined, section })
  process.stdout.write(
    `\nReleased: committed and tagged v${version}. Push the tag to publish: git push --follow-tags\n`,
  )
}

const dayAfter = (date: string): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

function summary({ last, changes, brokenTypes, impact, newDate }: Comparison, version: string, date: string): string {
  const counts = `${changes.length + brokenTypes.length}, ${brokenTypes.length} of them break types; together ${impact ?? 'none'}`
  const undeprecated = changes.filter((change) => change.undeprecated)
  return [
    `Last release  ${last ? `${last.version} of ${last.date}` : 'none'}`,
    `Changes       ${last ? counts : 'everything'}`,
    `Next release  ${version}${newDate ? `, frozen as ${date}` : ', no new date'}\n`,
    ...undeprecated.map(
      ({ subject, text }) => `Warning: ${subject}: ${text}, which ${last?.version} does not mark as deprecated.\n`,
    ),
  ].join('\n')
}

async function requireCleanTree(root: string): Promise<void> {
  const status = await run('git', ['status', '--porcelain'], { cwd: root })
  if (status === '') return
  throw new Error(
    `Something is not committed yet:\n\n${status}\nCommit it first, so that the release contains only itself.`,
  )
}

const withoutNotes = (comparison: Comparison): string =>
  [
    'This release breaks those who use the last one:\n',
    ...breakingChanges(comparison).map((text) => `- ${text}`),
    '\nWrite what they have to do under "## Unreleased" of CHANGELOG.md, or in a file that you name with --migration FILE.',
  ].join('\n')

main(process.cwd()).catch((error) => {
  if (error instanceof BuildError) report(error)
  else process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
