// The memory of a million runs. Run by sandbox.mjs with --expose-gc.
import { createSandbox } from '../dist/src/sandbox/index.js'

const RUNS = 1_000_000
const used = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

async function perRun(maxRuns) {
  const sandbox = createSandbox({ plan: false, maxRuns, maxRequests: 1 })
  const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
  const url = `${sandbox.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`
  const before = used()
  for (let count = 0; count < RUNS; count++)
    await sandbox.fetch(url, { method: 'POST', headers, body: `{"inputs":{"order":"${count}"}}` })
  const bytes = used() - before
  // A request keeps the sandbox in use until it was measured.
  return sandbox.keys.valid && bytes
}

const kept = await perRun(Number.MAX_SAFE_INTEGER)
const bounded = await perRun(10_000)
process.stdout.write(JSON.stringify({ runs: RUNS, perRun: kept / RUNS, bounded }))
