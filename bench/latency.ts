import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../src/index.js'
import { listenLimited } from './limited-server.js'
import { createRandom } from './random.js'
import { printTable } from './table.js'

const REQUESTS_PER_MINUTE = 600
const INTERVAL = 60_000 / REQUESTS_PER_MINUTE
/** The round trip, in ms. */
const LATENCY = 400
const JITTER = 100
const BURSTS = [1, 10, 120]
/** How many requests wait for the rate, after the burst. */
const QUEUED = 40

/** The share of the rate that the client uses when responses are slow. */
export async function latency(): Promise<boolean> {
  const rows = []
  // One after the other: a burst of 120 in the same process would delay the first request of another client.
  for (const jitter of [0, JITTER]) for (const burst of BURSTS) rows.push(await callAll(burst, jitter))
  printTable(
    `${QUEUED} calls more than the burst at once, ${REQUESTS_PER_MINUTE} a minute, right plan`,
    rows.map(({ passed: _, ...row }) => row),
  )
  return rows.every(({ passed }) => passed)
}

async function callAll(burst: number, jitter: number) {
  const limit = { requestsPerMinute: REQUESTS_PER_MINUTE, burst }
  const random = createRandom(burst)
  const halfWay = () => sleep((LATENCY + jitter * (2 * random() - 1)) / 2)
  const slowFetch: typeof fetch = async (url, init) => {
    await halfWay()
    const response = await fetch(url, init)
    await halfWay()
    return response
  }
  const server = await listenLimited(limit, slowFetch)
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'wk_bench', plan: limit, fetch: server.fetch })
  const begun = performance.now()
  const calls = Array.from({ length: burst + QUEUED }, (_, index) => client.getRun(`run_${index}`))
  const outcomes = await Promise.allSettled(calls)
  const seconds = (performance.now() - begun) / 1_000
  const { limited, early } = server
  await server.close()
  const failed = outcomes.filter(({ status }) => status === 'rejected').length
  const used = (QUEUED * INTERVAL + LATENCY) / 1_000 / seconds
  return {
    latency: jitter ? `${LATENCY} ± ${jitter} ms` : `${LATENCY} ms`,
    burst,
    'finished (s)': seconds,
    '% of the rate': Math.round(used * 100),
    failed,
    '429s': limited,
    'early requests': early,
    // Requests that overtake one another on the network arrive earlier than a client can know.
    passed: failed === 0 && early === 0 && (jitter > 0 || (limited === 0 && used >= 0.9)),
  }
}
