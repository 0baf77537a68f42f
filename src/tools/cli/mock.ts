import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { Command } from 'commander'
import { protocol } from '../../../generated/contract.js'
import { listenProblem, port } from './arguments.js'
import { EXIT, perform, UsageError } from './exit.js'
import { manifest, packagedFile } from './package.js'
import { err } from './screen.js'
import { onInterrupt } from './signals.js'

const MOCK_PORT = 4020
const PRISM = '@stoplight/prism-cli'
const require = createRequire(import.meta.url)

/** `workflow-automation mock`: Prism, an optional peer, on the packaged document. Unknown options are passed to Prism. */
export const mockCommand = (): Command =>
  new Command('mock')
    .description('Serve the examples of the contract with Prism, without state.')
    .option('-p, --port <number>', 'port to listen on; 0 for any free port', port, MOCK_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .argument('[prism-options...]', 'other Prism options, such as --dynamic or --errors')
    .allowUnknownOption()
    .helpOption('--help', 'display help for command') // For Prism, -h is the host.
    .addHelpText('after', HELP)
    .action((options: string[], address: { port: number; host: string }) =>
      perform(async () => {
        const prism = findPrism()
        if (prism === undefined) {
          err.block(HOW_TO_INSTALL)
          return EXIT.notPossible
        }
        const server = createServer().listen(address) // Prism explains why it cannot listen after its help.
        await once(server, 'listening').catch((error) => {
          throw new UsageError(listenProblem(error, address))
        })
        await once(server.close(), 'close')
        onInterrupt(() => process.exit(EXIT.done))
        const listenOn = ['--port', `${address.port}`, '--host', address.host]
        process.argv.splice(1, Infinity, prism, 'mock', packagedFile('openapi.mock.yaml'), ...listenOn, ...options)
        require(prism) // In this process, so that Prism ends with the command, even after SIGKILL. It writes by itself.
        return EXIT.done
      }),
    )

const HELP = `
Use http://127.0.0.1:${MOCK_PORT}${protocol.versionSegment} as the client's base URL. Choose a response with a header, such as
"Prefer: example=waitingApproval" or "Prefer: code=404". The guide "testing" lists the examples.

Exit codes: 0 if stopped, 2 if it could not start, otherwise Prism's exit code.`

const HOW_TO_INSTALL = `The mock needs Prism, which is not installed:
  npm install --save-dev ${PRISM}@${manifest.peerDependencies[PRISM]?.replace('^', '')}
Or use the sandbox, which needs no other package: npx ${manifest.name} sandbox
`

function findPrism(): string | undefined {
  try {
    return require.resolve(PRISM, { paths: [process.cwd(), import.meta.dirname] })
  } catch {}
}
