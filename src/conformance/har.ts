import { type OperationId, operations } from '../../generated/operations.js'
import { parseJson } from '../internal/json.js'
import { isSecretHeader } from '../internal/mask.js'
import { operationIds } from './contract.js'
import { decodeBody, type Exchange, exchangeOf, MAX_BODY } from './exchange.js'
import { counted } from './message.js'
import { wrong } from './options.js'
import { decoded } from './semantics.js'

/** An entry of a recording that the service responded to. */
export interface RecordedExchange {
  exchange: Exchange
  /** When the request was sent, and when the headers and the body of its response had arrived, in ms; NaN when that was not recorded. */
  sentAt: number
  respondedAt: number
  receivedAt: number
  /** The page of a browser that sent it. */
  page: unknown
}

export interface Recording {
  /** In the order in which they were sent; those without a time are last. */
  exchanges: AsyncIterable<RecordedExchange>
  /** How many entries were left out, by the reason. */
  ignored: ReadonlyMap<string, number>
  /** The keys in the recording, which no report may show. */
  secrets: readonly string[]
}

/** Reads the body of a response that stands in a file of its own; undefined when there is none. */
export type ReadAttachment = (name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>

/**
 * Reads an HTTP archive (HAR 1.2) as browsers, Playwright, `redocly proxy` and mitmproxy write it.
 *
 * @throws ConformanceError when it is none, or holds no request to `baseUrl`
 */
export function readHar(har: string | Uint8Array | object, baseUrl: string, attachment?: ReadAttachment): Recording {
  const entries = entriesOf(har)
  const ignored = new Map<string, number>()
  const own: OwnEntry[] = []
  const secrets = new Set<string>()
  const origins = new Map<string, number>()
  for (let index = 0; index < entries.length; index++) {
    const entry = entries.at(index)
    const { request, response } = Object(entry) as HarEntry
    for (const header of [...headersOf(request), ...headersOf(response)]) collectSecret(header, secrets)
    const found = operationOf(Object(entry) as HarEntry, baseUrl, origins)
    if (typeof found === 'string') ignored.set(found, (ignored.get(found) ?? 0) + 1)
    else own.push({ ...found, index, sentAt: Date.parse(String((entry as HarEntry).startedDateTime)) })
  }
  if (own.length === 0) throw wrong(nothingRecorded(entries.length, baseUrl, origins, ignored))
  // A recorder may write an entry when its response is complete.
  own.sort((one, other) => (one.sentAt || Number.MAX_VALUE) - (other.sentAt || Number.MAX_VALUE))
  return { exchanges: exchangesOf(own, entries, attachment), ignored, secrets: [...secrets] }
}

interface OwnEntry {
  operation: OperationId
  index: number
  sentAt: number
}

/** What a recording holds is not known before it is looked at. */
interface HarEntry {
  startedDateTime?: unknown
  time?: unknown
  pageref?: unknown
  request?: { method?: unknown; url?: unknown; headers?: unknown; postData?: HarBody }
  response?: { status?: unknown; headers?: unknown; content?: HarBody }
  timings?: { receive?: unknown }
}
interface HarBody {
  text?: unknown
  encoding?: unknown
  size?: unknown
  /** Where Playwright puts a body that it attaches. */
  _file?: unknown
}

async function* exchangesOf(own: readonly OwnEntry[], entries: Entries, attachment: ReadAttachment | undefined) {
  for (const { operation, index, sentAt } of own) {
    const entry = entries.at(index) as HarEntry
    const time = Number(entry.time)
    const duration = time >= 0 ? time : 0
    const receivedAt = time >= 0 ? sentAt + time : Number.NaN
    const { method, url, postData } = entry.request ?? {}
    const sent = await bodyOf(postData, attachment)
    const request = { method: String(method), url: String(url), headers: toHeaders(entry.request), body: sent?.text }
    const headers = toHeaders(entry.response)
    const received = await bodyOf(entry.response?.content, attachment, headers.get('content-length') === '0')
    const response = { status: Number(entry.response?.status), headers, duration, text: undefined, ...received }
    const respondedAt = receivedAt - Math.max(0, Number(entry.timings?.receive) || 0)
    yield { exchange: exchangeOf(operation, request, response), sentAt, respondedAt, receivedAt, page: entry.pageref }
  }
}

/** A body as text; undefined when it was not recorded. An empty text means that as well, unless it is known to be `empty`. */
async function bodyOf(body: HarBody | undefined, attachment: ReadAttachment | undefined, empty = false) {
  const { text, encoding, size, _file } = Object(body) as HarBody
  const isText = typeof text === 'string' && (text !== '' || empty)
  if (!isText && typeof _file !== 'string') return undefined
  const bytes = isText ? (encoding === 'base64' ? fromBase64(text) : undefined) : await attachment?.(String(_file))
  if (!bytes && (!isText || encoding === 'base64')) return undefined
  const { text: whole, isUtf8 } = bytes ? decodeBody(bytes) : { text: String(text), isUtf8: true }
  // A browser cuts long bodies off. Not every recorder counts bytes, so a text that is JSON is taken as whole.
  const isCut = Number(size) > whole.length && parseJson(whole) === undefined && Number(size) > lengthOf(whole)
  return { text: whole, isUtf8, truncated: isCut || whole.length > MAX_BODY }
}

const lengthOf = (text: string): number => new TextEncoder().encode(text).length

function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The operation of an entry, or why it is left out. */
function operationOf(
  entry: HarEntry,
  baseUrl: string,
  origins: Map<string, number>,
): { operation: OperationId } | string {
  const { url, method } = entry.request ?? {}
  if (typeof url !== 'string' || typeof method !== 'string' || !URL.canParse(url)) return 'malformed'
  const { origin, pathname } = new URL(url)
  origins.set(origin, (origins.get(origin) ?? 0) + 1)
  const base = new URL(baseUrl)
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${base.pathname.replace(/\/$/, '')}/`))
    return 'to another address'
  if (method === 'OPTIONS') return 'a preflight of a browser'
  const path = pathname.slice(base.pathname.replace(/\/$/, '').length)
  const operation = PATHS.find(({ pattern, id }) => operations[id].method === method && pattern.test(path))?.id
  if (!operation) return 'no operation of the contract'
  const status = entry.response?.status
  const own = Object(entry) as Record<string, unknown>
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599) return 'without a response'
  if (status === NOT_MODIFIED || own._fromCache) return "from the browser's cache"
  if (own._fetchedViaServiceWorker || Object(own.response)._fetchedViaServiceWorker) return 'from a service worker'
  return { operation }
}

/** RFC 9110, section 15.4.5. */
const NOT_MODIFIED = 304

const PATHS = operationIds.map((id) => ({
  id,
  pattern: new RegExp(`^${operations[id].path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
}))

