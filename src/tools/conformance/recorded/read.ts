import { operationNodes } from '../../../../generated/conformance/nodes.js'
import { operations, protocol } from '../../../../generated/operations.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { parseJson } from '../../../internal/http/json.js'
import { FUNCTION, type OptionRules, rule } from '../../../internal/options.js'
import { type Schemas, validate } from '../../../validators/index.js'
import { baseUrlOf } from '../base-url.js'
import { documentedStatus, isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { type RecordedExchange, readHar } from '../har.js'
import { contradictionsOf } from '../judge/exchange.js'
import { ARCHIVE, checkOptions, isText } from '../options.js'
import { createPrinter } from '../report/print.js'
import type { TrafficOptions } from '../traffic.js'
import { Replacer } from './replacer.js'

/** What is read of a recording. */
export interface RecordingOptions extends Pick<TrafficOptions, 'har' | 'attachment'> {
  /** The base URL of the service when it was recorded; default the one that most requests have. */
  baseUrl?: string | undefined
  /** Values that stay although they look like a secret: JSON pointers in bodies, such as `/inputs/email`. */
  keep?: readonly string[] | undefined
  /** The id of the workspace to read, when the recording has several. */
  workspace?: string | undefined
}

const RECORDING_RULES: OptionRules<RecordingOptions> = {
  har: ARCHIVE,
  attachment: FUNCTION,
  baseUrl: rule(isText, 'a string'),
  keep: rule(
    (value) => Array.isArray(value) && value.every((each) => /^\//.test(each)),
    'a list of JSON pointers, such as /inputs/email',
  ),
  workspace: rule(isText, 'a string'),
}

/** A recorded exchange without secrets. */
export interface SafeExchange extends Omit<RecordedExchange, 'page' | 'receivedAt' | 'respondedAt' | 'isKeyKnown'> {
  /** The first one has 0. */
  number: number
  exchange: Exchange & { request: { body?: string | undefined } }
  /** What replaces its key; empty without one. */
  key: string
  /** What in the response contradicts what the contract states. */
  contradictions: readonly string[]
  /** What in it has another form than the contract's, which is only assumed there. */
  deviations: readonly string[]
}

/** Opens a recording; no secret of it leaves this function. */
export async function openRecording(options: RecordingOptions) {
  checkOptions(options, RECORDING_RULES, ['har'])
  const { har, attachment, keep } = options
  const given = options.baseUrl === undefined ? undefined : baseUrlOf(options.baseUrl)
  const recording = await readHar(har, given, attachment)
  const { secrets, tokens, baseUrl, ignored } = recording
  const replacer = new Replacer(secrets, tokens, keep)
  async function* exchanges(): AsyncGenerator<SafeExchange> {
    let number = 0
    for await (const recorded of recording.exchanges) yield { number: number++, ...safe(recorded, replacer) }
  }
  return { baseUrl, ignored, replacer, exchanges }
}

/** Without secrets, and how it differs from the contract. */
function safeBodyOf(exchange: Exchange, replacer: Replacer) {
  const { operation, body, text } = exchange
  const replaced = replacer.body(body, operation)
  const contradictions = contradictionsIn(exchange)
  return {
    body: replaced,
    text: body === undefined ? replacer.text(text.slice(0, SHOWN)) : JSON.stringify(replaced),
    contradictions,
    deviations: contradictions.length === 0 ? deviationsIn({ ...exchange, body: replaced }) : [],
  }
}

function safe({ exchange, id, sentAt, isKeyKnown }: RecordedExchange, replacer: Replacer) {
  const { operation, request } = exchange
  const authorization = request.headers.get('authorization')
  const { contradictions, deviations, ...body } = safeBodyOf(exchange, replacer)
  const headers = (all: Headers, names: readonly string[]) =>
    new Headers(
      [...all]
        .filter(([name]) => names.includes(name))
        .map(([name, value]): [string, string] => [name, replacer.text(value)]),
    )
  return {
    id: replacer.name(id),
    sentAt,
    isKeyKnown,
    key: authorization === null ? '' : replacer.key(authorization.replace(/^\S+ +/, '')),
    contradictions,
    deviations,
    exchange: {
      ...exchange,
      ...body,
      request: {
        method: request.method,
        url: safeUrl(request.url, replacer),
        headers: headers(request.headers, SENT),
        body: typeof request.body === 'string' ? safeBody(request.body, operation, replacer) : undefined,
      },
      headers: headers(exchange.headers, ['content-type', 'retry-after']),
    },
  }
}

/** How much of a body is kept that is no JSON, in characters. */
const SHOWN = 2_000

/** The headers of a request that the contract or HTTP defines. */
const SENT = ['accept', 'content-type', protocol.versionHeader.toLowerCase()]

function safeUrl(text: string, replacer: Replacer): string {
  const url = new URL(text)
  url.username = url.password = url.hash = ''
  for (const [name, value] of [...url.searchParams])
    url.searchParams.set(name, String(Object(replacer.body({ [name]: value }, 'query'))[name]))
  url.pathname = url.pathname
    .split('/')
    .map((part) => replacer.name(part))
    .join('/')
  return url.href
}

function safeBody(text: string, operation: SafeExchange['exchange']['operation'], replacer: Replacer): string {
  const body = parseJson(text)
  return body === undefined ? replacer.text(text) : JSON.stringify(replacer.body(body, operation))
}

/** No value of a body is shown: a message names where it is. */
const { message: shown } = createPrinter([], false)

/** A body that was not recorded contradicts nothing. */
const contradictionsIn = (exchange: Exchange): string[] =>
  contradictionsOf(exchange).map(({ basis, message }) => `${basis}: ${shown(message)}`)

/** The first problem of a body; the others are often of the same kind. */
function deviationsIn({ operation, status, body }: Exchange): string[] {
  const schema = operationNodes[operation].responses[documentedStatus(operation, status)]?.schema
  if (body === undefined || schema === undefined) return []
  const problems = validate(schema as keyof Schemas, body)
  return problems.slice(0, 1).map(({ message }) => `${operation} ${status}: ${message}, which is only assumed`)
}

/** A 429 or 5xx says nothing of what the service is like at another time. */
export const isPassing = ({ operation, status }: Exchange): boolean =>
  (operations[operation].retryable as readonly number[]).includes(status) || status >= 500

/** Whether the request had its effect. */
export const hasStarted = ({ operation, status }: Exchange): boolean => isTrigger(operation) && isSuccess(status)
