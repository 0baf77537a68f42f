import {
  ApiError,
  AuthenticationError,
  createClient,
  NotFoundError,
  PermissionError,
} from '@workflow-automation/contract'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { check } from './check.js'

const open = (options = {}, key = 'valid') => {
  const sandbox = createSandbox()
  const { baseUrl, keys, fetch } = sandbox
  return { sandbox, client: createClient({ baseUrl, apiKey: keys[key], fetch, ...options }) }
}

/** @param {string} server the base URL of a sandbox on a port, with which the runtime's own `fetch` is used */
export const clientCases = (server) => ({
  async 'the client triggers a run and waits for its end'() {
    const { client, sandbox } = open({ polling: { minInterval: 1, maxInterval: 5 } })
    const { id } = await client.triggerRun(sandbox.playbooks.succeeds, { inputs: { order: '42' } })
    check.same((await client.waitForRun(id, { timeout: 20_000 })).status, 'succeeded')
  },
  async 'the client returns data and error as openapi-fetch does'() {
    const { client } = open()
    const found = await client.GET('/playbooks', { params: { query: { per_page: 1 } } })
    check.same([found.response.ok, found.data.data.length], [true, 1])
    const missing = await client.GET('/runs/{id}', { params: { path: { id: 'run_none' } } })
    check.same([missing.response.status, missing.error.error], [404, 'not_found'])
  },
  async 'the client throws an error for each status'() {
    const { client } = open()
    const error = await check.rejects(client.getRun('run_none'), NotFoundError)
    check.ok(error instanceof ApiError)
    check.same([error.status, error.operation], [404, 'getRun'])
    await check.rejects(open({ apiKey: 'key_nobody' }).client.listPlaybooks(), AuthenticationError)
    await check.rejects(open({}, 'hobby').client.listPlaybooks(), PermissionError)
  },
  async 'the client sends again after a 500, also a POST'() {
    const { client, sandbox } = open()
    sandbox.inject({ operation: 'triggerRun', status: 500 })
    await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
    check.same(
      sandbox.requests().map(({ response }) => response.status),
      [500, 201],
    )
  },
  async 'the client keeps what changes rarely, and shares one request'() {
    const { client, sandbox } = open()
    await Promise.all([client.listProviders(), client.listProviders()])
    await client.listProviders()
    // In Workers what one request waits for must not be settled by another, so calls at once are sent each for itself.
    check.same(sandbox.requests().length, globalThis.navigator?.userAgent === 'Cloudflare-Workers' ? 2 : 1)
  },
  async 'the client ends with the reason of an abort'() {
    const { client, sandbox } = open()
    sandbox.inject({ operation: 'getRun', status: 500, times: 4 })
    const controller = new AbortController()
    const call = client.getRun('run_none', { signal: controller.signal })
    controller.abort(new RangeError('enough'))
    await check.rejects(call, RangeError)
  },
  async "the client sends with the runtime's own fetch"() {
    const client = createClient({ baseUrl: server, apiKey: 'key_valid', serviceVersion: '2026-11-21' })
    check.ok((await client.getCurrentWorkspace()).id)
    const { playbooks } = createSandbox()
    check.ok((await client.triggerRun(playbooks.succeeds, { inputs: { order: 'ü' } })).id)
    await check.rejects(client.getRun('run_none'), NotFoundError)
  },
  async 'the client shows its key in no error'() {
    const error = await check.rejects(open({ apiKey: 'key_secret_value' }).client.listPlaybooks(), AuthenticationError)
    check.ok(!`${error}${error.stack}${JSON.stringify(error)}`.includes('key_secret_value'), 'the key is in the error')
  },
})
