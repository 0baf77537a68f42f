/**
 * Do processes that share one workspace finish as soon as the plan allows, without a 429, and how do peers?
 *
 *     npm run build && npm --prefix bench ci && npx tsx bench/fleet.ts [alone]
 *
 * Limits: 1.1 of the ideal time, no 429, 1.2 commands of Redis for a call, the slowest process 1.7 of the fastest. Needs
 * `redis-server` or `valkey-server` on the PATH, or REDIS_SERVER.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startRedis } from '../test/support/redis.js'
import type { Kind, Work } from './fleet-worker.js'
import { listenLimited } from './limited-server.js'
import { printTable, printTargets, type Target } from './table.js'

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
const targets: Target[] = []

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
    targets.push([`${processes} processes: times the ideal`, row['over ideal'], 1.1])
    targets.push([`${processes} processes: 429s and failures`, row['429s'] + row.failed, 0])
    targets.push([`${processes} processes: commands a call`, row['scripts/call'], 1.2])
    targets.push([`${processes} processes: slowest, times the fastest`, row['slowest/fastest process'], 1.7])
  }
  return row
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
  targets.push(['processes that die and join: 429s', limited, 0])
  targets.push(['processes that die and join: part of the rate that is not used', 1 - used, 0.05])
  return [
    { 'requests in each second': rates.join(' '), passed, '429s': limited, '% of the rate': Math.round(used * 100) },
  ]
}

const ALL: Kind[] = [
  'this limiter',
  'release 4.0.0',
  'a limiter in each process',
  'rate-limiter-flexible',
  'octokit throttling',
]
const rows = []
for (const kind of process.argv.includes('alone') ? ALL.slice(0, 2) : ALL)
  for (const processes of [1, 8, 32]) rows.push(await fleet(kind, processes))
printTable(
  `${CALLS} calls, ${KEYS.length} keys, ${PER_SECOND} a second after a burst of ${LIMIT.burst}: ideally ${IDEAL} s`,
  rows,
)
printTable('8 processes under load; two killed after 3 s, two others join after 5 s', await joinAndDie())
printTargets(targets)
redis.disconnect()
await unlimited.close()
await server.stop()
