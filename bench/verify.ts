/**
 * The conformance kit against the sandbox, in process and over HTTP: its time, its requests, and how many entries of the
 * register it exercises; medians of several rounds.
 *
 *     npx tsx bench/verify.ts [rounds]
 */
import { checkConformance } from '../src/conformance/index.js'
import { createSandbox } from '../src/sandbox/index.js'
import { listen } from '../src/sandbox/node.js'

const rounds = Number(process.argv[2] ?? 7)
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function measure(name: string, limit: string, check: () => ReturnType<typeof checkConformance>): Promise<void> {
  const times: number[] = []
  let requests = 0
  let exercised = ''
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    const report = await check()
    times.push(performance.now() - from)
    requests = report.requests
    exercised = `${report.summary.exercised} of ${report.summary.entries}`
  }
  const time = `${median(times).toFixed(0)} ms (${limit})`
  console.log(
    `${name.padEnd(14)} ${time.padEnd(26)} ${requests} requests (at most 70)   ${exercised} entries exercised`,
  )
}

await measure('in process', 'under 100', () => {
  const { baseUrl, keys, fetch } = createSandbox({ plan: false })
  return checkConformance({ baseUrl, apiKey: keys.valid, fetch, depth: 'quick' })
})
const sandbox = createSandbox({ plan: false })
const server = await listen(sandbox)
await measure('over HTTP', 'under 3,000', () =>
  checkConformance({ baseUrl: server.baseUrl, apiKey: sandbox.keys.valid, depth: 'quick' }),
)
await server.close()
