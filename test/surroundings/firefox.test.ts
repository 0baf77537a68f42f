import { expect, it } from 'vitest'
import { firefox, runInFirefox } from '../support/firefox.js'
import { LIST, RUN } from '../support/server.js'

const noFirefox = firefox ? '' : ' (skipped: there is no Firefox; install firefox-esr)'

const ON_THE_CLOCK = `
import { createTestService } from '../../src/tools/testing/index.js'

export async function run() {
  const { client, sandbox } = createTestService()
  client.use({ onResponse: async ({ response }) => void (await response.clone().text()) })
  sandbox.inject({ operation: 'listPlaybooks', status: 429, retryAfter: 60 })
  const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
  const { status } = await client.waitForRun(id)
  await client.listPlaybooks()
  return { status, requests: sandbox.requests().map(({ operation, response }) => operation + ' ' + response?.status) }
}`

it.skipIf(!firefox)(`in Firefox, a test service reads each response before its clock goes on${noFirefox}`, async () => {
  expect(await runInFirefox(ON_THE_CLOCK, (_, response) => response.end())).toEqual({
    status: 'succeeded',
    requests: ['triggerRun 201', 'getRun 200', 'getRun 200', 'getRun 200', 'listPlaybooks 429', 'listPlaybooks 200'],
  })
})

const CLIENT = `
import { createClient, TimeoutError } from '../../src/index.js'

export async function run() {
  const client = createClient({ baseUrl: location.origin + '/v1', apiKey: 'wk_1', polling: { minInterval: 1, maxInterval: 5 } })
  const { id } = await client.triggerRun('pb_1', { inputs: { order: '42' } })
  const { status } = await client.waitForRun(id, { timeout: 5000 })
  const lists = await Promise.all([client.listPlaybooks(), client.listPlaybooks()])
  const late = await client.listProviders({}, { timeout: 50, retry: false }).catch((error) => error)
  return { id, status, totals: lists.map(({ meta }) => meta.total), isTimeout: late instanceof TimeoutError }
}`

it.skipIf(!firefox)(
  `in Firefox, a client triggers, watches and lists, and times out while a body is on its way${noFirefox}`,
  async () => {
    const received: string[] = []
    let polls = 0
    const found = await runInFirefox(CLIENT, ({ method, url }, response) => {
      if (url?.startsWith('/v1/')) received.push(`${method} ${url}`)
      const run = { ...RUN, status: polls++ > 2 ? 'succeeded' : 'running' }
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      if (url?.includes('/providers')) response.write('{')
      else response.end(JSON.stringify(url?.includes('/runs') ? run : LIST))
    })
    expect(found).toEqual({
      id: RUN.id,
      status: 'succeeded',
      totals: [LIST.meta.total, LIST.meta.total],
      isTimeout: true,
    })
    expect(received.filter((each) => !each.includes(`/runs/${RUN.id}`))).toEqual([
      'POST /v1/playbooks/pb_1/runs',
      'GET /v1/playbooks',
      'GET /v1/providers',
    ])
  },
)
