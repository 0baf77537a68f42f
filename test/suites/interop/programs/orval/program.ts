import assert from 'node:assert/strict'
import { getRun, listPlaybooks, triggerRun } from './client/index'
import { tryClient } from './scenario'

// orval's functions take the path alone: the base URL of the service is put before it.
const { BASE_URL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const send = globalThis.fetch
globalThis.fetch = (input, init) => send(String(input).replace(/^(https:\/\/api\.example\.com\/v1)?/, BASE_URL), init)
const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

await tryClient({
  async list() {
    const playbooks = await listPlaybooks({}, withKey(API_KEY))
    assert.ok(playbooks.status === 200)
    return playbooks.data
  },
  async trigger(id, body) {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${API_KEY}` }
    const triggered = await triggerRun(id, body, { headers })
    assert.ok(triggered.status === 201)
    return triggered.data
  },
  async get(id) {
    const run = await getRun(id, withKey(API_KEY))
    assert.ok(run.status === 200)
    return run.data
  },
  unknown: async (id) => (await getRun(id, withKey(API_KEY))).status,
  async limited() {
    const limited = await listPlaybooks({}, withKey(LIMITED_KEY))
    assert.ok(limited.status === 429 && limited.data.retry_after > 0)
    return limited.status
  },
})
