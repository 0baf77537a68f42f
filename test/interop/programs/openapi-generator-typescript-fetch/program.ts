import assert from 'node:assert/strict'
import { Configuration, PlaybooksApi, ResponseError, RunsApi } from './client/index'

const { BASE_URL: basePath = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const configurationOf = (accessToken: string) => new Configuration({ basePath, accessToken })
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 0,
    (error) => (error instanceof ResponseError ? error.response.status : error),
  )

const playbooks = await new PlaybooksApi(configurationOf(API_KEY)).listPlaybooks()
assert.equal(playbooks.meta.total, 4)
const runs = new RunsApi(configurationOf(API_KEY))
const id = playbooks.data[0]?.id ?? ''
const triggered = await runs.triggerRun({ id, triggerRunRequest: { inputs: { order: '42' } } })
let run = await runs.getRun({ id: triggered.id })
for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
  await new Promise((later) => setTimeout(later, 50))
  run = await runs.getRun({ id: triggered.id })
}
assert.equal(run.status, 'succeeded')
assert.equal(run.steps.length, 2)

assert.equal(await statusOf(runs.getRun({ id: 'run_unknown' })), 404)
assert.equal(await statusOf(new PlaybooksApi(configurationOf(LIMITED_KEY)).listPlaybooks()), 429)

// On the fetch of this package, which authenticates; the guide "Bring your own client" shows it.
const { createFetch } = await import(`${process.env.ROOT}/dist/src/index.js`)
const fetchApi = createFetch({ baseUrl: basePath, apiKey: API_KEY })
const again = await new RunsApi(new Configuration({ basePath, fetchApi })).getRun({ id: triggered.id })
assert.equal(again.status, 'succeeded')
