import axios from 'axios'
import ky from 'ky'
import createOpenApiClient from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import { createFetch, type paths } from '../../../../src/index.js'
import { createSandbox } from '../../../../src/tools/sandbox/index.js'

/** A `fetch` that obeys the rules, in front of a sandbox that fails once for each call that is asked for. */
function behind(failure: { status: 429 | 500 }) {
  const sandbox = createSandbox()
  const { baseUrl, keys, playbooks } = sandbox
  const fetch = createFetch({ baseUrl, apiKey: keys.valid, fetch: sandbox.fetch })
  const fail = () => sandbox.inject({ ...failure, retryAfter: 1 })
  return { baseUrl, fetch, fail, id: playbooks.succeeds }
}

const inputs = { order: '42' }

describe.each<[string, (baseUrl: string, fetch: typeof globalThis.fetch, id: string) => Promise<unknown>]>([
  [
    'openapi-fetch',
    async (baseUrl, fetch, id) => {
      const client = createOpenApiClient<paths>({ baseUrl, fetch })
      const { data } = await client.POST('/playbooks/{id}/runs', { params: { path: { id } }, body: { inputs } })
      const run = await client.GET('/runs/{id}', { params: { path: { id: data!.id! } } })
      return run.data
    },
  ],
  [
    'ky',
    async (baseUrl, fetch, id) => {
      const api = ky.create({ prefixUrl: baseUrl, fetch, retry: 0, timeout: false })
      const run = await api.post(`playbooks/${id}/runs`, { json: { inputs } }).json<{ id: string }>()
      return api.get(`runs/${run.id}`).json()
    },
  ],
  [
    'the fetch adapter of axios',
    async (baseUrl, fetch, id) => {
      const api = axios.create({
        baseURL: baseUrl,
        adapter: 'fetch',
        env: { fetch, Request, Response: Response as never },
      })
      const { data } = await api.post<{ id: string }>(`/playbooks/${id}/runs`, { inputs })
      return (await api.get(`/runs/${data.id}`)).data
    },
  ],
])('%s on createFetch', (_, triggerAndRead) => {
  it.each([429, 500] as const)(
    'another client on createFetch triggers and reads a run, and does not notice a %i',
    async (status) => {
      const { baseUrl, fetch, fail, id } = behind({ status })
      fail()
      expect(await triggerAndRead(baseUrl, fetch, id)).toMatchObject({ playbook_id: id, status: expect.any(String) })
    },
  )
})
