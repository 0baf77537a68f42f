import { type OperationId, operations, protocol } from '../../generated/operations.js'
import { parseJson } from '../internal/json.js'
import { isSecretHeader } from '../internal/mask.js'
import { operationIds } from './contract.js'
import { decodeBody, type Exchange, exchangeOf, MAX_BODY } from './exchange.js'
import { counted } from './judge/result.js'
import { decoded } from './judge/semantics.js'
import { wrong } from './options.js'

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

/** An archive that is read in parts, such as a `Blob`, so that a long one needs little memory. */
export interface HarFile {
  readonly size: number
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }
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
      const { startedDateTime } = entry
      all.push({ ...found, index, sentAt: typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : NaN })
      isKeyRecorded ||= toHeaders(entry.request).has('authorization')
    }
  }
  if (all.length === 0) throw wrong(nothingRecorded(entries.length, baseUrl, origins, ignored))
  // A recorder may write an entry when its response is complete.
  all.sort((one, other) => (one.sentAt || Number.MAX_VALUE) - (other.sentAt || Number.MAX_VALUE))
  const own = await onceEach(all, entries, ignored)
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
    if (known.has(identity)) increment(ignored, 'recorded twice')
    else kept.push(entry)
    known.add(identity)
  }
  return kept
}

/** What two entries of one exchange have in common. */
const identityOf = ({ startedDateTime, time, request, response }: HarEntry): string =>
  JSON.stringify([startedDateTime, time, request?.method, request?.url, request?.postData, response?.status])

interface OwnEntry extends Pick<RecordedExchange, 'id' | 'sentAt'> {
  operation: OperationId
  index: number
}

/** A recorded value may have any type. Names with `_` are extensions of Chrome or Playwright. */
type Recorded = Record<string, unknown>
type HarEntry = Recorded & Partial<Record<'request' | 'response' | 'timings', Recorded>>

type Counts = Map<string, number>
const increment = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** The operation of an entry and the id in its path, or why it is ignored. */
function operationOf({ request, response, ...entry }: HarEntry, base: URL, origins: Counts) {
  const { url, method } = request ?? {}
  if (typeof url !== 'string' || typeof method !== 'string' || !URL.canParse(url)) return 'malformed'
  const { origin, pathname } = new URL(url)
  increment(origins, origin)
  const prefix = base.pathname.replace(/\/$/, '')
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${prefix}/`)) return 'to another address'
  if (method === 'OPTIONS') return 'a preflight of a browser'
  const path = pathname.slice(prefix.length).replaceAll(/\/{2,}/g, '/')
  const found = PATHS.find(
    ({ pattern, operation }) => operations[operation].method === method.toUpperCase() && pattern.test(path),
  )
  if (!found) return 'no operation of the contract'
  const status = Number.isInteger(response?.status) ? Number(response?.status) : 0
  if (status < 200 || status > 599) return 'without a response'
  const isCached = entry._fromCache ?? entry.fromCache ?? Object(entry.cache).beforeRequest
  if (status === NOT_MODIFIED || isCached) return "from the browser's cache"
  if (entry._fetchedViaServiceWorker || response?._fetchedViaServiceWorker) return 'from a service worker'
  return { operation: found.operation, id: decoded(found.pattern.exec(path)?.[1] ?? '') }
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

/** RFC 9110, section 15.4.5. */
const NOT_MODIFIED = 304

const PATHS = operationIds.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operations[operation].path.replaceAll(/\{[^}]+\}/g, '([^/]+)')}/?$`),
}))

function nothingRecorded(count: number, baseUrl: string, origins: Counts, ignored: Counts): string {
  if (count === 0) return 'The recording has no request. Record what a client sends to the service.'
  const most = [...origins].sort(([, one], [, other]) => other - one).slice(0, 5)
  const why = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  const where = most.map(([origin, times]) => `${origin} (${times})`).join(', ')
  const held = where && ` They went to ${where}.`
  return `The recording has no request of the contract to ${baseUrl}. It has ${counted(count, 'entry', 'entries')}: ${why}.${held} Give the base URL that the client used.`
}

