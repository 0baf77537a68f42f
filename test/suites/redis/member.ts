/** A process of a fleet: `node member.mjs PORT CALLS DEADLINE LIFE` keeps so many calls waiting, and prints what came of each. */
import { Redis } from 'ioredis'
import { createRedisRateLimiter } from '../../../src/tools/redis/index.js'
import { LIMIT } from './processes.js'

const [port, calls, deadline, life] = process.argv.slice(2).map(Number) as [number, number, number, number]
const redis = new Redis({ port, host: '127.0.0.1' })
const { acquire } = createRedisRateLimiter({
  send: (command) => redis.call(...command),
  workspace: 'acme',
  plan: LIMIT,
  processes: 4,
  // The test starts many processes on few cores.
  timeout: 2_000,
})
setTimeout(() => process.exit(), life)
for (let call = 0; call < calls; call++) void work()

async function work(): Promise<void> {
  for (;;) {
    const outcome = await acquire(1, { signal: undefined, priority: undefined, timeout: deadline }).then(
      () => 'granted',
      () => 'refused',
    )
    process.stdout.write(`${outcome}\n`)
    if (outcome === 'refused') await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
