import { parseJson } from '../internal/json.js'
import { createMask } from '../internal/mask.js'
import type { Reply } from './pipeline.js'

/** The text without the keys of a call, should the service or the runtime repeat them, also in escapes. */
export function redact(keys: Set<string>, text: string): string {
  let shown = createMask([...keys], SHOWN)(text)
  for (const key of keys) shown = shown.replaceAll(key, SHOWN)
  return shown
}

/** What replaces the key. */
const SHOWN = '[key]'

/** A reply without the key. A success with JSON is as it came; an error or the page of a proxy could end up in a log. */
export function withoutKey(reply: Reply, keys: Set<string>): Reply {
  const { ok, statusText, text } = reply
  // The page of a proxy is no list and no object, and only escapes can hide a key.
  const suspect = /^\s*[^[{\s]|[\\%&]/.test(text) || [...keys].some((key) => text.includes(key))
  if (ok && (!suspect || parseJson(text) !== undefined)) return reply
  return { ...reply, ...hideKey(reply, keys), statusText: redact(keys, statusText) }
}

/** Headers and a body without the key, whatever they are. */
export const hideKey = ({ headers, text }: Pick<Reply, 'headers' | 'text'>, keys: Set<string>) => ({
  headers: new Headers([...headers].map(([name, value]): [string, string] => [name, redact(keys, value)])),
  text: redact(keys, text),
})

/** Whether the body or a header repeats the key. */
export function showsKey({ headers, text }: Reply, keys: Set<string>): boolean {
  return [text, ...[...headers].flat()].some((each) => redact(keys, each) !== each)
}

/** An error of the runtime in short, without the key: its message, its code and its cause. */
export function redactError(keys: Set<string>, error: unknown, depth = MAX_CAUSES): Error {
  const { name, message, code, cause } = Object(error) as Error & { code?: unknown }
  const copy = new Error(
    redact(keys, String(message ?? (typeof error === 'object' && error ? 'Unknown error' : error))),
  )
  copy.name = redact(keys, String(name ?? 'Error'))
  return Object.assign(
    copy,
    code !== undefined && { code: redact(keys, String(code)) },
    cause !== undefined && depth > 0 && { cause: redactError(keys, cause, depth - 1) },
  )
}

/** How many causes of an error are looked at: a chain may be endless. */
export const MAX_CAUSES = 9
