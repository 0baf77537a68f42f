import { decoded, MASKED, unescaped } from '../../../internal/mask.js'

/** Masks text that looks like a secret, such as a token that a service issues. */
export function maskSecretLike(text: string): string {
  const masked = maskPatterns(text)
  // Escaped text is unescaped only when it contains a secret.
  const plain = decoded(unescaped(masked))
  const deeper = plain === masked ? plain : maskPatterns(plain)
  return deeper === plain ? masked : deeper
}

const maskPatterns = (text: string): string =>
  SECRET_LIKE.reduce((rest, pattern) => rest.replaceAll(pattern, `$1${MASKED}`), maskNested(text))

/** What the name of a property, field or header with a secret contains, and what it is or ends with as a word. */
const CONTAINED =
  'token|secret|passwor[dt]|passwd|passphrase|passcode|kennwort|pwd|(?:api|private|access)[-_]?key|credential|authorization|cookie|session|signature|jwt|bearer|otp|cvv|cvc|(?:recovery|backup)[-_]?code'
const WORD = 'pass|pw|pin|auth|salt|seed|sid|sig|mfa'
const SECRET_NAME = new RegExp(`${CONTAINED}|(?:^|[-_])(?:${WORD})$`, 'i')

const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

/** Whether a header of this name is secret. Of Authorization the key in it is. */
export const isSecretHeader = (name: string): boolean =>
  !/^(authorization$|access-control-)/i.test(name) && isSecretName(name)

/** A JSON property whose name says that its value is secret; nested JSON has backslashes before its quotation marks. */
const SECRET_PROPERTY = `(\\\\*"(?:[^"\\\\]*(?:${CONTAINED})[^"\\\\]*|(?:[^"\\\\]*[-_])?(?:${WORD}))\\\\*"\\s*:\\s*)`

/** A match is masked except for its first group. */
const SECRET_LIKE: readonly RegExp[] = [
  // Credentials in a header and in a URL: RFC 9110, section 11.4; RFC 3986, section 3.2.1.
  /((?:Bearer|Basic) +)[\w.~+/-]{8,}=*/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/"'<>\\]*:)[^\s"'<>\\]+(?=@)/gi,
  new RegExp(`${SECRET_PROPERTY}(?:"(?:[^"\\\\]|\\\\.)*"?|\\\\+"[^"\\\\]*(?:\\\\+")?|\\d{4,})`, 'gi'),
  // A field of a form or of a query.
  new RegExp(`(\\b(?:\\w{0,60}(?:${CONTAINED})\\w{0,60}|(?:\\w{0,60}[-_])?(?:${WORD}))=)[^\\s&;"'<>\\\\]+`, 'gi'),
  // A JSON web token: RFC 7519.
  /()eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g,
  // Keys with the prefixes of widely used services, the short ones not within a word.
  /()(?:[spr]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|whsec_|AKIA|ASIA)[\w-]{8,}/g,
  /()(?<=^|[^A-Za-z0-9]|\\[bfnrt]|\\u[0-9a-fA-F]{4})[spr]k[-_]\w[\w-]{14,}/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/** Masks objects and lists of properties with a secret name, to their end or that of a cut text. */
function maskNested(text: string): string {
  let rest = text
  let shown = ''
  for (let found = SECRET_OBJECT.exec(rest); found; found = SECRET_OBJECT.exec(rest)) {
    const from = found.index + found[0].length
    let depth = 1
    let at = from
    for (const { 0: token, index } of rest.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
      if (!token.startsWith('"')) depth += /[{[]/.test(token) ? 1 : -1
      at = from + index + token.length
      if (depth === 0) break
    }
    shown += `${rest.slice(0, from - 1)}"${MASKED}"`
    rest = depth === 0 ? rest.slice(at) : ''
  }
  return shown + rest
}

const SECRET_OBJECT = new RegExp(`${SECRET_PROPERTY}[{[]`, 'i')
