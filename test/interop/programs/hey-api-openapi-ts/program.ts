import assert from 'node:assert/strict'
import { createClient } from './client/client'
import { getRun, listPlaybooks, triggerRun } from './client/sdk.gen'

const { BASE_URL: baseUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const client = createClient({ baseUrl, auth: () => API_KEY })

const playbooks = await listPlaybooks({ client, throwOnError: true })
assert.equal(playbooks.data.meta.total, 4)
const path = { id: playbooks.data.data[0]?.id ?? '' }
const triggered = await triggerRun({ client, path, body: { inputs: { order: '42' } }, throwOnError: true })
const poll = async () => (await getRun({ client, path: { id: triggered.data.id }, throwOnError: true })).data
let run = await poll()
for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await poll()
}
assert.equal(run.status, 'succeeded')
assert.equal(run.steps.length, 2)

const missing = await getRun({ client, path: { id: 'run_unknown' } })
assert.equal(missing.response?.status, 404)
const limited = await listPlaybooks({ client: createClient({ baseUrl, auth: () => LIMITED_KEY }) })
assert.equal(limited.response?.status, 429)
assert.ok(limited.error && 'retry_after' in limited.error)

// On the fetch of this package, which authenticates; the guide "Bring your own client" shows it.
const { createFetch } = await import(`${process.env.ROOT}/dist/src/index.js`)
const own = createClient({ baseUrl, fetch: createFetch({ baseUrl, apiKey: API_KEY }) })
const again = await getRun({ client: own, path: { id: triggered.data.id } })
assert.equal(again.data?.status, 'succeeded')
