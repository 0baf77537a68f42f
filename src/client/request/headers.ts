import type { HeadersOptions } from 'openapi-fetch'
import { protocol } from '../../../generated/contract.js'

/** Headers as they are sent, by lower-case name. */
export type PlainHeaders = Readonly<Record<string, string>>

/** Headers without those that are removed. */
export function plainHeaders(headers: Record<string, HeaderValue | undefined>): PlainHeaders {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== null && value !== undefined) plain[name] = Array.isArray(value) ? value.join(', ') : `${value}`
  return plain
}

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

/** A copy of headers. In Node the constructor would take three times as long for a list (`bench/cost.ts`). */
export function copyHeaders(headers: Iterable<[string, string]>, change = (value: string) => value): Headers {
  const copy = new Headers()
  for (const [name, value] of headers) copy.append(name, change(value))
  return copy
}

/** The headers of a request by lower-case name, with null for those that are removed. */
export type HeadersOf = (options: HeaderOptions | undefined) => Record<string, HeaderValue | undefined>

interface HeaderOptions {
  readonly headers?: HeadersOptions | undefined
  readonly serviceVersion?: string | undefined
}

export function createHeadersOf({
  headers,
  call,
}: {
  headers?: HeadersOptions | undefined
  call: HeaderOptions
}): HeadersOf {
  const headersOf: HeadersOf = (options) => {
    const serviceVersion = options?.serviceVersion ?? call.serviceVersion
    return {
      ...DEFAULT_HEADERS,
      ...headersByName(headers),
      ...(serviceVersion && { [VERSION_HEADER]: serviceVersion }),
      ...headersByName(options?.headers),
    }
  }
  const usual = headersOf(undefined)
  return (options) => (options?.headers || options?.serviceVersion ? headersOf(options) : usual)
}

const VERSION_HEADER = protocol.versionHeader.toLowerCase()

/** A browser sets its own user agent, and would ask the service to allow another. */
const DEFAULT_HEADERS = {
  accept: 'application/json',
  'user-agent': 'document' in globalThis || 'importScripts' in globalThis ? undefined : protocol.userAgent,
}

/** Whether headers have names and values that can be sent. A runtime's own error would print the value, which may be secret. */
export function canBeSent(headers: HeadersOptions): boolean {
  try {
    const texts = Object.entries(headersByName(headers)).map(([name, value]): [string, string] => [name, `${value}`])
    return typeof headers === 'object' && Boolean(new Headers(texts))
  } catch {
    return false
  }
}
