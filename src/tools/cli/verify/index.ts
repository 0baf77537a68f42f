import { Command, InvalidArgumentError, Option } from 'commander'
import { type OperationId, protocol } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import { wrongOption } from '../../conformance/errors.js'
import type { ConformanceOptions } from '../../conformance/index.js'
import { apiPlans } from '../../conformance/judge/contract.js'
import { integerArgument, positive, repeated } from '../arguments.js'
import { perform } from '../exit.js'
import { onInterrupt, SAME_SIGNAL } from '../signals.js'
import { checkOutputs } from '../writable-files.js'
import { checkRecording, type FileFlags, readBaseline, withBaseline } from './files.js'
import { type OutputFlags, outputFiles, withOutputs, writeReport } from './output.js'
import { createCheckProgress } from './progress.js'

/** The flags that are options of the API, with the same name and value. */
const PASSED_THROUGH = [
  'run',
  'trigger',
  'rateLimit',
  'exclusive',
  'serviceVersion',
  'maxWait',
  'timeout',
  'plan',
  'depth',
  'maxRequests',
] as const
type PassedThrough = Pick<ConformanceOptions, (typeof PASSED_THROUGH)[number]>

interface VerifyFlags extends FileFlags, OutputFlags, PassedThrough {
  keyEnv: string
  operation?: OperationId[]
  readOnlyKeyEnv?: string
  otherWorkspaceKeyEnv?: string
  hobbyKeyEnv?: string
  input?: Record<string, string>
  quiet?: true
  har?: string
}

/** The options of a recording, of the baseline and of the report. */
const withReports = (command: Command): Command =>
  command
    .option(
      '--har <file>',
      'check the requests of an HTTP archive to <base-url> instead; none is sent, no key is needed',
    )
    .option('--fail-on-client', 'with --har: also fail on rules that the recorded client breaks')
    .option('--baseline <file>', 'known failures that do not fail the check: a list in JSON')
    .option('--update-baseline', 'write the current failures to the file of --baseline')
    .option('--no-bodies', 'leave bodies, and values from them, out of the report')
    .option('-q, --quiet', 'print no progress')

/** The options of the keys. */
const withKeys = (command: Command): Command =>
  command
    .option('--key-env <name>', 'the environment variable with the API key', 'WORKFLOW_API_KEY')
    .option('--read-only-key-env <name>', 'the same for a key of the workspace that may not trigger: checks 403')
    .option('--other-workspace-key-env <name>', 'the same for a key of another workspace: checks that it sees no runs')
    .option('--hobby-key-env <name>', 'the same for a key of a plan without API access')

/** The options of a check. */
const checkCommand = (): Command =>
  withKeys(new Command('verify'))
    .description(
      'Check a live service against the contract. It starts no run and changes nothing, unless --trigger is given.',
    )
    .argument(
      '<base-url>',
      `base URL of the service, ending in its version, such as https://workflow-automation.example${protocol.versionSegment}`,
    )
    .addOption(
      new Option('--operation <name>', 'check this operation only; may be repeated')
        .choices(operationIds)
        .argParser(operationNamed),
    )
    .option('--run <id>', 'a run to read')
    .option(
      '--trigger <playbook-id>',
      'trigger runs of this playbook, as many as announced, and follow them; further playbooks are triggered once or twice',
      repeated,
    )
    .option('--input <name=value>', 'an input of these runs; may be repeated', input)
    .option('--rate-limit', 'reach the rate limit on purpose and measure it')
    .option('--exclusive', 'no other client uses the workspace: a rate lower than stated fails')
    .addOption(
      new Option(
        '--plan <name>',
        'plan of the workspace; requests are throttled to its rate (with --rate-limit the rate is also measured, for minutes)',
      ).choices(apiPlans.map(({ id }) => id)),
    )
    .addOption(
      new Option('--depth <depth>', 'how thoroughly to check: with the plainest requests, the usual variations or all')
        .choices(['quick', 'normal', 'thorough'])
        .default('normal'),
    )
    .option('--max-requests <number>', 'send no more requests than this, repetitions included', integerArgument(1))
    .option(
      '--service-version <date>',
      'pin all requests except the first ones to this release of the service, YYYY-MM-DD',
    )
    .addOption(inSeconds('--max-wait', 'how long to follow a run, and the longest Retry-After to obey', 60))
    .addOption(inSeconds('--timeout', 'how long one response may take', 10))

/** `workflow-automation verify`: checks a live service against the contract. */
export const verifyCommand = (): Command =>
  withOutputs(withReports(checkCommand()))
    .addHelpText(
      'after',
      `\nExits with 0 if nothing stated or derived fails, 1 if something does (or an outcome named by --fail-on), 2 if the check was not possible.`,
    )
    .action((baseUrl: string, flags: VerifyFlags) =>
      perform(() => verify(baseUrl, flags), { failed: 'The check failed' }),
    )

