import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generate } from './emit/index.js'
import { buildTarball } from './pack.js'
import { replaceAddress } from './release/address.js'
import { unreleasedNotes } from './release/changelog.js'
import { type Comparison, changesText, chosenVersion, compare } from './release/document.js'
import { publish } from './release/publish.js'
import { BuildError, printFailure } from './support/diagnostics.js'
import { run } from './support/process.js'
import { openStage } from './support/stage.js'

const USAGE = `npm run release -- [--dry-run] [--version X.Y.Z]
npm run release -- tarball
npm run release -- address https://<host>/<owner>/<name>

  --dry-run         show what would be released, and change nothing
  --version X.Y.Z   a greater version than the document's changes need, such as for a break of the package's own API
  tarball           build, and pack the package as it is published, as tarballs/contract.tgz
  address           replace the address of the repository wherever it stands
`

/** `npm run release`: sets the version, moves "Unreleased", freezes the document, runs the tests, commits and tags. */
async function main(root: string): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      version: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const [command, address = '', ...more] = positionals
  if (command === 'address' && more.length === 0) return replaceAddress(root, address)
  if (command === 'tarball' && address === '') return await buildTarball(join(root, 'tarballs'))
  if (command) throw new Error(`Unknown arguments "${positionals.join(' ')}".\n\n${USAGE}`)
  const isDryRun = values['dry-run']
  if (!isDryRun) await requireCleanTree(root)
  const comparison = await inspect(root)
  const version = chosenVersion(root, values.version, comparison)
  if ((await run('git', ['tag', '--list', `v${version}`], { cwd: root })) !== '')
    throw new Error(`v${version} is released already. Choose a greater version with --version.`)
  const notes = unreleasedNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  const isMajor = version.split('.')[0] !== comparison.last.split('.')[0]
  if (isMajor && notes === '')
    throw new Error(
      `${version} breaks users of ${comparison.last}. Write what they have to do under "## Unreleased" of CHANGELOG.md.`,
    )
  process.stdout.write(
    `Last release  ${comparison.last}\nNext release  ${version}\n\n${changesText(comparison)}\n${notes}\n\n`,
  )
  if (isDryRun) return
  await publish(root, version, new Date().toISOString().slice(0, 10))
  process.stdout.write(`Released: committed and tagged v${version}. Push the tag to publish: git push --follow-tags\n`)
}

/** Generates the document as it is now, and compares it with the last release. */
async function inspect(root: string): Promise<Comparison> {
  using stage = openStage(root)
  const { files } = generate(root, stage)
  const comparison = stage.step('compare', [files], () => compare(root, join(stage.folder, 'generated/openapi.yaml')))
  await stage.settled()
  return comparison
}

async function requireCleanTree(root: string): Promise<void> {
  const status = await run('git', ['status', '--porcelain'], { cwd: root })
  if (status === '') return
  throw new Error(
    `Something is not committed yet:\n\n${status}\nCommit it first, so that the release contains only itself.`,
  )
}

main(process.cwd()).catch((error) => {
  if (error instanceof BuildError) printFailure(error)
  else process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
