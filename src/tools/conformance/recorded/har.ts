import type { OperationId } from '../../../../generated/contract.js'
import { isTrigger, matchPath } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { increment } from '../../../internal/maps.js'
import { cacheSecondsOf } from '../../client-rules/rules.js'
import type { ClientRule } from '../../client-rules/types.js'
import { wrongOption } from '../errors.js'
import { type Exchange, exchangeOf } from '../judge/exchange.js'
import { counted } from '../judge/result.js'
import { decodedSegment } from '../judge/semantics.js'
import { entriesOf } from './har-file.js'
import {
  areSent,
  bodyOf,
  collectSecrets,
  headersOf,
  isRemovedKey,
  type ReadAttachment,
  scalar,
  toHeaders,
} from './har-messages.js'
import {
  errorOf,
  type HarEntry,
  isEndKnown,
  isFromCache,
  otherSource,
  type Recorded,
  type Source,
  TWICE,
  wasSent,
  withoutTwins,
} from './har-source.js'

/**
 * An entry of a recording that has a response, or a trigger that was sent and has none. Times are in ms, and NaN when they
 * were not recorded.
 */
export interface RecordedExchange {
  exchange: Exchange
  /** The id in the path; empty without one. */
  id: string
  sentAt: number
  /** When the headers of the response arrived, and when its body was complete. */
  respondedAt: number
  receivedAt: number
  /** The page of a browser that sent it, and the connection. */
  page: unknown
  connection: unknown
  /** Null if it had none, undefined if that is not known: a recorder may leave headers out, or remove keys. */
  authorization: string | null | undefined
  /** Whether the client got the whole response. */
  isWhole: boolean
}

export interface Recording {
  /** In the order in which they were sent; entries without a time are last. */
  exchanges: AsyncIterable<RecordedExchange>
  /** When each of them was sent, in the same order. */
  sentAt: readonly number[]
  /** When the response to each of them was complete, as far as it is known. */
  receivedAt: readonly number[]
  /** How many entries were ignored, by reason, and the rules for clients that they could have shown. */
  ignored: ReadonlyMap<string, number>
  unshown: ReadonlySet<ClientRule>
  /** The keys in the recording, which no report may show. */
  secrets: readonly string[]
}

/**
 * Reads an HTTP archive (HAR 1.2) as browsers, Playwright, `redocly proxy` and mitmproxy write it.
 *
 * @throws ConformanceError when it is not an HTTP archive, or has no request to `baseUrl`
 */
export async function readHar(
  har: string | Uint8Array | Blob | object,
  baseUrl: string,
  attachment?: ReadAttachment,
): Promise<Recording> {
  const entries = (await entriesOf(har, baseUrl)).map((entry) => Object(entry) as HarEntry)
  const base = new URL(baseUrl)
  const [origins, ignored]: [Counts, Counts] = [new Map(), new Map()]
  const [secrets, unshown] = [new Set<string>(), new Set<ClientRule>()]
  const ignore = (reason: string, operation?: OperationId) => {
    increment(ignored, reason)
    if (operation && isTrigger(operation) && reason === NO_RESPONSE) unshown.add('lostTrigger')
    if (operation && cacheSecondsOf(operation) !== undefined && isFromCache(reason)) unshown.add('caching')
  }
  const all: OwnEntry[] = []
  let isKeyRecorded = false
  let isLeftOut = false
  for (const [index, entry] of entries.entries()) {
    collectSecrets(entry, secrets)
    const found = operationOf(entry, base, origins)
    if ('reason' in found) ignore(found.reason, found.operation)
    else {
      all.push({ ...found, ...sourceOf(entry, index) })
      isKeyRecorded ||= toHeaders(entry.request).has('authorization')
      isLeftOut ||= isAccepted(entry.response) || entry._priority !== undefined
    }
  }
  // A recorder may write an entry when its response is complete.
  all.sort((one, other) => (one.sentAt || Number.MAX_VALUE) - (other.sentAt || Number.MAX_VALUE))
  const own = onceEach(withoutTwins(all, ignore), entries, ignored)
  if (own.length === 0) throw wrongOption(nothingRecorded(entries.length, baseUrl, origins, ignored))
  const exchanges = exchangesOf(own, entries, { attachment, isKeyRecorded, isLeftOut })
  const [sentAt, receivedAt] = [own.map((each) => each.sentAt), own.map((each) => each.receivedAt)]
  return { exchanges, sentAt, receivedAt, ignored, unshown, secrets: [...secrets] }
}