async function verify(baseUrl: string, flags: VerifyFlags): Promise<number> {
  const progress = createCheckProgress(flags.quiet === true)
  const interrupted = new AbortController()
  onInterrupt(() => interrupted.abort(), SAME_SIGNAL)
  checkFlags(flags)
  const baseline = await readBaseline(flags)
  const { har } = flags
  await checkOutputs(outputFiles(flags))
  const live = { signal: interrupted.signal, onProgress: progress.show }
  // No other command needs the checks: without them the sandbox is ready sooner, and takes less memory.
  const { checkConformance } = await import('../../conformance/index.js')
  const check =
    har === undefined
      ? checkConformance({ ...optionsOf(baseUrl, flags), ...live })
      : checkRecording(har, baseUrl, flags)
  const seen = await check.finally(progress.end)
  return writeReport(await withBaseline(seen, baseline, flags), flags, moreOf(flags))
}

/** Refuses options that another option makes meaningless, so that none is ignored silently. */
function checkFlags(flags: VerifyFlags): void {
  const { har, failOnClient, baseline, updateBaseline: update, input, trigger } = flags
  const live = [...EXERCISING_FLAGS, ['operation', '--operation'] as const, ['exclusive', '--exclusive'] as const]
    .filter(([name]) => flags[name] !== undefined)
    .map(([, flag]) => flag)
  if (har !== undefined && live.length > 0)
    throw wrongOption(`${live.join(', ')} cannot be given with --har, because no request is sent. Leave it out.`)
  if (input && trigger === undefined) throw wrongOption('--input needs --trigger: only a run has inputs.')
  if (har === undefined && failOnClient)
    throw wrongOption('--fail-on-client needs --har: only a recording has a client.')
  if (baseline === undefined && update) throw wrongOption('--update-baseline needs --baseline, the file to write.')
}

function optionsOf(baseUrl: string, flags: VerifyFlags): ConformanceOptions {
  const { readOnlyKeyEnv, otherWorkspaceKeyEnv, hobbyKeyEnv, failOn, bodies, input: inputs } = flags
  return {
    ...(Object.fromEntries(PASSED_THROUGH.map((name) => [name, flags[name]])) as PassedThrough),
    baseUrl,
    operations: flags.operation,
    failOn,
    bodies,
    inputs,
    apiKey: keyIn(flags.keyEnv),
    readOnlyKey: readOnlyKeyEnv && keyIn(readOnlyKeyEnv),
    otherWorkspaceKey: otherWorkspaceKeyEnv && keyIn(otherWorkspaceKeyEnv),
    hobbyKey: hobbyKeyEnv && keyIn(hobbyKeyEnv),
    keyVariables: {
      ...{ apiKey: flags.keyEnv, readOnlyKey: readOnlyKeyEnv },
      ...{ otherWorkspaceKey: otherWorkspaceKeyEnv, hobbyKey: hobbyKeyEnv },
    },
  }
}

function keyIn(variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw wrongOption(
    `The environment variable ${variable} is not set, or is empty. Set it to an API key of the service.`,
  )
}

/** Which options would exercise more. */
function moreOf(flags: VerifyFlags): string {
  const given = { ...flags, run: flags.run ?? flags.trigger }
  const more =
    flags.har === undefined
      ? EXERCISING_FLAGS.filter(([name]) => given[name] === undefined).map(([, flag]) => flag)
      : []
  return more.length > 0 ? `More is exercised with ${more.join(', ')}.\n` : ''
}

/** The options that exercise further entries of the register. */
const EXERCISING_FLAGS = [
  ['trigger', '--trigger'],
  ['run', '--run'],
  ['rateLimit', '--rate-limit'],
  ['readOnlyKeyEnv', '--read-only-key-env'],
  ['otherWorkspaceKeyEnv', '--other-workspace-key-env'],
  ['hobbyKeyEnv', '--hobby-key-env'],
] as const

function operationNamed(text: string, others: OperationId[] = []): OperationId[] {
  const found = operationIds.find((id) => id === text)
  if (found) return [...others, found]
  throw new InvalidArgumentError(`The contract has no such operation. It has: ${operationIds.join(', ')}.`)
}

function input(text: string, others: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be of the form name=value.')
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) }
}

/** An option that is given in seconds and converted to ms. */
const inSeconds = (name: string, description: string, usual: number): Option =>
  new Option(`${name} <seconds>`, description)
    .argParser((text) => secondsArgument(text) * 1_000)
    .default(usual * 1_000, String(usual))

const secondsArgument = positive('a number of seconds')
