import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generate } from './emit/index.js'
import { buildTarball } from './pack.js'
import { replaceAddress } from './release/address.js'
import { unreleasedNotes } from './release/changelog.js'
import { type Comparison, changesText, chosenVersion, compare, packageVersion } from './release/document.js'
import { publish } from './release/publish.js'
import { requireReady } from './release/ready.js'
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
  const isDryRun = values['dry-run']
  // npm takes options before "--" as its own, and sets a variable for them.
  if (process.env.npm_config_dry_run === 'true' && !isDryRun)
    throw new Error('npm has kept --dry-run for itself. Write npm run release -- --dry-run')
  const [command, address = '', ...more] = positionals
  if (command && (isDryRun || values.version)) throw new Error(`The command takes no options.\n\n${USAGE}`)
  if (command === 'address' && more.length === 0) return replaceAddress(root, address)
  if (command === 'tarball' && address === '') return await buildTarball(join(root, 'tarballs'))
  if (command) throw new Error(`Unknown arguments "${positionals.join(' ')}".\n\n${USAGE}`)
  const branch = isDryRun ? '' : await requireReady(root, packageVersion(root))
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
  if (isMajor && !isDryRun && branch !== 'main')
    throw new Error(`${version} is a new major version. Release it from main, and not from ${branch}.`)
  process.stdout.write(
    `Last release  ${comparison.last}\nNext release  ${version}\n\n${changesText(comparison)}\n${notes}\n\n`,
  )
  if (isDryRun) return
  await publish(root, version, new Date().toISOString().slice(0, 10))
  process.stdout.write(
    `Released: committed and tagged v${version}. Push both to publish: git push --atomic origin ${branch} v${version}\n`,
  )
}

/** Generates the document as it is now, and compares it with the last release. */
async function inspect(root: string): Promise<Comparison> {
  using stage = openStage(root)
  const { files } = generate(root, stage)
  const comparison = stage.step('compare', [files], () => compare(root, join(stage.folder, 'generated/openapi.yaml')))
  await stage.settled()
  return comparison
}

main(process.cwd()).catch((error) => {
  if (error instanceof BuildError) printFailure(error)
  else process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
