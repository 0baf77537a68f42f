import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { emitDist } from './emit/dist.js'
import { emitDocs } from './emit/docs/index.js'
import { emitPageScripts } from './emit/docs/scripts.js'
import { generate } from './emit/index.js'
import { PACKAGES_IN_CHECKS } from './emit/modules/checks.js'
import { readReference } from './emit/reference.js'
import { lintExercised } from './lint/exercised.js'
import { makeNotices } from './notices.js'
import { makeSbom } from './sbom.js'
import { exitWithError, printFailure, throwIfProblems } from './support/diagnostics.js'
import { openStage, type Stage } from './support/stage.js'
import type { Output } from './support/steps.js'

export interface BuildOptions {
  /** The project's folder. */
  root: string
  /** Where progress is written; default standard output. */
  output?: Output
  /** Whether the site and the reference of the package are made; default true. Without it, none is in `dist/`. */
  site?: boolean
}

/**
 * Makes `generated/` and `dist/` from `openapi/` and `src/`, and fills in `docs/guides/`. Nothing is changed unless every
 * step succeeds.
 *
 * @throws BuildError with every problem that was found
 */
export async function build({ root, output = process.stdout, site = true }: BuildOptions): Promise<void> {
  using stage = openStage(root, output)
  const parts = makePackage(root, stage)
  if (site) makeSite(root, stage, parts)
  await stage.settled()
  if (site) moveSite(stage, stage.folder)
  output.write(builtText(stage.swapIn(await parts.guides)))
}

/** Builds the package first. Resolves to a function that makes the site. */
export async function buildPackage({ root, output = process.stdout }: BuildOptions): Promise<() => Promise<void>> {
  // If this part fails, the stage is removed when the process exits.
  const stage = openStage(root, output)
  const parts = makePackage(root, stage)
  await stage.settled()
  const edited = stage.swapIn(await parts.guides)
  return async () => {
    using open = stage
    makeSite(root, open, parts)
    await open.settled()
    moveSite(open, root)
    output.write(builtText(edited))
  }
}

const builtText = (edited: string[]): string =>
  [
    'Built generated/ and dist/, and filled in docs/guides/.\n',
    ...edited.map((file) => `${file} was edited meanwhile and stays as it is: build again.\n`),
  ].join('')

function makePackage(root: string, stage: Stage) {
  const { source, contract, files, guides } = generate(root, stage)
  const compiled = stage.step('dist', [files], () => emitDist(root, stage.folder))
  stage.step('exercised', [compiled], async () =>
    throwIfProblems(await lintExercised(root, join(stage.folder, 'dist'), await source, await contract)),
  )
  stage.step('notices', [compiled], async () => {
    const bundled = [...(await compiled), ...PACKAGES_IN_CHECKS].sort()
    stage.write('dist/third-party-notices.txt', makeNotices(root, bundled))
    stage.write('dist/sbom.cdx.json', JSON.stringify(await makeSbom(root, bundled), null, 2))
  })
  // Parts of the site, but made of the staged sources, which move when the package is in its place.
  stage.step('page scripts', [compiled], () => emitPageScripts(root, stage.folder, siteIn(stage)))
  return { contract, compiled, guides }
}

function makeSite(root: string, stage: Stage, { contract, compiled }: ReturnType<typeof makePackage>): void {
  const reference = stage.step('reference', [compiled], () => readReference(root, stage.folder))
  const options = { root, folder: stage.folder, out: siteIn(stage), signal: stage.stopped }
  stage.step('site', [contract, reference], async () => emitDocs(await contract, await reference, options))
}

const siteIn = (stage: Stage): string => join(stage.folder, 'docs-site')

function moveSite(stage: Stage, folder: string): void {
  mkdirSync(join(folder, 'dist'), { recursive: true })
  renameSync(siteIn(stage), join(folder, SITE))
}

/** Where the site is. */
export const SITE = 'dist/docs'

/**
 * Builds once, then again whenever a file of the contract, the code, the examples or the site has changed, or README and the like. A change
 * of `scripts/` needs a restart.
 */
async function buildAndWatch(root: string): Promise<void> {
  for (let before = ''; ; await setTimeout(250)) {
    const now = modificationTimes(root)
    if (now !== before) await build({ root }).catch(printFailure)
    before = now
  }
}

/** The times and sizes of all files. A watcher of the system loses a file that an editor replaces twice. */
const modificationTimes = (root: string): string =>
  [
    ...['openapi', 'docs/guides', 'examples', 'site', 'src'].flatMap((folder) => filesOf(join(root, folder), true)),
    ...filesOf(root, false),
  ]
    .map((file) => {
      const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {}
      return `${file} ${mtimeMs} ${size}`
    })
    .join('\n')

const filesOf = (folder: string, recursive: boolean): string[] =>
  readdirSync(folder, { recursive, withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [join(each.parentPath, each.name)] : [],
  )

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      process.stderr.write('\nInterrupted; generated/ and dist/ are unchanged.\n')
      process.exit(128 + constants.signals[signal])
    })
  const { values } = parseArgs({
    options: { watch: { type: 'boolean' }, site: { type: 'boolean', default: true } },
    allowNegative: true,
  })
  await (values.watch ? buildAndWatch(process.cwd()) : build({ root: process.cwd(), site: values.site }))
}

if (process.argv[1] === import.meta.filename) main().catch(exitWithError)
