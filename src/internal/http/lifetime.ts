/**
 * How long a response is cached, in ms: as the contract says, or shorter when the response says so. Its age counts as
 * well, and what cannot be read is not fresh. Basis: S38; RFC 9111, sections 4.2, 5.1 to 5.4.
 */
export function lifetimeOf(seconds: number, headers: Headers, wallTime: number): number {
  const directives = directivesIn(headers.get('cache-control') ?? headers.get('pragma') ?? '')
  const isForbidden = directives.some(([name]) => name === 'no-store' || name === 'no-cache')
  if (isForbidden || headers.get('vary')?.includes('*')) return 0
  const maxAges = directives.flatMap(([name, value]) => (name === 'max-age' ? [secondsIn(value) ?? 0] : []))
  const expires = headers.get('expires')
  const limits = maxAges.length > 0 || expires === null ? maxAges : [secondsUntil(expires, headers, wallTime)]
  return (Math.min(seconds, ...limits) - ageIn(headers)) * 1_000
}

/** The age that a response came with, in seconds: the first of several. RFC 9111, section 5.1. */
export const ageIn = (headers: Headers): number => secondsIn(headers.get('age')?.split(',')[0]) ?? 0

/** The time of an HTTP date, in ms since 1970; NaN for any other text. RFC 9110, section 5.6.7. */
export const dateIn = (value: string | null): number =>
  /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(value ?? '') ? Date.parse(value!) : Number.NaN

/** The headers that are cached: those of a connection are not. RFC 9111, section 3.1. */
export function cachedHeaders(headers: Headers): [name: string, value: string][] {
  const ofConnection = (headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/)
  return [...headers].filter(([name]) => !HOP_BY_HOP.test(name) && !ofConnection.includes(name))
}

const HOP_BY_HOP = /^(connection|keep-alive|proxy-.*|te|transfer-encoding|upgrade)$/

const secondsUntil = (expires: string, headers: Headers, wallTime: number): number =>
  Math.floor((dateIn(expires) - (dateIn(headers.get('date')) || wallTime)) / 1_000) || 0

type Directive = [name: string, value: string | undefined]

/** The directives of a header, whose values may be quoted. */
const directivesIn = (header: string): Directive[] =>
  [...header.matchAll(/([^\s,=]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,]*)))?/g)].map(([, name = '', quoted, plain]) => [
    name.toLowerCase(),
    quoted ?? plain,
  ])

const secondsIn = (value: string | undefined): number | undefined =>
  /^\s*\d+\s*$/.test(value ?? '') ? Number(value) : undefined
