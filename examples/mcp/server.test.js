import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'
import { createTestService } from '@workflow-automation/contract/testing'
import { createServer } from './server.js'

/** A model's client of a server that calls a sandbox. */
async function connect() {
  const { client, sandbox } = createTestService()
  const [one, other] = InMemoryTransport.createLinkedPair()
  const model = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([createServer(client).connect(one), model.connect(other)])
  const call = async (name, args = {}) => {
    const { content, isError } = await model.callTool({ name, arguments: args })
    return { isError: isError === true, value: JSON.parse(content[0].text) }
  }
  return { sandbox, call }
}

test('a model lists, triggers, and waits until a step needs an approval', async () => {
  const { sandbox, call } = await connect()
  assert.equal((await call('list_playbooks')).value.length, 4)
  const { value } = await call('trigger_playbook', {
    playbook: sandbox.playbooks.needsApproval,
    inputs: { order: '42' },
  })
  const waiting = await call('wait_for_run', { run: value.run })
  assert.equal(waiting.value.steps.at(-1).status, 'waiting_approval')
  sandbox.approve(value.run)
  assert.equal((await call('wait_for_run', { run: value.run })).value.status, 'succeeded')
})

test('a wait is bounded, and a run that goes on is no error', async () => {
  const { sandbox, call } = await connect()
  const { value } = await call('trigger_playbook', { playbook: sandbox.playbooks.slow })
  const { isError, value: run } = await call('wait_for_run', { run: value.run, seconds: 1 })
  assert.deepEqual([isError, run.id], [false, value.run])
})

test('a trigger of which nobody knows is not to be repeated, and one that is refused says why', async () => {
  const { sandbox, call } = await connect()
  sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
  const lost = await call('trigger_playbook', { playbook: sandbox.playbooks.succeeds })
  assert.deepEqual([lost.isError, /do not trigger it again/.test(lost.value.error)], [true, true])
  const refused = await call('trigger_playbook', { playbook: 'pb_none' })
  assert.deepEqual([refused.isError, /do not trigger/.test(refused.value.error)], [true, false])
  assert.equal(sandbox.requests({ operation: 'triggerRun' }).length, 2)
})

test('a trigger that the service asks to send later than a model waits is not sent', async () => {
  const { sandbox, call } = await connect()
  sandbox.inject({ operation: 'triggerRun', status: 429, retryAfter: 90 })
  const { isError, value } = await call('trigger_playbook', { playbook: sandbox.playbooks.succeeds })
  assert.deepEqual([isError, /do not trigger/.test(value.error)], [true, false])
  assert.equal(sandbox.requests({ operation: 'triggerRun' }).length, 1)
})

test('it runs as a process', async () => {
  const sandbox = createSandbox()
  const server = await listen(sandbox, { port: 0 })
  const model = new Client({ name: 'test', version: '1.0.0' })
  const env = { PATH: process.env.PATH, WORKFLOW_BASE_URL: server.baseUrl, WORKFLOW_API_KEY: sandbox.keys.valid }
  const file = `${import.meta.dirname}/server.js`
  await model.connect(new StdioClientTransport({ command: process.execPath, args: [file], env }))
  assert.deepEqual(
    (await model.listTools()).tools.map(({ name }) => name),
    ['list_playbooks', 'trigger_playbook', 'wait_for_run'],
  )
  await model.close()
  await server.close()
})
