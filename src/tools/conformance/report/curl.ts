import { MASKED } from '../../../internal/mask.js'
import type { SentRequest } from '../judge/exchange.js'
import { isSecretHeader } from '../judge/secret-like.js'

/** A key and the variable that has it in a command. */
export type NamedKey = readonly [variable: string, key: string]

/**
 * The request as a command for a shell of POSIX, which sends the same again: a key is a variable, and a wrong key that is made of
 * it an expression. `masked` takes out what is secret otherwise.
 */
export function curlOf(
  { method, url, headers, body }: SentRequest,
  keys: readonly NamedKey[],
  masked: (text: string) => string,
): string {
  const shell = (text: string) => quotedWith(text, keys, masked)
  const fields = [...headers].map(([name, value]) => {
    const isHidden = isSecretHeader(name) && !keys.some(([, key]) => value.includes(key))
    const shown =
      name === 'authorization' ? authorizationOf(value, keys, masked) : isHidden ? quoted(MASKED) : shell(value)
    return ` -H ${joined(quoted(`${name}: `), shown)}`
  })
  const data =
    body === undefined
      ? ''
      : ` --data-binary ${shell(typeof body === 'string' ? body : new TextDecoder().decode(body)) || "''"}`
  return `curl -i -X ${method}${fields.join('')}${data} ${shell(url)}`
}

const quoted = (text: string): string => (text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`)
/** The parts as one word; two that are quoted share their quotes. */
const joined = (first: string, second: string): string =>
  first.endsWith("'") && second.startsWith("'") ? first.slice(0, -1) + second.slice(1) : first + second

/** A text with variables in the place of keys. */
function quotedWith(text: string, keys: readonly NamedKey[], masked: (text: string) => string): string {
  const found = keys.find(([, key]) => text.includes(key))
  if (!found) return quoted(masked(text))
  const [variable, key] = found
  const parts = text.split(key).map((part) => quotedWith(part, keys, masked))
  return parts.join(`"$${variable}"`)
}

function authorizationOf(value: string, keys: readonly NamedKey[], masked: (text: string) => string): string {
  const [, scheme = '', credential = ''] = /^(\S+ )?(.*)$/s.exec(value) ?? []
  if (keys.some(([, key]) => value.includes(key))) return quotedWith(value, keys, masked)
  if (masked(value) === value) return quoted(value)
  const changed = keys.map((key) => changedKey(credential, key)).find((each) => each !== undefined)
  return joined(quoted(scheme), `"${changed ?? '$ANOTHER_KEY'}"`)
}

/** An expression that makes a wrong key of the right one; undefined when it is made otherwise. */
function changedKey(text: string, [variable, key]: NamedKey): string | undefined {
  if (text === key.slice(0, -1)) return `\${${variable}%?}`
  if (text === key.slice(1)) return `\${${variable}#?}`
  const decoded = decodedBase64(text)
  if (decoded?.includes(key)) return `$(printf %s "${decoded.replace(key, `$${variable}`)}" | base64 | tr -d '\\n')`
  if (text.length !== key.length) return undefined
  const parts: { from: number; change: string | undefined }[] = []
  for (const [index, character] of [...text].entries()) {
    const change = CHANGES.find(([, of]) => of(key[index] ?? '') === character)
    if (!change) return undefined
    const last = parts.at(-1)
    // A character that is the same each way belongs to what it stands in.
    if (
      last &&
      (last.change === change[0] ||
        CHANGES.some(([name, of]) => name === last.change && of(key[index] ?? '') === character))
    )
      continue
    parts.push({ from: index, change: change[0] })
  }
  return parts
    .map(({ from, change }, index) => {
      const to = parts[index + 1]?.from ?? key.length
      return `$(printf %s "$${variable}" | cut -c${from + 1}-${to}${change ? ` | tr ${change}` : ''})`
    })
    .join('')
}

/** The next letter or digit. */
const next = (character: string): string => {
  const at = LETTERS.indexOf(character)
  return at === -1 ? character : (NEXT[at] ?? character)
}
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const NEXT = 'bcdefghijklmnopqrstuvwxyzaBCDEFGHIJKLMNOPQRSTUVWXYZA1234567890'

/** How a character of a key is changed, as an argument of `tr`. */
const CHANGES: readonly (readonly [tr: string | undefined, of: (character: string) => string])[] = [
  [undefined, (character) => character],
  [`'a-zA-Z0-9' 'b-zaB-ZA1-90'`, next],
  [`'a-zA-Z' 'A-Za-z'`, swapCase],
]

function decodedBase64(text: string): string | undefined {
  try {
    return atob(text)
  } catch {
    return undefined
  }
}

/** A text with capital letters for small ones, and small ones for capital ones. */
export function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}
