/** Replaces every secret in a text, however it was written there. */
export type Mask = (text: string) => string

export function createMask(secrets: readonly string[]): Mask {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    btoa(secret),
    btoa(secret).replaceAll('=', ''),
  ])
  // The longest first: a short one may be a part of it.
  const known = [...new Set(forms)].sort((one, other) => other.length - one.length)
  return (text) => {
    const plain = percentDecoded(text.includes('\\') ? unescaped(text) : text)
    // An answer is shown as it came, unless it hides a secret in escapes.
    const shown = known.some((form) => plain.includes(form)) ? plain : text
    return known.reduce((rest, form) => rest.replaceAll(form, MASKED), shown)
  }
}

/** The characters that JSON lets one write as escapes, but for those that would end a string. */
const unescaped = (text: string): string =>
  text.replaceAll('\\/', '/').replaceAll(/\\u00([2-7][0-9a-f])/gi, (written, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return /["\\]/.test(character) ? written : character
  })

/** Visible ASCII, which a URL may percent-encode whatever it is. */
const percentDecoded = (text: string): string =>
  text.includes('%')
    ? text.replaceAll(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Replaces credentials that are none of the known secrets, such as ones that a service hands out. */
export const maskCredentials = (text: string): string =>
  text.replaceAll(/\b(Bearer|Basic)\s+[^\s"',;<>&]+/gi, `$1 ${MASKED}`)

/** A copy of a value, masked at any depth. */
export function maskDeep<T>(value: T, mask: Mask): T {
  if (typeof value === 'string') return mask(value) as T
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, mask)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [mask(key), maskDeep(each, mask)])) as T
}

/** What stands in the place of a secret. */
export const MASKED = '••••'
