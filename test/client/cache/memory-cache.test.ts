import { expect, it } from 'vitest'
import { createMemoryCache } from '../../../src/index.js'
import { manualClock } from '../../support/clock.js'

const response = (length: number) => ({ body: 'x'.repeat(length) })

/** A cache of three responses with at most 10 characters, and which of the keys a to e it has. */
function cacheOf(entries: Record<string, number>) {
  const { clock, advance } = manualClock()
  const cache = createMemoryCache(3, 10, clock)
  for (const [key, length] of Object.entries(entries)) cache.set(key, response(length), 1_000)
  const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined).join('')
  return { cache, kept, advance }
}

it.each<[string, Record<string, number>, string]>([
  ['as many responses as its size', { a: 1, b: 1, c: 1 }, 'abc'],
  ['the newest when there are more', { a: 1, b: 1, c: 1, d: 1 }, 'bcd'],
  ['as many characters as it may', { a: 5, b: 5 }, 'ab'],
  ['the newest that fit when there are more characters', { a: 5, b: 5, c: 1 }, 'bc'],
  ['the others when a response is longer than all may be', { a: 5, b: 5, c: 11 }, 'ab'],
  ['a response that is as long as all may be', { a: 5, b: 10 }, 'b'],
])('a memory cache keeps %s', (_, entries, keys) => {
  expect(cacheOf(entries).kept()).toBe(keys)
})

it('a memory cache evicts what was not read for the longest time', () => {
  const { cache, kept } = cacheOf({ a: 1, b: 1, c: 1 })
  cache.get('a')
  cache.set('d', response(1), 1_000)
  expect(kept()).toBe('acd')
})

it('a memory cache counts a response that was replaced or has expired no longer', async () => {
  const { cache, kept, advance } = cacheOf({ a: 9 })
  cache.set('a', response(4), 1_000)
  cache.set('b', response(6), 1_000)
  expect(kept()).toBe('ab')
  await advance(1_000)
  expect(kept()).toBe('')
  cache.set('a', response(5), 1_000)
  cache.set('b', response(5), 1_000)
  expect(kept()).toBe('ab')
})

it('a memory cache keeps a response for its time, however often it is read', async () => {
  const { cache, advance } = cacheOf({})
  cache.set('a', response(1), 1_000)
  await advance(999)
  expect(cache.get('a')).toEqual(response(1))
  await advance(1)
  expect(cache.get('a')).toBeUndefined()
})

it('a memory cache forgets a response whose successor is longer than all may be', () => {
  const { cache, kept } = cacheOf({ a: 1, b: 1 })
  cache.set('a', response(11), 1_000)
  expect(kept()).toBe('b')
})

it('a memory cache takes values that are no responses', () => {
  const { cache } = cacheOf({})
  cache.set('a', 'generation', 1_000)
  expect(cache.get('a')).toBe('generation')
})
