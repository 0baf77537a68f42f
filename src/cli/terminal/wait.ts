import { Command, Option } from 'commander'
import type { Run } from '../../../generated/types.js'
import { RunTimeoutError } from '../../client/errors.js'
import type { Client } from '../../client/index.js'
import { isTerminalRunStatus } from '../../client/runs/statuses.js'
import { RUN_STATUS, STEP_STATUS } from '../../internal/status.js'
import { exitOf } from '../outputs.js'
import { manifest } from '../package.js'
import { CODE, duration, failed, openClient, printJson, type ServiceFlags, withService } from './connection.js'
import { textOf } from './lists.js'
import { createProgress } from './progress.js'

export interface WaitFlags extends ServiceFlags {
  until?: 'approval'
  timeout: number
}

export const withWait = (command: Command): Command =>
  command
    .addOption(new Option('--until <what>', 'stop waiting when a step waits for approval').choices(['approval']))
    .option('--timeout <time>', 'how long to wait, such as 90s, 15m or 2h', duration, duration('15m'))

/** `workflow-automation run`: a run as it is now. */
export const runCommand = (): Command =>
  withService(new Command('run').description('Show a run as it is now.').argument('<id>', 'the id of the run'))
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
    .addHelpText('after', EXIT_CODES)
    .exitOverride(exitOf)
    .action(async (id: string, flags: WaitFlags) => {
      process.exitCode = await withClient(flags, (client) => follow(client, id, flags))
    })

export const EXIT_CODES = `
Exit codes:
  0  done: the run succeeded, or was triggered
  1  the run ended otherwise
  2  not possible, and no run was started
  3  the run still goes on, or its state could not be read any more
  4  the run waits for an approval (--until approval)
  5  it is not known whether the run was started: look before you repeat it
  130  interrupted while waiting; the run goes on`

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
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
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
    return codeOf(run)
  } catch (error) {
    progress.end()
    if (json && last) printJson(last)
    const goOn = `Go on waiting: npx ${manifest.name} wait ${id}${until ? ` --until ${until}` : ''}`
    if (interrupted.signal.aborted) {
      process.stderr.write(`Interrupted. The run goes on. ${goOn}\n`)
      return INTERRUPTED
    }
    process.stderr.write(`${(error as Error).message}\n`)
    if (!last && !isTriggered && !(error instanceof RunTimeoutError)) return CODE.notPossible
    process.stderr.write(`${goOn}\n`)
    return CODE.running
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/** Of a shell, for a command that SIGINT ended. */
const INTERRUPTED = 130

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
