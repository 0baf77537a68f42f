import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { BuildError } from './diagnostics.js'
import { emitDist } from './emit/dist.js'
import { emitDocs } from './emit/docs/index.js'
import { emitPageScripts } from './emit/docs/scripts.js'
import { emitReleases } from './emit/releases.js'
import { generate } from './generate.js'
import { openStage } from './stage.js'
import { createSteps, type Output } from './steps.js'

export interface BuildOptions {
  /** The project's folder. */
  root: string
  /** Where progress is written; default standard output. */
  output?: Output
  /** Ends the build; `generated/` and `dist/` stay unchanged. */
  signal?: AbortSignal
}

/**
 * Makes `generated/` and `dist/` from `openapi/` and `src/`. Nothing is changed unless every step succeeds.
 *
 * @throws BuildError with every problem that was found
 */
export async function build({ root, output = process.stdout, signal }: BuildOptions): Promise<void> {
  const stage = openStage(root)
  const discard = () => stage.discard()
  signal?.addEventListener('abort', discard)
  process.on('exit', discard)
  try {
    const steps = createSteps(output, signal)
    const { contract, files } = generate(root, stage, steps)
    const dist = join(stage.folder, 'dist')
    steps.step('docs', [contract], async () =>
      emitDocs(await contract, root, stage.folder, join(dist, 'docs'), steps.stopped),
    )
    const compiled = steps.step('dist', [files], () => emitDist(root, stage.folder))
    steps.step('page scripts', [compiled], () => emitPageScripts(root, stage.folder, join(dist, 'docs')))
    steps.step('releases', [files], () => emitReleases(root, stage))
    await steps.settled()
    signal?.throwIfAborted()
    stage.swapIn()
    output.write('Built generated/ and dist/.\n')
  } finally {
    signal?.removeEventListener('abort', discard)
    process.off('exit', discard)
    stage.discard()
  }
}

/** Builds once, then again whenever a file of `openapi/` or `src/` has changed, until the signal. */
async function buildAndWatch(options: BuildOptions & { signal: AbortSignal }): Promise<void> {
  for (let before = ''; !options.signal.aborted; await setTimeout(250)) {
    const now = fingerprint(options.root)
    if (now === before) continue
    before = now
    await build(options).catch(report)
  }
}

/** Changes with every file. A watcher of the system loses a file that an editor replaces twice. */
const fingerprint = (root: string): string =>
  ['openapi', 'src']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, `${file}`)),
    )
    .map((file) => {
      const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
      return `${file} ${mtimeMs} ${size}`
    })
    .join('\n')

/** A failed build in words a person can act on. */
export function report(error: unknown): void {
  if (error instanceof BuildError) {
    const count = error.diagnostics.length
    process.stderr.write(
      `\n${error.message}\n\n${count} ${count === 1 ? 'problem' : 'problems'}; generated/ and dist/ are unchanged.\n`,
    )
  } else
    process.stderr.write(
      `\n${error instanceof Error ? error.message : error}\nThe build stopped; generated/ and dist/ are unchanged.\n`,
    )
}

async function main(): Promise<void> {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      interrupted.abort()
      process.stderr.write('\nInterrupted; generated/ and dist/ are unchanged.\n')
      process.exit(name === 'SIGINT' ? 130 : 143)
    })
  const options = { root: process.cwd(), signal: interrupted.signal }
  if (process.argv.includes('--watch')) await buildAndWatch(options)
  else await build(options)
}

if (process.argv[1] === import.meta.filename)
  main().catch((error) => {
    report(error)
    process.exit(1)
  })
