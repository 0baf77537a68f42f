// Calls per second of the sandbox in process, beside a handler that returns a constant. Run by sandbox.mjs.
import { createSandbox } from '../dist/src/sandbox/index.js'
import { median } from './sandbox-load.mjs'

const sandbox = createSandbox({ plan: false })
const headers = { authorization: `Bearer ${sandbox.keys.valid}` }
const url = `${sandbox.baseUrl}/runs/run_8Zt4Lm2c`
const body = await (await sandbox.fetch(url, { headers })).text()
const constant = async () => new Response(body, { status: 200, headers: { 'content-type': 'application/json' } })

const CALLS = 5_000
const perSecond = async (handler) => {
  const from = performance.now()
  for (let count = 0; count < CALLS; count++) await (await handler(new Request(url, { headers }))).json()
  return (CALLS / (performance.now() - from)) * 1000
}

// Short alternating rounds, and the median of their ratios: a busy machine slows both.
await perSecond(constant)
await perSecond(sandbox.fetch)
const rounds = []
for (let round = 0; round < 41; round++) {
  const [first, second] = round % 2 ? [constant, sandbox.fetch] : [sandbox.fetch, constant]
  const rates = [await perSecond(first), await perSecond(second)]
  const [ours, bare] = round % 2 ? rates.reverse() : rates
  rounds.push({ ours, bare, ratio: ours / bare })
}
process.stdout.write(
  JSON.stringify({
    sandbox: median(rounds.map(({ ours }) => ours)),
    constant: median(rounds.map(({ bare }) => bare)),
    ratio: median(rounds.map(({ ratio }) => ratio)),
  }),
)
