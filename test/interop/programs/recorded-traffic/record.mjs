// Records the client through two proxies, redocly's (which writes the HAR) and Prism's (which validates), in front of a
// sandbox: every method, every status. Then neither has a fault to find in a response, and every response was seen.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, isContractError } from '@workflow-automation/contract'

const { API_KEY, BASE_URL, CONTROL_URL, PLAYBOOK } = process.env
const { keys } = await (await fetch(`${CONTROL_URL}/keys`)).json()

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })

const accepts = (port) =>
  new Promise((found) => {
    const socket = connect(port, '127.0.0.1', () => found(true)).on('error', () => found(false))
    socket.on('connect', () => socket.destroy())
  })

async function start(command, ...args) {
  const port = await freePort()
  const child = spawn(command, [...args, '--port', port], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.on('exit', () => child.kill('SIGKILL'))
  const exit = new Promise((ended) => child.on('close', ended))
  for (let tries = 0; tries < 150 && !(await accepts(port)); tries++) await sleep(200)
  const stop = () => {
    child.kill('SIGINT')
    return exit
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

const prism = await start('prism', 'proxy', 'openapi.yaml', BASE_URL, '-v', 'silent')
const recorder = await start('redocly', 'proxy', '--target', prism.url, '--har', 'recording.har')
const baseUrl = recorder.url
let clients = 0
// Each in a workspace of its own, so that a 429 pauses no other.
const client = (apiKey, options) =>
  createClient({ baseUrl, apiKey, workspace: `${++clients}`, retry: { maxRetries: 0 }, cache: false, ...options })

// As an application does it.
const ordinary = client(API_KEY, { serviceVersion: '2026-11-21', polling: { minInterval: 50, maxInterval: 200 } })
await ordinary.getCurrentWorkspace()
const listed = []
for await (const playbook of ordinary.paginate('listPlaybooks', { per_page: 3 })) listed.push(playbook)
assert.equal(listed.length, 4)
await ordinary.listProviders({ page: 2, per_page: 2 })
const finished = await ordinary.triggerRun(listed[0].id, { inputs: { customer: '42' } })
await ordinary.waitForRun(finished.id)
const { id } = await ordinary.triggerRun(PLAYBOOK, { inputs: { order: '42' } })
await ordinary.waitForRun(id, { until: 'approval' })
await fetch(`${CONTROL_URL}/runs/${id}/reject`, { method: 'POST' })
assert.equal((await ordinary.waitForRun(id)).status, 'failed')

// Every error of every operation.
const inputs = { inputs: {} }
const calls = {
  getCurrentWorkspace: (with_, init) => with_.getCurrentWorkspace(init),
  listPlaybooks: (with_, init) => with_.listPlaybooks(init),
  listProviders: (with_, init) => with_.listProviders(init),
  triggerRun: (with_, init, playbook = PLAYBOOK) => with_.triggerRun(playbook, inputs, init),
  getRun: (with_, init, run = id) => with_.getRun(run, init),
}
const withVersion = (version) => (url, init) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), 'service-version': version } })
const expectStatus = (status, call) =>
  assert.rejects(call, (error) => isContractError(error) && error.status === status, `expected ${status}`)
for (const [operation, call] of Object.entries(calls)) {
  await expectStatus(401, call(client('key_unknown')))
  await expectStatus(403, call(client(keys.hobby)))
  // The client itself refuses a malformed date, so it is put into the request underneath.
  await expectStatus(400, call(client(API_KEY, { fetch: withVersion('latest') })))
  for (const status of [429, 500]) {
    await fetch(`${CONTROL_URL}/inject`, { method: 'POST', body: JSON.stringify({ operation, status }) })
    await expectStatus(status, call(client(API_KEY)))
  }
}
for (const operation of ['triggerRun', 'getRun'])
  await expectStatus(404, calls[operation](client(API_KEY), undefined, 'id_unknown'))

await recorder.stop()
await prism.stop()

// Prism found nothing in a response; in requests it found the wrong ones above.
const { entries } = JSON.parse(readFileSync('recording.har', 'utf8')).log
const found = entries.flatMap(({ response: { headers } }) =>
  headers.filter(({ name }) => name.toLowerCase() === 'sl-violations').flatMap(({ value }) => JSON.parse(value)),
)
assert.ok(found.length > 0)
assert.deepEqual(
  found.filter(({ location }) => location[0] === 'response'),
  [],
)

const reports = ['--format', 'json', '--output', 'drift.json', '--coverage-output', 'coverage.json']
spawnSync('redocly', ['drift', 'recording.har', '--api', 'openapi.yaml', '--server', prism.url, ...reports])
const { problems } = JSON.parse(readFileSync('drift.json', 'utf8'))
assert.deepEqual(problems, [])
const { operations, responses } = JSON.parse(readFileSync('coverage.json', 'utf8')).totals
assert.deepEqual([operations.covered, responses.covered], [operations.total, responses.total])
console.log(`${entries.length} exchanges, ${responses.covered} of ${responses.total} responses`)
