import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../src/index.js'
import type { Limit } from '../src/internal/token-bucket.js'
import { type LimitedServer, listenLimited } from './limited-server.js'
import { createPeers } from './peers.js'
import { printTable } from './table.js'

/** Pro with time that runs twenty times as fast. */
const RIGHT: Limit = { requestsPerMinute: 1_200, burst: 120 }
const TOO_HIGH: Limit = { requestsPerMinute: 6_000, burst: 600 }
const INTERVAL = 60_000 / RIGHT.requestsPerMinute
const POLLING = { minInterval: 50, maxInterval: 500, rateShare: 0.5 }
const WATCHED = 6_000
const CALLS = 260
const IDEAL = (CALLS - RIGHT.burst) * INTERVAL
const PATIENCE = 40_000

const clientOf = ({ baseUrl, fetch }: LimitedServer, plan: Limit | 'auto') =>
  createClient({ baseUrl, apiKey: 'wk_bench', plan, fetch, polling: POLLING, totalTimeout: PATIENCE })

/** The client and its peers against a server with a rate limit. */
export async function limits(): Promise<boolean> {
  const watchers = []
  for (const plan of [RIGHT, TOO_HIGH]) for (const count of [1, 100, 1_000]) watchers.push(await watch(count, plan))
  printTable(
    `Runs watched for ${WATCHED / 1_000} s by one client, with an ordinary call every 200 ms (a bucket interval is ${INTERVAL} ms)`,
    watchers.map(({ passed: _, ...row }) => row),
  )
  const calls = []
  for (const plan of [RIGHT, TOO_HIGH, 'auto'] as const) calls.push(await callAll(`this client, ${nameOf(plan)}`, plan))
  for (const name of ['openai', 'ky', 'octokit']) calls.push(await callAll(name))
  printTable(
    `${CALLS} calls at once; the limit allows them in ${IDEAL / 1_000} s`,
    calls.map(({ passed: _, ...row }) => row),
  )
  return [...watchers, ...calls].every(({ passed }) => passed)
}

const nameOf = (plan: Limit | 'auto') =>
  plan === 'auto' ? 'plan: auto' : plan === RIGHT ? 'right plan' : 'plan too high'

async function watch(count: number, plan: Limit) {
  const server = await listenLimited(RIGHT)
  const client = clientOf(server, plan)
  const controller = new AbortController()
  const { signal } = controller
  const begun = performance.now()
  const all = Array.from({ length: count }, (_, index) =>
    client.waitForRun(`run_${index}`, { signal, timeout: Infinity }).catch(() => {}),
  )
  const delays = await callOrdinarily(client, begun)
  const seconds = (performance.now() - begun) / 1_000
  const { passed, limited, limitedAgain, early } = server
  controller.abort()
  await Promise.all(all)
  await server.close()
  const polls = passed - delays.length
  const theirs = POLLING.rateShare * (RIGHT.burst + (RIGHT.requestsPerMinute / 60) * seconds)
  const used = polls / theirs
  const right = plan === RIGHT
  const worst = Math.max(...delays)
  return {
    plan: nameOf(plan),
    runs: count,
    polls,
    '% of their share': Math.round(used * 100),
    '429s': limited,
    'after the first wait': limitedAgain,
    'early requests': early,
    'longest ordinary call (ms)': Math.round(worst),
    passed:
      early === 0 &&
      limitedAgain === 0 &&
      (!right || (limited === 0 && (count === 1 || used >= 0.9) && worst <= INTERVAL + 60)),
  }
}

/** Makes a call from time to time while runs are watched. Returns the duration of each. */
async function callOrdinarily(client: Client, begun: number): Promise<number[]> {
  const delays: number[] = []
  while (performance.now() - begun < WATCHED) {
    await sleep(200)
    const from = performance.now()
    await client.getRun('ordinary')
    delays.push(performance.now() - from)
  }
  return delays
}

async function callAll(name: string, plan?: Limit | 'auto') {
  const server = await listenLimited(RIGHT)
  const client = plan && clientOf(server, plan)
  const call = client ? (id: string) => client.getRun(id) : createPeers(server.baseUrl, server.fetch)[name]!
  const begun = performance.now()
  const all = Array.from({ length: CALLS }, (_, index) =>
    call(`run_${index}`)
      .then(() => true)
      .catch(() => false),
  )
  const outcomes = await Promise.race([Promise.all(all), sleep(PATIENCE, undefined, { ref: false })])
  const seconds = (performance.now() - begun) / 1_000
  const { limited, limitedAgain, early } = server
  await server.close()
  const failed = outcomes?.filter((done) => !done).length ?? CALLS - server.passed
  const used = IDEAL / 1_000 / seconds
  return {
    client: name,
    'finished (s)': seconds,
    '% of the rate': Math.round(used * 100),
    failed,
    '429s': limited,
    'after the first wait': limitedAgain,
    'early requests': early,
    passed:
      !plan ||
      (failed === 0 && early === 0 && limitedAgain === 0 && (plan !== RIGHT || (limited === 0 && used >= 0.9))),
  }
}
