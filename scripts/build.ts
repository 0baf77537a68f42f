import { readdirSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { exitWithError, report } from './diagnostics.js'
import { emitDist } from './emit/dist.js'
import { emitDocs } from './emit/docs/index.js'
import { emitPageScripts } from './emit/docs/scripts.js'
import { emitReleases } from './emit/releases.js'
import { generate } from './generate.js'
import { openStage } from './stage.js'
import type { Output } from './steps.js'

export interface BuildOptions {
  /** The project's folder. */
  root: string
  /** Where progress is written; default standard output. */
  output?: Output
}

/**
 * Makes `generated/` and `dist/` from `openapi/` and `src/`. Nothing is changed unless every step succeeds.
 *
 * @throws BuildError with every problem that was found
 */
export async function build({ root, output = process.stdout }: BuildOptions): Promise<void> {
  using stage = openStage(root, output)
  const { contract, files } = generate(root, stage)
  const docs = join(stage.folder, 'dist/docs')
  stage.step('docs', [contract], async () => emitDocs(await contract, root, stage.folder, docs, stage.stopped))
  const compiled = stage.step('dist', [files], () => emitDist(root, stage.folder))
  stage.step('page scripts', [compiled], () => emitPageScripts(root, stage.folder, docs))
  stage.step('releases', [files], () => emitReleases(root, stage))
  await stage.settled()
  stage.swapIn()
  output.write('Built generated/ and dist/.\n')
}

/** Builds once, then again whenever a file of `openapi/` or `src/` has changed. */
async function buildAndWatch(root: string): Promise<void> {
  for (let before = ''; ; await setTimeout(250)) {
    const now = fingerprint(root)
    if (now !== before) await build({ root }).catch(report)
    before = now
  }
}

/** Changes with every file. A watcher of the system loses a file that an editor replaces twice. */
const fingerprint = (root: string): string =>
  ['openapi', 'src']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, `${file}`)))
    .map((file) => {
      const { mtimeMs, size } = statSync(join(root, file), { throwIfNoEntry: false }) ?? {}
      return `${file} ${mtimeMs} ${size}`
    })
    .join('\n')

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      process.stderr.write('\nInterrupted; generated/ and dist/ are unchanged.\n')
      process.exit(128 + constants.signals[signal])
    })
  await (process.argv.includes('--watch') ? buildAndWatch(process.cwd()) : build({ root: process.cwd() }))
}

if (process.argv[1] === import.meta.filename) main().catch(exitWithError)
