/** The client with each `fetch` that users pass, from a package manager's folder. The base URL of a sandbox is the argument. */
import { createClient, NotFoundError } from '@workflow-automation/contract'
import crossFetch from 'cross-fetch'
import fetchCookie from 'fetch-cookie'
import isomorphicFetch from 'isomorphic-fetch'
import makeFetchHappen from 'make-fetch-happen'
import nodeFetch2 from 'node-fetch'
import nodeFetch3 from 'node-fetch-3'
import { fetch as undiciFetch } from 'undici'
import { fetch as zxFetch } from 'zx-7'
import { check, runCases } from './check.js'

const [baseUrl, apiKey, playbook] = process.argv.slice(2)

const FETCHES = {
  'the global fetch': undefined,
  'node-fetch 2': nodeFetch2,
  'node-fetch 3': nodeFetch3,
  'cross-fetch': crossFetch,
  'isomorphic-fetch': isomorphicFetch,
  'make-fetch-happen': makeFetchHappen.defaults({ retry: false }),
  'fetch-cookie': fetchCookie(globalThis.fetch),
  'zx 7': zxFetch,
  undici: undiciFetch,
}

const cases = Object.entries(FETCHES).map(([name, fetch]) => [
  `with ${name} the client triggers, waits, lists and rejects`,
  async () => {
    const polling = { minInterval: 1, maxInterval: 5 }
    const client = createClient({ baseUrl, apiKey, fetch, polling })
    const run = await client.triggerRun(playbook, { inputs: { order: '42' } })
    check.same((await client.waitForRun(run, { timeout: 20_000 })).status, 'succeeded')
    check.ok((await client.listPlaybooks()).data.length > 0)
    await check.rejects(client.getRun('run_none'), NotFoundError)
  },
])

console.log(JSON.stringify(await runCases(Object.fromEntries(cases))))
