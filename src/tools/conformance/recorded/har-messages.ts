import { parseJson } from '../../../internal/http/json.js'
import { decodeBody, MAX_RESPONSE_BODY } from '../judge/exchange.js'
import { gunzip, isGzip } from './har-file.js'
import type { HarEntry } from './har-source.js'
import { hasPlaceholder, isNoCredential, isPlaceholder } from './placeholder.js'

/** Reads the body of a response from its own file; undefined when there is none. */
export type ReadAttachment = (name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>

/** A body as text; undefined when it was not recorded. An empty text counts as not recorded unless it is known to be `empty`. */
export async function bodyOf(body: unknown, attachment: ReadAttachment | undefined, empty = false) {
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
  return { text, isUtf8, truncated: isCut || text.length > MAX_RESPONSE_BODY }
}

/** A text or a number of the file: an object in its place may have no text. */
export const scalar = (value: unknown): unknown => (typeof value === 'object' ? undefined : value)

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
    return zlib ? new Uint8Array(zlib.brotliDecompressSync(bytes, { maxOutputLength: MAX_RESPONSE_BODY })) : bytes
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
export const headersOf = (message: unknown): { name: string; value: string }[] =>
  [Object(message).headers]
    .flat()
    .filter((header) => typeof header?.name === 'string' && typeof header.value === 'string')
    .map(({ name, value }) => ({ name, value: value.replaceAll(/[^\t\x20-\x7e\x80-\xff]+/g, ' ').trim() }))

/** The valid headers, without the pseudo-headers of HTTP/2. RFC 9113, section 8.3. */
export function toHeaders(message: unknown): Headers {
  const headers = new Headers()
  for (const header of headersOf(message))
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(header.name) && !isRemovedKey(header)) headers.append(header.name, header.value)
  return headers
}

/** A key that was removed from the recording. */
export const isRemovedKey = ({ name, value }: { name: string; value: string }): boolean =>
  /^authorization$/i.test(name) && isNoCredential(value)

export function collectSecrets({ request, response }: HarEntry, secrets: Set<string>): void {
  for (const { name, value } of [...headersOf(request), ...headersOf(response)])
    if (/^(proxy-)?authorization$/i.test(name) && !isNoCredential(value)) secrets.add(value.replace(/^\S+ +/, ''))
    else if (/token|secret|api-?key/i.test(name) && !isPlaceholder(value)) secrets.add(value)
  secrets.delete('')
}

/** Whether the headers are those that were sent: each request has one of these. RFC 9110, section 7.2; RFC 9113, section 8.3.1. */
export const areSent = (request: unknown): boolean =>
  headersOf(request).some(({ name }) => /^(host|:authority)$/i.test(name))
