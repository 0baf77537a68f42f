import createOpenApiFetch from 'openapi-fetch'
import { describe, expect, it } from 'vitest'
import type { paths } from '../../generated/types.js'
import { createClient } from '../../src/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { createTestService } from '../../src/tools/testing/index.js'
import { VERSION } from '../support/fixtures.js'

// The table "Why not generate a client yourself?" of the README. That of openapi-generator is tried in test/suites/interop.
describe('the comparison in the README', () => {
  const bare = () => {
    const sandbox = createSandbox()
    const { baseUrl, fetch, keys } = sandbox
    const client = createOpenApiFetch<paths>({ baseUrl, fetch, headers: { authorization: `Bearer ${keys.valid}` } })
    return { sandbox, client }
  }
  const trigger = { params: { path: { id: 'pb_7hQ2vn' } }, body: { inputs: {} } } as const

  it('bare openapi-fetch neither waits for a 429 nor repeats anything', async () => {
    const { sandbox, client } = bare()
    sandbox.inject({ status: 429, retryAfter: 30 })
    expect((await client.GET('/providers')).response.status).toBe(429)
    expect((await client.GET('/providers')).response.status).toBe(200)
    sandbox.inject({ operation: 'triggerRun', status: 500 })
    expect((await client.POST('/playbooks/{id}/runs', trigger)).response.status).toBe(500)
    expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(1)
  })

  it('this package waits, for all calls together, and repeats a trigger after a 500 and never after a lost response', async () => {
    const { sandbox, client, clock } = createTestService()
    sandbox.inject({ operation: 'listProviders', status: 429, retryAfter: 30 })
    const before = clock.now()
    await Promise.all([client.listProviders(), client.getCurrentWorkspace()])
    expect(clock.now() - before).toBeGreaterThanOrEqual(30_000)
    sandbox.inject({ operation: 'triggerRun', status: 500 })
    await client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
    sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
    await expect(client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })).rejects.toMatchObject({ sent: true })
    expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(3)
  })

  it('only this package has waitForRun', () => {
    expect('waitForRun' in bare().client).toBe(false)
    expect(typeof createClient({ baseUrl: `https://example.com${VERSION}`, apiKey: 'k' }).waitForRun).toBe('function')
  })
})
