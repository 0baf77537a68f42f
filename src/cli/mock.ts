import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { documentPath, manifest, releaseOption } from './package.js'

const PRISM = '@stoplight/prism-cli'

/** `workflow-automation mock`: Prism, an optional peer, on the packaged document. Its arguments are passed on to Prism. */
export const mockCommand = (): Command =>
  new Command('mock')
    .description('Serve the examples of the contract with Prism. Options are passed on to Prism, such as --port 4010.')
    .addOption(releaseOption())
    .argument('[options...]', "Prism's own options")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (options: string[], { release }: { release?: string }) => {
      const prism = findPrism()
      if (prism === undefined) {
        process.stderr.write(`${HOW_TO_INSTALL}\n`)
        process.exitCode = 1
        return
      }
      process.exitCode = await runPrism([prism, 'mock', documentPath(release), ...options])
    })

const HOW_TO_INSTALL = [
  'The mock needs Prism, which is not installed here. Add it to your project:',
  '',
  `  npm install --save-dev ${PRISM}@${manifest.peerDependencies[PRISM]?.replace('^', '')}`,
  '',
  'The sandbox needs nothing else: workflow-automation sandbox',
].join('\n')

/** Prism's command, from the project that this is called in, else from beside this package. */
function findPrism(): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const file = createRequire(from).resolve(`${PRISM}/package.json`)
      return join(dirname(file), (JSON.parse(readFileSync(file, 'utf8')) as { bin: { prism: string } }).bin.prism)
    } catch {}
  }
  return undefined
}

/** Runs a script in a process of its own, which ends with this one. Resolves to its exit code. */
function runPrism(args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    // A process that was killed has a signal in the place of a code; shells add it to 128.
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}
