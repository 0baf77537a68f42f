/**
 * A fleet of processes that share one workspace, beside its peers: `npx tsx bench/fleet.ts [alone]`, after `npm run build` and
 * `npm --prefix bench ci`. Needs `redis-server` or `valkey-server` on the PATH, or REDIS_SERVER.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createRedisRateLimiter } from '../dist/src/redis/index.js'
import { startRedis } from '../test/support/redis.js'
import type { Kind, Work } from './fleet-worker.js'
import { listenLimited } from './limited-server.js'
import { median, printTable } from './table.js'

/** The plan with 60 requests a minute, twenty times as fast. */
const LIMIT = { requestsPerMinute: 1_200, burst: 120 }
const PER_SECOND = LIMIT.requestsPerMinute / 60
const CALLS = 400
const IDEAL = (CALLS - LIMIT.burst) / PER_SECOND
const KEYS = ['wk_one', 'wk_two', 'wk_three']
const PATIENCE = 90_000

const server = await startRedis()
const redis = new Redis({ port: server.port, host: '127.0.0.1' })
const unlimited = await listenLimited({ requestsPerMinute: 6e9, burst: 1e9 })
const targets: [name: string, met: boolean][] = []

/** Starts a process and hands it its work; it warms up, and waits for the time to begin. */
async function start(work: Work): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'fleet-worker.ts'), { execArgv: ['--import', 'tsx'] })
  child.send(work)
  await once(child, 'message')
  return child
}

/** Starts processes, two at a time. */
async function startAll(processes: number, work: (index: number) => Work): Promise<ChildProcess[]> {
  const children: ChildProcess[] = []
  for (let index = 0; index < processes; index += 2) {
    const two = [index, index + 1].filter((each) => each < processes)
    children.push(...(await Promise.all(two.map((each) => start(work(each))))))
  }
  return children
}

/** Lets processes begin together. */
function begin(children: ChildProcess[]): number {
  const at = Date.now() + 500
  for (const child of children) child.send(at)
  return at
}

/** Fills the bucket of a workspace: one that Redis does not know begins empty, and here the burst is measured too. */
const fill = (workspace: string) => redis.hset(`wf:limit:{${workspace}}`, { at: 0, tokens: 1e9 })

const scripts = async () => {
  const stats = await redis.info('commandstats')
  return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0)
}

async function fleet(kind: Kind, processes: number) {
  await redis.flushall()
  await fill('bench')
  const service = await listenLimited(LIMIT)
  const children = await startAll(processes, (index) => ({
    kind,
    baseUrl: service.baseUrl,
    warmUpUrl: unlimited.baseUrl,
    workspace: 'bench',
    apiKey: KEYS[index % KEYS.length]!,
    calls: Math.floor(CALLS / processes) + Number(index < CALLS % processes),
    processes,
    port: server.port,
    limit: LIMIT,
  }))
  await redis.config('RESETSTAT')
  const begun = begin(children)
  const reports = children.map(async (child) => (await once(child, 'message'))[0] as { done: number[]; failed: number })
  const finished = await Promise.race([Promise.all(reports), sleep(PATIENCE, undefined, { ref: false })])
  for (const child of children) child.kill()
  await service.close()
  const ends = finished?.map(({ done }) => (Math.max(...done) - begun) / done.length) ?? [NaN]
  const last = finished ? Math.max(...finished.flatMap(({ done }) => done)) - begun : NaN
  const row = {
    limiter: kind,
    processes,
    'finished (s)': last / 1_000,
    'over ideal': last / 1_000 / IDEAL,
    failed: finished ? finished.reduce((sum, { failed }) => sum + failed, 0) : CALLS,
    '429s': service.limited,
    'scripts/call': (await scripts()) / CALLS,
    'slowest/fastest process': Math.max(...ends) / Math.min(...ends),
  }
  if (kind === 'this limiter') {
    targets.push([`${processes} processes: at most 1.1 of the ideal time`, row['over ideal'] <= 1.1])
    targets.push([`${processes} processes: no 429`, row['429s'] === 0 && row.failed === 0])
    targets.push([`${processes} processes: at most 1.2 commands a call`, row['scripts/call'] <= 1.2])
    targets.push([`${processes} processes: slowest at most 1.5 of fastest`, row['slowest/fastest process'] <= 1.5])
  }
  return row
}