/** Two exports of one session may have been joined: without entries that are another's, which was sent at the same time. */
function onceEach(own: readonly OwnEntry[], entries: readonly HarEntry[], ignored: Counts): OwnEntry[] {
  const kept: OwnEntry[] = []
  let known = new Set<string>()
  for (const [position, entry] of own.entries()) {
    const isAs = (other: OwnEntry | undefined) => other?.sentAt === entry.sentAt
    if (!isAs(own[position - 1])) known = new Set()
    const isAlone = known.size === 0 && !isAs(own[position + 1])
    const identity = isAlone ? '' : identityOf(entries[entry.index] ?? {})
    if (known.has(identity)) increment(ignored, TWICE)
    else kept.push(entry)
    known.add(identity)
  }
  return kept
}

/** What two entries of one exchange have in common. */
const identityOf = ({ startedDateTime, time, request, response }: HarEntry): string =>
  JSON.stringify([
    startedDateTime,
    time,
    request?.method,
    request?.url,
    request?.postData,
    response?.status,
    response?.content,
  ])

interface OwnEntry extends Pick<RecordedExchange, 'id'>, Source {
  /** The index of the entry that has the body, when another one has it. */
  twin?: number
}

function sourceOf(entry: HarEntry, index: number): Omit<Source, 'operation'> {
  const { request, response, startedDateTime, time } = entry
  const sentAt = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN
  const { size, text, _file } = Object(response?.content) as Recorded
  const isOfWorker = entry._serviceWorkerRef !== undefined
  const hasBody = (typeof text === 'string' && text !== '') || (typeof _file === 'string' && !_file.startsWith(EMPTY))
  return {
    index,
    sentAt,
    receivedAt: sentAt + Math.max(0, Number(scalar(time)) || 0),
    target: `${request?.method} ${request?.url}`,
    isOfWorker,
    isSent: areSent(request),
    isLocal: response?._transferSize === 0 && (hasBody || Number(scalar(size)) > 0 || isOfWorker),
    hasBody,
  }
}

/** How Playwright names an empty attachment: its SHA-1. */
const EMPTY = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'

type Counts = Map<string, number>