/** The part of a path that stands for the id. */
export function idOf(operation: OperationId, url: string): string {
  const segments = new URL(url).pathname.replace(/\/$/, '').split('/')
  const template = operations[operation].path.split('/')
  const at = template.findIndex((segment) => segment.startsWith('{'))
  const segment = segments[segments.length - template.length + at] ?? ''
  return at === -1 ? '' : decoded(segment)
}

function headersOf(of: { headers?: unknown } | undefined): { name: string; value: string }[] {
  const headers: unknown = Object(of).headers
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header) => {
    const { name, value } = Object(header) as { name?: unknown; value?: unknown }
    return typeof name === 'string' && typeof value === 'string' ? [{ name, value }] : []
  })
}

/** Without the pseudo-headers of HTTP/2, and without what is none. RFC 9113, section 8.3. */
function toHeaders(of: { headers?: unknown } | undefined): Headers {
  const headers = new Headers()
  for (const { name, value } of headersOf(of))
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      headers.append(name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]+/g, ' ').trim())
  return headers
}

function collectSecret({ name, value }: { name: string; value: string }, secrets: Set<string>): void {
  if (/^(proxy-)?authorization$/i.test(name)) secrets.add(value.replace(/^\S+ +/, '').trim())
  else if (isSecretHeader(name) && !/cookie/i.test(name)) secrets.add(value.trim())
  secrets.delete('')
}

