import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withBasis } from './contract/decorate.js'
import type { Contract } from './contract/index.js'
import { loadContract, readSource } from './contract/load.js'
import { emitDist } from './emit/dist.js'
import { emitDocs, emitGuides, GUIDES } from './emit/docs/index.js'
import { emitPageScripts } from './emit/docs/scripts.js'
import { emitClient } from './emit/modules/client.js'
import { emitClientRules } from './emit/modules/client-rules.js'
import { emitConformance } from './emit/modules/conformance.js'
import { emitErrors } from './emit/modules/errors.js'
import { emitExamples } from './emit/modules/examples.js'
import { emitFields } from './emit/modules/fields.js'
import { emitOperations } from './emit/modules/operations.js'
import { emitTypes } from './emit/modules/types.js'
import { emitValidators, emitWorldCheck } from './emit/modules/validators.js'
import { emitDocuments } from './emit/openapi.js'
import { readReference } from './emit/reference.js'
import { emitReportSchema } from './emit/report-schema.js'
import { emitWorldSchema } from './emit/world.js'
import { lintExercised } from './lint/exercised.js'
import { lintWithRedocly, lintWithSpectral } from './lint/index.js'
import { lintProse } from './lint/prose.js'
import { lintWorkflows } from './lint/workflows.js'
import { makeSbom } from './sbom.js'
import { exitWithError, printFailure, throwIfProblems } from './support/diagnostics.js'
import { openStage, type Stage } from './support/stage.js'
import type { Output } from './support/steps.js'

export interface BuildOptions {
  /** The project's folder. */
  root: string
  /** Where progress is written; default standard output. */
  output?: Output
}

/**
 * Makes `generated/`, `dist/` and `docs/guides/` from `openapi/` and `src/`. Nothing is changed unless every step succeeds.
 *
 * @throws BuildError with every problem that was found
 */
export async function build({ root, output = process.stdout }: BuildOptions): Promise<void> {
  using stage = openStage(root, output)
  makeSite(root, stage, makePackage(root, stage))
  await stage.settled()
  moveSite(stage, stage.folder)
  stage.swapIn()
  output.write(BUILT)
}

/** Builds the package first. Resolves to a function that makes the site. */
export async function buildPackage({ root, output = process.stdout }: BuildOptions): Promise<() => Promise<void>> {
  // If this part fails, the stage is removed when the process exits.
  const stage = openStage(root, output)
  const parts = makePackage(root, stage)
  await stage.settled()
  stage.swapIn()
  return async () => {
    using open = stage
    makeSite(root, open, parts)
    await open.settled()
    moveSite(open, root)
    output.write(BUILT)
  }
}

const BUILT = 'Built generated/, dist/ and docs/guides/.\n'

function makePackage(root: string, stage: Stage) {
  const { source, contract, files } = generate(root, stage)
  const compiled = stage.step('dist', [files], () => emitDist(root, stage.folder))
  stage.step('exercised', [compiled], async () =>
    throwIfProblems(await lintExercised(root, join(stage.folder, 'dist'), await source, await contract)),
  )
  stage.step('sbom', [], async () => stage.write('dist/sbom.cdx.json', JSON.stringify(await makeSbom(root), null, 2)))
  // Parts of the site, but made of the staged sources, which move when the package is in its place.
  stage.step('page scripts', [compiled], () => emitPageScripts(root, stage.folder, siteIn(stage)))
  return { contract, compiled }
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

/** The texts of files below `generated/`. */
type Files = Record<string, string>

/** Reads, lints and bundles the contract and stages the files of `generated/`; `files` resolves when all are staged. */
export function generate(root: string, { step, write }: Stage) {
  const source = step('read', [], () => readSource(root))
  const contract = step('bundle', [source], () => loadContract(root, source))
  const emit = (name: string, files: (contract: Contract) => Files | Promise<Files>) =>
    step(name, [contract], async () => {
      for (const [file, text] of Object.entries(await files(await contract))) write(join('generated', file), text)
    })
  const files = Promise.all([
    emit('operations', (contract) => ({ 'operations.ts': emitOperations(contract) })),
    emit('client', (contract) => ({ 'client/methods.ts': emitClient(withBasis(contract)) })),
    emit('client rules', (contract) => ({ 'sandbox/client-rules.ts': emitClientRules(contract) })),
    emit('conformance', (contract) => ({ 'conformance/nodes.ts': emitConformance(contract) })),
    emit('errors', (contract) => ({ 'errors.ts': emitErrors(contract) })),
    emit('examples', (contract) => ({ 'examples.ts': emitExamples(contract) })),
    emit('fields', (contract) => ({ 'service/fields.ts': emitFields(contract) })),
    emit('openapi', emitDocuments),
    emit('validators', emitValidators),
    emit('world', async (contract) => ({
      ...(await emitWorldCheck(contract)),
      'world.schema.json': emitWorldSchema(contract),
    })),
    emit('report schema', () => ({ 'report.schema.json': emitReportSchema() })),
    emit('types', (contract) => emitTypes(withBasis(contract))),
  ])
  const guides = step('guides', [contract], async () => {
    for (const [file, text] of Object.entries(await emitGuides(await contract, root))) write(join(GUIDES, file), text)
  })
  // After the files, so that the compiler works beside the lint; one after the other, so that they need less memory.
  const spectral = step('spectral', [contract, Promise.allSettled([files])], async () =>
    throwIfProblems(await lintWithSpectral(root, await source, (await contract).document)),
  )
  step('prose', [contract], async () => throwIfProblems(lintProse(root, await contract)))
  step('workflows', [contract], async () => throwIfProblems(lintWorkflows(root, (await contract).register)))
  step('redocly', [spectral], async () => throwIfProblems(await lintWithRedocly(root)))
  return { source, contract, files, guides }
}

/** Builds once, then again whenever a file of the contract, the code or the site has changed, or README and the like. */
async function buildAndWatch(root: string): Promise<void> {
  for (let before = ''; ; await setTimeout(250)) {
    const now = modificationTimes(root)
    if (now !== before) await build({ root }).catch(printFailure)
    before = now
  }
}

/** The times and sizes of all files. A watcher of the system loses a file that an editor replaces twice. */
const modificationTimes = (root: string): string =>
  [...['openapi', 'site', 'src'].flatMap((folder) => filesOf(join(root, folder), true)), ...filesOf(root, false)]
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
  const { values } = parseArgs({ options: { watch: { type: 'boolean' } } })
  await (values.watch ? buildAndWatch(process.cwd()) : build({ root: process.cwd() }))
}

if (process.argv[1] === import.meta.filename) main().catch(exitWithError)
