import { Command, Option } from 'commander'
import { assumedValues } from '../../../../generated/operations.js'
import type { Run } from '../../../../generated/types.js'
import { ApiError, RedirectError } from '../../../client/errors.js'
import type { Client } from '../../../client/index.js'
import { isTerminalRunStatus, RUN_STATUS, STEP_STATUS } from '../../../internal/contract/run.js'
import { STATUS } from '../../../internal/contract/status.js'
import { duration } from '../arguments.js'
import { EXIT, exitOf } from '../exit.js'
import { manifest } from '../package.js'
import { codeOfSignal, onInterrupt, SAME_SIGNAL, type Signal } from '../signals.js'
import { withoutControls } from '../text.js'
import { failed, KEY_ENV, openClient, printJson, type ServiceFlags, withService } from './connection.js'
import { failureSoFar } from './notices.js'
import { createRunProgress } from './progress.js'

export interface WaitFlags extends ServiceFlags {
  until?: 'approval'
  timeout: number
}

export const withWait = (command: Command): Command =>
  command
    .addOption(new Option('--until <what>', 'stop waiting when a step waits for approval').choices(['approval']))
    .addOption(
      new Option('--timeout <time>', 'maximum time to wait: 90s, 15m, 2h, or seconds')
        .argParser(duration)
        .default(duration(LONGEST), LONGEST),
    )

const LONGEST = '15m'

/** `workflow-automation run`: a run as it is now. */
export const runCommand = (): Command =>
  withService(new Command('run').description('Show the current state of a run.').argument('<id>', 'the id of the run'))
    .exitOverride(exitOf)
    .action(async (id: string, flags: ServiceFlags) => {
      process.exitCode = await withClient(flags, async (client) => {
        process.stdout.write(`${shown(await client.getRun(id), flags)}\n`)
        return EXIT.done
      })
    })

/** `workflow-automation wait`: waits for a run that was triggered before. */
export const waitCommand = (): Command =>
  withWait(
    withService(
      new Command('wait')
        .description(
          `Wait for a run. A 404 is repeated for ${assumedValues.readableAtOnce} s, because a new run may not be readable at once.`,
        )
        .argument('<id>', 'the id of the run'),
    ),
  )
    .addHelpText('after', exitCodes({ [EXIT.done]: 'the run succeeded' }))
    .exitOverride(exitOf)
    .action(async (id: string, flags: WaitFlags) => {
      process.exitCode = await withClient(flags, (client) => follow(client, id, flags))
    })

/** The help on exit codes: what those mean that every command which waits may have, and those of the command. */
export const exitCodes = (own: Readonly<Record<number, string>>): string =>
  `\nExit codes:\n${Object.entries({ ...WHILE_WAITING, ...own })
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n')}`

const WHILE_WAITING = {
  [EXIT.failed]: 'the run ended without success',
  [EXIT.notPossible]: 'failed; running the command again is safe',
  [EXIT.running]: 'the run is still going, or its state could not be read',
  [EXIT.approval]: 'the run is waiting for approval (--until approval)',
  [codeOfSignal('SIGINT')]: `interrupted while waiting (${codeOfSignal('SIGTERM')} after SIGTERM); the run continues`,
}

export async function withClient(flags: ServiceFlags, use: (client: Client) => Promise<number>): Promise<number> {
  try {
    return await use(openClient(flags))
  } catch (error) {
    return failed(error)
  }
}

/**
 * Waits for a run and prints it. It never rejects: a failed poll says nothing of a run that was seen, or that this command
 * has triggered.
 */
export async function follow(client: Client, id: string, flags: WaitFlags, isTriggered = false): Promise<number> {
  const { until, timeout, json, quiet } = flags
  const progress = createRunProgress(json === true || quiet === true)
  const interrupted = new AbortController()
  let signal: Signal | undefined
  const stopListening = onInterrupt((received) => {
    signal = received
    interrupted.abort()
  }, SAME_SIGNAL)
  let last: Run | undefined
  try {
    const run = await client.waitForRun(id, {
      until: until ?? 'terminal',
      timeout,
      signal: interrupted.signal,
      onUpdate(seen) {
        last = seen
        progress.update(seen)
      },
    })
    progress.end()
    if (json) printJson(run)
    else if (quiet && !isTriggered) process.stdout.write(`${id}\n`)
    const code = codeOf(run)
    if (code === EXIT.approval)
      process.stderr.write(`A step needs approval. After the approval, resume with: ${waitLine(id, flags)}\n`)
    return code
  } catch (error) {
    progress.end()
    if (json && last) printJson(last)
    if (signal) {
      process.stderr.write(`Interrupted. The run continues. Resume waiting: ${waitLine(id, flags, until)}\n`)
      return codeOfSignal(signal)
    }
    process.stderr.write(`${(error as Error).message}${last ? '' : failureSoFar()}\n`)
    // A wait that ends while the run is still a 404 has that as its cause.
    if (!last && !isTriggered && isRefused((error as Error).cause ?? error)) return EXIT.notPossible
    process.stderr.write(`Resume waiting: ${waitLine(id, flags, until)}\n`)
    return EXIT.running
  } finally {
    stopListening()
  }
}

/** Whether the service, or this client, refuses to show the run: no later call will bring it. */
const isRefused = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RedirectError ||
  (error instanceof ApiError && error.status < STATUS.internalError)

/** The command that goes on waiting, with the options that lead to the same service. */
const waitLine = (id: string, { baseUrl, keyEnv, keyFile, allowHttp }: ServiceFlags, until?: string): string =>
  [
    `npx ${manifest.name} wait ${quoted(id)}`,
    until && `--until ${until}`,
    baseUrl && `--base-url ${quoted(baseUrl)}`,
    keyEnv !== KEY_ENV && `--key-env ${quoted(keyEnv)}`,
    keyFile && `--key-file ${quoted(keyFile)}`,
    allowHttp && '--allow-http',
  ]
    .filter(Boolean)
    .join(' ')

/** A text for a shell, in quotes where it needs them. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

function codeOf(run: Run): number {
  if (run.status === RUN_STATUS.succeeded) return EXIT.done
  if (isTerminalRunStatus(run.status)) return EXIT.failed
  return run.steps.some(({ status }) => status === STEP_STATUS.waitingApproval) ? EXIT.approval : EXIT.running
}

/** A run as JSON, its id, or one line for each step. */
function shown(run: Run, { json, quiet }: Pick<ServiceFlags, 'json' | 'quiet'>): string {
  if (json) return JSON.stringify(run, null, 2)
  if (quiet) return run.id
  const steps = run.steps.map(({ id, status, capability = '' }) =>
    `  ${withoutControls(id)}  ${withoutControls(status)}  ${withoutControls(capability)}`.trimEnd(),
  )
  const facts = `  playbook ${withoutControls(run.playbook_id)}, started ${withoutControls(run.started_at)}`
  return [`run ${withoutControls(run.id)}  ${withoutControls(run.status)}`, facts, ...steps].join('\n')
}
