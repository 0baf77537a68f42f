import { type OperationId, protocol } from '../../generated/operations.js'
import { matchPath } from '../internal/contract/operations.js'
import { parseJson } from '../internal/http/json.js'
import { decodeBody, type Exchange, exchangeOf, MAX_BODY } from './exchange.js'
import { type Entries, entriesOf, gunzip, type HarFile, isGzip } from './har-file.js'
import { type HarEntry, otherSource, type Recorded, type Source, TWICE, withoutTwins } from './har-source.js'
import { counted } from './judge/result.js'
import { decoded } from './judge/semantics.js'
import { wrong } from './options.js'
import { hasPlaceholder, isNoCredential, isPlaceholder } from './placeholder.js'

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
  /** In the order in which they were sent; entries without a time are last. They may be read several times. */
  exchanges: AsyncIterable<RecordedExchange>
  /** When each of them was sent, in the same order. */
  sentAt: readonly number[]
  /** How many entries were ignored, by reason. */
  ignored: ReadonlyMap<string, number>
  /** Whether the recorder kept the header Authorization of any request. */
  isKeyRecorded: boolean
  /** The keys in the recording, which no report may show. */
  secrets: readonly string[]
  /** What may be secret elsewhere in it: values of cookies, of headers of an application, and of parameters of URLs. */
  tokens: ReadonlySet<string>
  baseUrl: string
}

