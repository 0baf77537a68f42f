/** A hash of 32 bits that differs for every `value` (the finalizer of MurmurHash3, which is a bijection). */
export function hash32(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A hash of 32 bits of a string. */
export function stringHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = hash32(hash + text.charCodeAt(index) + 1)
  return hash
}

/** A seed as 32 bits. All bits of a large one count; one of 32 bits stays as it is. */
export const seedBits = (seed: number): number => {
  const high = Math.floor((seed + 2 ** 31) / 2 ** 32)
  return high === 0 ? seed : seed ^ hash32(high)
}

/** A number from 0 to 1, below it, that a seed and three numbers choose. */
export const drawn = (seed: number, one: number, two = 0, three = 0): number =>
  hash32(hash32(hash32(hash32(seedBits(seed)) + one) + two) + three) / 2 ** 32
