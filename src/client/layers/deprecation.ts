import type { Call, Layer } from '../call.js'
import { type DeprecationEvent, type Hooks, notify } from './observe.js'

/** How many reports are remembered: a service may send another date each time. */
const REMEMBERED = 1_000

/** Reports `Deprecation` and `Sunset` headers, also of cached responses, once for each operation and value. */
export const deprecation =
  ({ onDeprecation }: Hooks, reported: Set<string>): Layer =>
  (next) =>
  async (request, call) => {
    const response = await next(request, call)
    if (!onDeprecation || !(response.headers.has('deprecation') || response.headers.has('sunset'))) return response
    const event = eventOf(call, response.headers)
    const key = JSON.stringify(event)
    if (reported.has(key)) return response
    if (reported.size === REMEMBERED) reported.clear()
    reported.add(key)
    notify(onDeprecation, event)
    return response
  }

function eventOf({ operation, path, method, progress }: Call, received: Headers): DeprecationEvent {
  const headers = progress.keys.redactHeaders(received)
  // A date as a structured field: seconds since 1970.
  const [, seconds] = /^@(-?\d+)/.exec(headers.get('deprecation') ?? '') ?? []
  const links = headers.get('link') ?? ''
  return {
    ...{ operation, path, method },
    since: dateOf(seconds && Number(seconds) * 1_000),
    sunset: dateOf(headers.get('sunset')),
    link: linkOf('deprecation', links) ?? linkOf('sunset', links),
  }
}

const dateOf = (value: string | number | null | undefined): Date | undefined => {
  const date = new Date(value || Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The target of the first link with a relation. Source: RFC 8288. */
const linkOf = (relation: string, links: string): string | undefined =>
  new RegExp(`<([^>]*)>[^<]*\\brel\\s*=\\s*("[^"]*\\b)?${relation}\\b`, 'i').exec(links)?.[1]
