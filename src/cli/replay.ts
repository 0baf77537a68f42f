import { Command } from 'commander'
import { protocol } from '../../generated/operations.js'
import { replayTraffic } from '../conformance/index.js'
import { parseJson } from '../internal/json.js'
import { isLoopback } from '../internal/loopback.js'
import { readBytes } from '../internal/read-bytes.js'
import { CONTROL } from '../sandbox/port/dispatch.js'
import { onInterrupt } from './arguments.js'
import { attempt, checkOutputs, EXIT, exitOf } from './outputs.js'
import { inSeconds, keyIn, listed } from './verify.js'
import { readRecording } from './verify-files.js'
import { outputFiles, textOf, writeFormats } from './verify-output.js'

interface ReplayFlags {
  recorded?: string
  keyEnv?: string
  unsafe?: string[]
  keep?: string[]
  workspace?: string
  controlToken?: string
  maxWait: number
  timeout: number
  json?: true
  junit?: string
  html?: string
  bodies: boolean
}

/** `workflow-automation replay`: sends a recording to a service and compares the responses. */
export const replayCommand = (): Command =>
  new Command('replay')
    .description('Send the requests of a recording to a service in their order, and report what is different.')
    .argument('<recording>', 'the recording, an HTTP archive (HAR)')
    .argument('<base-url>', 'base URL to send to, such as http://127.0.0.1:4010/v1, a sandbox with the recorded world')
    .option('--recorded <base-url>', 'base URL of the service when it was recorded; default the one of most requests')
    .option('--key-env <name>', 'the environment variable with the API key; default the key of the recorded world')
    .option(
      '--unsafe <operation>',
      'send this operation to another machine too, such as triggerRun; may be repeated',
      listed,
    )
    .option('--keep <pointer>', 'send a value that looks like a secret, such as /inputs/email; may be repeated', listed)
    .option('--workspace <id>', 'the workspace to take, when the recording has several')
    .option('--control-token <text>', 'bearer token for control requests of a sandbox that is not on this machine')
    .addOption(inSeconds('--max-wait', 'longest wait between two requests; a sandbox moves its clock instead', 5))
    .addOption(inSeconds('--timeout', 'how long one response may take', 10))
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as one HTML page')
    .option('--no-bodies', 'leave bodies, and values from them, out of the report')
    .addHelpText(
      'after',
      `\nExits with 0 when every response is as recorded, 1 when one is not, 2 when the replay was not possible or not finished.`,
    )
    .exitOverride(exitOf)
    .action(async (recording: string, to: string, flags: ReplayFlags) => {
      process.exitCode = await attempt('The replay failed', () => replay(recording, to, flags))
    })

async function replay(file: string, to: string, flags: ReplayFlags): Promise<number> {
  const { recorded, keyEnv, junit, html, json, controlToken, ...options } = flags
  const outputs = outputFiles(flags)
  const interrupted = new AbortController()
  onInterrupt(() => interrupted.abort())
  await checkOutputs({ 'the recording': file }, outputs)
  const { har, attachment, files } = await readRecording(file)
  const time = await sandboxTime(to, controlToken, options.timeout)
  const report = await replayTraffic({
    ...options,
    har,
    attachment,
    baseUrl: recorded,
    to,
    advance: time?.advance,
    signal: interrupted.signal,
    apiKey: keyEnv && keyIn(keyEnv),
  }).finally(time?.end)
  await checkOutputs(files, outputs)
  process.stdout.write(textOf(report, flags))
  await writeFormats(report, flags)
  return report.complete ? (report.passed ? EXIT.passed : EXIT.failed) : EXIT.notRun
}

/** In bytes. */
const LONGEST_STATE = 10_000_000

/** Pauses the clock of a sandbox and moves it instead of waiting; undefined when the service is none. */
async function sandboxTime(to: string, token: string | undefined, timeout: number) {
  if (!URL.canParse(to) || (token === undefined && !isLoopback(new URL(to).hostname))) return undefined
  const control = to.replace(new RegExp(`${protocol.versionSegment}/*$`), CONTROL)
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const send = async (method: string, command: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${control}/${command}`, {
      method,
      headers,
      signal: AbortSignal.timeout(timeout),
      ...(body && { body: JSON.stringify(body) }),
    })
    const { bytes } = await readBytes(response.body, LONGEST_STATE)
    return Object(parseJson(new TextDecoder().decode(bytes)))
  }
  const { paused, progress } = await send('GET', 'state?last=0').catch(() => ({}) as Record<string, unknown>)
  if (progress === undefined) return undefined
  await send('POST', 'pause')
  return {
    advance: (ms: number) => send('POST', 'advance', { ms }),
    end: async () => void (paused || (await send('POST', 'resume'))),
  }
}
