import { wrongOption } from '../errors.js'
import { decodeBody } from '../judge/exchange.js'

/** How many bytes an archive may have: V8 has no longer string. */
const MAX_ARCHIVE = 2 ** 29 - 24

/**
 * The entries of an archive, also of one that is compressed with gzip.
 *
 * @throws ConformanceError when it is not an HTTP archive, or too large
 */
export async function entriesOf(har: string | Uint8Array | Blob | object, baseUrl: string): Promise<unknown[]> {
  let archive: unknown = har
  if (typeof har === 'string') archive = parseArchive(har)
  else if (har instanceof Blob || har instanceof Uint8Array) {
    refuseLarge(har instanceof Blob ? har.size : har.length, baseUrl)
    const given = har instanceof Blob ? new Uint8Array(await har.arrayBuffer()) : har
    const bytes = isGzip(given) ? await gunzip(given) : given
    if (!bytes) throw wrongOption('The recording is compressed and damaged. Export it again.')
    refuseLarge(bytes.length, baseUrl)
    archive = parseArchive(decodeBody(bytes).text)
  }
  const { log, har: nested } = Object(archive) as { log?: unknown; har?: unknown }
  const entries: unknown = Object(log ?? Object(nested).log).entries
  if (Array.isArray(entries)) return entries
  throw wrongOption('The recording has no log.entries, so it is no HTTP archive (HAR). Export the requests as HAR.')
}

/** @throws ConformanceError when an archive of this size, in bytes, cannot be read */
export function refuseLarge(size: number, baseUrl: string): void {
  if (size > MAX_ARCHIVE)
    throw wrongOption(
      `The recording has ${Math.ceil(size / 1e6)} MB, and at most ${Math.floor(MAX_ARCHIVE / 1e6)} MB can be read. Keep only the requests to the service: jq '.log.entries |= map(select(.request.url | startswith("${baseUrl}")))' recording.har > smaller.har`,
    )
}

function parseArchive(text: string): unknown {
  if (text.startsWith('PK'))
    throw wrongOption(
      'The recording is a zip archive. Unpack it, and give the file .har in it; the files beside it are read as well.',
    )
  if (text.trim() === '') throw wrongOption('The recording is empty. A recorder may write it when it is closed.')
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // V8 names the position, or quotes the text from ten characters before it. The quote may contain a key.
    const [, position, around] = /position (\d+)|, (?:\.{3})?"([\s\S]+)"(?:\.{3})? is not/.exec(String(error)) ?? []
    const at = Number(position ?? (around === undefined ? text.length : text.indexOf(around) + 10))
    const what = at >= text.length - 1 ? 'ends too early' : 'is not JSON'
    throw wrongOption(
      `The recording ${what}, near line ${text.slice(0, at).split('\n').length}. Export it again, and close the recorder before the file is read.`,
    )
  }
}

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
