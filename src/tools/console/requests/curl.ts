/** A request to show as a command. */
interface Shown {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** A request as a command to paste. */
export function curlCommand({ method, url, headers, body }: Shown): string {
  // With -X HEAD curl would wait for a body.
  const how = { GET: [], HEAD: ['--head'] }[method] ?? ['-X', method]
  const parts = ['curl', '-i', '-g', '--path-as-is', ...how, url]
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  // Without it curl sends a body as a form; an empty header needs a semicolon.
  if (body !== undefined && !isTyped) parts.push('-H', 'content-type:')
  for (const [name, value] of Object.entries(headers)) parts.push('-H', value === '' ? `${name};` : `${name}: ${value}`)
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
