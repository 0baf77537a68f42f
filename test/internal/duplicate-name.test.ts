import { expect, it } from 'vitest'
import { duplicateName } from '../../src/internal/http/json.js'

const deep = (inner: string) => `${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}`
const long = (json: string) => `${json.slice(0, -1)}${' '.repeat(2 ** 20 - json.length)}}`

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1, "b":{"a" : 2,"a"\n: 3}}', 'b.a'],
  ['[{"a":1},{"a":1,"a":2}]', '1.a'],
  ['{"a":[7,[{}]],"b":["]",{"c":1,"d":[2,3],"c":4}]}', 'b.1.c'],
  ['{"\\"a":1,"\\"a":2}', '"a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a":1,"b":{"a":2}}', undefined],
  ['[{"a":1},{"a":2}]', undefined],
  ['["a","a"]', undefined],
  ['{"a":"a:","b":"a\\":"}', undefined],
  ['null', undefined],
  ['"a"', undefined],
  ['7', undefined],
])('of %s the name that is there twice is %s', (json, expected) => {
  expect(duplicateName(json)).toBe(expected)
})

it('a text of more than a megabyte is not looked at, and a name that is there twice is found at any depth', () => {
  const twice = '{"a":1,"a":2}'
  expect(duplicateName(long(twice))).toBe('a')
  expect(duplicateName(`${long(twice)} `)).toBeUndefined()
  expect(duplicateName(deep(twice))).toMatch(/^0\.0\..*\.a$/)
})
