import { hash32, seedBits } from '../../../internal/random.js'

/** The random part of an id, eight letters and digits. Under one seed, no two numbers below 2³² have the same one. */
export function randomId(seed: number, number: number): string {
  const unique = hash32(number ^ hash32(seedBits(seed)))
  return text(unique, 6) + text(hash32(unique + seedBits(seed)), 2)
}

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
