import { expect, it } from 'vitest'
import { jsonValue } from '../../src/tools/service/response/json-value.js'

const withName = { toJSON: (name: string) => `named ${name}` }

it.each([
  ['texts and numbers', { text: 'a', none: null, is: false, whole: 0, part: -1.5 }],
  ['numbers that JSON does not have', { not: Number.NaN, all: [Number.POSITIVE_INFINITY] }],
  ['functions and symbols', { run() {}, mark: Symbol('a'), all: [() => {}, Symbol('b'), undefined] }],
  ['objects of texts, numbers and truth values', { all: [new String('a'), new Number(1), new Boolean(false)] }],
  ['dates and models', { at: new Date(0), own: withName, all: [new Date(1)], nested: { own: withName } }],
  ['a model by itself', withName],
  ['lists with holes', new Array(3)],
  ['maps and other classes', { map: new Map([['a', 1]]), error: new Error('a') }],
])('%s are what JSON makes of them', (_, value) => {
  expect(jsonValue(value)).toEqual(JSON.parse(JSON.stringify(value)))
})

it('the innermost list is at most a thousand deep', () => {
  const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'a')
  expect(jsonValue(nested(1_001))).toEqual(nested(1_001))
  expect(() => jsonValue(nested(1_002))).toThrow('nested too deep')
})

it('jsonValue returns undefined for undefined, a function and a symbol', () => {
  expect([undefined, () => {}, Symbol('a')].map(jsonValue)).toEqual([undefined, undefined, undefined])
})

it('the error names the promise in a body', () => {
  expect(() => jsonValue(Promise.resolve())).toThrow('a promise at "": await it.')
  expect(() => jsonValue({ a: { b: Promise.resolve() } })).toThrow('a promise at "b": await it.')
})
