import { parseJson } from '../internal/json.js'
import { SCHEME } from './layers/authenticate.js'
import type { Reply } from './pipeline.js'

/** The text without the key, should the service or the runtime repeat it. */
export const redact = (authorization: string, text: string): string =>
  text.replaceAll(authorization.slice(SCHEME.length), '[key]')

/** A reply without the key. A success with JSON is as it came; an error or the page of a proxy could end up in a log. */
export function withoutKey(reply: Reply): Reply {
  const { ok, authorization, statusText, headers, text } = reply
  if (ok && (!text.includes(authorization.slice(SCHEME.length)) || parseJson(text) !== undefined)) return reply
  const hide = (text: string) => redact(authorization, text)
  return {
    ...reply,
    statusText: hide(statusText),
    headers: new Headers([...headers].map(([name, value]): [string, string] => [name, hide(value)])),
    text: hide(text),
    response: undefined,
  }
}

/** An error of the runtime in short, without the key: its message, its code and its cause. */
export function redactError(authorization: string, error: unknown): Error {
  const { name, message, code, cause } = Object(error) as Error & { code?: unknown }
  const copy = new Error(redact(authorization, String(message ?? error)))
  copy.name = redact(authorization, String(name ?? 'Error'))
  return Object.assign(
    copy,
    code !== undefined && { code: redact(authorization, String(code)) },
    cause !== undefined && { cause: redactError(authorization, cause) },
  )
}
