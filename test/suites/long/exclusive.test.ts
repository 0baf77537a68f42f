import { describe, expect, it } from 'vitest'
import { plans, rules } from '../../../generated/contract.js'
import { detect, entriesOf } from '../../conformance/detection.js'
import { limit, limited, type Trial, tryService } from '../../conformance/service.js'
import { fromSpecificationBroken } from '../../conformance/services/from-specification/broken.js'
import { honestServices } from '../../conformance/services/index.js'

const { requestsPerMinute: stated, burst } = plans.pro
const saysLimit = limited(({ body }) => Object.assign(body, { message: `Over ${stated} requests per minute.` }))
const rateOf = (requestsPerMinute: number, exclusive?: true): Trial => ({
  rateLimit: true,
  latency: 5,
  sandbox: { plan: { requestsPerMinute, burst } },
  options: { plan: 'pro', exclusive },
})

describe('a workspace that nobody else uses', () => {
  it('half of the stated rate fails with exclusive, and without it the report says that it could not decide', async () => {
    const half = await tryService(saysLimit, rateOf((2 / 3) * stated))
    expect(half.findings.find(({ basis }) => basis === 'S34')?.outcome).toBe('not-exercised')
    expect(half.remarks.join()).toMatch(
      new RegExp(
        `^The rate: in the .* after the limit: expected about \\d+ requests, as Pro has ${stated} per minute, got \\d+\\. Another client of the workspace would explain it; .*--exclusive`,
      ),
    )
    const report = await tryService(saysLimit, rateOf((2 / 3) * stated, true))
    expect(report.findings.find(({ basis }) => basis === 'S34')?.outcome).toBe('fail')
  })

  it.each([
    'fixed windows of two minutes',
    'a sliding window of two minutes',
    'with a 500 to eight in a hundred reads',
    'with a 504 to three in a hundred reads',
  ])('the stated rate fails nothing with exclusive although the service differs: %s', async (name) => {
    const service = honestServices.find((each) => each.name === name)!
    expect(entriesOf(await detect(service, 'quick', { exclusive: true, rateLimit: true }), 'fail')).toEqual([])
  })

  it('the stated rate passes with exclusive', async () => {
    const report = await tryService(saysLimit, rateOf(stated, true))
    expect(report.findings.find(({ basis }) => basis === 'S34')?.outcome).toBe('pass')
  })

  it.each([
    [undefined, true],
    [true, false],
  ] as const)(
    'with exclusive: %s a report on a 429 far below the stated rate has passed: %s',
    async (exclusive, passed) => {
      const report = await tryService((it) => it.number === 20 && limit(it), { options: { exclusive } })
      expect(report.passed).toBe(passed)
    },
  )
})

it('a service that sends one 429 and no other gets at most 500 requests beyond those of a check without the limit', async () => {
  let limits = 0
  const usual = await tryService()
  const sandbox = { plan: { requestsPerMinute: stated, burst } }
  const report = await tryService(
    async (it, service) => {
      if (it.status !== 429) return
      if (limits++ === 0) return
      const { workspace } = { workspace: service.state.workspaces[0]?.workspace }
      Object.assign(it, { status: 200, body: workspace ?? {} })
    },
    { rateLimit: true, sandbox, options: { plan: 'pro' } },
  )
  expect(report.requests - usual.requests).toBeLessThanOrEqual(500)
})

it('a trigger that makes room for requests beyond the limit fails S27', async () => {
  const service = fromSpecificationBroken.find(({ name }) => name === 'a trigger resets the limit of its workspace')!
  const report = await detect(service, 'quick')
  const found = report.findings.filter(({ outcome, basis }) => outcome === 'fail' && basis === rules.overLimit)
  expect(found.map(({ message }) => message)).toEqual([
    'after a trigger at the limit: expected 429, got 64 more requests accepted, twice',
  ])
})
