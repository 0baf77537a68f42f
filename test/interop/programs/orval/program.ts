import assert from 'node:assert/strict'
import { getRun, listPlaybooks, triggerRun } from './client/index'

// orval's functions take the path alone: the base URL of the service is put before it.
const { BASE_URL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const send = globalThis.fetch
globalThis.fetch = (input, init) => send(String(input).replace(/^(https:\/\/api\.example\.com\/v1)?/, BASE_URL), init)
const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

const playbooks = await listPlaybooks({}, withKey(API_KEY))
assert.ok(playbooks.status === 200)
assert.equal(playbooks.data.meta.total, 4)
const id = playbooks.data.data[0]?.id ?? ''
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${API_KEY}` }
const triggered = await triggerRun(id, { inputs: { order: '42' } }, { headers })
assert.ok(triggered.status === 201)
let run = await getRun(triggered.data.id, withKey(API_KEY))
for (let polls = 0; polls < 100 && run.status === 200 && run.data.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await getRun(triggered.data.id, withKey(API_KEY))
}
assert.ok(run.status === 200)
assert.equal(run.data.status, 'succeeded')
assert.equal(run.data.steps.length, 2)

assert.equal((await getRun('run_unknown', withKey(API_KEY))).status, 404)
const limited = await listPlaybooks({}, withKey(LIMITED_KEY))
assert.ok(limited.status === 429)
assert.ok(limited.data.retry_after > 0)
