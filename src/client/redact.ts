import { parseJson } from '../internal/json.js'
import { createMask } from '../internal/mask.js'
import { SCHEME } from './layers/authenticate.js'
import type { Reply } from './pipeline.js'

/** The text without the key, should the service or the runtime repeat it, also in escapes. */
export function redact(authorization: string, text: string): string {
  const key = authorization.slice(SCHEME.length)
  return key ? createMask([key], SHOWN)(text).replaceAll(key, SHOWN) : text
}

/** What stands in the place of the key. */
const SHOWN = '[key]'

/** A reply without the key. A success with JSON is as it came; an error or the page of a proxy could end up in a log. */
export function withoutKey(reply: Reply): Reply {
  const { ok, authorization, text } = reply
  const suspect = text.includes(authorization.slice(SCHEME.length)) || /[\\%]/.test(text)
  return ok && (!suspect || parseJson(text) !== undefined) ? reply : hideKey(reply)
}

/** A reply without the key, whatever it is. */
export function hideKey(reply: Reply): Reply {
  const { authorization, statusText, headers, text } = reply
  const hide = (text: string) => redact(authorization, text)
  return {
    ...reply,
    statusText: hide(statusText),
    headers: new Headers([...headers].map(([name, value]): [string, string] => [name, hide(value)])),
    text: hide(text),
    response: undefined,
  }
}

/** Whether the body or a header repeats the key. */
export function showsKey({ authorization, headers, text }: Reply): boolean {
  return [text, ...[...headers].flat()].some((each) => redact(authorization, each) !== each)
}

/** An error of the runtime in short, without the key: its message, its code and its cause. */
export function redactError(authorization: string, error: unknown, depth = MAX_CAUSES): Error {
  const { name, message, code, cause } = Object(error) as Error & { code?: unknown }
  const copy = new Error(
    redact(authorization, String(message ?? (typeof error === 'object' && error ? 'Unknown error' : error))),
  )
  copy.name = redact(authorization, String(name ?? 'Error'))
  return Object.assign(
    copy,
    code !== undefined && { code: redact(authorization, String(code)) },
    cause !== undefined && depth > 0 && { cause: redactError(authorization, cause, depth - 1) },
  )
}

/** How many causes of an error are looked at: a chain may be endless. */
export const MAX_CAUSES = 9
