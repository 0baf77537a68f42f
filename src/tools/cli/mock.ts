import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { examples } from '../../../generated/examples.js'
import { protocol } from '../../../generated/operations.js'
import { listenProblem, port } from './arguments.js'
import { EXIT } from './exit.js'
import { documentPath, manifest } from './package.js'
import { codeOfSignal, onInterrupt } from './signals.js'

const PRISM = '@stoplight/prism-cli'

interface MockFlags {
  port: number
  host: string
}

/** `workflow-automation mock`: Prism, an optional peer, on the packaged document. Unknown options are passed to Prism. */
export const mockCommand = (): Command =>
  new Command('mock')
    .description('Serve the examples of the contract with Prism, without state.')
    .option('-p, --port <number>', 'port to listen on; 0 for any free port', port, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .argument('[prism-options...]', 'other Prism options, such as --dynamic or --errors')
    .allowUnknownOption()
    // For Prism, -h is the host.
    .helpOption('--help', 'display help for command')
    .addHelpText('after', AFTER_HELP)
    .action(async (options: string[], flags: MockFlags) => {
      const prism = findPrism()
      if (prism === undefined) return exitWith(HOW_TO_INSTALL)
      const problem = await portProblem(flags)
      if (problem !== undefined) return exitWith(problem)
      const address = ['--port', `${flags.port}`, '--host', flags.host]
      process.exitCode = await runPrism([prism, 'mock', documentPath(), ...address, ...options])
    })

const AFTER_HELP = `
The paths have no ${protocol.versionSegment}: use http://127.0.0.1:4010 as the client's base URL.
Choose a response with a header, for example:
  Prefer: code=404
  Prefer: example=waitingApproval

Examples:
  workflow-automation mock --port 4020
  workflow-automation mock --port 4020 --dynamic

Exit codes: 0 if stopped, 2 if it could not start, otherwise Prism's exit code.

Examples by status:
${exampleNames()}`

/** The names of the examples by status, a line each. */
function exampleNames(): string {
  const byStatus = new Map<string, Set<string>>()
  for (const statuses of Object.values(examples))
    for (const [status, named] of Object.entries<object>(statuses))
      if (status !== 'request') byStatus.set(status, new Set([...(byStatus.get(status) ?? []), ...Object.keys(named)]))
  return [...byStatus]
    .sort()
    .map(([status, names]) => `  ${status}  ${[...names].join(', ')}`)
    .join('\n')
}

function exitWith(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = EXIT.notPossible
}

/** Explains why Prism could not listen; its own message comes after its help. */
async function portProblem(address: { port: number; host: string }): Promise<string | undefined> {
  const server = createServer()
  try {
    await once(server.listen(address), 'listening')
    return undefined
  } catch (error) {
    return listenProblem(error, address)
  } finally {
    server.close()
  }
}

const HOW_TO_INSTALL = [
  'The mock needs Prism, which is not installed. Add it to your project:',
  '',
  `  npm install --save-dev ${PRISM}@${manifest.peerDependencies[PRISM]?.replace('^', '')}`,
  '',
  `Or use the sandbox, which needs no other package: npx ${manifest.name} sandbox`,
].join('\n')

/** Finds Prism's command in the current project, else beside this package. */
function findPrism(): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const file = createRequire(from).resolve(`${PRISM}/package.json`)
      return join(dirname(file), (JSON.parse(readFileSync(file, 'utf8')) as { bin: { prism: string } }).bin.prism)
    } catch {}
  }
  return undefined
}

/** Runs a script in a child process that ends with this one. Resolves to its exit code. */
function runPrism(args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  onInterrupt((signal) => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? codeOfSignal(signal ?? 'SIGKILL')))
  })
}
