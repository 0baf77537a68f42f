/** Masks every secret in a text, in every encoding. */
export type Mask = (text: string) => string

/** `shown` replaces a secret. One with fewer than `wordLength` characters may be an ordinary word. */
export function createMask(secrets: readonly string[], shown = MASKED, wordLength = LONGEST_WORD): Mask {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    btoa(secret),
    ...(secret.length < wordLength ? [] : [0, 1, 2].flatMap((before) => withinBase64(secret, before))),
  ])
  if (forms.length === 0) return (text) => text
  // The longest first: a short one may be a part of it.
  const longestFirst = [...new Set(forms)].sort((one, other) => other.length - one.length)
  const known = new RegExp(longestFirst.map((form) => sourceOf(form, wordLength)).join('|'), 'gi')
  return (text) => {
    const plain = decoded(text.includes('\\') ? unescaped(text) : text)
    // A text stays unchanged unless it contains an escaped secret.
    const safe = plain !== text && plain.search(known) !== -1 ? plain : text
    return safe.replaceAll(known, shown)
  }
}

/** The part of a secret's base64 that no neighbouring text changes, such as that of `Bearer `, by the bytes before it. */
function withinBase64(secret: string, before: number): string[] {
  const from = Math.ceil((before * 4) / 3)
  const to = Math.floor(((before + secret.length) * 4) / 3)
  const base64 = btoa(' '.repeat(before) + secret).slice(from, to)
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
}

/**
 * A short secret may be an ordinary word: it is masked where it stands alone, except as the name of a property. A quotation
 * mark and a backslash may be written as escapes, also of JSON within JSON.
 */
function sourceOf(secret: string, wordLength: number): string {
  const literal = secret.replaceAll(/["\\]+|[$.*+?^()[\]{}|/]/g, (part) =>
    /["\\]/.test(part) ? `(?:["\\\\]|u00(?:22|5c)|%(?:22|5c)){${part.length},${16 * part.length}}?` : `\\${part}`,
  )
  return secret.length < wordLength ? `(?<![\\w-])${literal}(?![\\w-])(?!"\\s*:)` : literal
}

/** Secrets with at least so many characters are masked within words too. */
const LONGEST_WORD = 8

/** The characters that JSON allows to escape, except those that would end a string. */
export const unescaped = (text: string): string =>
  // Nested JSON has more than one backslash. Beginning anywhere within them would take quadratic time.
  text.replaceAll(/(?<!\\)\\+\//g, '/').replaceAll(/(?<!\\)\\+u00([2-7][0-9a-f])/gi, (written, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return /["\\]/.test(character) ? written : character
  })

/** Visible ASCII that a URL or a page has encoded, except the characters that would end a string of JSON. */
export const decoded = (text: string): string =>
  text.replaceAll(
    /%([2-7][0-9a-f])|&#x0*([2-7][0-9a-f]);?|&#0*(\d\d\d?);?|&(amp|lt|gt|apos);/gi,
    (written, inUrl?: string, hexadecimal?: string, decimal?: string, name?: string) => {
      if (name) return NAMED[name.toLowerCase()] ?? written
      const character = String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(inUrl ?? hexadecimal ?? '', 16))
      return /[!#-[\]-~ ]/.test(character) ? character : written
    },
  )

/** What a page has to escape. */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', apos: "'" }

/** A copy of a value, masked at any depth. */
export function maskDeep<T>(value: T, mask: Mask): T {
  if (typeof value === 'string') return mask(value) as T
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, mask)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [mask(key), maskDeep(each, mask)])) as T
}

/** The text that replaces a secret. */
export const MASKED = '••••'
