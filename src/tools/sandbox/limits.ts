import { limitOf } from '../../internal/limits/limit.js'
import { refill } from '../../internal/limits/token-bucket.js'
import { type Buckets, bucketId, createLimits, type LimitChoice } from '../service/limit.js'

/** The token buckets of a sandbox as plain data. */
export type StoredBuckets = [id: string, stored: Buckets extends Map<string, infer Bucket> ? Bucket : never][]

export type SandboxLimits = ReturnType<typeof createSandboxLimits>

/** The limits of the service kit, with functions to read, store and restore their tokens. */
export function createSandboxLimits(now: () => number) {
  const buckets: Buckets = new Map()
  return {
    ...createLimits(now, buckets),
    /** How many tokens are left; undefined without a limit. */
    tokens(choice: LimitChoice): number | undefined {
      const limit = limitOf(choice.plan)
      if (!limit) return undefined
      const found = buckets.get(bucketId(choice, limit))
      return found ? refill(found.bucket, limit, now()).tokens : limit.burst
    },
    stored: (): StoredBuckets => structuredClone([...buckets]),
    restore(stored: StoredBuckets): void {
      buckets.clear()
      for (const [id, each] of structuredClone(stored)) buckets.set(id, each)
    },
  }
}
