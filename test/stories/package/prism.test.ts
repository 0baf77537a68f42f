import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { start } from '../../cli/command.js'
import { type Consumer, consumer, link, NAME } from '../../package/consumer.js'
import { VERSION } from '../../support/fixtures.js'

let project: Consumer
beforeAll(async () => {
  project = await consumer()
  link(project.root, '@stoplight/prism-cli')
  project.write('mock.test.mjs', TESTS)
})
afterAll(() => project.remove())

it.each([
  ['the command', [`node_modules/${NAME}/dist/src/tools/cli/index.js`, 'mock', '--port', '0']],
  [
    'prism mock on the exported form',
    ['node_modules/@stoplight/prism-cli', 'mock', '-p', '0', `node_modules/${NAME}/generated/openapi.mock.yaml`],
  ],
])('the tests of another repository pass against %s, with the base URL of the service', async (_, args) => {
  const mock = start(process.execPath, args, { cwd: project.root })
  const [, url] = await mock.until(/listening on (http:\/\/\S+:\d+)/)
  const env = { WORKFLOW_BASE_URL: `${url}${VERSION}` }
  const tests = start(process.execPath, ['--test', join(project.root, 'mock.test.mjs')], { cwd: project.root, env })
  await tests.ended
  mock.child.kill('SIGKILL')
  await mock.ended
  await expect(fetch(`${url}`)).rejects.toThrow()
  expect(tests.printed.out).toMatch(/^# fail 0$/m)
  expect(tests.printed.out).toMatch(/^# pass [1-9]/m)
})

/** What somebody writes who has the package, bare openapi-fetch and the base URL. */
const TESTS = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import createFetchClient from 'openapi-fetch'
import { ApiError, createClient } from '${NAME}'
import { examples } from '${NAME}/examples'
import document from '${NAME}/openapi.plain.json' with { type: 'json' }

const baseUrl = process.env.WORKFLOW_BASE_URL
const Authorization = 'Bearer any-key'
const calls = {
  getCurrentWorkspace: (client, options) => client.getCurrentWorkspace(options),
  listPlaybooks: (client, options) => client.listPlaybooks({}, options),
  listProviders: (client, options) => client.listProviders({}, options),
  triggerRun: (client, options) => client.triggerRun('pb_1', { inputs: { order: '42' } }, options),
  getRun: (client, options) => client.getRun('run_1', options),
}
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId }]) => ({ path, method, id: operationId })),
)
const cases = operations.flatMap((operation) =>
  Object.entries(examples[operation.id]).flatMap(([status, named]) =>
    status === 'request' ? [] : Object.entries(named).map(([name, value]) => ({ ...operation, status: +status, name, value })),
  ),
)

async function withOpenapiFetch({ path, method, id }, headers) {
  const api = createFetchClient({ baseUrl, headers })
  const body = examples[id].request?.default
  const { data, error, response } = await api[method.toUpperCase()](path, { params: { path: { id: 'any' } }, body })
  return { status: response.status, body: data ?? error }
}

for (const operation of operations) {
  test(operation.id + ' has a response without Prefer', async () => {
    const { status, body } = await withOpenapiFetch(operation, { Authorization })
    const [first] = Object.keys(examples[operation.id]).filter((each) => each.startsWith('2'))
    assert.deepEqual({ status, body }, { status: +first, body: examples[operation.id][first].default })
    await calls[operation.id](createClient({ baseUrl, apiKey: 'any-key' }))
  })
  test(operation.id + ' needs a key', async () => {
    assert.equal((await withOpenapiFetch(operation, {})).status, 401)
  })
}

for (const { status, name, value, ...operation } of cases) {
  const title = operation.id + ' ' + status + ' ' + name
  const prefer = 'code=' + status + ', example=' + name
  test(title + ' with openapi-fetch', async () => {
    assert.deepEqual(await withOpenapiFetch(operation, { Authorization, prefer }), { status, body: value })
    const { status: byCode } = await withOpenapiFetch(operation, { Authorization, prefer: 'code=' + status })
    assert.equal(byCode, status)
  })
  test(title + ' with createClient', async () => {
    // Clients of one workspace wait together after a 429.
    const client = createClient({ baseUrl, apiKey: 'any-key', workspace: title, retry: false, cache: false })
    const call = calls[operation.id](client, { headers: { prefer } })
    if (status < 300) return assert.deepEqual(await call, value)
    await assert.rejects(call, (error) => error instanceof ApiError && error.status === status && error.message.includes(value.message))
  })
}
`
