import { expect, it } from 'vitest'
import { createMask, MASKED, type Mask, maskDeep } from '../../../src/internal/mask.js'
import { isSecretHeader, maskSecretLike } from '../../../src/tools/conformance/judge/secret-like.js'

const KEY = 'wk/se+cret 9"\\x'
const SECRETS = [KEY, 'abc', 'wk_secret_1', 'wk_secret_1_long', "a&b<c>d'efgh"]
const nested = (text: string) => JSON.stringify(text).slice(1, -1)
const mask: Mask = (text) => createMask(SECRETS)(text)

it.each([
  ['as it is', KEY],
  ['in capitals', KEY.toUpperCase()],
  ['in a URL', encodeURIComponent(KEY)],
  ['in base64', btoa(KEY)],
  ['with an escaped slash', KEY.replace('/', '\\/').replace('"', '\\"').replace('\\x', '\\\\x')],
  ['in JSON within JSON within JSON', nested(nested(nested(KEY)))],
  ['with an escaped slash of JSON within JSON', KEY.replace('/', '\\\\/')],
  ['with an escaped letter', '\\u0077k_secret_1'],
  ['with an escaped letter of JSON within JSON', '\\\\\\u0077k_secret_1'],
  ['with an escaped underscore', 'wk\\u005Fsecret_1'],
  ['with an encoded letter', '%77k_secret_1'],
  ['with an encoded underscore', 'wk%5fsecret_1'],
  ['with a reference to a letter', '&#119;k_secret_1'],
  ['with a reference that does not end', '&#0119k_secret_1'],
  ['with a reference of two digits', 'wk&#95;secret_1'],
  ['with a reference in hexadecimal', '&#x0077;k_secret_1'],
  ['with a reference in hexadecimal that does not end', '&#x0077k_secret_1'],
  ['with a reference in hexadecimal in capitals', 'wk&#X5F;secret_1'],
  ['with names of characters', 'a&amp;b&lt;c&gt;d&apos;efgh'],
  ['with names of characters in capitals', "a&AMP;b<c>d'efgh"],
  ['that begins with another', 'wk_secret_1_long'],
  ['that is short, alone', 'abc'],
])('a secret %s is masked', (_, text) => {
  expect(mask(text)).toBe(MASKED)
  expect(mask(`of ${text}: ${text}.`)).toBe(`of ${MASKED}: ${MASKED}.`)
})

/** Of 8 characters, the fewest for which this is certain; in base64, these are full of plus signs and slashes. */
const SHORT = ['~~~~~~~~', '????????']

it.each([KEY, ...SHORT])('the secret %s in base64 is masked, whatever stands before it and after it', (secret) => {
  const mask = createMask([secret])
  // A character of base64 at either end also depends on what stands beside the secret.
  const certain = Math.floor((secret.length * 4) / 3) - 1
  for (const before of ['', 'k', 'ke', 'key', 'Bearer ']) {
    const base64 = btoa(`${before}${secret}?>~`)
    for (const text of [base64, base64.replaceAll('+', '-').replaceAll('/', '_'), base64.replaceAll('=', '')])
      expect(mask(text).replace(MASKED, '').length, text).toBeLessThanOrEqual(text.length - certain)
  }
})

it.each([
  ['"wk/se+cret 9\\"\\\\x"', `"${MASKED}"`],
  ['{"abc": "abc"}', `{"abc": "${MASKED}"}`],
  ['%41 abc &lt; &quot; %22 &#34; \\u0022 \\u005c %0a &#9;', `A ${MASKED} < &quot; %22 &#34; \\u0022 \\u005c %0a &#9;`],
  ['%20 abc %7e %7F %80 \\u0020 \\u0080', `  ${MASKED} ~ %7F %80   \\u0080`],
  ['wk_secret_12', `${MASKED}2`],
])('in %s only the secret is masked', (text, expected) => {
  expect(mask(text)).toBe(expected)
})

/** What is left of a short secret in the base64 of a longer text may be another word. */
const WITHIN = btoa('  abc').slice(3, 6)

it.each(['abcd xabc x-abc abc-d', '{"abc" : 1}', 'a\\u0062 %41 &amp; \\/', 'wk_secret_', 'wkxsecret_1', WITHIN, ''])(
  '%s has no secret, and stays',
  (text) => expect(mask(text)).toBe(text),
)

it('a value is masked at any depth, also the names of its properties', () => {
  const value = { abc: ['wk_secret_1', 1, null, true], b: { c: 'an abc' } }
  expect(maskDeep(value, mask)).toEqual({ [MASKED]: [MASKED, 1, null, true], b: { c: `an ${MASKED}` } })
  expect(createMask(['pro'], '***', 3)('pro, profile')).toBe('***, ***file')
})