/** The operation of an entry and the id in its path, or why it is ignored. */
function operationOf(entry: HarEntry, base: URL, origins: Counts): Found | Ignored {
  const { request, response } = entry
  const { url, method } = request ?? {}
  if (typeof url !== 'string' || typeof method !== 'string' || !URL.canParse(url)) return { reason: 'malformed' }
  const { origin, pathname } = new URL(url)
  increment(origins, origin)
  const prefix = base.pathname.replace(/\/$/, '')
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${prefix}/`)) return { reason: 'to another address' }
  if (method === 'OPTIONS') return { reason: 'a preflight of a browser' }
  const path = pathname.slice(prefix.length).replaceAll(/\/{2,}/g, '/')
  const found = matchPath(path.replace(/\/$/, '')).find(
    (each) => each.method === method.toUpperCase() && each.values.every(Boolean),
  )
  if (!found) return { reason: 'no operation of the contract' }
  const { operation } = found
  const isUsable = hasResponse(response) || (isTrigger(operation) && wasSent(entry))
  const reason = isUsable ? otherSource(entry) : NO_RESPONSE
  return reason ? { reason, operation } : { operation, id: decodedSegment(found.values[0] ?? '') }
}

type Found = Pick<OwnEntry, 'operation' | 'id'>

interface Ignored {
  reason: string
  operation?: OperationId
}

/** Whether a response began: Playwright gives a request that was aborted before it was sent the status 200. */
const isBegun = (entry: HarEntry): boolean => headersOf(entry.response).length > 0 || wasSent(entry)

const NO_RESPONSE = 'without a response'

const hasResponse = (response: Recorded | undefined): boolean =>
  Number.isInteger(response?.status) && Number(response?.status) >= 200 && Number(response?.status) <= 599

function nothingRecorded(count: number, baseUrl: string, origins: Counts, ignored: Counts): string {
  if (count === 0) return 'The recording has no request. Record what a client sends to the service.'
  const most = [...origins].sort(([, one], [, other]) => other - one).slice(0, 5)
  const why = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const where = most.map(([origin, times]) => `${origin} (${times})`).join(', ')
  const held = where && ` They went to ${where}.`
  return `The recording has no request of the contract to ${baseUrl}. It has ${counted(count, 'entry', 'entries')}: ${why}.${held} Give the base URL that the client used.`
}

/** Whether the service took the key of a request. */
const isAccepted = (response: Recorded | undefined): boolean =>
  hasResponse(response) && Number(response?.status) < 500 && response?.status !== STATUS.unauthorized

interface RecordedFacts {
  attachment: ReadAttachment | undefined
  isKeyRecorded: boolean
  /** Whether the recorder leaves keys out. Chrome, which writes `_priority`, does so unless it is told otherwise. */
  isLeftOut: boolean
}

async function* exchangesOf(
  own: readonly OwnEntry[],
  entries: readonly HarEntry[],
  { attachment, isKeyRecorded, isLeftOut }: RecordedFacts,
) {
  for (const { operation, id, index, sentAt, twin = index, isSent } of own) {
    const entry = entries[index] ?? {}
    const { request, response, time, timings, pageref } = entry
    const isReceived = hasResponse(response)
    const other = (twin === index ? {} : entries[twin]) ?? {}
    const isTimed = isReceived ? Number(scalar(time)) >= 0 : isEndKnown(entry)
    const receivedAt = isTimed ? sentAt + Number(scalar(time)) : Number.NaN
    const respondedAt = receivedAt - Math.max(0, Number(scalar(timings?.receive)) || 0)
    const sent = await bodyOf(request?.postData ?? other.request?.postData, attachment)
    const headers = toHeaders(response)
    const sentHeaders = toHeaders(request)
    const content = other.response?.content ?? response?.content
    const { mimeType } = Object(content) as { mimeType?: unknown }
    if (typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+/.test(mimeType) && !headers.has('content-type'))
      headers.set('content-type', mimeType.replaceAll(/[^\x20-\x7e]/g, ''))
    const body = await bodyOf(content, attachment, headers.get('content-length') === '0')
    const exchange = exchangeOf(
      operation,
      {
        method: String(scalar(request?.method)).toUpperCase(),
        url: String(scalar(request?.url)),
        headers: sentHeaders,
        body: sent?.text,
        isCut: sent?.truncated === true,
      },
      {
        status: isReceived ? Number(response?.status) : 0,
        headers,
        hasHeaders: headersOf(response).length > 0,
        duration: isTimed ? Number(scalar(time)) : 0,
        text: undefined,
        ...body,
      },
    )
    const error = errorOf(entry)
    if (!isReceived) exchange.failure = { kind: 'connection', message: error || NO_RESPONSE }
    const isRemoved = headersOf(request).some(isRemovedKey)
    const isRefused = response?.status === STATUS.unauthorized
    const isMissing = !isRemoved && (isKeyRecorded ? isSent || isRefused : isRefused && !isLeftOut)
    yield {
      ...{ exchange, id, sentAt, respondedAt, receivedAt, page: pageref ?? other.pageref },
      connection: scalar(entry.connection) || undefined,
      authorization: sentHeaders.get('authorization') ?? (isMissing ? null : undefined),
      isWhole: isReceived && (error === '' || exchange.body !== undefined || !isBegun(entry)),
    }
  }
}
