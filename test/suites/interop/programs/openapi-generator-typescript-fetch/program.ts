import assert from 'node:assert/strict'
import { Configuration, PlaybooksApi, RunsApi } from './client/index'
import { statusOf, tryClient } from './scenario'

const { BASE_URL: basePath = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const configurationOf = (accessToken: string) => new Configuration({ basePath, accessToken })
const runs = new RunsApi(configurationOf(API_KEY))
const id = await tryClient({
  list: () => new PlaybooksApi(configurationOf(API_KEY)).listPlaybooks(),
  trigger: (id, triggerRunRequest) => runs.triggerRun({ id, triggerRunRequest }),
  get: (id) => runs.getRun({ id }),
  unknown: (id) => statusOf(runs.getRun({ id })),
  limited: () => statusOf(new PlaybooksApi(configurationOf(LIMITED_KEY)).listPlaybooks()),
})

// On the fetch of this package, which authenticates; the guide "Bring your own client" shows it.
const { createFetch } = await import(`${process.env.ROOT}/dist/src/index.js`)
const fetchApi = createFetch({ baseUrl: basePath, apiKey: API_KEY })
const again = await new RunsApi(new Configuration({ basePath, fetchApi })).getRun({ id })
assert.equal(again.status, 'succeeded')
