/** What tools write in the place of a secret or a body that they remove from a recording, such as `[redacted]` or `****`. */
export function isPlaceholder(text: string): boolean {
  const [, inner = text] = /^"(.*)"$/.exec(text.trim()) ?? [undefined, text.trim()]
  return PLACEHOLDERS.some((form) => form.test(inner))
}

const WORDS =
  'redact(ed)?|removed?|masked|hidden|filtered|scrubbed|sanitized|sanitised|omitted|censored|stripped|obfuscated'

const PLACEHOLDERS = [
  /^$/,
  /^[*•·.…_-]+$/,
  /^x{3,}$/i,
  new RegExp(`^[\\W_]*(${WORDS})[\\W_]*$`, 'i'),
  new RegExp(`^[[<({][^\\]>)}]{0,60}\\b(${WORDS})\\b[^\\]>)}]{0,60}[\\]>)}]$`, 'i'),
]

/** Whether the value of a header Authorization is no credential: a placeholder, the scheme alone, or the name of a variable. */
export function isNoCredential(authorization: string): boolean {
  const credential = authorization.trim().replace(/^(bearer|basic|token|digest|apikey)\b\s*/i, '')
  return isPlaceholder(credential) || NO_CREDENTIALS.some((form) => form.test(credential))
}

/** RFC 6750, section 2.1, lets no token have a bracket, a brace or a dollar sign. */
const NO_CREDENTIALS = [/^(<.*>|\{.*\}|\[.*\]|\$.+|%.+%)$/, new RegExp(`[[<*](${WORDS})?[\\]>*]`, 'i')]

/** Whether a body has a placeholder as the value of a property or in a list, so that it shows nothing of the real one. */
export const hasPlaceholder = (text: string): boolean => PLACEHOLDER_VALUE.test(text)

// A word alone may be a value of the service, but for one that nobody uses of anything else.
const PLACEHOLDER_VALUE = new RegExp(`[:[,]\\s*"(redact(ed)?|[[<({*_]+(${WORDS})[\\]>)}*_]+)"\\s*[,\\]}]`, 'i')
