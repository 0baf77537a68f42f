import { Command, Option } from 'commander'
import { assumedValues } from '../../../../generated/contract.js'
import type { Run, TriggeredRun } from '../../../../generated/types.js'
import { ApiError, RedirectError } from '../../../client/errors.js'
import type { Client } from '../../../client/index.js'
import { STATUS } from '../../../internal/contract/status.js'
import { isTerminalRunStatus, RUN_STATUS, waitsForApproval } from '../../../shared/run-status.js'
import { duration } from '../arguments.js'
import { EXIT, perform } from '../exit.js'
import { manifest } from '../package.js'
import { err, out } from '../screen.js'
import { codeOfSignal, onInterrupt, SAME_SIGNAL, type Signal } from '../signals.js'
import { KEY_ENV, READING, reportFailure, type ServiceFlags, withClient, withService } from './connection.js'
import { createRunProgress, linesOf } from './progress.js'

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
        .default(duration(DEFAULT_WAIT), DEFAULT_WAIT),
    )

const DEFAULT_WAIT = '15m'

/** `workflow-automation run`: a run as it is now. */
export const runCommand = (): Command =>
  withService(new Command('run').description('Show the current state of a run.').argument('<id>', 'the id of the run'))
    .addHelpText('after', READING)
    .action((id: string, flags: ServiceFlags) =>
      perform(() =>
        withClient(flags, async (client) => {
          const run = await client.getRun(id)
          if (flags.json) out.json(run)
          else if (flags.quiet) out.line(Object(run).id ?? id)
          else {
            const [first, ...steps] = linesOf(run, id)
            const { playbook_id: playbook, started_at: at } = Object(run) as Partial<Run>
            const facts = [playbook && `playbook ${playbook}`, at && `started ${at}`].filter(Boolean).join(', ')
            out.lines([first, ...(facts ? [`  ${facts}`] : []), ...steps])
          }
          return EXIT.done
        }),
      ),
    )

const REPEATED = `A 404 is repeated for ${assumedValues.readableAtOnce} s, because a new run may not be readable at once.`

/** How long a wait says nothing while it has not seen its run, in ms. */
const SILENCE = 2_000

/** `workflow-automation wait`: waits for a run that was triggered before. */
export const waitCommand = (): Command =>
  withWait(
    withService(
      new Command('wait').description(`Wait for a run. ${REPEATED}`).argument('<id>', 'the id of the run'),
      'print only the id of the run, once the wait is over',
    ),
  )
    .addHelpText('after', exitCodes({ [EXIT.done]: 'the run succeeded' }))
    .action((id: string, flags: WaitFlags) =>
      perform(() => withClient(flags, (client) => followRun(client, id, flags))),
    )

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

/**
 * Waits for a run and prints it. It never rejects: a failed poll says nothing of a run that was seen, or that this command
 * has triggered. Without a reader there is nobody to wait for, except for a run that this command has `triggered`.
 */
export async function followRun(
  client: Client,
  id: string,
  flags: WaitFlags,
  triggered?: TriggeredRun,
): Promise<number> {
  const { until, timeout, json, quiet } = flags
  const progress = createRunProgress(id, json === true || quiet === true)
  const stopped = new AbortController()
  let signal: Signal | undefined
  const stopListening = onInterrupt((received) => {
    signal = received
    stopped.abort()
  }, SAME_SIGNAL)
  if (!triggered) out.onLost(() => out.readerLeft && stopped.abort())
  let last: Run | undefined
  const unseen = setTimeout(() => {
    if (!last && !triggered) err.line(`No state of the run ${id} yet. ${REPEATED}`)
  }, SILENCE)
  try {
    const run = await client.waitForRun(id, {
      until: until ?? 'terminal',
      timeout,
      signal: stopped.signal,
      onUpdate(seen) {
        last = seen
        progress.update(seen)
      },
    })
    progress.end()
    if (json) out.json(run)
    else if (quiet && !triggered) out.line(id)
    const code = codeOf(run)
    if (code === EXIT.approval)
      err.line(`A step needs approval. After the approval, resume with: ${waitLine(id, flags)}`)
    return code
  } catch (error) {
    // A run that had ended when its trigger returned may be gone by now.
    const ended = !last && !signal && isTerminalRunStatus(triggered?.status ?? '') ? (triggered as Run) : undefined
    last ??= ended
    if (ended) progress.update(ended)
    progress.end()
    if (json && last) out.json(last)
    if (ended) return codeOf(ended)
    const resume = `Resume waiting: ${waitLine(id, flags, until)}`
    if (signal) {
      err.line(`Interrupted. ${last || triggered ? 'The run continues' : 'The run was not seen'}. ${resume}`)
      return codeOfSignal(signal)
    }
    if (stopped.signal.aborted) {
      if (last && isTerminalRunStatus(last.status)) return codeOf(last)
      err.line(`The reader of the output has left. The run continues. ${resume}`)
      return EXIT.running
    }
    reportFailure(error, flags)
    // A wait that ends while the run is still a 404 has that as its cause.
    if (!last && !triggered && isRefused((error as Error).cause ?? error)) return EXIT.notPossible
    err.line(resume)
    return EXIT.running
  } finally {
    clearTimeout(unseen)
    stopListening()
  }
}

/** Whether the service, or this client, refuses to show the run: no later call will bring it. */
const isRefused = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof RedirectError ||
  (error instanceof ApiError && error.status < STATUS.internalError && error.status !== STATUS.rateLimited)

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
  return waitsForApproval(run) ? EXIT.approval : EXIT.running
}
