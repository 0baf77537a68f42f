export { createRedisRateLimiter } from '../../../src/tools/redis/index.js'
export { createSharedLimiter as createLimiter } from '../../../src/tools/redis/limiter.js'
export const ARGUMENTS: readonly string[]
export const SCRIPT_SHA: string
export function emptyState(): Record<string, unknown>
export function runModel(
  state: object,
  now: number,
  input: object,
): { granted: number; wait: number; tokens: number; again: number; place: number }
