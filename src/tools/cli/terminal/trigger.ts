import { Command } from 'commander'
import { BadRequestError, NotFoundError } from '../../../client/errors.js'
import type { Client } from '../../../client/index.js'
import { triggerOutcome } from '../../../client/trigger-outcome.js'
import { repeated } from '../arguments.js'
import { EXIT, exitOf } from '../exit.js'
import { manifest } from '../package.js'
import { onInterrupt } from '../signals.js'
import { withoutControls } from '../text.js'
import { printJson, UsageError, withService } from './connection.js'
import { readInputs } from './inputs.js'
import { exitCodes, follow, type WaitFlags, withClient, withWait } from './wait.js'

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
          'a run was started, or may have been, and its id is not known: check before you trigger it again',
      }),
    )
    .exitOverride(exitOf)
    .action(async (playbook: string, flags: TriggerFlags, command: Command) => {
      const waits = flags.wait || flags.until !== undefined
      process.exitCode = await withClient(flags, (client) => {
        if (!waits && command.getOptionValueSource('timeout') === 'cli')
          throw new UsageError('--timeout limits a wait: add --wait or --until approval.')
        return trigger(client, playbook, flags, waits)
      })
    })

async function trigger(client: Client, playbook: string, flags: TriggerFlags, waits: boolean): Promise<number> {
  const inputs = readInputs(flags.input, flags.inputs)
  const stopListening = onInterrupt(interrupted)
  const run = await client.triggerRun(playbook, { inputs }).catch((error: unknown) => ({ error }))
  stopListening()
  if ('error' in run) return refused(run.error)
  if (flags.json) {
    if (waits) process.stderr.write(`${run.id}\n`)
    else printJson(run)
  } else process.stdout.write(flags.quiet ? `${run.id}\n` : `Triggered run ${withoutControls(run.id)}\n`)
  return waits ? follow(client, run.id, flags, true) : EXIT.done
}

const LOOK_FIRST = 'Check before you trigger it again.'
const MAY_HAVE_STARTED = `The run may have started. ${LOOK_FIRST}`

/** Ctrl-C, or another signal that ends the command, while the trigger is under way. */
function interrupted(): never {
  process.stderr.write(`Interrupted while the run was being triggered. ${MAY_HAVE_STARTED}\n`)
  process.exit(EXIT.unknown)
}

function refused(error: unknown): number {
  // An argument that the client refuses was not sent.
  if (error instanceof TypeError) throw error
  process.stderr.write(`${(error as Error).message}\n`)
  const outcome = triggerOutcome(error)
  if (outcome !== 'safe') {
    process.stderr.write(`${outcome === 'started' ? LOOK_FIRST : MAY_HAVE_STARTED}\n`)
    return EXIT.unknown
  }
  if (error instanceof BadRequestError)
    process.stderr.write('Pass inputs as --input order=42. The contract does not list the inputs of a playbook.\n')
  if (error instanceof NotFoundError) process.stderr.write(`List the playbooks: npx ${manifest.name} playbooks\n`)
  return EXIT.notPossible
}
