import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { plans, protocol } from '../../../../generated/contract.js'
import { mediaTypeOf } from '../../../internal/contract/operations.js'
import { isLoopback } from '../../../internal/http/url.js'
import { createSandbox, type Sandbox, type SandboxOptions, type World } from '../../sandbox/index.js'
import { canonicalHost } from '../../sandbox/port/access.js'
import { type ListenOptions, listen, type RequestEvent, type SandboxServer } from '../../sandbox/port/index.js'
import { LISTEN_DEFAULTS, LISTEN_OPTIONS } from '../../sandbox/port/options.js'
import { DEFAULTS } from '../../sandbox/settings.js'
import { CONTROL, WORLDS } from '../../sandbox/world/name.js'
import { integerArgument, listenProblem, numberWithin, port, positive } from '../arguments.js'
import { EXIT, messageOf, perform, UsageError } from '../exit.js'
import { err, out } from '../screen.js'
import { onInterrupt } from '../signals.js'
import { readText } from '../terminal/read.js'
import { CONTROL_TOKEN, checkReportFile, runAround } from './around.js'

/** The options that are named as in the API, and those of the command. */
interface SandboxFlags extends ListenOptions, Omit<SandboxOptions, 'plan' | 'world'> {
  plan: SandboxOptions['plan'] | 'none'
  world?: string
  port?: number
  host: string
  allowedHost?: string[]
  allowedOrigin?: string[]
  controlTokenFile?: string
  quiet?: true
  exercise?: true
  report?: string
}

/** `workflow-automation sandbox`: the sandbox on a port, until it is interrupted. */
export const sandboxCommand = (): Command =>
  new Command('sandbox')
    .description('Serve the contract from memory: runs progress, keys and limits work.')
    .argument('[command...]', 'after --: a command to run against it, on a free port')
    .usage('[options] [-- COMMAND ...]')
    .optionsGroup('Address:')
    .option('-p, --port <number>', 'port to listen on; 0 for any free port; default 4010, or any with a COMMAND', port)
    .option('--host <address>', 'address to listen on', LISTEN_DEFAULTS.host)
    .option('--allowed-host <name...>', 'names of this machine for control requests, besides localhost and --host')
    .option('--allowed-origin <origin...>', 'origins of pages for these requests, such as http://localhost:*')
    .option(
      '--control-token <text>',
      `bearer token for control requests; default ${CONTROL_TOKEN}, else none on localhost and random elsewhere`,
    )
    .option('--control-token-file <file>', 'file with this token')
    .optionsGroup('Behaviour:')
    .option('--seed <number>', 'number from which ids and durations are generated', integerArgument(), DEFAULTS.seed)
    .addOption(choice('--plan <plan>', 'rate limit of each workspace', [...Object.keys(plans), 'none'], DEFAULTS.plan))
    // In a shell runs progress with time; in a test each GET is a step.
    .addOption(choice('--progress <how>', 'move runs with time, or with each GET of them', ['clock', 'poll'], 'clock'))
    .option('--speed <factor>', 'with --progress clock: factor by which runs are faster', positive(), DEFAULTS.speed)
    .option(
      '--start-time <time>',
      'time at first, such as 2030-01-01T00:00:00Z; default now, or that of the examples with --progress poll',
    )
    .option('--chaos <probability>', 'how likely a call fails, from 0 to 1', numberWithin(0, 1), DEFAULTS.chaos)
    .optionsGroup('Clients:')
    .option(
      '--exercise',
      'produce, once each, the situations that a client must handle, such as a 429 or a lost response',
    )
    .option(
      '--report <file>',
      'after COMMAND, write whether it followed the rules: a .json, .xml (JUnit), .html or .md',
    )
    .optionsGroup('Worlds:')
    .option('--world <file>', 'JSON file with your own workspaces; its schema is world.schema.json of the package')
    .option(
      '--require-world',
      `serve only the worlds at ${WORLDS}<name>${protocol.versionSegment}, one for each test; ${protocol.versionSegment} responds with 404`,
    )
    .option(
      '--require-token-for-worlds',
      'create worlds only by PUT with the control token, not by their first request',
    )
    .optionsGroup('Memory and output:')
    .option('--max-runs <number>', 'runs to keep', integerArgument(1), DEFAULTS.maxRuns)
    .option('--max-requests <number>', 'requests to keep in the log', integerArgument(1), DEFAULTS.maxRequests)
    .option('--max-worlds <number>', 'worlds to keep', integerArgument(1), LISTEN_DEFAULTS.maxWorlds)
    .option(
      '--world-timeout <ms>',
      'drop worlds without a request for so long',
      integerArgument(1),
      LISTEN_DEFAULTS.worldTimeout,
    )
    .option('-q, --quiet', 'do not print a line for each request')
    .addHelpText('after', AFTER_HELP)
    .action((command: string[], flags: SandboxFlags) =>
      perform(() => serveSandbox(command, { ...flags, port: flags.port ?? (command.length > 0 ? 0 : SANDBOX_PORT) })),
    )