async function* exchangesOf(own: readonly OwnEntry[], entries: Entries, attachment: ReadAttachment | undefined) {
  for (const { operation, id, index, sentAt } of own) {
    const { request, response, time, timings, pageref: page } = (await entries.at(index)) as HarEntry
    const isTimed = Number(time) >= 0
    const receivedAt = isTimed ? sentAt + Number(time) : Number.NaN
    const respondedAt = receivedAt - Math.max(0, Number(timings?.receive) || 0)
    const sent = await bodyOf(request?.postData, attachment)
    const headers = toHeaders(response)
    const { mimeType } = Object(response?.content) as { mimeType?: unknown }
    if (typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+/.test(mimeType) && !headers.has('content-type'))
      headers.set('content-type', mimeType.replaceAll(/[^\x20-\x7e]/g, ''))
    const body = await bodyOf(response?.content, attachment, headers.get('content-length') === '0')
    const exchange = exchangeOf(
      operation,
      {
        method: String(request?.method).toUpperCase(),
        url: String(request?.url),
        headers: toHeaders(request),
        body: sent?.text,
      },
      {
        status: Number(response?.status),
        headers,
        hasHeaders: headersOf(response).length > 0,
        duration: isTimed ? Number(time) : 0,
        text: undefined,
        ...body,
      },
    )
    yield { exchange, id, sentAt, respondedAt, receivedAt, page }
  }
}

/** A body as text; undefined when it was not recorded. An empty text counts as not recorded unless it is known to be `empty`. */
async function bodyOf(body: unknown, attachment: ReadAttachment | undefined, empty = false) {
  const { text: written, encoding, size, comment, _file } = Object(body) as Record<string, unknown>
  let bytes: Uint8Array | undefined
  if (typeof written === 'string' && (written !== '' || empty))
    bytes = /^base64$/i.test(String(encoding))
      ? await uncompressed(fromBase64(written))
      : new TextEncoder().encode(written)
  else if (typeof _file === 'string') bytes = await attachment?.(_file)
  if (!bytes) return undefined
  const { text, isUtf8 } = decodeBody(bytes)
  // A browser cuts long bodies off. Not every recorder counts bytes, so a text that is JSON counts as complete.
  const isNoted = CUT.test(String(comment ?? '')) || CUT.test(text.slice(-100))
  const isCut = (Number(size) > bytes.length || isNoted) && parseJson(text) === undefined
  return { text, isUtf8, truncated: isCut || text.length > MAX_BODY }
}

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

/** RFC 1952, section 2.3.1. */
const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

async function gunzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    return undefined
  }
}

/** An archive as UTF-8: it may be compressed, or written in UTF-16 with a byte order mark, and is read as a whole then. */
async function toUtf8(file: HarFile): Promise<HarFile> {
  const start = await bytesOf(file, 0, 2)
  const [first, second] = start
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined
  const isCompressed = isGzip(start)
  if (!isCompressed && !encoding) return file
  const whole = await bytesOf(file)
  const bytes = isCompressed ? await gunzip(whole) : whole
  if (!bytes) throw wrong('The recording is compressed and damaged. Export it again.')
  return isCompressed
    ? toUtf8(fileOf(bytes))
    : fileOf(new TextEncoder().encode(new TextDecoder(encoding).decode(bytes)))
}

const bytesOf = async (file: HarFile, from = 0, to = file.size): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await file.slice(from, to).arrayBuffer())

const fileOf = (bytes: Uint8Array): HarFile => ({
  size: bytes.length,
  slice: (from, to) => ({ arrayBuffer: async () => new Uint8Array(bytes.subarray(from, to)).buffer }),
})

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
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
  for (const { name, value } of headersOf(message)) if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) headers.append(name, value)
  return headers
}

function collectSecrets({ request, response }: HarEntry, secrets: Set<string>): void {
  for (const { name, value } of [...headersOf(request), ...headersOf(response)])
    if (/^(proxy-)?authorization$/i.test(name)) secrets.add(value.replace(/^\S+ +/, ''))
    else if (isSecretHeader(name) && !/cookie/i.test(name)) secrets.add(value)
  secrets.delete('')
}

function collectTokens({ request, response }: HarEntry, tokens: Set<string>): void {
  const values = [...headersOf(request), ...headersOf(response)].flatMap(({ name, value }) =>
    /cookie$/i.test(name) ? value.split(/[=;]\s*/) : /^x-/i.test(name) ? [value] : [],
  )
  const { searchParams = [], password = '' } = URL.canParse(String(request?.url)) ? new URL(String(request?.url)) : {}
  for (const value of [...values, password, ...[...searchParams].map(([, each]) => each)])
    if (value.length >= SHORTEST_TOKEN && !/\s/.test(value)) tokens.add(value)
}

/** A shorter value may be a word. */
const SHORTEST_TOKEN = 6

