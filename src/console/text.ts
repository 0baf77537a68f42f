/** Pretty-prints JSON; another text stays unchanged. */
export const pretty = (value: unknown): string =>
  visible(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** Replaces control and bidirectional characters by visible ones. */
export const visible = (text = ''): string =>
  text.replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })

const STEERING = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** A request as a command to paste. */
export function curlOf(
  method: string,
  url: string,
  headers: readonly (readonly [string, string])[],
  body?: string,
): string {
  // With -X HEAD curl would wait for a body.
  const how = { GET: [], HEAD: ['--head'] }[method] ?? ['-X', method]
  const parts = ['curl', '-i', '-g', '--path-as-is', ...how, url]
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type')
  // Without it curl sends a body as a form; an empty header needs a semicolon.
  if (body !== undefined && !isTyped) parts.push('-H', 'content-type:')
  for (const [name, value] of headers) parts.push('-H', value === '' ? `${name};` : `${name}: ${value}`)
  if (body !== undefined) parts.push('--data-raw', body)
  return parts.map(shellQuoted).join(' ')
}

/** Control characters are escaped: a terminal would act on them. */
function shellQuoted(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = text.replaceAll(/['\\]/g, '\\$&').replaceAll(new RegExp(CONTROL, 'gu'), escapeOf)
  return `$'${escaped}'`
}

const CONTROL = /\p{Cc}/u

/** Escapes the bytes in UTF-8: which characters a shell knows depends on its locale. */
const escapeOf = (character: string): string =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

/** A duration (ms) for people. */
export const durationOf = (ms: number): string =>
  ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
