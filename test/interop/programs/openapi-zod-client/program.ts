import assert from 'node:assert/strict'
import { createApiClient } from './client/index'

const { BASE_URL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const clientOf = (key: string) =>
  createApiClient(BASE_URL, { axiosConfig: { headers: { Authorization: `Bearer ${key}` } } })
const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 0,
    (error) => error.response?.status ?? error,
  )

const client = clientOf(API_KEY)
const playbooks = await client.listPlaybooks()
assert.equal(playbooks.meta.total, 4)
const id = playbooks.data[0]?.id ?? ''
const triggered = await client.triggerRun({ inputs: { order: '42' } }, { params: { id } })
let run = await client.getRun({ params: { id: triggered.id } })
for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await client.getRun({ params: { id: triggered.id } })
}
assert.equal(run.status, 'succeeded')
assert.equal(run.steps.length, 2)

assert.equal(await statusOf(client.getRun({ params: { id: 'run_unknown' } })), 404)
assert.equal(await statusOf(clientOf(LIMITED_KEY).listPlaybooks()), 429)
