import type { Command } from 'commander'
import { protocol } from '../../../../generated/contract.js'
import {
  ApiError,
  ConnectionError,
  MissingRunIdError,
  RateLimitError,
  ResponseParseError,
  RunTimeoutError,
  reasonIn,
} from '../../../client/errors.js'
import type { Client } from '../../../client/index.js'
import { addressOf } from '../../../client/options.js'
import { createMask, MASKED } from '../../../internal/mask.js'
import { maskSecretLike } from '../../conformance/judge/secret-like.js'
import { proxyAdvice } from '../../conformance/live/proxy.js'
import { EXIT, messageOf, UsageError } from '../exit.js'
import { err } from '../screen.js'
import { progressOf } from './notices.js'
import { readText } from './read.js'

/** The options of every command that calls the service. */
export interface ServiceFlags {
  baseUrl?: string
  keyEnv: string
  keyFile?: string
  allowHttp?: true
  json?: true
  quiet?: true
}

const BASE_URL = 'WORKFLOW_BASE_URL'
export const KEY_ENV = 'WORKFLOW_API_KEY'

export const withService = (command: Command, quiet = 'print only ids'): Command =>
  command
    .option('--base-url <url>', `base URL of the service; default ${BASE_URL}`)
    .option('--key-env <name>', 'environment variable with the API key', KEY_ENV)
    .option('--key-file <file>', 'file with the API key, instead of --key-env')
    .option('--allow-http', 'send the key over plain HTTP, for private networks')
    .option('--json', 'print only one JSON document on standard output')
    .option('-q, --quiet', quiet)

/** The help on exit codes of a command that reads. */
export const READING = '\nExit codes: 0 if it was read, 2 if not, or only in part; running the command again is safe.'

/** Calls the service that the options describe, and returns the exit code. What is thrown is printed, with what to do. */
export async function withClient(flags: ServiceFlags, use: (client: Client) => Promise<number>): Promise<number> {
  try {
    return await use(await openClient(flags))
  } catch (error) {
    return reportFailure(error, flags)
  }
}

/** Prints an error, and returns the exit code for a command that did nothing. */
export function reportFailure(error: unknown, flags: ServiceFlags): number {
  err.line(messageOf(error))
  const content = contentOf(error)
  if (content) err.line(`The response was: ${content}`)
  if (error instanceof RateLimitError && error.retryAfter !== undefined)
    err.line(`The service asks to try again in ${error.retryAfter} s.`)
  const cause = error instanceof RunTimeoutError ? error.cause : error
  if (!(cause instanceof ConnectionError)) return EXIT.notPossible
  let code: unknown
  for (let each: unknown = cause; code === undefined && each instanceof Error; each = each.cause)
    code = (each as NodeJS.ErrnoException).code
  const advice = proxyAdvice(flags.baseUrl ?? process.env[BASE_URL] ?? '', globalThis.fetch, `${code}`)
  if (advice) err.line(advice)
  return EXIT.notPossible
}

/** What a response says that the message of its error does not, such as an id in an unknown place; undefined for a page. */
function contentOf(error: unknown): string | undefined {
  const isUnread = error instanceof MissingRunIdError || error instanceof ResponseParseError
  if (!isUnread && !(error instanceof ApiError && reasonIn(error.body) === undefined)) return undefined
  const { body, headers } = error
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).trim().replaceAll(/\s+/g, ' ')
  const shown = text.startsWith('<') ? '' : text.slice(0, LONGEST_CONTENT)
  return [shown, isUnread && headers.get('location')].filter(Boolean).join(', Location: ') || undefined
}

const LONGEST_CONTENT = 2_000

/** @throws UsageError, or the client's TypeError for an option that is wrong */
async function openClient(flags: ServiceFlags): Promise<Client> {
  const baseUrl = flags.baseUrl ?? process.env[BASE_URL]
  const allowHttp = flags.allowHttp === true
  if (!baseUrl)
    throw new UsageError(`No base URL: set ${BASE_URL} or pass --base-url https://…${protocol.versionSegment}.`)
  const apiKey = await keyOf(flags)
  try {
    addressOf({ baseUrl, apiKey, allowHttp })
  } catch (error) {
    const source = flags.baseUrl === undefined ? BASE_URL : '--base-url'
    throw new UsageError(`${messageOf(error)} ${source} is ${masked(baseUrl, apiKey)}.`)
  }
  // As with the checks of verify: what a command does not need is not loaded.
  const { createClient } = await import('../../../client/index.js')
  return createClient({ baseUrl, apiKey, allowHttp, ...progressOf() })
}

/** A base URL as it may be shown: without credentials, and not too long. */
function masked(baseUrl: string, apiKey: string): string {
  const shown = baseUrl.replace(/^([^/]*\/\/)?[^/]*@/, `$1${MASKED}@`).replace(/[?#].*/s, `?${MASKED}`)
  const safe = maskSecretLike(createMask([apiKey])(shown))
  return JSON.stringify(safe.length > LONGEST_ADDRESS ? `${safe.slice(0, LONGEST_ADDRESS)}…` : safe)
}

/** How many characters of a base URL are shown. */
const LONGEST_ADDRESS = 60

async function keyOf({ keyEnv, keyFile }: Pick<ServiceFlags, 'keyEnv' | 'keyFile'>): Promise<string> {
  const key = (keyFile === undefined ? process.env[keyEnv] : await readText('--key-file', keyFile))?.trim()
  if (key) return key
  if (keyFile === undefined) throw new UsageError(`No API key: the environment variable ${keyEnv} is unset or empty.`)
  throw new UsageError(`The file of --key-file, ${keyFile}, is empty.`)
}
