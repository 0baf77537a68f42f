import type { OperationId } from '../../../generated/operations.js'
import { matchPath } from '../../internal/contract/operations.js'
import { increment } from '../../internal/maps.js'
import { wrong } from './errors.js'
import { type Exchange, exchangeOf } from './exchange.js'
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
import { type HarEntry, otherSource, type Recorded, type Source, TWICE, withoutTwins } from './har-source.js'
import { counted } from './judge/result.js'
import { decoded } from './judge/semantics.js'

/** An entry of a recording that has a response. Times are in ms, and NaN when they were not recorded. */
export interface RecordedExchange {
  exchange: Exchange
  /** The id in the path; empty without one. */
  id: string
  sentAt: number
  /** When the headers of the response arrived, and when its body was complete. */
  respondedAt: number
  receivedAt: number
  /** The page of a browser that sent it. */
  page: unknown
  /** Whether the key of the request was recorded, or that it had none: a recorder may leave headers out, or remove keys. */
  isKeyKnown: boolean
}

export interface Recording {
  /** In the order in which they were sent; entries without a time are last. */
  exchanges: AsyncIterable<RecordedExchange>
  /** When each of them was sent, in the same order. */
  sentAt: readonly number[]
  /** How many entries were ignored, by reason. */
  ignored: ReadonlyMap<string, number>
  /** Whether the recorder kept the header Authorization of any request. */
  isKeyRecorded: boolean
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
  const secrets = new Set<string>()
  const all: OwnEntry[] = []
  let isKeyRecorded = false
  for (const [index, entry] of entries.entries()) {
    collectSecrets(entry, secrets)
    const found = operationOf(entry, base, origins)
    if (typeof found === 'string') increment(ignored, found)
    else {
      all.push({ ...found, ...sourceOf(entry, index) })
      isKeyRecorded ||= toHeaders(entry.request).has('authorization')
    }
  }
  // A recorder may write an entry when its response is complete.
  all.sort((one, other) => (one.sentAt || Number.MAX_VALUE) - (other.sentAt || Number.MAX_VALUE))
  const apart = withoutTwins(all, (reason) => increment(ignored, reason))
  const own = onceEach(apart, entries, ignored)
  if (own.length === 0) throw wrong(nothingRecorded(entries.length, baseUrl, origins, ignored))
  const sentAt = own.map((entry) => entry.sentAt)
  return { exchanges: exchangesOf(own, entries, attachment), sentAt, ignored, secrets: [...secrets], isKeyRecorded }
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
  operation: OperationId
  /** The index of the entry that has the body, when another one has it. */
  twin?: number
}

function sourceOf(entry: HarEntry, index: number): Source {
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
function operationOf(entry: HarEntry, base: URL, origins: Counts) {
  const { request, response } = entry
  const { url, method } = request ?? {}
  if (typeof url !== 'string' || typeof method !== 'string' || !URL.canParse(url)) return 'malformed'
  const { origin, pathname } = new URL(url)
  increment(origins, origin)
  const prefix = base.pathname.replace(/\/$/, '')
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${prefix}/`)) return 'to another address'
  if (method === 'OPTIONS') return 'a preflight of a browser'
  const path = pathname.slice(prefix.length).replaceAll(/\/{2,}/g, '/')
  const found = matchPath(path.replace(/\/$/, '')).find(
    (each) => each.method === method.toUpperCase() && each.values.every(Boolean),
  )
  if (!found) return 'no operation of the contract'
  const status = Number.isInteger(response?.status) ? Number(response?.status) : 0
  if (status < 200 || status > 599) return 'without a response'
  return otherSource(entry) ?? { operation: found.operation, id: decoded(found.values[0] ?? '') }
}

function nothingRecorded(count: number, baseUrl: string, origins: Counts, ignored: Counts): string {
  if (count === 0) return 'The recording has no request. Record what a client sends to the service.'
  const most = [...origins].sort(([, one], [, other]) => other - one).slice(0, 5)
  const why = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const where = most.map(([origin, times]) => `${origin} (${times})`).join(', ')
  const held = where && ` They went to ${where}.`
  return `The recording has no request of the contract to ${baseUrl}. It has ${counted(count, 'entry', 'entries')}: ${why}.${held} Give the base URL that the client used.`
}

async function* exchangesOf(
  own: readonly OwnEntry[],
  entries: readonly HarEntry[],
  attachment: ReadAttachment | undefined,
) {
  for (const { operation, id, index, sentAt, twin = index, isSent } of own) {
    const { request, response, time, timings, pageref } = entries[index] ?? {}
    const other = (twin === index ? {} : entries[twin]) ?? {}
    const isTimed = Number(scalar(time)) >= 0
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
      },
      {
        status: Number(response?.status),
        headers,
        hasHeaders: headersOf(response).length > 0,
        duration: isTimed ? Number(scalar(time)) : 0,
        text: undefined,
        ...body,
      },
    )
    const isRemoved = headersOf(request).some(isRemovedKey)
    const isKeyKnown = sentHeaders.has('authorization') || (isSent && !isRemoved)
    yield { exchange, id, sentAt, respondedAt, receivedAt, page: pageref ?? other.pageref, isKeyKnown }
  }
}