const SANDBOX_PORT = 4010

const AFTER_HELP = `
Prints its address, its keys, the behaviour of each playbook, and commands to try. Ctrl+C stops it.
The console is at http://127.0.0.1:4010/__sandbox/.

Examples:
  workflow-automation sandbox --speed 10 --plan none
  workflow-automation sandbox --port 0 --require-world --quiet
  workflow-automation sandbox --report rules.xml -- pytest

With a COMMAND it sets WORKFLOW_BASE_URL, WORKFLOW_API_KEY, SANDBOX_URL, NO_PROXY and, if there is a control token,
${CONTROL_TOKEN}, runs it, stops, and prints on standard error whether it followed the rules of the service. --exercise is for a small program that expects errors, not a test suite.

Exit codes: 0 if stopped, 2 if it could not start or write its output. With a COMMAND: the exit code of the command if it
is not 0, otherwise 1 for a broken rule; 126 if the command cannot be executed, 127 if it is not found, 128 or more after a signal.`

const choice = (flags: string, description: string, choices: string[], value: string): Option =>
  new Option(flags, description).choices(choices).default(value)

async function serveSandbox(command: string[], flags: SandboxFlags & { port: number }): Promise<number> {
  const { report } = flags
  const hasCommand = command.length > 0
  requireCommand(command, process.argv)
  await checkReportFile(report)
  if (report !== undefined && !hasCommand)
    throw new UsageError('--report needs a command: sandbox --report FILE -- COMMAND.')
  if (flags.requireWorld && hasCommand) throw new UsageError(NO_BASE_URL)
  const controlToken = await controlTokenOf(flags)
  const started = await startSandbox({ ...flags, controlToken, ...(hasCommand && { quiet: true }) }).catch((error) => {
    throw new UsageError(listenProblem(error, flags))
  })
  const { sandbox, server } = started
  if (!isLoopback(canonicalHost(flags.host) ?? flags.host))
    err.line(`Everybody who reaches ${flags.host} on the network can use the API of this sandbox with its keys.`)
  if (controlToken === undefined && server.controlToken !== undefined)
    err.line(`The control token, random for this start: ${server.controlToken}`)
  if (flags.exercise) sandbox.exercise()
  if (hasCommand) return runAround(command, started, flags)
  const ended = new Promise<void>((resolve) => {
    onInterrupt(() => resolve())
    out.onLost(() => out.readerLeft || resolve())
  })
  out.block(greeting(sandbox, server, flags.requireWorld ? `${WORLDS}my-test` : ''))
  await ended
  await server.close()
  return EXIT.done
}

const NO_BASE_URL =
  '--require-world leaves the command without a base URL. Leave it out: ' +
  `the worlds at SANDBOX_URL${WORLDS}<name>${protocol.versionSegment} need no option.`

