/**
 * How many functions one call enters, and in how many files: `getRun` of the client in `dist/`, and with `sandbox` a GET of a
 * run through `sandbox.fetch` in `src/`, whose modules `dist/` bundles.
 *
 *     npm run build && npx tsx bench/entries.ts [sandbox]
 */
import { Session } from 'node:inspector/promises'

/** What tsx's compiler calls to name functions. */
const HELPER = '__name'
const CALLS = 100
const RUN = JSON.stringify({ id: 'run_1', status: 'running', playbook_id: 'pb_1', started_at: '', steps: [] })

/** The entries of a call into the functions of the package, by function. */
export async function entriesOf(call: () => Promise<unknown>, folder = '/dist/'): Promise<Map<string, number>> {
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
    if (url.includes(folder) && !url.includes('node_modules'))
      for (const { functionName, ranges } of functions) {
        const [{ count, startOffset } = { count: 0, startOffset: 0 }] = ranges
        const name = `${url.slice(url.indexOf(folder) + folder.length)} ${functionName || `at ${startOffset}`}`
        if (startOffset > 0 && count > 0 && functionName !== HELPER)
          entries.set(name, (entries.get(name) ?? 0) + count / CALLS)
      }
  return entries
}

async function ofClient(): Promise<Map<string, number>> {
  const { createClient } = await import('../dist/src/index.js')
  const client = createClient({
    baseUrl: 'http://localhost/v1',
    apiKey: 'wk_bench',
    fetch: async () => new Response(RUN, { headers: { 'content-type': 'application/json' } }),
  })
  return entriesOf(() => client.getRun('run_1'))
}

async function ofSandbox(): Promise<Map<string, number>> {
  const { createSandbox } = await import('../src/tools/sandbox/index.js')
  const sandbox = createSandbox({ plan: false })
  const [run] = sandbox.state.workspaces.flatMap(({ runs }) => runs)
  const init = { headers: { authorization: `Bearer ${sandbox.keys.valid}` } }
  return entriesOf(() => sandbox.fetch(`${sandbox.baseUrl}/runs/${run?.run.id}`, init), '/src/')
}

if (process.argv[1] === import.meta.filename) {
  const entries = await (process.argv[2] === 'sandbox' ? ofSandbox() : ofClient())
  const files = new Set([...entries.keys()].map((name) => name.split(' ')[0]))
  const total = [...entries.values()].reduce((sum, count) => sum + count, 0)
  for (const [name, count] of [...entries].sort()) console.log(`${count.toFixed(2).padStart(6)}  ${name}`)
  console.log(`${Math.round(total)} entries into ${entries.size} functions in ${files.size} files`)
}