const PREFIXES = [
  'sk_live_',
  'pk_test_',
  'rk_live_',
  'ghp_',
  'gho_',
  'ghs_',
  'github_pat_',
  'glpat-',
  'xoxb-',
  'whsec_',
]

/** What is something like a secret stands between « and ». Nobody issued any of them. */
it.each([
  'Authorization: Bearer «abcdefgh1234==», x',
  'bearer  «abcdefgh»',
  'Basic «ab.~+/-_cd=»',
  'https://me:«pw:more»@host/x',
  'go+v1.2-x://:«pw»@host',
  '{"token":«"abc"»,"name":"abc"}',
  '{"myTokenValue" : «"a\\"b"», "c": "d"}',
  '{"pin":«1234»,"c":5678}',
  '{"my_pin":«"1"»}',
  '{"my-auth":«"1"»}',
  '{"apikey":«"a"»}',
  '{"private-key":«"a"»}',
  '{"token":«"cut»',
  '"{\\"token\\":«\\"abc\\"»,\\"name\\":\\"abc\\"}"',
  '"{\\\\\\"token\\\\\\":«\\\\\\"abc\\\\\\"»}"',
  '"{\\"token\\":«\\"cut»',
  'a=1&access_token=«abc»&b=2',
  'sid=«abc»; pin=«ab»',
  'my-pin=«abc»',
  'my_pin=«abc»',
  'x_token_y=«a»<b',
  'of «eyJabcde.ghijk.mn» x',
  '«eyJab-_e.g-_jk.»',
  ...[...PREFIXES, 'AKIA', 'ASIA'].map((prefix) => `of «${prefix}abcd-_12» it`),
  '«sk-abcdefghijklmno»',
  '(«pk_abcdefghijklm-_o»)',
  '\\n«sk-abcdefghijklmno»',
  '\\u00e0«rk_abcdefghijklmno»',
  'a «-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----» b',
  'a «-----BEGIN PRIVATE KEY-----\nab»',
])('the marked part of %s is masked', (marked) => {
  const text = marked.replaceAll(/[«»]/g, '')
  expect(maskSecretLike(text)).toBe(marked.replaceAll(/«[^»]*»/g, MASKED))
})

it.each([
  ['{"credentials":{"a":"}","b":[1]},"c":1}', `{"credentials":${MASKED},"c":1}`],
  ['{"token":[{"a":"\\""},"]"],"c":{"secret":{}}}', `{"token":${MASKED},"c":{"secret":${MASKED}}}`],
  ['{"TOKEN":{"a":"b}","c":"]d"},"e":1}', `{"TOKEN":${MASKED},"e":1}`],
  ['{"token":{"a":1', `{"token":${MASKED}`],
  ['\\u0074oken=abc %41', `token=${MASKED} A`],
  ['&#116;oken=abc', `token=${MASKED}`],
])('%s has a secret, and becomes %s', (text, expected) => {
  expect(maskSecretLike(text)).toBe(expected)
})

it.each([
  'Bearer abcdefg',
  'https://me@host/x',
  'see ://me:pw@host',
  '{"pin":123}',
  '{"spin":"1"}',
  '{"pins":"1"}',
  '{"api_key":true}',
  'spin=abc',
  'pins=abc',
  'eyJabcd.ghijkl.mn',
  'eyJabcde.ghij.mn',
  'eyJabcdefghijkl',
  'sk_live_abcdefg',
  'AKIABCDEFG',
  'pk-abcdefghijklmn',
  'desk-abcdefghijklmnopqrst',
  '{"task_0123456789abcdef01":"desk_0123456789abcdef01","tokens":3}',
  '-----BEGIN PUBLIC KEY-----',
  'a\\u0062c %41 &lt;',
])('%s has no secret, and stays', (text) => expect(maskSecretLike(text)).toBe(text))

it('a name is that of a secret where it contains a word for one, or ends with a short one', () => {
  const names = [
    'token',
    'X-Api-Key',
    'apiKey',
    'db_password',
    'recovery-code',
    'pass',
    'user_pin',
    'x-salt',
    'Set-Cookie',
  ]
  expect(names.filter(isSecretHeader)).toEqual(names)
  expect(['pinned', 'spin', 'passport', 'key', 'name', 'author', 'sides'].filter(isSecretHeader)).toEqual([])
  const headers = [
    'Cookie',
    'X-Api-Key',
    'X-Authorization',
    'Authorization-Key',
    'Proxy-Authorization',
    'x-access-control-token',
  ]
  expect(headers.filter(isSecretHeader)).toEqual(headers)
  expect(['Authorization', 'authorization', 'Access-Control-Allow-Credentials', 'Date'].filter(isSecretHeader)).toEqual(
    [],
  )
})
