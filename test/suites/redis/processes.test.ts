import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis } from '../../support/redis.js'
import { redisForTest } from './fleet.js'

const plan = { requestsPerMinute: 60, burst: 10 }
/** How long the short-lived processes come, in ms, and how many there are. */
const STORM = 30_000
const SHORT_LIVED = 120

describeRedis('a worker beside short-lived processes', () => {
  it('a worker that waits gets its part of the tokens while short-lived processes come and go, and is not refused', async () => {
    const { port } = await redisForTest()
    const folder = await mkdtemp('/tmp/fleet-')
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const outfile = join(folder, 'member.mjs')
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
    const entryPoints = [join(import.meta.dirname, 'member.ts')]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner })
    const running = new Set<ChildProcess>()
    onTestFinished(() => running.forEach((each) => void each.kill('SIGKILL')))
    const start = (calls: number, deadline: number, life: number) => {
      const settings = JSON.stringify({ port, plan, calls, deadline, life })
      const child = spawn(process.execPath, [outfile, settings], { stdio: ['ignore', 'pipe', 'inherit'] })
      const seen = { granted: 0, refused: 0 }
      child.stdout.on('data', (chunk) => {
        for (const word of `${chunk}`.trim().split('\n') as (keyof typeof seen)[]) seen[word]++
      })
      running.add(child)
      child.on('exit', () => running.delete(child))
      return seen
    }
    const worker = start(2, 20_000, 120_000)
    await sleep(3_000)
    const before = worker.granted
    const others: (typeof worker)[] = []
    const samples: number[] = []
    for (const end = performance.now() + STORM; performance.now() < end; ) {
      // Half of them die while their calls wait.
      others.push(others.length % 2 ? start(3, 1_000, 1_500) : start(3, 3_000, 1_000))
      await sleep(STORM / SHORT_LIVED)
      samples.push(running.size)
    }
    const granted = worker.granted - before
    const all = others.reduce((sum, seen) => sum + seen.granted, granted)
    // As if each process waited with one call; some are still starting or have left.
    const part = all / (samples.reduce((sum, size) => sum + size) / samples.length)
    expect(worker.refused).toBe(0)
    expect(granted).toBeGreaterThanOrEqual(0.8 * part)
    expect(all).toBeGreaterThanOrEqual((0.9 * plan.requestsPerMinute * STORM) / 60_000)
    // Alone again, it has the whole rate.
    await sleep(3_000)
    const then = worker.granted
    await sleep(5_000)
    expect(worker.granted - then).toBeGreaterThanOrEqual((0.8 * plan.requestsPerMinute * 5) / 60)
  })
})
