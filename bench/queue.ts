import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../src/index.js'
import { listenLimited } from './limited-server.js'
import { createRandom } from './random.js'
import { printTable } from './table.js'

/** Pro with time that runs twenty times as fast. */
const LIMIT = { requestsPerMinute: 1_200, burst: 120 }
const INTERVAL = 60_000 / LIMIT.requestsPerMinute
const CALLERS = 6
const WATCHED = 6_000
const CALLS = 300

/** The queue of the client when it is never empty, and when many calls are aborted. */
export async function queue(): Promise<boolean> {
  const busy = []
  for (const runs of [20, 200, 1_000]) busy.push(await callBesideWatchers(runs))
  printTable(
    `${CALLERS} callers without a pause beside watchers for ${WATCHED / 1_000} s, right plan`,
    busy.map(({ passed: _, ...row }) => row),
  )
  const aborted = []
  for (const share of [0.1, 0.5, 0.9]) aborted.push(await abortSome(share))
  printTable(
    `${CALLS} calls at once, some of them aborted in the queue, right plan`,
    aborted.map(({ passed: _, ...row }) => row),
  )
  const long = []
  for (const calls of [4_000, 16_000]) long.push(await queueMany(calls))
  printTable('Calls that wait for one token, then a 429, then all are aborted: CPU time', long)
  const [few, many] = long.map((row) => row['µs a call']) as [number, number]
  return [...busy, ...aborted].every(({ passed }) => passed) && many < 3 * few
}

/** What a call in a long queue costs: to join it, to stay when a 429 extends the pause, and to leave it. */
async function queueMany(calls: number) {
  let sent = 0
  const headers = { 'retry-after': '60' }
  const fetch = async (_url: string, _init: RequestInit) =>
    new Response('{}', { status: sent++ % 2 === 0 ? 200 : 429, headers })
  const plan = { requestsPerMinute: 600, burst: 1 }
  const options = { apiKey: 'wk_bench', fetch, plan, totalTimeout: Infinity, retry: { maxRetryAfter: Infinity } }
  const client = createClient({ baseUrl: 'http://localhost/v1', ...options })
  const controller = new AbortController()
  const begun = process.cpuUsage()
  const all = Array.from({ length: calls }, (_, index) => client.getRun(`run_${index}`, { signal: controller.signal }))
  const settled = Promise.allSettled(all)
  await sleep(1_000)
  controller.abort()
  await settled
  const { user, system } = process.cpuUsage(begun)
  return {
    calls,
    '429s': Math.floor(sent / 2),
    'µs a call': (user + system) / calls,
    'ms in all': (user + system) / 1_000,
  }
}

async function callBesideWatchers(runs: number) {
  const server = await listenLimited(LIMIT)
  const polling = { minInterval: 50, maxInterval: 500 }
  const client = createClient({
    baseUrl: server.baseUrl,
    apiKey: 'wk_bench',
    fetch: server.fetch,
    plan: LIMIT,
    polling,
  })
  const controller = new AbortController()
  const { signal } = controller
  let calls = 0
  const callAgainAndAgain = async () => {
    while (!signal.aborted) {
      await client.getRun('ordinary', { signal })
      calls++
    }
  }
  const all = [
    ...Array.from({ length: runs }, (_, index) => client.waitForRun(`run_${index}`, { signal, timeout: Infinity })),
    ...Array.from({ length: CALLERS }, callAgainAndAgain),
  ]
  const settled = Promise.allSettled(all)
  await sleep(WATCHED)
  const { passed: sent, limited, early } = server
  const polls = sent - calls
  controller.abort()
  await settled
  await server.close()
  const share = polls / sent
  return {
    runs,
    calls,
    polls,
    '% of the requests are polls': Math.round(share * 100),
    '429s': limited,
    'early requests': early,
    passed: limited === 0 && early === 0 && share >= 0.09,
  }
}

async function abortSome(share: number) {
  const server = await listenLimited(LIMIT)
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'wk_bench', fetch: server.fetch, plan: LIMIT })
  const random = createRandom(1)
  const timers: Promise<void>[] = []
  const begun = performance.now()
  const calls = Array.from({ length: CALLS }, (_, index) => {
    const controller = new AbortController()
    if (random() < share) timers.push(sleep(random() * 3_000).then(() => controller.abort(new Error('aborted'))))
    return client.getRun(`run_${index}`, { signal: controller.signal })
  })
  const outcomes = await Promise.allSettled(calls)
  const seconds = (performance.now() - begun) / 1_000
  await Promise.all(timers)
  const late = performance.now()
  await client.getRun('afterwards')
  const afterwards = performance.now() - late
  const { passed: sent, limited, early } = server
  await server.close()
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length
  const aborted = outcomes.filter((each) => each.status === 'rejected' && each.reason?.message === 'aborted').length
  const used = ((sent - 1 - LIMIT.burst) * INTERVAL) / 1_000 / seconds
  return {
    'to abort (%)': share * 100,
    done,
    aborted,
    failed: CALLS - done - aborted,
    'finished (s)': seconds,
    '% of the rate': Math.round(used * 100),
    '429s': limited,
    'early requests': early,
    'a call afterwards (ms)': Math.round(afterwards),
    passed:
      done + aborted === CALLS && limited === 0 && early === 0 && (share > 0.5 || used >= 0.9) && afterwards < 1_000,
  }
}
