import { expect, it } from 'vitest'
import { hasDuplicateName } from '../../src/internal/http/json.js'

const deep = (inner: string) => `${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}`
const long = (json: string) => `${json.slice(0, -1)}${' '.repeat(2 ** 20 - json.length)}}`

it.each([
  ['{"a":1,"a":2}', true],
  ['{"a":1, "b":{"a" : 2,"a"\n: 3}}', true],
  ['[{"a":1},{"a":1,"a":2}]', true],
  ['{"\\"a":1,"\\"a":2}', true],
  ['{"a":1,"b":{"a":2}}', false],
  ['[{"a":1},{"a":2}]', false],
  ['["a","a"]', false],
  ['{"a":"a:","b":"a\\":"}', false],
  ['null', false],
  ['"a"', false],
  ['7', false],
])('%s has a name twice: %s', (json, expected) => {
  expect(hasDuplicateName(json, JSON.parse(json))).toBe(expected)
})

it('a text of more than a megabyte is not looked at, and a name that is there twice is found at any depth', () => {
  const twice = '{"a":1,"a":2}'
  expect(hasDuplicateName(long(twice), JSON.parse(twice))).toBe(true)
  expect(hasDuplicateName(`${long(twice)} `, JSON.parse(twice))).toBe(false)
  let parsed: unknown = JSON.parse(twice)
  for (let depth = 0; depth < 100_000; depth++) parsed = [parsed]
  expect(hasDuplicateName(deep(twice), parsed)).toBe(true)
})
