import { constants } from 'node:fs'
import { access, realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { apiPlans } from '../conformance/contract.js'
import { ConformanceError, type ConformanceOptions, checkConformance, type Report } from '../conformance/index.js'
import { wrong } from '../conformance/options.js'
import { renderHtml } from '../conformance/report/html.js'
import { renderJunit } from '../conformance/report/junit.js'
import { renderSuggestions, suggestions } from '../conformance/report/suggest.js'
import { renderTable } from '../conformance/report/table.js'
import { onInterrupt } from './arguments.js'
import { checkRecording, type FileFlags, readBaseline, withBaseline } from './verify-files.js'
import { createProgress } from './verify-progress.js'

/** The flags that are options of the API, with the same name and value. */
const SAME = [
  ...(['run', 'trigger', 'unsafe', 'rateLimit', 'serviceVersion', 'maxWait', 'timeout'] as const),
  ...(['plan', 'depth', 'seed', 'maxRequests'] as const),
] as const
type Same = Pick<ConformanceOptions, (typeof SAME)[number]>

interface VerifyFlags extends FileFlags, Same {
  keyEnv: string
  readOnlyKeyEnv?: string
  otherWorkspaceKeyEnv?: string
  hobbyKeyEnv?: string
  input?: Record<string, string>
  json?: true
  junit?: string
  html?: string
  suggest?: true
  quiet?: true
  har?: string
}

/** The exit code: nothing stated or derived fails, something does, or the check was not possible. */
const EXIT = { passed: 0, failed: 1, notRun: 2 } as const

/** The options of a recording, of the baseline and of the report. */
const withReports = (command: Command): Command =>
  command
    .option(
      '--har <file>',
      'check the requests of an HTTP archive to <base-url> instead; none is sent, no key is needed',
    )
    .option('--fail-on-client', 'with --har: fail on mistakes of the recorded client too')
    .option('--baseline <file>', 'known failures that do not fail the check: a list of "name: value" in YAML, or JSON')
    .option('--update-baseline', 'write the current failures to the file of --baseline')
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as one HTML page')
    .option('--suggest', 'print the changes to the contract that the findings call for')
    .addOption(
      new Option('--fail-on <outcome>', 'also fail on contradicted entries, which are observed or assumed').choices([
        'contradicted',
      ]),
    )
    .option('--no-bodies', 'leave bodies, and values from them, out of the report')
    .option('-q, --quiet', 'print no progress')

/** The options of a check. */
const checkCommand = (): Command =>
  new Command('verify')
    .description(
      'Check a live service against the contract. It starts no run and changes nothing, unless --trigger or --unsafe is given.',
    )
    .argument('<base-url>', 'base URL of the service, ending in its version, such as https://api.example.com/v1')
    .option('--key-env <name>', 'the environment variable with the API key', 'WORKFLOW_API_KEY')
    .option('--read-only-key-env <name>', 'the same for a key of the workspace that may not trigger: checks 403')
    .option('--other-workspace-key-env <name>', 'the same for a key of another workspace: checks that it sees no runs')
    .option('--hobby-key-env <name>', 'the same for a key of a plan without API access')
    .option('--run <id>', 'a run to read')
    .option(
      '--trigger <playbook-id>',
      'trigger runs of this playbook, as many as are announced, and follow one to its end',
    )
    .option('--input <name=value>', 'an input of these runs; may be repeated', input)
    .option('--unsafe <operation>', 'call an unsafe operation, with wrong requests; may be repeated', listed)
    .option('--rate-limit', 'reach the rate limit on purpose and measure it')
    .addOption(
      new Option(
        '--plan <name>',
        'the plan of the workspace: its rate is kept to, and with --rate-limit measured for minutes',
      ).choices(apiPlans.map(({ id }) => id)),
    )
    .addOption(
      new Option('--depth <depth>', 'how much is tried: at most 70 requests, at most 250, or all')
        .choices(['quick', 'normal', 'thorough'])
        .default('normal'),
    )
    .option('--seed <number>', 'choose the same requests as a report with this seed', wholeNumber)
    .option('--max-requests <number>', 'send no more requests than this, repetitions included', wholeNumber)
    .option('--service-version <date>', 'the release to pin all requests to but the first ones, YYYY-MM-DD')
    .addOption(inSeconds('--max-wait', 'how long to follow a run, and the longest Retry-After to obey', 60))
    .addOption(inSeconds('--timeout', 'how long one response may take', 10))

/** `workflow-automation verify`: checks a live service against the contract. */
export const verifyCommand = (): Command =>
  withReports(checkCommand())
    .addHelpText(
      'after',
      `\nExits with 0 when nothing stated or derived fails, 1 when something does (or what --fail-on names), 2 when the check was not possible.`,
    )
    .configureOutput({ outputError: (text, write) => write(text) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.passed : EXIT.notRun))
    .action(async (baseUrl: string, flags: VerifyFlags) => {
      process.exitCode = await verify(baseUrl, flags)
    })

async function verify(baseUrl: string, flags: VerifyFlags): Promise<number> {
  const progress = createProgress(process.stderr, flags.quiet === true)
  const interrupted = new AbortController()
  onInterrupt(() => interrupted.abort(), SAME_SIGNAL)
  try {
    checkFlags(flags)
    const baseline = await readBaseline(flags)
    await checkOutputs(flags)
    const live = { signal: interrupted.signal, onProgress: progress.show }
    const seen =
      flags.har === undefined
        ? await checkConformance({ ...optionsOf(baseUrl, flags), ...live })
        : await checkRecording(flags.har, baseUrl, flags)
    progress.end()
    const report = await withBaseline(seen, baseline, flags)
    await write(report, flags)
    return report.passed ? (report.complete ? EXIT.passed : EXIT.notRun) : EXIT.failed
  } catch (error) {
    progress.end()
    process.stderr.write(`${isExpected(error) ? error.message : `The check failed: ${error}`}\n`)
    return EXIT.notRun
  }
}

/** In ms: less than it takes to press Ctrl+C again. */
const SAME_SIGNAL = 500

/** Checks before any request that each report can be written, and would not replace another file that was named. */
async function checkOutputs({ har, baseline, junit, html }: VerifyFlags): Promise<void> {
  const names = new Map<string, string>()
  for (const [flag, file] of Object.entries({ har, baseline, junit, html })) {
    if (file === undefined) continue
    const isOutput = flag === 'junit' || flag === 'html'
    if (isOutput) await checkWritable(file)
    const path = await realpath(file).catch(() => resolve(file))
    const other = names.get(path)
    if (isOutput && other) throw wrong(`--${flag} would write over ${file}, the file of --${other}. Name another file.`)
    names.set(path, flag)
  }
}

async function checkWritable(file: string): Promise<void> {
  const folder = dirname(resolve(file))
  await access(folder, constants.W_OK).catch(() => {
    throw wrong(`${file} cannot be written: ${folder} is not a writable folder.`)
  })
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw wrong(`${file} cannot be written: it is a folder. Name a file in it.`)
}

const isExpected = (error: unknown): error is Error =>
  error instanceof ConformanceError || (error instanceof Error && 'path' in error && 'code' in error)

/** Refuses options that another option makes meaningless, so that none is ignored silently. */
function checkFlags(flags: VerifyFlags): void {
  const { har, failOnClient, baseline, updateBaseline: update, input, trigger } = flags
  const live = MORE.filter(([name]) => flags[name] !== undefined).map(([, flag]) => flag)
  if (har !== undefined && live.length > 0)
    throw wrong(`${live.join(', ')} cannot be given with --har, because no request is sent. Leave it out.`)
  if (input && trigger === undefined) throw wrong('--input needs --trigger: only a run has inputs.')
  if (har === undefined && failOnClient) throw wrong('--fail-on-client needs --har: only a recording has a client.')
  if (baseline === undefined && update) throw wrong('--update-baseline needs --baseline, the file to write.')
}

function optionsOf(baseUrl: string, flags: VerifyFlags): ConformanceOptions {
  const { readOnlyKeyEnv, otherWorkspaceKeyEnv, hobbyKeyEnv, failOn, bodies, input: inputs } = flags
  return {
    ...(Object.fromEntries(SAME.map((name) => [name, flags[name]])) as Same),
    ...{ baseUrl, failOn, bodies, inputs },
    apiKey: keyIn(flags.keyEnv),
    readOnlyKey: readOnlyKeyEnv && keyIn(readOnlyKeyEnv),
    otherWorkspaceKey: otherWorkspaceKeyEnv && keyIn(otherWorkspaceKeyEnv),
    hobbyKey: hobbyKeyEnv && keyIn(hobbyKeyEnv),
  }
}

function keyIn(variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw wrong(`The environment variable ${variable} is not set, or is empty. Set it to an API key of the service.`)
}

async function write(report: Report, flags: VerifyFlags): Promise<void> {
  process.stdout.write(flags.json ? json(report, flags) : table(report, flags))
  if (flags.junit !== undefined) await writeFile(flags.junit, renderJunit(report))
  if (flags.html !== undefined) await writeFile(flags.html, renderHtml(report))
}

const json = (report: Report, { suggest }: VerifyFlags): string =>
  `${JSON.stringify(suggest ? { ...report, suggestions: suggestions(report) } : report, null, 2)}\n`

function table(report: Report, flags: VerifyFlags): string {
  const { har, run, trigger, suggest } = flags
  const given = { ...flags, run: run ?? trigger }
  const more = har === undefined ? MORE.filter(([name]) => given[name] === undefined).map(([, flag]) => flag) : []
  const width = process.stdout.isTTY ? Math.min(process.stdout.columns, 120) : Infinity
  return [
    renderTable(report, { colour: hasColour(), width }),
    ...(more.length > 0 ? [`More is exercised with ${more.join(', ')}.\n`] : []),
    ...(suggest ? [`\n${renderSuggestions(report)}`] : []),
  ].join('')
}

/** The options that exercise further entries of the register. */
const MORE = [
  ['trigger', '--trigger'],
  ['run', '--run'],
  ['rateLimit', '--rate-limit'],
  ['readOnlyKeyEnv', '--read-only-key-env'],
  ['otherWorkspaceKeyEnv', '--other-workspace-key-env'],
  ['hobbyKeyEnv', '--hobby-key-env'],
] as const

/** As https://no-color.org and https://force-color.org say. */
const hasColour = (): boolean => {
  const { NO_COLOR, FORCE_COLOR } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR) return FORCE_COLOR !== '0'
  return process.stdout.isTTY === true && process.env.TERM !== 'dumb'
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

const listed = (text: string, others: string[] = []): string[] => [...others, text]

function input(text: string, others: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be of the form name=value.')
  return { ...others, [text.slice(0, at)]: text.slice(at + 1) }
}

/** An option that is given in seconds and converted to ms. */
const inSeconds = (name: string, description: string, usual: number): Option =>
  new Option(`${name} <seconds>`, description).argParser(milliseconds).default(usual * 1000, String(usual))

function milliseconds(text: string): number {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number of seconds above 0.')
  return value * 1000
}
