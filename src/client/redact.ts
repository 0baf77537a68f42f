/** Whether the text holds the key. */
export const mentions = (authorization: string, text: string): boolean => redact(authorization, text) !== text

/** The text without the key, should the service or the runtime repeat it. */
export function redact(authorization: string, text: string): string {
  const key = authorization.slice(SCHEME.length)
  return key === '' ? text : text.replaceAll(key, HIDDEN)
}

/** The headers without the key. They are copied only when they hold it. */
export function redactHeaders(authorization: string, headers: Headers): Headers {
  const entries = [...headers]
  const clean = entries.map(([name, value]): [string, string] => [name, redact(authorization, value)])
  return clean.some(([, value], index) => value !== entries[index]?.[1]) ? new Headers(clean) : headers
}

/** An error of the runtime in short, without the key: what it says, its code and its cause. */
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

const SCHEME = 'Bearer '

const HIDDEN = '[key]'
