import { wideEncoding } from '../../../internal/http/json.js'

/** How many characters of a body are enough to recognize its encoding. */
const START = 4

/** JSON must be UTF-8: RFC 8259, section 8.1. */
export class EncodingError extends Error {
  override name = 'EncodingError'
  readonly start: string
  /** `text` is the decoded body, with U+FFFD in place of invalid bytes. */
  constructor(text: string) {
    super('The body is not UTF-8.')
    this.start = text.slice(0, START)
  }
}

const encoder = new TextEncoder()
/** It keeps a byte order mark, so that valid text has as many bytes as it was decoded from. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const byteLength = (text: string): number => encoder.encode(text).length

/** @throws EncodingError */
export const utf8 = (bytes: ArrayBuffer | Uint8Array): string => requireUtf8(decoder.decode(bytes), bytes.byteLength)

/**
 * The text of a body, without a byte order mark (RFC 8259, section 8.1). A decoder writes U+FFFD, three bytes long, for one or
 * two invalid bytes, so a body that has become longer was not UTF-8. Limitation: a four-byte character cut after its third
 * byte is not noticed; inspecting the bytes would make a POST through srvx 50 % slower.
 *
 * @throws EncodingError
 */
export function requireUtf8(text: string, length: number): string {
  // Some decoders have removed the mark already: then a mark at the start belongs to the text, which has fewer bytes.
  const hasMark = text.charCodeAt(0) === BYTE_ORDER_MARK && byteLength(text) === length
  const plain = hasMark ? text.slice(1) : text
  if (!plain.includes(REPLACEMENT)) return plain
  const size = byteLength(plain)
  if (size === length || size + MARK_LENGTH === length) return plain
  throw new EncodingError(plain)
}

const BYTE_ORDER_MARK = 0xfeff
const MARK_LENGTH = 3
const REPLACEMENT = '\ufffd'

/** A sentence that names the encoding of a body, by its header or by how it starts; undefined if neither shows it. */
export function wrongEncoding(start: string, { header }: { header(name: string): string | null }): string | undefined {
  const coding = header('content-encoding')?.trim() ?? ''
  if (/^[\w-]{1,32}$/.test(coding) && coding !== 'identity')
    return `The body has the Content-Encoding "${coding}". Send it without one.`
  if (start.startsWith(GZIP)) return 'The body is compressed with gzip. Send it uncompressed.'
  const wide = wideEncoding(start)
  return wide && `The body is ${wide}. JSON must be UTF-8.`
}

/** How the first two bytes, 1f 8b, are decoded, as the second is not UTF-8: RFC 1952, section 2.3.1. */
const GZIP = `\x1f${REPLACEMENT}`
