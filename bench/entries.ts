/**
 * How many functions one call enters, and in how many files. It measures `dist/`: build first.
 *
 *     npm run build && npx tsx bench/entries.ts
 */
import { Session } from 'node:inspector/promises'
import { createClient } from '../dist/src/index.js'

const CALLS = 100
const RUN = JSON.stringify({ id: 'run_1', status: 'running', playbook_id: 'pb_1', started_at: '', steps: [] })

/** The entries of a call into the functions of the package, by function. */
export async function entriesOf(call: () => Promise<unknown>): Promise<Map<string, number>> {
  const session = new Session()
  session.connect()
  for (let index = 0; index < CALLS; index++) await call()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (let index = 0; index < CALLS; index++) await call()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const entries = new Map<string, number>()
  for (const { url, functions } of result)
    if (url.includes('/dist/') && !url.includes('node_modules'))
      for (const { functionName, ranges } of functions) {
        const [{ count, startOffset } = { count: 0, startOffset: 0 }] = ranges
        const name = `${url.replace(/.*\/dist\//, '')} ${functionName || `at ${startOffset}`}`
        if (startOffset > 0 && count > 0) entries.set(name, (entries.get(name) ?? 0) + count / CALLS)
      }
  return entries
}

if (process.argv[1] === import.meta.filename) {
  const client = createClient({
    baseUrl: 'http://localhost/v1',
    apiKey: 'wk_bench',
    fetch: async () => new Response(RUN, { headers: { 'content-type': 'application/json' } }),
  })
  const entries = await entriesOf(() => client.getRun('run_1'))
  const files = new Set([...entries.keys()].map((name) => name.split(' ')[0]))
  const total = [...entries.values()].reduce((sum, count) => sum + count, 0)
  for (const [name, count] of [...entries].sort()) console.log(`${count.toFixed(2).padStart(6)}  ${name}`)
  console.log(`${Math.round(total)} entries into ${entries.size} functions in ${files.size} files`)
}
