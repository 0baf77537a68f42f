/** Pretty-prints JSON; another text stays unchanged. */
export const pretty = (value: unknown): string =>
  visible(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** A value as text, with visible characters in the place of control and bidirectional ones. */
export const visible = (value: unknown = ''): string =>
  String(value).replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })

const STEERING = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** A duration (ms) for people. */
export const durationOf = (ms: number): string =>
  ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`

/** The time of day in UTC; empty for an invalid time. */
export function timeOfDay(time: string | number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(11, 19)
}