/** Reads the body of a response from a file of its own; undefined when there is none. */
export type ReadAttachment = (name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>

/**
 * Reads an HTTP archive (HAR 1.2) as browsers, Playwright, `redocly proxy` and mitmproxy write it. Without a base URL it is
 * the one that most requests of the contract have.
 *
 * @throws ConformanceError when it is not an HTTP archive, or has no request to `baseUrl`
 */
export async function readHar(
  har: string | Uint8Array | HarFile | object,
  given: string | undefined,
  attachment?: ReadAttachment,
): Promise<Recording> {
  const entries = await entriesOf(har)
  const baseUrl = given ?? (await baseUrlIn(entries))
  const base = new URL(baseUrl)
  const [origins, ignored]: [Counts, Counts] = [new Map(), new Map()]
  const secrets = new Set<string>()
  const tokens = new Set<string>()
  const all: OwnEntry[] = []
  let isKeyRecorded = false
  for (let index = 0; index < entries.length; index++) {
    const entry = Object(await entries.at(index)) as HarEntry
    collectSecrets(entry, secrets)
    collectTokens(entry, tokens)
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
  const own = await onceEach(apart, entries, ignored)
  if (own.length === 0) throw wrong(nothingRecorded(entries.length, baseUrl, origins, ignored))
  const sentAt = own.map((entry) => entry.sentAt)
  const exchanges = { [Symbol.asyncIterator]: () => exchangesOf(own, entries, attachment) }
  return { exchanges, sentAt, ignored, secrets: [...secrets], tokens, isKeyRecorded, baseUrl }
}

/** Two exports of one session may have been joined: without entries that are another's, which was sent at the same time. */
async function onceEach(own: readonly OwnEntry[], entries: Entries, ignored: Counts): Promise<OwnEntry[]> {
  const kept: OwnEntry[] = []
  let known = new Set<string>()
  for (const [position, entry] of own.entries()) {
    const isAs = (other: OwnEntry | undefined) => other?.sentAt === entry.sentAt
    if (!isAs(own[position - 1])) known = new Set()
    const isAlone = known.size === 0 && !isAs(own[position + 1])
    const identity = isAlone ? '' : identityOf(Object(await entries.at(entry.index)) as HarEntry)
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

/** Whether the headers are those that were sent: each request has one of these. RFC 9110, section 7.2; RFC 9113, section 8.3.1. */
const areSent = (request: unknown): boolean => headersOf(request).some(({ name }) => /^(host|:authority)$/i.test(name))

type Counts = Map<string, number>
const increment = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

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

/** The base URL of most requests whose path is one of the contract. Of a long archive, some entries say which. */
async function baseUrlIn(entries: Entries, step = Math.ceil(entries.length / 2_000)): Promise<string> {
  const counts: Counts = new Map()
  for (let index = 0; index < entries.length; index += step) {
    const { url } = Object((Object(await entries.at(index)) as HarEntry).request) as Recorded
    if (typeof url !== 'string' || !URL.canParse(url)) continue
    const { origin, pathname } = new URL(url)
    const end = pathname.lastIndexOf(`${protocol.versionSegment}/`)
    if (end !== -1) increment(counts, origin + pathname.slice(0, end) + protocol.versionSegment)
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  if (most) return most[0]
  if (step > 1) return baseUrlIn(entries, 1)
  throw wrong(`The recording has no request to an address with ${protocol.versionSegment}/ in it. Give its base URL.`)
}

function nothingRecorded(count: number, baseUrl: string, origins: Counts, ignored: Counts): string {
  if (count === 0) return 'The recording has no request. Record what a client sends to the service.'
  const most = [...origins].sort(([, one], [, other]) => other - one).slice(0, 5)
  const why = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const where = most.map(([origin, times]) => `${origin} (${times})`).join(', ')
  const held = where && ` They went to ${where}.`
  return `The recording has no request of the contract to ${baseUrl}. It has ${counted(count, 'entry', 'entries')}: ${why}.${held} Give the base URL that the client used.`
}

async function* exchangesOf(own: readonly OwnEntry[], entries: Entries, attachment: ReadAttachment | undefined) {
  for (const { operation, id, index, sentAt, twin = index, isSent } of own) {
    const { request, response, time, timings, pageref } = (await entries.at(index)) as HarEntry
    const other = (twin === index ? {} : await entries.at(twin)) as HarEntry
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

/** A body as text; undefined when it was not recorded. An empty text counts as not recorded unless it is known to be `empty`. */
async function bodyOf(body: unknown, attachment: ReadAttachment | undefined, empty = false) {
  const { text: written, encoding, size, comment, _file } = Object(body) as Record<string, unknown>
  let bytes: Uint8Array | undefined
  if (typeof written === 'string' && (written !== '' || empty))
    // Old versions of Firefox write that a plain text is base64.
    bytes =
      (/^base64$/i.test(String(scalar(encoding))) ? await uncompressed(fromBase64(written)) : undefined) ??
      new TextEncoder().encode(written)
  else if (typeof _file === 'string') bytes = await attachment?.(_file)
  if (!bytes || (bytes.length === 0 && !empty)) return undefined
  const { text, isUtf8 } = decodeBody(bytes)
  const isRemoved = text !== '' && (isPlaceholder(text) || hasPlaceholder(text))
  if (isRemoved || (typeof written === 'string' && written !== '' && isPlaceholder(written))) return undefined
  // A browser cuts long bodies off. Not every recorder counts bytes, so a text that is JSON counts as complete.
  const isNoted = CUT.test(String(scalar(comment) ?? '')) || CUT.test(text.slice(-100))
  const isCut = (Number(scalar(size)) > bytes.length || isNoted) && parseJson(text) === undefined
  return { text, isUtf8, truncated: isCut || text.length > MAX_BODY }
}

/** A text or a number of the file: an object in its place may have no text. */
const scalar = (value: unknown): unknown => (typeof value === 'object' ? undefined : value)

/** What recorders write where they cut a body off. */
const CUT = /truncat|\bcut\b|too (long|large|big)|(\.{3}|…)\s*[\])>}]?$/i

/** Some recorders keep a body as it was sent: compressed with gzip, or with br, which cannot be told by its beginning. */
async function uncompressed(bytes: Uint8Array<ArrayBuffer> | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!bytes) return undefined
  if (isGzip(bytes)) return (await gunzip(bytes)) ?? bytes
  if (decodeBody(bytes).isUtf8) return bytes
  try {
    // A browser, in which the site runs this, has no module of Node.
    const zlib = globalThis.process?.getBuiltinModule?.('node:zlib')
    return zlib ? new Uint8Array(zlib.brotliDecompressSync(bytes, { maxOutputLength: MAX_BODY })) : bytes
  } catch {
    return bytes
  }
}

/** The bytes of a body in base64. Polly.js keeps a compressed body as the array of its chunks. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const chunks: string[] = text.startsWith('[') ? JSON.parse(text) : [text]
    return Uint8Array.from(chunks.map((chunk) => atob(chunk)).join(''), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Without characters that no header has. */
const headersOf = (message: unknown): { name: string; value: string }[] =>
  [Object(message).headers]
    .flat()
    .filter((header) => typeof header?.name === 'string' && typeof header.value === 'string')
    .map(({ name, value }) => ({ name, value: value.replaceAll(/[^\t\x20-\x7e\x80-\xff]+/g, ' ').trim() }))

/** The valid headers, without the pseudo-headers of HTTP/2. RFC 9113, section 8.3. */
function toHeaders(message: unknown): Headers {
  const headers = new Headers()
  for (const header of headersOf(message))
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(header.name) && !isRemovedKey(header)) headers.append(header.name, header.value)
  return headers
}

/** A key that was removed from the recording. */
const isRemovedKey = ({ name, value }: { name: string; value: string }): boolean =>
  /^authorization$/i.test(name) && isNoCredential(value)

function collectSecrets({ request, response }: HarEntry, secrets: Set<string>): void {
  for (const { name, value } of [...headersOf(request), ...headersOf(response)])
    if (/^(proxy-)?authorization$/i.test(name) && !isNoCredential(value)) secrets.add(value.replace(/^\S+ +/, ''))
    else if (/token|secret|api-?key/i.test(name) && !isPlaceholder(value)) secrets.add(value)
  secrets.delete('')
}

function collectTokens({ request, response }: HarEntry, tokens: Set<string>): void {
  const values = [...headersOf(request), ...headersOf(response)].flatMap(({ name, value }) =>
    /cookie$/i.test(name) ? value.split(/[=;]\s*/) : /^x-/i.test(name) ? [value] : [],
  )
  const { searchParams = [], password = '' } = URL.canParse(String(scalar(request?.url)))
    ? new URL(String(scalar(request?.url)))
    : {}
  for (const value of [...values, password, ...[...searchParams].map(([, each]) => each)])
    if (value.length >= SHORTEST_TOKEN && !/\s/.test(value)) tokens.add(value)
}

/** A shorter value may be a word. */
const SHORTEST_TOKEN = 6
