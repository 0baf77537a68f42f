/**
 * How long a response is cached, in ms: as the contract says, or shorter when the response says so. Its age counts as
 * well. Basis: S38; RFC 9111, sections 4.2 and 5.2.2.
 */
export function lifetimeOf(seconds: number, headers: Headers): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(store|cache)\b/i.test(control) || headers.get('vary')?.includes('*')) return 0
  const maxAge = /\bmax-age="?(\d+)/i.exec(control)?.[1] ?? Infinity
  return (Math.min(seconds, Number(maxAge)) - (Number(headers.get('age')) || 0)) * 1_000
}
