import type { HeadersOptions } from 'openapi-fetch'

/** Headers as they are sent, by lower-case name. */
export type PlainHeaders = Readonly<Record<string, string>>

/** Headers without those that are removed. */
export const plainHeaders = (headers: Record<string, HeaderValue | undefined>): PlainHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : `${value}`]],
    ),
  )

export type HeaderValue = string | number | boolean | null | (string | number | boolean)[]

/** Headers in any form by lower-case name, where null removes one. */
export const headersByName = (headers: HeadersOptions = {}): Record<string, HeaderValue> => {
  const entries = Object.entries(
    Symbol.iterator in headers ? Object.fromEntries(new Headers(headers as HeadersInit)) : headers,
  )
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  )
}
