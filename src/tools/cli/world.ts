import { Command } from 'commander'
import { type WorldFromTraffic, worldFromTraffic } from '../conformance/index.js'
import { repeated } from './arguments.js'
import { attempt, EXIT, exitOf } from './exit.js'
import { manifest } from './package.js'
import { readRecording } from './verify/files.js'
import { checkOutputs, writeWhole } from './writable-files.js'

interface WorldFlags {
  from: string
  output?: string
  keep?: string[]
  workspace?: string
  quiet?: true
}

/** `workflow-automation world`: makes a world for the sandbox of a recording. */
export const worldCommand = (): Command =>
  new Command('world')
    .description(
      'Make a world for the sandbox from recorded requests: workspace, playbooks, providers and the progress of runs.',
    )
    .argument('[base-url]', 'base URL of the service in the recording; default the one with the most requests')
    .requiredOption('--from <file>', 'the recording, an HTTP archive (HAR)')
    .option('--output <file>', 'write the world to this file, as JSON, which is YAML too; default standard output')
    .option(
      '--keep <pointer>',
      'keep a value that looks like a secret, such as /inputs/email; may be repeated',
      repeated,
    )
    .option('--workspace <id>', 'the workspace to use, if the recording has several')
    .option('-q, --quiet', 'do not list missing and replaced values')
    .addHelpText(
      'after',
      `
Replaces keys, secrets and personal data, equal values by equal ones. Check the world before you share it.
Exits with 0 on success, 1 if it left out responses that contradict the contract, 2 if there is no world.`,
    )
    .exitOverride(exitOf)
    .action(async (baseUrl: string | undefined, flags: WorldFlags) => {
      process.exitCode = await attempt('No world could be made', () => makeWorld(baseUrl, flags))
    })

async function makeWorld(baseUrl: string | undefined, flags: WorldFlags): Promise<number> {
  const { from, output, keep, workspace } = flags
  const outputs = { '--output': output }
  await checkOutputs({ '--from': from }, outputs)
  const { har, attachment, files } = await readRecording(from)
  const made = await worldFromTraffic({ har, attachment, baseUrl, keep, workspace })
  await checkOutputs(files, outputs)
  const world = `${JSON.stringify(made.world, null, 2)}\n`
  if (output === undefined) process.stdout.write(world)
  else await writeWhole([[output, world]])
  process.stderr.write(summary(made, flags))
  return made.contradictions.length > 0 ? EXIT.failed : EXIT.done
}

function summary({ remarks, replaced, contradictions }: WorldFromTraffic, { quiet, output }: WorldFlags): string {
  const lines = replaced.map(({ operation, pointer, replacement }) =>
    operation === '' ? `a key: ${replacement}` : `${pointer} of ${operation}: ${replacement}`,
  )
  const list = (title: string, all: readonly string[]) =>
    all.length === 0
      ? []
      : [
          title,
          ...all.slice(0, MOST).map((each) => `  ${each}`),
          ...(all.length > MOST ? [`  and ${all.length - MOST} more`] : []),
        ]
  return [
    ...(quiet ? [] : list('Not recorded, or left out:', remarks)),
    ...(quiet ? [] : list('Replaced, listed by first occurrence; --keep <pointer> keeps a value of a body:', lines)),
    ...list('Left out, because it contradicts the contract:', contradictions),
    ...(output === undefined ? [] : [`Serve the world: npx ${manifest.name} sandbox --world ${output}`]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** How much of a list is printed. */
const MOST = 50
