import { Command } from 'commander'
import { BadRequestError, NotFoundError, RedirectError } from '../../../client/errors.js'
import type { Client } from '../../../client/index.js'
import { triggerOutcome } from '../../../client/trigger-outcome.js'
import { repeated } from '../arguments.js'
import { EXIT, perform, UsageError } from '../exit.js'
import { manifest } from '../package.js'
import { err, out } from '../screen.js'
import { onInterrupt } from '../signals.js'
import { reportFailure, withClient, withService } from './connection.js'
import { readInputs } from './inputs.js'
import { exitCodes, followRun, type WaitFlags, withWait } from './wait.js'

interface TriggerFlags extends WaitFlags {
  input?: string[]
  inputs?: string
  wait?: true
}

/** `workflow-automation trigger`: starts a run, and waits for it if asked to. */
export const triggerCommand = (): Command =>
  withWait(
    withService(
      new Command('trigger').description('Start a run of a playbook.').argument('<playbook>', 'the id of the playbook'),
    )
      .option('--input <name=text>', 'an input; name=@file reads the value from a file, @@ is a literal @', repeated)
      .option('--inputs <file>', 'a JSON object of strings; - for standard input')
      .option('--wait', 'wait for the run to end; --until implies it'),
  )
    .addHelpText(
      'after',
      exitCodes({
        [EXIT.done]: 'done: the run succeeded, or was triggered',
        [EXIT.unknown]:
          'a run was started, or may have been, and its id is not known, or could not be printed: check before you trigger it again',
      }),
    )
    .action((playbook: string, flags: TriggerFlags, command: Command) => {
      const waits = flags.wait || flags.until !== undefined
      const work = async (client: Client) => {
        if (!waits && command.getOptionValueSource('timeout') === 'cli')
          throw new UsageError('--timeout limits a wait: add --wait or --until approval.')
        return trigger(client, playbook, flags, waits)
      }
      return perform(() => withClient(flags, work), { ifLost: EXIT.unknown })
    })

async function trigger(client: Client, playbook: string, flags: TriggerFlags, waits: boolean): Promise<number> {
  const stopWaiting = onInterrupt(() => {
    err.line('Interrupted before the run was triggered. No run was started.')
    void err.flushed().then(() => process.exit(EXIT.notPossible))
  })
  const inputs = await readInputs(flags.input, flags.inputs)
  stopWaiting()
  const stopped = new AbortController()
  const stopListening = onInterrupt(() => stopped.abort())
  const run = await client.triggerRun(playbook, { inputs }, { signal: stopped.signal }).catch((error: unknown) =>
    // A 303 that leads to the run.
    error instanceof RedirectError && error.runId ? { id: error.runId } : { error },
  )
  stopListening()
  if ('error' in run) return stopped.signal.aborted ? interrupted(run.error) : refused(run.error, flags)
  const { id } = run
  if (flags.json && waits) err.line(id)
  else if (flags.json) out.json(run)
  else out.line(flags.quiet ? id : `Triggered run ${id}`)
  await out.flushed()
  if (out.lost) err.line(`Run ${id} was started.`)
  if (waits) return followRun(client, id, flags, run)
  return out.lost ? EXIT.unknown : EXIT.done
}

const LOOK_FIRST = 'Check before you trigger it again.'
const MAY_HAVE_STARTED = `The run may have started. ${LOOK_FIRST}`

/** After Ctrl-C, or another signal that ends the command, before the run was there. */
function interrupted(error: unknown): number {
  const isSafe = triggerOutcome(error) === 'safe'
  err.line(`Interrupted while the run was being triggered. ${isSafe ? 'No run was started.' : MAY_HAVE_STARTED}`)
  return isSafe ? EXIT.notPossible : EXIT.unknown
}

function refused(error: unknown, flags: TriggerFlags): number {
  reportFailure(error, flags)
  const outcome = triggerOutcome(error)
  if (outcome !== 'safe') {
    err.line(outcome === 'started' ? LOOK_FIRST : MAY_HAVE_STARTED)
    return EXIT.unknown
  }
  if (error instanceof BadRequestError)
    err.line('Pass inputs as --input order=42. The contract does not list the inputs of a playbook.')
  if (error instanceof NotFoundError) err.line(`List the playbooks: npx ${manifest.name} playbooks`)
  return EXIT.notPossible
}
