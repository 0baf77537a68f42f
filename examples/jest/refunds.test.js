const { createTestService } = require('@workflow-automation/contract/testing')

let service
beforeEach(() => {
  service = createTestService()
})
afterEach(() => service[Symbol.dispose]())

test('a run succeeds after its approval', async () => {
  const { client, sandbox } = service
  const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: { order: '42' } })
  await client.waitForRun(id, { until: 'approval' })
  sandbox.approve(id)
  expect((await client.waitForRun(id)).status).toBe('succeeded')
})

test('a 429 is waited out without real time', async () => {
  const { client, sandbox } = service
  sandbox.inject({ operation: 'listProviders', status: 429, retryAfter: 60 })
  expect((await client.listProviders()).data.length).toBeGreaterThan(0)
})
