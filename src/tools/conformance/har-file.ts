import { parseJson } from '../../internal/http/json.js'
import { wrong } from './errors.js'
import { decodeBody } from './exchange.js'

/** An archive that is read in parts, such as a `Blob`, so that a long one needs little memory. */
export interface HarFile {
  readonly size: number
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> }
}

/** The entries of an archive, each parsed when it is read: all of them at once would take several times the memory. */
export interface Entries {
  length: number
  at(index: number): unknown
}

/** @throws ConformanceError when it is not an HTTP archive */
export async function entriesOf(har: string | Uint8Array | HarFile | object): Promise<Entries> {
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

/** Where each object of `log.entries` begins and ends, in turn; empty when the text is not one value of JSON. */
async function entryEnds(size: number, read: Read): Promise<number[]> {
  const ends: number[] = []
  let depth = 0
  let name = ''
  let isRead = false
  let isOver = false
  for (let start = 0, length = WINDOW; start < size; ) {
    const bytes = await read(start, Math.min(size, start + length))
    let at = 0
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (isOver) {
        if (!WHITE_SPACE.includes(byte)) return []
      } else if (byte === QUOTE) {
        const end = endOfString(bytes, at)
        // A string that goes on after the window begins the next one.
        if (end === bytes.length && start + end < size) break
        if (depth === 2 && !isRead) name = decodeBody(bytes.subarray(at + 1, end)).text
        at = end
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (name === 'entries' && depth === 3) ends.push(start + at)
        depth++
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth--
        if (name === 'entries' && depth === 3) ends.push(start + at + 1)
        if (name === 'entries' && depth === 2) {
          isRead = true
          name = ''
        }
        isOver = depth === 0
      }
    }
    length = at === 0 ? 2 * length : WINDOW
    start += Math.min(at, bytes.length)
  }
  return isOver ? ends : []
}

const WHITE_SPACE = [0x20, 0x09, 0x0a, 0x0d]
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

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

/** RFC 1952, section 2.3.1. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

export async function gunzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  } catch {
    return undefined
  }
}