/** The entries of an archive, each parsed when it is read: all of them at once would take several times the memory. */
interface Entries {
  length: number
  at(index: number): unknown
}

function entriesOf(har: string | Uint8Array | object): Entries {
  const bytes = typeof har === 'string' ? new TextEncoder().encode(har) : har
  const slices = bytes instanceof Uint8Array ? entrySlices(bytes) : undefined
  if (slices && bytes instanceof Uint8Array)
    return {
      length: slices.length,
      at(index) {
        const entry = parseJson(decodeBody(bytes.subarray(...(slices[index] ?? []))).text)
        // What is no JSON in one place is none as a whole, which knows the line.
        return entry === undefined ? parseArchive(decodeBody(bytes).text) : entry
      },
    }
  const archive = bytes instanceof Uint8Array ? parseArchive(decodeBody(bytes).text) : bytes
  const entries: unknown = Object(Object(archive).log).entries
  if (!Array.isArray(entries))
    throw wrong('The recording has no log.entries, so it is no HTTP archive (HAR). Export the requests as HAR.')
  return { length: entries.length, at: (index) => entries[index] }
}

/** Where each object of `log.entries` begins and ends; undefined when that cannot be told, as in what is no JSON. */
function entrySlices(bytes: Uint8Array): [from: number, to: number][] | undefined {
  const slices: [number, number][] = []
  let depth = 0
  let from = -1
  let within = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      const end = endOfString(bytes, at)
      if (end === -1) return undefined
      if (depth === 2 && !within && isEntries(bytes, at, end)) within = true
      at = end
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (within && depth === 3 && byte === OPEN_OBJECT) from = at
      depth++
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--
      if (within && depth === 3 && byte === CLOSE_OBJECT) slices.push([from, at + 1])
      if (within && depth === 2) return slices.length > 0 ? slices : undefined
    }
  }
  return undefined
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** A quotation mark ends a string unless an odd number of backslashes stands before it. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = start
  for (;;) {
    end = bytes.indexOf(QUOTE, end + 1)
    if (end === -1) return -1
    let escapes = 0
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
}

const isEntries = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start === 8 && decodeBody(bytes.subarray(start, end + 12)).text.match(/^"entries"\s*:\s*\[/) !== null

function parseArchive(text: string): unknown {
  if (text.startsWith('PK'))
    throw wrong(
      'The recording is a zip archive. Unpack it, and give the file .har in it; the files beside it are read as well.',
    )
  if (text.trim() === '') throw wrong('The recording is empty. A recorder may write it when it is closed.')
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // The error quotes the text, which may hold a key, and names a position or the characters around it.
    const { position, around } = LOCATION.exec(String(error))?.groups ?? {}
    const at = position !== undefined ? Number(position) : around ? text.indexOf(around) + AROUND : text.length
    const line = text.slice(0, at).split('\n').length
    throw wrong(
      `The recording ${at >= text.length - 1 ? 'ends too early' : 'is not JSON'}, near line ${line}. Export it again, and close the recorder before the file is read.`,
    )
  }
}

/** V8 quotes so many characters before what is wrong. */
const AROUND = 10
const LOCATION = /position (?<position>\d+)|, (?:\.{3})?"(?<around>[\s\S]+)"(?:\.{3})? is not valid JSON$/

function nothingRecorded(
  count: number,
  baseUrl: string,
  origins: ReadonlyMap<string, number>,
  ignored: ReadonlyMap<string, number>,
): string {
  if (count === 0) return 'The recording holds no request. Record what a client sends to the service.'
  const most = [...origins].sort(([, one], [, other]) => other - one).slice(0, 5)
  const held = most.map(([origin, times]) => `${origin} (${times})`).join(', ')
  const why = [...ignored].map(([reason, times]) => `${times} ${reason}`).join(', ')
  return `The recording holds no request of the contract to ${baseUrl}. It has ${counted(count, 'entry', 'entries')}: ${why}.${held && ` They went to ${held}.`} Give the base URL that the client used.`
}
