import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis } from '../../support/redis.js'
import { redisForTest } from './fleet.js'
import { LIMIT } from './processes.js'

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
    await build({
      entryPoints: [join(import.meta.dirname, 'member.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner,
    })
    const processes = new Set<ChildProcess>()
    onTestFinished(() => processes.forEach((each) => void each.kill('SIGKILL')))
    const member = (calls: number, deadline: number, life: number) => {
      const child = spawn(process.execPath, [outfile, `${port}`, `${calls}`, `${deadline}`, `${life}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const seen = { granted: 0, refused: 0 }
      child.stdout.on('data', (chunk) => {
        for (const word of `${chunk}`.trim().split('\n') as (keyof typeof seen)[]) seen[word]++
      })
      processes.add(child)
      child.on('exit', () => processes.delete(child))
      return { seen, child }
    }
    const worker = member(2, 20_000, 120_000)
    await sleep(3_000)
    const before = { ...worker.seen }
    const others: ReturnType<typeof member>[] = []
    let running = 0
    let samples = 0
    for (const end = performance.now() + STORM; performance.now() < end; ) {
      // Half of them die while their calls wait.
      others.push(member(3, others.length % 2 ? 1_000 : 3_000, others.length % 2 ? 1_500 : 1_000))
      await sleep(STORM / SHORT_LIVED)
      running += processes.size
      samples++
    }
    const during = { granted: worker.seen.granted - before.granted, refused: worker.seen.refused }
    const all = others.reduce((sum, { seen }) => sum + seen.granted, during.granted)
    // As if each process waited with one call; some are still starting or have left.
    const part = all / (running / samples)
    expect(during.refused).toBe(0)
    expect(during.granted).toBeGreaterThanOrEqual(0.8 * part)
    const ideal = (LIMIT.requestsPerMinute * STORM) / 60_000
    expect(all).toBeGreaterThanOrEqual(0.9 * ideal)
    // Alone again, it has the whole rate.
    await sleep(3_000)
    const then = worker.seen.granted
    await sleep(5_000)
    expect(worker.seen.granted - then).toBeGreaterThanOrEqual(0.8 * 5 * (LIMIT.requestsPerMinute / 60))
  })
})
