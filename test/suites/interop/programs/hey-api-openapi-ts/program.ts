import assert from 'node:assert/strict'
import { createClient } from './client/client'
import { getRun, listPlaybooks, triggerRun } from './client/sdk.gen'
import { tryClient } from './scenario'

const { BASE_URL: baseUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const client = createClient({ baseUrl, auth: () => API_KEY })
const throwOnError = true
const id = await tryClient({
  list: async () => (await listPlaybooks({ client, throwOnError })).data,
  trigger: async (id, body) => (await triggerRun({ client, path: { id }, body, throwOnError })).data,
  get: async (id) => (await getRun({ client, path: { id }, throwOnError })).data,
  unknown: async (id) => (await getRun({ client, path: { id } })).response?.status,
  async limited() {
    const { error, response } = await listPlaybooks({ client: createClient({ baseUrl, auth: () => LIMITED_KEY }) })
    assert.ok(error && 'retry_after' in error)
    return response?.status
  },
})

// On the fetch of this package, which authenticates; the guide "Bring your own client" shows it.
const { createFetch } = await import(`${process.env.ROOT}/dist/src/index.js`)
const own = createClient({ baseUrl, fetch: createFetch({ baseUrl, apiKey: API_KEY }) })
assert.equal((await getRun({ client: own, path: { id } })).data?.status, 'succeeded')
