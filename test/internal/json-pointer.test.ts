import { expect, it } from 'vitest'
import { pointerTokens, toPointer, valueAt } from '../../src/runtime/json-pointer.js'

// RFC 6901, section 5.
const DOCUMENT = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'm~n': 8, '~1': 9, nothing: null, text: 'abc' }

it.each<[string, string[], unknown]>([
  ['', [], DOCUMENT],
  ['/foo', ['foo'], ['bar', 'baz']],
  ['/foo/0', ['foo', '0'], 'bar'],
  ['/', [''], 0],
  ['/a~1b', ['a/b'], 1],
  ['/m~0n', ['m~n'], 8],
  ['/~01', ['~1'], 9],
])('%j names the value at %j', (pointer, tokens, value) => {
  expect(pointerTokens(pointer)).toEqual(tokens)
  expect(toPointer(tokens)).toBe(pointer)
  expect(valueAt(DOCUMENT, pointer)).toEqual(value)
})

it.each(['/none', '/foo/2', '/nothing/a', '/text/length', '/text/0', '/toString', '/none/a'])(
  'there is no value at %j',
  (pointer) => expect(valueAt(DOCUMENT, pointer)).toBeUndefined(),
)