/** The entries of an archive, each parsed when it is read: all of them at once would take several times the memory. */
interface Entries {
  length: number
  at(index: number): unknown
}

async function entriesOf(har: string | Uint8Array | HarFile | object): Promise<Entries> {
  const given = typeof har === 'string' ? new TextEncoder().encode(har) : har
  if (!(given instanceof Uint8Array) && !isFile(given)) return arrayOf(given)
  const file = await toUtf8(given instanceof Uint8Array ? fileOf(given) : given)
  const read = inWindows(file)
  const whole = async () => parseArchive(decodeBody(await bytesOf(file)).text)
  const ends = await entryEnds(file.size, read)
  if (ends.length === 0) return arrayOf(await whole())
  // Parsing the whole archive reports the line of the mistake.
  const at = async (index: number) =>
    parseJson(decodeBody(await read(ends[2 * index] ?? 0, ends[2 * index + 1] ?? 0)).text) ?? (await whole())
  return { length: ends.length / 2, at }
}

const isFile = (har: object): har is HarFile => 'slice' in har && 'size' in har && !Array.isArray(har)

type Read = (from: number, to: number) => Promise<Uint8Array>

/**
 * Reads more than is asked for, because one read for each entry would take much longer, and keeps several parts, because
 * entries are not in the order of the file.
 */
function inWindows(file: HarFile): Read {
  const windows: { start: number; bytes: Uint8Array }[] = []
  return async (from, to) => {
    let window = windows.find(({ start, bytes }) => from >= start && to <= start + bytes.length)
    if (!window) {
      const start = Math.max(0, from - WINDOW / 4)
      window = { start, bytes: await bytesOf(file, start, Math.min(file.size, Math.max(to, from + WINDOW))) }
      windows.unshift(window)
      windows.splice(MOST_WINDOWS)
    }
    return window.bytes.subarray(from - window.start, to - window.start)
  }
}

/** In bytes. */
const WINDOW = 4 * 2 ** 20
const MOST_WINDOWS = 4

function arrayOf(archive: unknown): unknown[] {
  const { log, har } = Object(archive) as { log?: unknown; har?: unknown }
  const entries: unknown = Object(log ?? Object(har).log).entries
  if (Array.isArray(entries)) return entries
  throw wrong('The recording has no log.entries, so it is no HTTP archive (HAR). Export the requests as HAR.')
}

/** Where each object of `log.entries` begins and ends, in turn; empty when the text is not JSON. */
async function entryEnds(size: number, read: Read): Promise<number[]> {
  const ends: number[] = []
  let depth = 0
  let name = ''
  for (let start = 0, length = WINDOW; start < size; ) {
    const bytes = await read(start, Math.min(size, start + length))
    let at = 0
    for (; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) {
        const end = endOfString(bytes, at)
        // A string that goes on after the window begins the next one.
        if (end === bytes.length && start + end < size) break
        if (depth === 2) name = decodeBody(bytes.subarray(at + 1, end)).text
        at = end
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (name === 'entries' && depth === 3) ends.push(start + at)
        depth++
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth--
        if (name === 'entries' && depth === 3) ends.push(start + at + 1)
        if (name === 'entries' && depth === 2) return ends
      }
    }
    length = at === 0 ? 2 * length : WINDOW
    start += Math.min(at, bytes.length)
  }
  return []
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** A quotation mark ends a string unless an odd number of backslashes stands before it. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = start; ; ) {
    end = bytes.indexOf(QUOTE, end + 1)
    if (end === -1) return bytes.length
    let escapes = 0
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
}

function parseArchive(text: string): unknown {
  if (text.startsWith('PK'))
    throw wrong(
      'The recording is a zip archive. Unpack it, and give the file .har in it; the files beside it are read as well.',
    )
  if (text.trim() === '') throw wrong('The recording is empty. A recorder may write it when it is closed.')
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // V8 names the position, or quotes the text from ten characters before it. The quote may contain a key.
    const [, position, around] = /position (\d+)|, (?:\.{3})?"([\s\S]+)"(?:\.{3})? is not/.exec(String(error)) ?? []
    const at = Number(position ?? (around === undefined ? text.length : text.indexOf(around) + 10))
    const what = at >= text.length - 1 ? 'ends too early' : 'is not JSON'
    throw wrong(
      `The recording ${what}, near line ${text.slice(0, at).split('\n').length}. Export it again, and close the recorder before the file is read.`,
    )
  }
}
