/**
 * How much processor time does a call through this client take, and how much through its peers, when the network takes none?
 *
 *     npm run build && npm --prefix bench ci && npx tsx bench/cost.ts
 *
 * Limits: named methods 1.4 times openapi-fetch, `GET` 2.7, a cached list 0.4, and 0.6 from Node 22 on, where openapi-fetch takes a
 * third of the time; less than openai, ky and octokit.
 */
import createFetchClient from 'openapi-fetch'
import { createClient } from '../dist/src/index.js'
import type { paths } from '../generated/types.js'
import { createPeers } from './peers.js'
import { median, printTable, printTargets, type Target } from './table.js'

const RUNS = 3
const ROUNDS = 21
const CALLS = 1_000
/** The throttling of octokit waits by timers, about 20 ms for each call. */
const SLOW: Record<string, number> = { octokit: 20 }
const BASE_URL = 'http://localhost/v1'
const CACHED = process.version.startsWith('v20.') ? 0.4 : 0.6

const RUN = JSON.stringify({
  id: 'run_1',
  status: 'running',
  playbook_id: 'pb_1',
  started_at: '2026-11-21T08:00:00Z',
  steps: [{ id: 'step_1', status: 'succeeded', capability: 'mail.send' }],
})
const LIST = JSON.stringify({ data: [{ id: 'pb_1' }], meta: { total: 1, page: 1, per_page: 20 } })
const headers = { 'content-type': 'application/json' }
const stub = async () => new Response(RUN, { status: 200, headers })
/** What is no list is not cached. */
const listStub = async () => new Response(LIST, { status: 200, headers })

await main()

/**
 * Every variant in each round, so that load from others counts for all, and in random order, so that none is always charged with
 * the garbage of the one before it.
 */
async function main(): Promise<void> {
  const bare = createFetchClient<paths>({
    baseUrl: BASE_URL,
    fetch: stub,
    headers: { authorization: 'Bearer wk_bench' },
  })
  const options = {
    baseUrl: BASE_URL,
    apiKey: 'wk_bench',
    fetch: stub,
    plan: { requestsPerMinute: 1e9, burst: 1e9 },
    headers: { 'x-team': 'bench' },
    workspace: 'bench',
    onRequest() {},
    onResponse() {},
    onRetry() {},
    onWait() {},
  }
  const client = createClient(options)
  const lists = createClient({ ...options, fetch: listStub })
  const init = { params: { path: { id: 'run_1' } } }
  const variants: Record<string, () => Promise<unknown>> = {
    'bare fetch + json': async () => (await stub()).json(),
    'openapi-fetch': () => bare.GET('/runs/{id}', init),
    'this client, GET': () => client.GET('/runs/{id}', init),
    'this client, getRun': () => client.getRun('run_1'),
    'this client, cache hit': () => lists.listPlaybooks(),
    'this client, cache hit, GET': () => lists.GET('/playbooks'),
    ...Object.fromEntries(
      Object.entries(createPeers(BASE_URL, stub)).map(([name, call]) => [name, () => call('run_1')]),
    ),
  }
  const runs: Map<string, number>[] = []
  for (let run = 0; run < RUNS; run++) {
    runs.push(await measure(variants))
    process.stderr.write(`run ${run + 1} of ${RUNS}\n`)
  }
  const figures = new Map(
    Object.keys(variants).map((name) => [name, median(runs.map((each) => each.get(name) ?? NaN))]),
  )
  const of = (name: string) => figures.get(name) ?? NaN
  printTable(
    `CPU time of one call over a stub of fetch, median of ${RUNS} runs of ${ROUNDS} rounds of ${CALLS} calls`,
    [...figures].map(([name, microseconds]) => ({
      variant: name,
      µs: microseconds,
      '× openapi-fetch': microseconds / of('openapi-fetch'),
      '× bare fetch': microseconds / of('bare fetch + json'),
    })),
  )
  const getRun = of('this client, getRun')
  printTargets([
    ['getRun, times openapi-fetch', getRun / of('openapi-fetch'), 1.4],
    ['GET, times openapi-fetch', of('this client, GET') / of('openapi-fetch'), 2.7],
    ['a cached list, times openapi-fetch', of('this client, cache hit') / of('openapi-fetch'), CACHED],
    ...['openai', 'ky', 'octokit'].map((name): Target => [`getRun, times ${name}`, getRun / of(name), 1]),
  ])
}

/** The median of the rounds of one run, in µs a call, by variant. */
async function measure(variants: Record<string, () => Promise<unknown>>): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]))
  for (let round = -3; round < ROUNDS; round++)
    for (const [name, call] of shuffled(Object.entries(variants))) {
      const calls = SLOW[name] ?? CALLS
      const begun = process.cpuUsage()
      for (let index = 0; index < calls; index++) await call()
      const { user, system } = process.cpuUsage(begun)
      if (round >= 0) times.get(name)?.push((user + system) / calls)
    }
  return new Map([...times].map(([name, values]) => [name, median(values)]))
}

/** The values in random order, as Fisher and Yates have it. */
function shuffled<Value>(values: Value[]): Value[] {
  const result = [...values]
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1))
    ;[result[index], result[other]] = [result[other] as Value, result[index] as Value]
  }
  return result
}
