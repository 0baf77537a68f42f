import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { protocol } from '../../../../generated/operations.js'
import { type Client, createClient } from '../../../client/index.js'
import { EXIT } from '../exit.js'
import { messageOf } from '../text.js'
import { progressOf } from './notices.js'

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

export const withService = (command: Command): Command =>
  command
    .option('--base-url <url>', `base URL of the service; default ${BASE_URL}`)
    .option('--key-env <name>', 'environment variable with the API key', KEY_ENV)
    .option('--key-file <file>', 'file with the API key, instead of --key-env')
    .option('--allow-http', 'send the key over plain HTTP, for private networks')
    .option('--json', 'print only one JSON document on standard output')
    .option('-q, --quiet', 'print only ids')

/** A mistake in the arguments or the environment: its message is the whole output. */
export class UsageError extends Error {}

/** The client that the options describe. @throws UsageError, or the client's TypeError for an option that is wrong */
export function openClient({ baseUrl = process.env[BASE_URL], allowHttp, ...flags }: ServiceFlags): Client {
  if (!baseUrl)
    throw new UsageError(`No base URL: set ${BASE_URL} or pass --base-url https://…${protocol.versionSegment}.`)
  try {
    return createClient({ baseUrl, apiKey: keyOf(flags), allowHttp: allowHttp === true, ...progressOf() })
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error
  }
}

function keyOf({ keyEnv, keyFile }: Pick<ServiceFlags, 'keyEnv' | 'keyFile'>): string {
  if (keyFile === undefined) {
    const key = process.env[keyEnv]?.trim()
    if (!key) throw new UsageError(`No API key: the environment variable ${keyEnv} is unset or empty.`)
    return key
  }
  try {
    const key = readFileSync(keyFile, 'utf8').trim()
    if (key) return key
  } catch (error) {
    throw new UsageError(`The file of --key-file cannot be read: ${(error as Error).message}.`)
  }
  throw new UsageError(`The file of --key-file, ${keyFile}, is empty.`)
}

/** Prints an error, and returns the exit code for a command that did nothing. */
export function failed(error: unknown): number {
  process.stderr.write(`${messageOf(error)}\n`)
  return EXIT.notPossible
}

export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
