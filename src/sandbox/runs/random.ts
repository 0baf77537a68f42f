/** A hash of 32 bits that differs for every `value` (the finalizer of MurmurHash3, which is a bijection). */
export function hash32(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A seed as 32 bits. All bits of a large one count; one of 32 bits stays as it is. */
const seedBits = (seed: number): number => {
  const high = Math.floor((seed + 2 ** 31) / 2 ** 32)
  return high === 0 ? seed : seed ^ hash32(high)
}

/** The random part of an id, eight letters and digits. Under one seed, no two numbers below 2³² have the same one. */
export function randomId(seed: number, number: number): string {
  const unique = hash32(number ^ hash32(seedBits(seed)))
  return text(unique, 6) + text(hash32(unique + seedBits(seed)), 2)
}

/** A number from 0 to 1, below it, that a seed and three numbers choose. */
export const drawn = (seed: number, one: number, two: number, three = 0): number =>
  hash32(hash32(hash32(hash32(seedBits(seed)) + one) + two) + three) / 2 ** 32

/** A factor from 0.8 to 1.2 for the duration of a step. */
export const jitter = (seed: number, run: number, step: number): number =>
  0.8 + (0.4 * hash32(hash32(hash32(seedBits(seed)) + run) + step)) / 2 ** 32

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function text(value: number, length: number): string {
  let rest = value
  let result = ''
  for (let index = 0; index < length; index++) {
    result += DIGITS[rest % DIGITS.length]
    rest = Math.floor(rest / DIGITS.length)
  }
  return result
}
