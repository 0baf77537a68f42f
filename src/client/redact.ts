import { SCHEME } from './layers/authenticate.js'
import type { Reply } from './pipeline.js'

/** The text without the key, should the service or the runtime repeat it. */
export const redact = (authorization: string, text: string): string =>
  text.replaceAll(authorization.slice(SCHEME.length), '[key]')

/** Whether a body has the key in it. */
export const repeatsKey = ({ authorization, text }: Reply): boolean => text.includes(authorization.slice(SCHEME.length))

/** A copy of a reply without the key. */
export const redactReply = (reply: Reply): Reply => ({
  ...reply,
  statusText: redact(reply.authorization, reply.statusText),
  headers: new Headers(
    [...reply.headers].map(([name, value]): [string, string] => [name, redact(reply.authorization, value)]),
  ),
  text: redact(reply.authorization, reply.text),
})

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
