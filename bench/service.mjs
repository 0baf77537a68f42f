// Does the provider kit take less of a server's processor time than frameworks that check the same?
//
//     npm run build && npm --prefix bench ci && node bench/service.mjs [rounds] [requests] [name+name]
//
// By default 630,000 requests, which take a few minutes; `5 20000` sends 3.2 million. Exits with 1 for a MISS.
// The same five operations with the same keys and checks, as Fastify, Hono and Express are used with their schemas. Limits: at least as
// quick as Hono and Express; of Fastify 0.61 for getRun, 0.71 for a list and 0.65 for a trigger, what 4.0.0 gave, less 5 %.
// Compared is the processor time of the server for a request, after 10,000 to warm up.
import { fileURLToPath } from 'node:url'
import { freePort, load, median, quantile, start } from './load.mjs'

const ROUNDS = Number(process.argv[2] ?? 2)
const REQUESTS = Number(process.argv[3] ?? 5_000)
const SLICES = 5
/** A server is at a third of its speed at first, and at all of it after about 8,000 requests. */
const WARM_UP = 10_000
const NAMES = process.argv[4]?.split('+') ?? [
  'node:http',
  'srvx',
  'kit',
  'kit, responses validated',
  'fastify',
  'hono',
  'express-openapi-validator',
]
const script = fileURLToPath(new URL('service-servers.mjs', import.meta.url))
const headers = { authorization: 'Bearer key_valid', 'content-type': 'application/json' }
const LOADS = {
  getRun: { path: '/v1/runs/run_8Zt4Lm2c' },
  listPlaybooks: { path: '/v1/playbooks?page=1' },
  triggerRun: { path: '/v1/playbooks/pb_3kX9wq/runs', method: 'POST', body: '{"inputs":{"order":"42"}}' },
}
const WRONG = [
  [400, '/v1/playbooks?page=x', {}],
  [400, '/v1/playbooks', { 'service-version': 'today' }],
  [400, '/v1/playbooks/pb_3kX9wq/runs', {}, '{"inputs":{"order":42}}'],
  [400, '/v1/playbooks/pb_3kX9wq/runs', {}, '{"more":1}'],
  [404, '/v1/runs/run_unknown', {}],
  [401, '/v1/playbooks', { authorization: 'Bearer nobody' }],
]

/** Equal validation is checked, not believed. */
async function requireChecks(name, url) {
  for (const [status, path, more, body] of WRONG) {
    const response = await fetch(url + path, { headers: { ...headers, ...more }, method: body ? 'POST' : 'GET', body })
    if (response.status !== status) throw new Error(`${name}: ${path} gave ${response.status}, not ${status}`)
  }
}

/** Starts each server, and measures them in turns, a slice of the requests at a time: a slow moment is one of all. */
async function measureRound(round) {
  const servers = {}
  try {
    for (const name of NAMES) {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      servers[name] = { url, ...(await start([script, name, String(port)], url + LOADS.getRun.path, headers)) }
      if (round === 0 && !['node:http', 'srvx'].includes(name)) await requireChecks(name, url)
    }
    for (const [key, { path, ...more }] of Object.entries(LOADS)) {
      const send = (name, amount) => load({ url: servers[name].url + path, headers, ...more, amount })
      for (const name of NAMES) await send(name, WARM_UP)
      for (let slice = 0; slice < SLICES; slice++)
        for (const name of slice % 2 ? [...NAMES].reverse() : NAMES) {
          const before = servers[name].processorTime()
          const { total } = await send(name, REQUESTS / SLICES)
          measured[name][key].push((servers[name].processorTime() - before) / total)
        }
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop()
  }
}

const measured = Object.fromEntries(
  NAMES.map((name) => [name, Object.fromEntries(Object.keys(LOADS).map((load) => [load, []]))]),
)
for (let round = 0; round < ROUNDS; round++) await measureRound(round)

const cells = (...texts) =>
  console.log(texts.map((text, index) => (index ? String(text).padStart(15) : text.padEnd(26))).join(''))
cells('µs a request', ...Object.keys(LOADS))
for (const name of NAMES) cells(name, ...Object.values(measured[name]).map((times) => median(times).toFixed(1)))

const GOALS = {
  fastify: { getRun: 0.61, listPlaybooks: 0.71, triggerRun: 0.65 },
  hono: { other: 1 },
  'express-openapi-validator': { other: 1 },
}
for (const [peer, goals] of Object.entries(GOALS))
  for (const key of Object.keys(LOADS)) {
    if (!measured[peer]) continue
    const least = goals[key] ?? goals.other
    // The ratio of each slice, and the median of these: a machine that is slower for a while is so for all servers.
    const ratios = measured[peer][key].map((time, slice) => time / measured.kit[key][slice])
    const [low, value, high] = [quantile(ratios, 0.25), median(ratios), quantile(ratios, 0.75)].map((each) =>
      each.toFixed(2),
    )
    if (value < least) process.exitCode = 1
    console.log(
      `${value >= least ? 'ok  ' : 'MISS'} ${key}, times ${peer}, at least ${least}: ${value} (half within ${low} to ${high})`,
    )
  }
