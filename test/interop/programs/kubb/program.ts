import assert from 'node:assert/strict'
import { getRun, listPlaybooks, triggerRun } from './client/index'

const { BASE_URL: baseURL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const withKey = (key: string) => ({ baseURL, headers: { Authorization: `Bearer ${key}` } })

const playbooks = await listPlaybooks({}, {}, withKey(API_KEY))
assert.equal(playbooks.data.meta.total, 4)
const id = playbooks.data.data[0]?.id ?? ''
const json = { baseURL, headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' } }
const triggered = await triggerRun(id, { inputs: { order: '42' } }, {}, json)
let run = await getRun(triggered.data.id, {}, withKey(API_KEY))
for (let polls = 0; polls < 100 && run.data.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await getRun(triggered.data.id, {}, withKey(API_KEY))
}
assert.equal(run.data.status, 'succeeded')
assert.equal(run.data.steps.length, 2)

assert.equal((await getRun('run_unknown', {}, withKey(API_KEY))).status, 404)
assert.equal((await listPlaybooks({}, {}, withKey(LIMITED_KEY))).status, 429)
