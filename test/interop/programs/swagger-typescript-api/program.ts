import assert from 'node:assert/strict'
import { Api } from './client/Api'

const { BASE_URL: baseUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const withKey = (key: string) =>
  new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` }, format: 'json', secure: true } })
const api = withKey(API_KEY)

const playbooks = await api.playbooks.listPlaybooks({})
assert.equal(playbooks.data.meta.total, 4)
const triggered = await api.playbooks.triggerRun(playbooks.data.data[0]?.id ?? '', { inputs: { order: '42' } })
const poll = async () => (await api.runs.getRun(triggered.data.id)).data
let run = await poll()
for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await poll()
}
assert.equal(run.status, 'succeeded')
assert.equal(run.steps.length, 2)

await assert.rejects(api.runs.getRun('run_unknown'), { status: 404 })
await assert.rejects(withKey(LIMITED_KEY).playbooks.listPlaybooks({}), { status: 429 })
