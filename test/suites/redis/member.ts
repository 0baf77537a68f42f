/**
 * A process of a fleet: keeps `calls` waiting, each for at most `deadline` ms, prints what came of each, and dies after `life` ms.
 * These are its argument, as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createRedisRateLimiter } from '../../../src/tools/redis/index.js'

const { port, plan, calls, deadline, life } = JSON.parse(process.argv[2]!)
const redis = new Redis({ port, host: '127.0.0.1' })
const { acquire } = createRedisRateLimiter({
  send: (command) => redis.call(...command),
  workspace: 'acme',
  plan,
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
    if (outcome === 'refused') await sleep(200)
  }
}
