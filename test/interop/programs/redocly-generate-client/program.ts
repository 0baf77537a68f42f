import assert from 'node:assert/strict'
import { configure, getRun, listPlaybooks, triggerRun } from './client/client'

const { BASE_URL: serverUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
configure({ serverUrl, auth: { bearer: API_KEY } })

const playbooks = await listPlaybooks()
assert.equal(playbooks.meta.total, 4)
const path = { id: playbooks.data[0]?.id ?? '' }
const { id } = await triggerRun({ path, body: { inputs: { order: '42' } } })
let run = await getRun({ path: { id } })
for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await getRun({ path: { id } })
}
assert.equal(run.status, 'succeeded')
assert.equal(run.steps.length, 2)

await assert.rejects(getRun({ path: { id: 'run_unknown' } }), { status: 404 })
configure({ auth: { bearer: LIMITED_KEY }, retry: { retries: 0 } })
await assert.rejects(listPlaybooks(), { status: 429 })
