import { parseJson } from '../internal/json.js'
import { createMask } from '../internal/mask.js'
import { requestedWait } from '../internal/retry-after.js'
import { hasNullBody, STATUS } from '../internal/status.js'
import type { Time } from '../internal/time.js'

/** What a response consists of besides its body. */
export type ResponseHead = Pick<Response, 'url' | 'status' | 'statusText' | 'headers'>

/** A real Response of a body that has been read, so that it can be read, cloned and cached in any context. */
export function responseOf(head: ResponseHead, body: string | Uint8Array<ArrayBuffer>): Response {
  const { url, status, statusText } = head
  const headers = new Headers(head.headers)
  // They describe the body as it was on its way, not as it is now.
  headers.delete('content-encoding')
  headers.delete('content-length')
  // The constructor takes no other status, though servers send some, and no text of a status outside of Latin-1.
  const known = status < 600 ? status : STATUS.internalError
  const response = new Response(hasNullBody(status) || body.length === 0 ? null : body, { status: known, headers })
  // The constructor adds a type to a text.
  if (!headers.has('content-type')) response.headers.delete('content-type')
  return Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    // The runtime's own would have none of them.
    clone: { value: () => responseOf(head, body) },
  })
}

/** How long a response asks to wait, in ms; undefined when it does not say. */
export const askedWait = async (response: Response, time: Time): Promise<number | undefined> =>
  response.ok ? undefined : requestedWait(response.headers, parseJson(await response.clone().text()), time.wallTime())

/** A shorter key is a letter or a word of every text, and no secret. */
const SHORTEST_SECRET = 4

/** The text without the keys of a call, should the service or the runtime repeat them, also in escapes. */
export const redact = (keys: ReadonlySet<string>, text: string): string =>
  createMask(
    [...keys].filter((key) => key.length >= SHORTEST_SECRET),
    '[key]',
    SHORTEST_SECRET,
  )(text)

/** Headers without the keys of a call. */
export const redactHeaders = (keys: ReadonlySet<string>, headers: Headers): Headers =>
  new Headers([...headers].map(([name, value]): [string, string] => [name, redact(keys, value)]))

/** A response without the keys of a call. */
export function withoutKeys(keys: ReadonlySet<string>, head: ResponseHead, text: string): Response {
  const statusText = redact(keys, head.statusText)
  return responseOf({ ...head, statusText, headers: redactHeaders(keys, head.headers) }, redact(keys, text))
}

/** Whether a response repeats a key. */
export const showsKey = (keys: ReadonlySet<string>, headers: Headers, text: string): boolean =>
  [text, ...[...headers].flat()].some((each) => redact(keys, each) !== each)

/** How many causes of an error are looked at: a chain may be endless. */
export const MAX_CAUSES = 9

/** An error of the runtime in short, without the keys: its name, its message, its code and its cause. */
export function redactError(keys: ReadonlySet<string>, error: unknown, depth = MAX_CAUSES): Error {
  const { name, message, code, cause } = Object(error) as Error & { code?: unknown }
  const text = String(message ?? (typeof error === 'object' && error ? 'Unknown error' : error))
  const more = cause !== undefined && depth > 0 ? { cause: redactError(keys, cause, depth - 1) } : {}
  const copy = new Error(redact(keys, text), more)
  // Assigned, they would be refused where the prototypes are frozen.
  const value = redact(keys, String(name ?? 'Error'))
  Object.defineProperty(copy, 'name', { value, configurable: true, writable: true })
  return code === undefined ? copy : Object.assign(copy, { code: redact(keys, String(code)) })
}