/** @throws UsageError when a command was meant and is missing, as of an empty variable, or a world file stands in its place */
function requireCommand([name]: string[], args: string[]): void {
  if (name === undefined && args.at(-1) === '--') throw new UsageError('There is no command after --.')
  if (name?.endsWith('.json') && args[args.indexOf('--') + 1] !== name)
    throw new UsageError('Commands come after --; a world file is --world FILE.')
}

/** A given token: an argument can be read by every user of the machine, the others cannot. */
async function controlTokenOf({ controlToken, controlTokenFile: file }: SandboxFlags): Promise<string | undefined> {
  if (controlToken !== undefined && file !== undefined)
    throw new UsageError('Give --control-token or --control-token-file, not both.')
  if (file === undefined) return controlToken ?? (process.env[CONTROL_TOKEN] || undefined)
  const token = (await readText('--control-token-file', file)).trim()
  if (token) return token
  throw new UsageError(`The file of --control-token-file, ${file}, is empty.`)
}

async function startSandbox(flags: SandboxFlags) {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(flags).filter(([name]) => names.includes(name)))
  const sandbox: Sandbox = createSandbox({
    ...pick([...Object.keys(DEFAULTS), 'startTime']),
    plan: flags.plan === 'none' ? false : flags.plan,
    world: flags.world === undefined ? undefined : await readWorldFile(flags.world),
  })
  const server = await listen(sandbox, {
    ...pick(LISTEN_OPTIONS),
    allowedHosts: flags.allowedHost,
    allowedOrigins: flags.allowedOrigin,
    onRequest: flags.quiet ? undefined : (event) => out.line(requestLine(event)),
  })
  return { sandbox, server }
}

/** @throws Error when the file is not JSON; createSandbox validates the world */
async function readWorldFile(file: string): Promise<World> {
  // Editors on Windows begin a file with a byte order mark.
  const text = (await readFile(file, 'utf8').catch((error) => fail(file, messageOf(error)))).replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = messageOf(error)
    const position = /position (\d+)/.exec(message)?.[1]
    const lines = text.slice(0, Number(position ?? 0)).split('\n')
    const location = position === undefined ? file : `${file}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`
    return fail(location, `is not JSON: ${message}`)
  }
}

function fail(location: string, message: string): never {
  throw new Error(`The world in ${location} cannot be read: ${message}`)
}

/** The URL, the keys, and commands to paste, below the path of a world if there is one. */
function greeting({ keys, playbooks }: Sandbox, server: SandboxServer, world: string): string {
  const { consoleUrl, controlToken } = server
  const url = server.url + world
  const baseUrl = server.baseUrl.replace(server.url, url)
  const [key] = Object.values(keys)
  const [playbook] = Object.values(playbooks)
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const token = controlToken === undefined ? '' : ` -H "Authorization: Bearer $${CONTROL_TOKEN}"`
  return [
    world === '' ? `The sandbox is at ${baseUrl}` : `Give each test its own world, such as my-test at ${baseUrl}`,
    // The fragment has the token.
    ...(consoleUrl === undefined ? [] : [`Its console is at ${consoleUrl.replace(/#.*/, '')}`]),
    '',
    'Keys',
    ...Object.entries(keys).map(named),
    '',
    'Playbooks',
    ...Object.entries(playbooks).map(named),
    '',
    'Try',
    `  curl ${baseUrl}/playbooks ${authorization}`,
    `  curl ${baseUrl}/playbooks/${playbook}/runs ${authorization} -H 'Content-Type: ${mediaTypeOf('triggerRun')}' -d '{"inputs":{}}'`,
    `  curl ${baseUrl}/runs/RUN_ID ${authorization}`,
    `  curl -X POST ${url}${CONTROL}/runs/RUN_ID/approve${token}`,
    '',
    'Stop it with Ctrl+C.',
    '',
    '',
  ].join('\n')
}

const named = ([name, value]: [string, string]): string => `  ${name.padEnd(16)} ${value}`

/** One short line. A client's text is cut. */
function requestLine({ method, path, status, duration }: RequestEvent): string {
  return `${status ?? 'dropped'} ${method} ${path.slice(0, 80)} ${duration.toFixed(1)} ms`
}
