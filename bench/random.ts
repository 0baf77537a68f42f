import { hash32 } from '../src/sandbox/runs/random.js'

/** Numbers from 0 to 1, the same for the same seed. */
export function createRandom(seed: number): () => number {
  let count = hash32(seed)
  return () => hash32(count++) / 2 ** 32
}
