import type { BasisId } from '../../../../../generated/contract.js'
import { rules } from '../../../../../generated/contract.js'
import { bearer, type ConformanceSettings, KEYS } from '../../options.js'
import { swapCase } from '../../report/curl.js'
import type { Change } from '../request.js'

const NOBODYS = 'conformance-check-wrong-key'
export const WRONG_KEY = bearer(NOBODYS)

/** A wrong key, and on how many operations it is tried at the depth `normal`: on more the more often services take it. */
export interface WrongKey {
  what: string
  authorization: string | null
  operations: number
  basis?: BasisId | undefined
}

type KeyRow = readonly [what: string, authorization: string | null, basis?: BasisId]

/** What is, by chance, a right key is left out. That a right key is accepted in one place and form only is assumed (A61). */
export function wrongKeys(settings: ConformanceSettings): WrongKey[] {
  const right = KEYS.flatMap((name) => (settings[name] === undefined ? [] : bearer(settings[name])))
  return TABLES.flatMap(([operations, keys]) =>
    keys(settings.apiKey).map(([what, authorization, basis]) => ({ what, authorization, operations, basis })),
  ).filter(
    ({ authorization }) =>
      authorization === null || (!right.includes(authorization.trim()) && authorization !== bearer('')),
  )
}

const ALL = Number.POSITIVE_INFINITY

/** Each table with the number of operations. */
const TABLES: readonly (readonly [operations: number, keys: (key: string) => readonly KeyRow[]])[] = [
  [ALL, plainestKeys],
  [ALL, usualKeys],
  [1, furtherKeys],
]

/** What a client sends whose key is missing or wrong. */
export function plainestKeys(): KeyRow[] {
  return [
    ['without a key', null],
    ['with a wrong key', WRONG_KEY],
  ]
}

function usualKeys(key: string): KeyRow[] {
  const similar = similarKeys(key)
  return [
    ['with a key of the same form that nobody has', bearer(similar.sameForm)],
    ['with one more character after the key', bearer(`${key}0`)],
    ['with the key without its last character', bearer(similar.withoutEnd)],
    ['with the key in another case', bearer(similar.otherCase)],
    ['with the key in another scheme', `Token ${key}`, rules.keyPlace],
    ['with the key and no scheme', key, rules.keyPlace],
    ['with the key test', bearer('test')],
  ]
}

function furtherKeys(key: string): KeyRow[] {
  const similar = similarKeys(key)
  return [
    ['with the scheme and no key', 'Bearer'],
    ['with text after the key', bearer(`${key} conformance`), rules.keyPlace],
    ['with a list that begins with the key', bearer(`${key},conformance-check`), rules.keyPlace],
    ['with a key of the same beginning', bearer(similar.sameBeginning)],
    ['with a key of the same end', bearer(similar.sameEnd)],
    ['with the wildcard *', bearer('*')],
    ['with the wildcard % after the beginning of the key', bearer(similar.wildcard)],
    ['with the key in percent-encoding', bearer(percent(key.slice(0, 4)) + key.slice(4)), rules.keyPlace],
    ['with a key of 2,000 characters', bearer('conformance-'.repeat(170))],
    ['with the scheme twice', `Bearer Bearer ${key}`, rules.keyPlace],
    ['with another scheme before the right one', `Digest conformance, Bearer ${key}`, rules.keyPlace],
    ['with Basic and the key as the password', `Basic ${btoa(`conformance:${key}`)}`, rules.keyPlace],
    ['with Basic and the key as the user', `Basic ${btoa(`${key}:`)}`, rules.keyPlace],
    ['with a list that ends with the key', bearer(`conformance-check,${key}`), rules.keyPlace],
    ['with the key after another key', bearer(`conformance-check ${key}`), rules.keyPlace],
    ['with text before the key', bearer(`x${key}`)],
    ['with the key without its beginning', bearer(similar.withoutBeginning)],
    ['with a key that differs in its last character', bearer(similar.otherEnd)],
    ['with the wildcard %', bearer('%')],
    ['with a star for the end of the key', bearer(similar.star)],
    ['with a wildcard for each character', bearer('_'.repeat(key.length))],
    ['with a pattern', bearer('.*')],
    ['with the key in quotes', bearer(`"${key}"`), rules.keyPlace],
    ['with the key in base64', bearer(btoa(key)), rules.keyPlace],
    ['with a key that is SQL', bearer("' OR '1'='1")],
    ['with the key null', bearer('null')],
    ['with the key undefined', bearer('undefined')],
    ['with the scheme and text after it', `Bearer-Token ${key}`, rules.keyPlace],
    ['with an equals sign after the scheme', `Bearer=${key}`, rules.keyPlace],
    ['with the scheme and the key without a space', `Bearer${key}`, rules.keyPlace],
    ['with a wrong key and the key in one header', `${WRONG_KEY}, ${bearer(key)}`, rules.keyPlace],
    [
      'with an unsigned token',
      bearer(`${btoa('{"alg":"none"}')}.${btoa('{"sub":"conformance"}')}.`.replaceAll('=', '')),
    ],
    ['with the scheme ApiKey', `ApiKey ${key}`, rules.keyPlace],
  ]
}

/** A key in places that nothing is said of. */
export const elsewhere = (key: string): Change => ({
  query: Object.fromEntries(['api_key', 'access_token', 'key', 'apikey', 'token'].map((name) => [name, key])),
  headers: {
    ...Object.fromEntries(['x-api-key', 'x-authorization', 'api-key', 'x-auth-token'].map((name) => [name, key])),
    cookie: `token=${key}; api_key=${key}`,
  },
})

/** A wrong key there, in a request as from a page, a proxy or a probe. */
export function asTrusted(): Change {
  const { headers, ...wrong } = elsewhere(NOBODYS)
  return { ...wrong, headers: { ...headers, ...TRUSTED } }
}

/** What a service may take for a request of its own. */
const TRUSTED = {
  origin: 'https://conformance.example',
  referer: 'https://conformance.example/',
  'user-agent': 'kube-probe/1.30',
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'x-forwarded-user': 'conformance',
  'x-requested-with': 'XMLHttpRequest',
  'x-internal': 'true',
}

const percent = (text: string): string => [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')

/** Wrong keys that are made of the right one. Each tells so much of it that no report may show one. */
export function similarKeys(key: string) {
  const other = rotated(key)
  const half = Math.floor(key.length / 2)
  return {
    sameForm: other,
    sameBeginning: key.slice(0, half) + other.slice(half),
    sameEnd: other.slice(0, half) + key.slice(half),
    otherCase: swapCase(key),
    otherEnd: key.slice(0, -1) + other.slice(-1),
    // A service accepts it that compares only as much as is sent.
    withoutEnd: key.slice(0, -1),
    withoutBeginning: key.slice(1),
    star: `${key.slice(0, half)}*`,
    wildcard: `${key.slice(0, half)}%`,
  }
}

/** Another key of the same form: each letter and digit is the next one, and hexadecimal ones stay so; a prefix such as `key_` stays. */
function rotated(key: string): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(key)?.[0] ?? ''
  const rest = key.slice(prefix.length)
  const last = /[g-z]/i.test(rest) ? 'z' : 'f'
  const next = (character: string) => {
    if (character === '9') return '0'
    if (character.toLowerCase() === last) return character === last ? 'a' : 'A'
    return String.fromCharCode(character.charCodeAt(0) + 1)
  }
  return prefix + rest.replaceAll(/[A-Za-z0-9]/g, next)
}
