import { Command, Option } from 'commander'
import type { Run } from '../../../generated/types.js'
import { ApiError, RedirectError } from '../../client/errors.js'
import type { Client } from '../../client/index.js'
import { isTerminalRunStatus } from '../../client/runs/statuses.js'
import { RUN_STATUS, STATUS, STEP_STATUS } from '../../internal/status.js'
import { codeOfSignal, onInterrupt, SAME_SIGNAL, type Signal } from '../arguments.js'
import { exitOf } from '../outputs.js'
import { manifest } from '../package.js'
import { CODE, duration, failed, KEY_ENV, openClient, printJson, type ServiceFlags, withService } from './connection.js'
import { textOf } from './lists.js'
import { failureSoFar } from './notices.js'
import { createProgress } from './progress.js'

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
        return CODE.done
      })
    })

/** `workflow-automation wait`: waits for a run that was triggered before. */
export const waitCommand = (): Command =>
  withWait(withService(new Command('wait').description('Wait for a run.').argument('<id>', 'the id of the run')))
    .addHelpText(
      'after',
      EXIT_CODES.replace('the run succeeded, or was triggered', 'the run succeeded').replace(/\n {2}5 .*/, ''),
    )
    .exitOverride(exitOf)
    .action(async (id: string, flags: WaitFlags) => {
      process.exitCode = await withClient(flags, (client) => follow(client, id, flags))
    })

export const EXIT_CODES = `
Exit codes:
  0  done: the run succeeded, or was triggered
  1  the run ended without success
  2  not possible, and no run was started
  3  the run is still going, or its state could not be read
  4  the run is waiting for approval (--until approval)
  5  unknown whether the run was started: check before you trigger it again
  130  interrupted while waiting (143 after SIGTERM); the run continues`

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
  const progress = createProgress(json === true || quiet === true)
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
    if (code === CODE.approval)
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
    if (!last && !isTriggered && isRefused(error)) return CODE.notPossible
    process.stderr.write(`Resume waiting: ${waitLine(id, flags, until)}\n`)
    return CODE.running
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
  if (run.status === RUN_STATUS.succeeded) return CODE.done
  if (isTerminalRunStatus(run.status)) return CODE.ended
  return run.steps.some(({ status }) => status === STEP_STATUS.waitingApproval) ? CODE.approval : CODE.running
}

/** A run as JSON, its id, or one line for each step. */
function shown(run: Run, { json, quiet }: Pick<ServiceFlags, 'json' | 'quiet'>): string {
  if (json) return JSON.stringify(run, null, 2)
  if (quiet) return run.id
  const steps = run.steps.map(({ id, status, capability = '' }) =>
    `  ${textOf(id)}  ${textOf(status)}  ${textOf(capability)}`.trimEnd(),
  )
  const facts = `  playbook ${textOf(run.playbook_id)}, started ${textOf(run.started_at)}`
  return [`run ${textOf(run.id)}  ${textOf(run.status)}`, facts, ...steps].join('\n')
}
