import { getEventListeners } from 'node:events'
import { createClient } from '../src/index.js'
import { printTable } from './table.js'

const CALLS = 100_000
const RUN = '{"id":"run_1","status":"running","playbook_id":"pb_1","started_at":"2026-11-21T08:00:00Z","steps":[]}'

/** The memory that many calls with one signal leave behind. */
export async function memory(): Promise<boolean> {
  const client = createClient({
    baseUrl: 'http://localhost/v1',
    apiKey: 'wk_bench',
    fetch: async () => new Response(RUN),
    plan: { requestsPerMinute: 1e9, burst: 1e9 },
  })
  const { signal } = new AbortController()
  const call = async (count: number) => {
    for (let index = 0; index < count; index += 10)
      await Promise.all(Array.from({ length: 10 }, () => client.getRun('run_1', { signal })))
  }
  await call(CALLS / 10)
  const before = await heap()
  await call(CALLS)
  const grown = ((await heap()) - before) / 1e6
  const listeners = getEventListeners(signal, 'abort').length
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  printTable(`After ${CALLS.toLocaleString('en')} calls with one signal`, [
    { 'heap growth (MB)': grown, listeners, timers },
  ])
  return grown <= 2 && listeners === 0 && timers === 0
}

async function heap(): Promise<number> {
  if (!globalThis.gc) throw new Error('The heap can only be measured with --expose-gc.')
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}
