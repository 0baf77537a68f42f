import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PlanId, planIds, plans } from '../../generated/contract.js'
import { errorRateLimited } from '../../generated/examples.js'
import type { PlanName } from '../../src/shared/limit.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { caller, trigger } from './calls.js'

const WITH_ACCESS = (Object.keys(plans) as PlanId[]).filter((id): id is PlanName => plans[id].apiAccess)

const still = { now: () => Date.UTC(2030, 0, 1) }

describe('the request rate', () => {
  it('the default plan allows a burst, and then responds with 429 and the wait', async () => {
    const sandbox = createSandbox({ clock: still })
    const call = caller(sandbox)
    const { burst, requestsPerMinute } = plans[planIds.default]
    for (let count = 0; count < burst; count++) expect((await call('/workspaces/me')).status).toBe(200)
    const { status, headers, body } = await call('/workspaces/me')
    expect(status).toBe(429)
    expect(body).toEqual({
      ...errorRateLimited,
      message: `The limit of ${requestsPerMinute} requests per minute is exceeded.`,
      retry_after: 1,
    })
    expect(headers.get('retry-after')).toBe('1')
  })

  it.each(WITH_ACCESS)('the plan %s has the burst and the rate of the contract', async (plan) => {
    const { burst, requestsPerMinute } = plans[plan]
    const sandbox = createSandbox({ plan, clock: still })
    const tokens = () => sandbox.state.workspaces[0]?.tokens
    expect(tokens()).toBe(burst)
    for (let count = 0; count < burst; count++) await caller(sandbox)('/workspaces/me')
    expect(tokens()).toBe(0)
    sandbox.advance(1_000)
    expect(tokens()).toBeCloseTo(requestsPerMinute / 60)
  })

  it('the rate is counted per workspace, not per key', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 2 }, clock: still })
    expect((await caller(sandbox, sandbox.keys.valid)('/playbooks')).status).toBe(200)
    expect((await caller(sandbox, sandbox.keys.readOnly)('/playbooks')).status).toBe(200)
    expect((await caller(sandbox, sandbox.keys.valid)('/playbooks')).status).toBe(429)
    expect((await caller(sandbox, sandbox.keys.readOnly)('/playbooks')).status).toBe(429)
    expect((await caller(sandbox, sandbox.keys.otherWorkspace)('/playbooks')).status).toBe(200)
  })

  it('the rate counts neither triggers nor requests that are refused with 401 or 403', async () => {
    const sandbox = createSandbox({ plan: { requestsPerMinute: 60, burst: 1 }, clock: still })
    for (let count = 0; count < 5; count++) {
      expect((await trigger(sandbox, sandbox.playbooks.succeeds)).status).toBe(201)
      expect((await caller(sandbox, 'nobody')('/playbooks')).status).toBe(401)
      expect((await trigger(sandbox, sandbox.playbooks.succeeds, {}, sandbox.keys.readOnly)).status).toBe(403)
    }
    expect((await caller(sandbox)('/playbooks')).status).toBe(200)
    expect((await caller(sandbox)('/playbooks')).status).toBe(429)
    expect((await trigger(sandbox, sandbox.playbooks.succeeds)).status).toBe(201)
  })

  it('plan: false sets no limit, and the key "limited" is always refused', async () => {
    const free = caller(createSandbox({ plan: false, clock: still }))
    for (let count = 0; count < 150; count++) expect((await free('/workspaces/me')).status).toBe(200)
    const sandbox = createSandbox({ plan: false })
    for (let count = 0; count < 3; count++) {
      sandbox.advance(3_600_000)
      expect((await caller(sandbox, sandbox.keys.limited)('/providers')).status).toBe(429)
    }
  })

  it('a client that waits exactly as long as a 429 asks is served', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          requestsPerMinute: fc.double({ min: 0.5, max: 1e5, noNaN: true }),
          burst: fc.integer({ min: 1, max: 20 }),
        }),
        fc.array(fc.double({ min: 0, max: 5_000, noNaN: true }), { maxLength: 30 }),
        async (plan, waits) => {
          const sandbox = createSandbox({ plan, clock: still })
          const call = caller(sandbox)
          for (const wait of waits) {
            sandbox.advance(wait)
            const { status, body } = await call('/workspaces/me')
            if (status === 200) continue
            sandbox.advance(body.retry_after * 1000)
            expect((await call('/workspaces/me')).status).toBe(200)
          }
        },
      ),
      { numRuns: 30, seed: 1 },
    )
  })
})
