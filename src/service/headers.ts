import { isPromise, silence } from './json-value.js'
import type { HandlerHeaders } from './types.js'

interface OwnHeaders {
  headers?: Readonly<Record<string, string>>
  /** The values of `Set-Cookie`. */
  cookies?: readonly string[]
}

/**
 * Headers in lower case, so that none is sent twice but cookies, and without those that the transport sets.
 *
 * @throws TypeError when a header is not valid in HTTP, or announces a trailer, which no mount sends
 */
export function ownHeaders(given: HandlerHeaders): OwnHeaders {
  if (!given) return {}
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  const pairs = Object.entries(given).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as const))
  for (const [written, value] of given instanceof Headers ? given : pairs) {
    const name = written.toLowerCase()
    if (value === undefined || FRAMING.has(name)) continue
    silence(value)
    if (!TOKEN.test(name)) throw new TypeError(`${JSON.stringify(written)} is not a valid header name.`)
    if (name === 'trailer')
      throw new TypeError('The header "Trailer" announces fields that are not sent: leave it out.')
    if (!FIELD_VALUE.test(value) || isPromise(value))
      throw new TypeError(`The header ${JSON.stringify(written)} has a value that cannot be sent.`)
    if (name === 'set-cookie') cookies.push(value)
    else headers[name] = value
  }
  return cookies.length > 0 ? { headers, cookies } : { headers }
}

/** RFC 9110, sections 5.1 and 5.5. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** RFC 9112, section 6. */
const FRAMING = new Set(['content-length', 'transfer-encoding'])
