import { serviceFixture } from '@workflow-automation/contract/testing'
import { test as base, expect } from 'vitest'
import { refund } from './refunds.js'

const test = base.extend(serviceFixture())

test('a refund asks a person, and succeeds after the approval', async ({ service: { client, sandbox } }) => {
  const asked = []
  const ask = async (id) => {
    asked.push(id)
    sandbox.approve(id)
  }
  expect(await refund(client, sandbox.playbooks.needsApproval, '42', ask)).toBe('succeeded')
  expect(asked).toHaveLength(1)
})

test('a refund that fails says so', async ({ service: { client, sandbox } }) => {
  expect(await refund(client, sandbox.playbooks.fails, '42')).toBe('failed')
})

test('a key that may not trigger is no error of the program', async ({ service: { createClient, sandbox } }) => {
  const client = createClient({ apiKey: sandbox.keys.readOnly })
  expect(await refund(client, sandbox.playbooks.succeeds, '42')).toBe('not allowed')
})

test('a refund goes on after an outage of the service', async ({ service: { client, sandbox } }) => {
  sandbox.inject({ operation: 'getRun', status: 503, times: 3 })
  expect(await refund(client, sandbox.playbooks.succeeds, '42')).toBe('succeeded')
})

test('a refund that was started is not reported as refused', async ({ service: { client, sandbox } }) => {
  sandbox.inject({ operation: 'getRun', status: 403 })
  await expect(refund(client, sandbox.playbooks.succeeds, '42')).rejects.toMatchObject({ status: 403 })
})
