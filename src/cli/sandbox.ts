import { readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type PlanId, plans } from '../../generated/operations.js'
import { createSandbox, type PlanChoice, type RunProgress, type Sandbox, type World } from '../sandbox/index.js'
import { type ListenOptions, listen, type RequestEvent, type SandboxServer } from '../sandbox/node.js'
import { releaseOption } from './package.js'

interface SandboxFlags {
  port: number
  host: string
  seed: number
  plan: PlanId | 'none'
  progress: RunProgress
  speed: number
  world?: string
  release?: string
  maxRuns?: number
  maxRequests: number
  quiet?: true
}

/** `workflow-automation sandbox`: the sandbox on a port, until it is interrupted. */
export const sandboxCommand = (): Command =>
  new Command('sandbox')
    .description('Serve the whole service from memory: runs move, keys and limits work.')
    .option('-p, --port <number>', 'the port, 0 for any free one', wholeNumber, 4010)
    .option('--host <address>', 'the address to listen at', '127.0.0.1')
    .option('--seed <number>', 'the same seed gives the same ids', wholeNumber, 1)
    .addOption(new Option('--plan <plan>', 'the limits').choices([...Object.keys(plans), 'none']).default('pro'))
    .addOption(
      new Option('--progress <how>', 'runs move with time, or with each GET')
        .choices(['clock', 'poll'])
        .default('clock'),
    )
    .option('--speed <factor>', 'runs go this many times as fast', positive, 1)
    .option('--world <file>', 'a JSON file with workspaces of your own')
    .option('--max-runs <number>', 'how many runs are kept', wholeNumber)
    .addOption(releaseOption())
    .option('--max-requests <number>', 'how many requests GET /__sandbox/requests tells of', wholeNumber, 50)
    .option('-q, --quiet', 'print no line per request')
    .action(async (flags: SandboxFlags) => {
      keepHeapSmall()
      const { sandbox, server } = await start(flags).catch(giveUp)
      const end = interrupted()
      process.stdout.write(`${greeting(sandbox, server)}\n`)
      await end
      await server.close()
    })

async function start(flags: SandboxFlags): Promise<{ sandbox: Sandbox; server: SandboxServer }> {
  const { seed, progress, speed, maxRuns, maxRequests } = flags
  const plan: PlanChoice = flags.plan === 'none' ? false : flags.plan
  const options = { seed, plan, progress, speed, maxRuns, maxRequests }
  const { createSandbox, listen } = await sandboxOf(flags.release)
  const sandbox: Sandbox = flags.world
    ? createSandbox({ ...options, world: await readWorld(flags.world) })
    : createSandbox(options)
  const listening: ListenOptions = {
    port: flags.port,
    host: flags.host,
    ...(!flags.quiet && { onRequest: (event) => process.stdout.write(`${requestLine(event)}\n`) }),
  }
  return { sandbox, server: await listen(sandbox, listening) }
}

/**
 * Keeps V8's space for new objects at its first size. Under load it grows to sixteen times of that, and the process to
 * half as much again, while the sandbox answers hardly any faster. Bun, which has no V8, goes without.
 */
function keepHeapSmall(): void {
  if (!process.versions.bun) setFlagsFromString('--semi-space-growth-factor=1')
}

/** The sandbox of this contract, or of a frozen release. */
const sandboxOf = async (release: string | undefined): Promise<Pick<typeof today, 'createSandbox' | 'listen'>> =>
  release === undefined ? today : import(`@workflow-automation/contract/releases/${release}`)

const today = { createSandbox, listen }

async function readWorld(file: string): Promise<World> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new Error(`The world in ${file} cannot be read: ${messageOf(error)}`)
  }
}

/** The address, the keys, and commands to paste. */
function greeting({ keys, playbooks }: Sandbox, { baseUrl, url }: SandboxServer): string {
  const [key] = Object.values(keys)
  const [playbook] = Object.values(playbooks)
  const authorization = `-H 'Authorization: Bearer ${key}'`
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
    `  curl -X POST ${url}/__sandbox/runs/RUN_ID/approve`,
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

function giveUp(error: unknown): never {
  const { code, port } = error as { code?: string; port?: number }
  const message =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Choose another with --port, or 0 for any free one.`
      : messageOf(error)
  process.stderr.write(`${message}\n`)
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
