/**
 * Every measurement of the client, or those that are named.
 *
 *     npm run build && npm --prefix bench ci && npm --silent --prefix bench run bench -- size cost
 */
import { cost } from './cost.js'
import { latency } from './latency.js'
import { limits } from './limits.js'
import { memory } from './memory.js'
import { queue } from './queue.js'
import { size } from './size.js'

const parts: Record<string, () => Promise<boolean>> = { size, cost, memory, limits, latency, queue }
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)

for (const name of chosen) {
  const passed = await parts[name]?.()
  process.stdout.write(`\n${name}: ${passed ? 'within its targets' : 'MISSES ITS TARGETS'}\n`)
  if (!passed) process.exitCode = 1
}
