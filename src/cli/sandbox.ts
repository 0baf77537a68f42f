import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { Command, InvalidArgumentError, Option } from 'commander'
import { plans } from '../../generated/operations.js'
import { createSandbox, type Sandbox, type SandboxOptions, type World } from '../sandbox/index.js'
import { LISTEN_DEFAULTS, type ListenOptions, listen, type RequestEvent, type SandboxServer } from '../sandbox/node.js'
import { DEFAULTS } from '../sandbox/settings.js'
import { releaseOption } from './package.js'

/** The options that are named as in the API, and those of the command alone. */
interface SandboxFlags extends ListenOptions, Omit<SandboxOptions, 'plan' | 'world'> {
  plan: SandboxOptions['plan'] | 'none'
  world?: string
  release?: string
  allowedHost?: string[]
  quiet?: true
}

/** `workflow-automation sandbox`: the sandbox on a port, until it is interrupted. */
export const sandboxCommand = (): Command =>
  new Command('sandbox')
    .description('Serve the whole service from memory: runs move, keys and limits work.')
    .option('-p, --port <number>', 'the port, 0 for any free one', wholeNumber, 4010)
    .option('--host <address>', 'the address to listen at', LISTEN_DEFAULTS.host)
    .option('--allowed-host <name...>', 'names of this machine that may control the sandbox, besides localhost')
    .option('--control-token <text>', 'what control requests have to bring; default random unless on localhost')
    .option('--seed <number>', 'the same seed gives the same ids', wholeNumber, DEFAULTS.seed)
    .addOption(choice('--plan <plan>', 'the limits', [...Object.keys(plans), 'none'], DEFAULTS.plan))
    // In a shell time passes by itself; in a test each GET is a step.
    .addOption(choice('--progress <how>', 'runs move with time, or with each GET', ['clock', 'poll'], 'clock'))
    .option('--speed <factor>', 'runs go this many times as fast', positive, DEFAULTS.speed)
    .option('--world <file>', 'a JSON file with workspaces of your own; its schema is world.schema.json')
    .addOption(releaseOption())
    .option('--require-world', 'serve only worlds at /w/<name>, and not /v1 itself')
    .option('--max-runs <number>', 'how many runs are kept', wholeNumber, DEFAULTS.maxRuns)
    .option('--max-requests <number>', 'how many requests the log keeps', wholeNumber, DEFAULTS.maxRequests)
    .option('--max-bytes <number>', 'how many bytes runs and requests may take', wholeNumber, DEFAULTS.maxBytes)
    .option('--max-worlds <number>', 'how many worlds are kept', wholeNumber, LISTEN_DEFAULTS.maxWorlds)
    .option('--max-world-bytes <number>', 'how many bytes worlds may take', wholeNumber, LISTEN_DEFAULTS.maxWorldBytes)
    .option('-q, --quiet', 'print no line per request')
    .action(serveSandbox)

const choice = (flags: string, description: string, choices: string[], value: string): Option =>
  new Option(flags, description).choices(choices).default(value)

async function serveSandbox(flags: SandboxFlags): Promise<void> {
  keepHeapSmall()
  const print = printer()
  const { sandbox, server } = await start(flags, print).catch(exitWithError)
  const end = interrupted()
  print(greeting(sandbox, server))
  await end
  await server.close()
}

/** Prints lines as long as somebody reads them: `| head` is no reason to stop. */
function printer(): (line: string) => void {
  let read = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    read = false
  })
  return (line) => {
    if (read) process.stdout.write(`${line}\n`)
  }
}

async function start(flags: SandboxFlags, print: (line: string) => void) {
  const { createSandbox, listen } = await sandboxOf(flags.release)
  const options = Object.fromEntries(OPTION_NAMES.map((name) => [name, flags[name]])) as SandboxOptions
  const sandbox: Sandbox = createSandbox({
    ...options,
    plan: flags.plan === 'none' ? false : flags.plan,
    world: flags.world === undefined ? undefined : await readWorldFile(flags.world),
  })
  const onRequest = (event: RequestEvent) => print(requestLine(event))
  const server = await listen(sandbox, {
    ...flags,
    allowedHosts: flags.allowedHost,
    onRequest: flags.quiet ? undefined : onRequest,
  })
  return { sandbox, server }
}

const OPTION_NAMES = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]

/**
 * Keeps V8's space for new objects at its first size. Under load it grows to sixteen times of that, and the process to
 * half as much again, while the sandbox is hardly any faster. Bun, which has no V8, goes without.
 */
function keepHeapSmall(): void {
  if (!process.versions.bun) setFlagsFromString('--semi-space-growth-factor=1')
}

/** The sandbox of this contract, or of a frozen release. */
const sandboxOf = async (release: string | undefined): Promise<Pick<typeof today, 'createSandbox' | 'listen'>> =>
  release === undefined ? today : import(`@workflow-automation/contract/releases/${release}`)

const today = { createSandbox, listen }

/** @throws Error when the file is no JSON; whether it is a world is looked at later */
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

/** The address, the keys, and commands to paste. */
function greeting({ keys, playbooks }: Sandbox, { baseUrl, url, controlToken }: SandboxServer): string {
  const [key] = Object.values(keys)
  const [playbook] = Object.values(playbooks)
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const token = controlToken === undefined ? '' : ` -H 'Authorization: Bearer ${controlToken}'`
  return [
    `The sandbox is at ${baseUrl}`,
    '',
    'Keys',
    ...Object.entries(keys).map(([name, value]) => `  ${name.padEnd(16)} ${value}`),
    '',
    'Try',
    `  curl ${baseUrl}/playbooks ${authorization}`,
    `  curl ${baseUrl}/playbooks/${playbook}/runs ${authorization} -H 'Content-Type: application/json' -d '{"inputs":{}}'`,
    `  curl ${baseUrl}/runs/RUN_ID ${authorization}`,
    `  curl -X POST ${url}/__sandbox/runs/RUN_ID/approve${token}`,
    '',
    'Stop it with Ctrl+C.',
    '',
  ].join('\n')
}

/** One short line. What a client has sent is cut and made printable, so that it cannot steer a terminal. */
function requestLine({ method, path, status, duration }: RequestEvent): string {
  const shown = path.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 80)
  return `${status ?? 'dropped'} ${method} ${shown} ${duration.toFixed(1)} ms`
}

const interrupted = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

function exitWithError(error: unknown): never {
  const { code, port } = error as { code?: string; port?: number }
  const inUse = `Port ${port} is in use. Choose another with --port, or 0 for any free one.`
  process.stderr.write(`${code === 'EADDRINUSE' ? inUse : messageOf(error)}\n`)
  process.exit(1)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}
