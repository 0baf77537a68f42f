// Is the sandbox lighter than the mock of Prism (silent), and how far is it from a bare server of node:http?
//
//     npm run build && npm --prefix bench ci && node bench/sandbox.mjs [rounds] [seconds]
//
// Exits with 1 for a MISS. Limits, of Prism on the same machine: a fifth of its processor time for a GET, and for a POST, which keeps
// a run and its log, 1 / 3.15; a fifth of its time to be ready; 0.7 of its memory, of which V8's space for new objects is the most.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { freePort, load, median, start } from './load.mjs'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 3)
const here = (file) => fileURLToPath(new URL(file, import.meta.url))

const headers = { authorization: 'Bearer key_valid', 'content-type': 'application/json' }
const run =
  '{"id":"run_8Zt4Lm2c","status":"running","playbook_id":"pb_3kX9wq","started_at":"2026-11-21T09:30:00Z","steps":[]}'
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')
const SERVERS = {
  'node:http': (port) => [here('bare.mjs'), String(port), run],
  sandbox: (port) => [
    here('../dist/src/tools/cli/index.js'),
    'sandbox',
    '--quiet',
    '--plan',
    'none',
    '--port',
    String(port),
  ],
  prism: (port) => [prism, 'mock', here('../generated/openapi.yaml'), '-v', 'silent', '-p', String(port)],
}
/** Below which path a server responds: the mock of Prism does as the document's paths are written. */
const BASES = { 'node:http': '', sandbox: '/v1', prism: '' }
const get = { method: 'GET', path: '/runs/run_8Zt4Lm2c' }
const post = { method: 'POST', path: '/playbooks/pb_3kX9wq/runs', body: '{"inputs":{"order":"42"}}' }

const measured = Object.fromEntries(
  Object.keys(SERVERS).map((name) => [
    name,
    { ready: [], idle: [], get: [], getRate: [], read: [], post: [], postRate: [], written: [] },
  ]),
)
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(SERVERS)) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}${BASES[name]}`
    const server = await start(args(port), `${url}${get.path}`, headers)
    const own = measured[name]
    /** The processor time of a request, in µs, which other work on the machine changes less than the rate. */
    const measure = async (options, times, rates) => {
      const sent = { ...options, url: url + options.path, headers }
      await load({ ...sent, duration: 1 })
      const before = server.processorTime()
      const { rate, total } = await load({ ...sent, duration: SECONDS })
      times.push((server.processorTime() - before) / total)
      rates.push(rate)
    }
    own.ready.push(server.ready)
    own.idle.push(server.memory())
    await measure(get, own.get, own.getRate)
    own.read.push(server.memory())
    await measure(post, own.post, own.postRate)
    own.written.push(server.memory())
    await server.stop()
  }
}

const of = (name, what) => median(measured[name][what])
const line = (...cells) =>
  console.log(
    cells
      .map((cell, index) =>
        String(cell)
          .padStart(index ? 12 : 0)
          .padEnd(12),
      )
      .join(''),
  )
line('', 'GET µs', 'POST µs', 'GET/s', 'POST/s', 'ready ms', 'ready MB', 'after GET', 'after POST')
for (const name of Object.keys(SERVERS))
  line(
    name,
    ...['get', 'post', 'getRate', 'postRate', 'ready', 'idle', 'read', 'written'].map((what) =>
      of(name, what).toFixed(0),
    ),
  )
// The median of the ratios of all rounds: a slow machine slows both servers of a round.
const ratio = (what) => median(measured.sandbox[what].map((ours, round) => ours / measured.prism[what][round]))
function goal(text, value, reached) {
  console.log(`${reached ? 'ok  ' : 'MISS'} ${text}: ${value.toFixed(2)}`)
  if (!reached) process.exitCode = 1
}
const times = (what) => 1 / ratio(what)
goal('GET, times Prism, at least 5', times('get'), times('get') >= 5)
goal('POST, times Prism, at least 3.15', times('post'), times('post') >= 3.15)
goal('time to be ready, part of Prism, at most 0.2', ratio('ready'), ratio('ready') <= 0.2)
goal('memory when ready, part of Prism, at most 0.7', ratio('idle'), ratio('idle') <= 0.7)
goal('memory after the GET load, part of Prism, at most 0.7', ratio('read'), ratio('read') <= 0.7)
goal('memory with 10,000 runs kept, part of Prism, at most 0.7', ratio('written'), ratio('written') <= 0.7)