/** What a call pays when nothing waits, beside a PING. */
async function latency() {
  const limiter = createRedisRateLimiter({
    send: (command) => redis.call(...command),
    workspace: 'latency',
    plan: { requestsPerMinute: 600_000, burst: 20_000 },
    processes: 8,
  })
  await fill('latency')
  const measure = async (name: string, run: () => Promise<unknown>) => {
    const times: number[] = []
    for (let call = 0; call < 2_200; call++) {
      const begun = performance.now()
      await run()
      if (call >= 200) times.push(performance.now() - begun)
    }
    times.sort((one, other) => one - other)
    return { call: name, 'p50 (ms)': median(times), 'p99 (ms)': times[Math.floor(times.length * 0.99)]! }
  }
  return [await measure('PING', () => redis.ping()), await measure('acquire', () => limiter.acquire(1, {}))]
}

/** Eight processes under load; two are killed with -9 after 3 s, two others join after 5 s. */
async function joinAndDie() {
  await redis.flushall()
  await fill('bench')
  const service = await listenLimited(LIMIT)
  const work = (index: number): Work => ({
    kind: 'this limiter',
    baseUrl: service.baseUrl,
    warmUpUrl: unlimited.baseUrl,
    workspace: 'bench',
    apiKey: KEYS[index % KEYS.length]!,
    calls: 100,
    processes: 8,
    port: server.port,
    limit: LIMIT,
  })
  const children = await startAll(8, work)
  const later = await startAll(2, work)
  const rates: number[] = []
  await sleep(begin(children) - Date.now())
  for (let second = 1; second <= 12; second++) {
    const before = service.passed
    await sleep(1_000)
    rates.push(service.passed - before)
    if (second === 3) for (const child of children.slice(0, 2)) child.kill('SIGKILL')
    if (second === 5) begin(later)
  }
  for (const child of [...children, ...later]) child.kill('SIGKILL')
  const { limited, passed } = service
  await service.close()
  // The first seconds have the burst in them: each process takes its part, and comes for more every 500 ms.
  const steady = rates.slice(4)
  const used = steady.reduce((sum, rate) => sum + rate, 0) / (steady.length * PER_SECOND)
  targets.push(['processes that die and join: no 429', limited === 0])
  targets.push(['processes that die and join: at least 95 % of the rate', used >= 0.95])
  return [
    { 'requests in each second': rates.join(' '), passed, '429s': limited, '% of the rate': Math.round(used * 100) },
  ]
}

const ALL: Kind[] = ['this limiter', 'a limiter in each process', 'rate-limiter-flexible', 'octokit throttling']
const rows = []
for (const kind of process.argv.includes('alone') ? ALL.slice(0, 1) : ALL)
  for (const processes of [1, 8, 32]) rows.push(await fleet(kind, processes))
printTable(
  `${CALLS} calls, ${KEYS.length} keys, ${PER_SECOND} a second after a burst of ${LIMIT.burst}: ideally ${IDEAL} s`,
  rows,
)
printTable('What a call pays when nothing waits', await latency())
printTable('8 processes under load; two killed after 3 s, two others join after 5 s', await joinAndDie())
process.stdout.write('\n')
for (const [name, met] of targets) process.stdout.write(`${met ? 'ok  ' : 'MISS'} ${name}\n`)
redis.disconnect()
await unlimited.close()
await server.stop()
process.exitCode = targets.every(([, met]) => met) ? 0 : 1
