import { describe, expect, it } from 'vitest'
import { rules } from '../../generated/contract.js'
import { type Change, fakeClock, ids, limit, refuse, tryService } from './service.js'

describe('a service that stops working', () => {
  const dies =
    (at: number): Change =>
    (it) =>
      it.number >= at && refuse(it, 500, 'internal_error')

  it('a service that fails from one request on ends the check soon, and fails no entry', async () => {
    const clock = fakeClock()
    const report = await tryService(dies(41), { trigger: 'succeeds', options: { clock } })
    expect(report).toMatchObject({ complete: false, summary: { fail: 0 } })
    expect(report.remarks[0]).toMatch(
      /^Not everything was checked\. The service stopped working after request 41 \((GET|POST) \/v\d+\/\S+\): \d+ later ones failed, the last with 500\.$/,
    )
    expect(clock.now()).toBeLessThan(120_000)
    expect(report.requests).toBeLessThan(100)
  })

  it('a service that fails for a while is checked to its end', async () => {
    const report = await tryService((it) => it.number >= 41 && it.number < 47 && refuse(it, 500, 'internal_error'))
    expect(report.complete).toBe(true)
  })

  it('a service in which one operation fails from one request on fails by that, and is checked to its end', async () => {
    const report = await tryService((it) => it.number >= 30 && it.path === '/providers' && refuse(it, 500))
    expect(report).toMatchObject({ complete: true, passed: false })
  })

  it('connections that break at once, as when a proxy restarts, end nothing', async () => {
    let path = ''
    let inRow = 0
    // Only who looks for the limit reads the same so often.
    const before = (request: Request) => {
      inRow = request.method === 'GET' && path === request.url ? inRow + 1 : 0
      path = request.url
      if (inRow < 24 || inRow >= 40) return request
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
    }
    const report = await tryService(undefined, { rateLimit: true, before })
    expect(report).toMatchObject({ complete: true, passed: true })
  })

  it('a gateway that limits what comes to a dead service does not hide that it is dead', async () => {
    const report = await tryService(
      (it) => it.number >= 41 && (it.number % 2 ? limit(it) : refuse(it, 500, 'internal_error')),
    )
    expect(report).toMatchObject({ complete: false, summary: { fail: 0 } })
    expect(report.remarks[0]).toContain('The service stopped working after request')
  })
})

describe('the pace', () => {
  it('a first request that takes longer than the others makes none of them too early', async () => {
    const latency = (number: number) => (number === 0 ? 230 : 30)
    const report = await tryService(undefined, { latency, options: { exclusive: true } })
    expect(report.findings.filter(({ message }) => message.includes('must not get 429'))).toEqual([])
  })
})

describe('the largest plan', () => {
  it('a service that limits nothing fails S27', async () => {
    const plan = { requestsPerMinute: 1e6, burst: 1e6 }
    const report = await tryService(undefined, { rateLimit: true, sandbox: { plan }, options: { plan: 'pro10x' } })
    expect(ids(report, 'fail')).toContain(rules.overLimit)
  })
})

describe('the other workspace', () => {
  it('a 429 to its key says nothing of the plan of this one', async () => {
    let sent = 0
    const change: Change = (it) => it.key === 'key_other_workspace' && sent++ === 3 && limit(it)
    const report = await tryService(change, { options: { exclusive: true } })
    expect(sent).toBeGreaterThan(3)
    expect(report.findings.filter(({ message }) => message.includes('must not get 429'))).toEqual([])
  })
})

describe('inputs', () => {
  it('a report says that inputs were accepted that are no strings, which nobody has to refuse', async () => {
    const before = async (request: Request) =>
      request.method === 'POST' && (await request.clone().text()).includes('"conformance":42')
        ? new Request(request.url, { method: 'POST', headers: request.headers, body: '{"inputs":{}}' })
        : request
    const report = await tryService(undefined, { trigger: 'succeeds', before })
    expect(report).toMatchObject({ passed: true, summary: { fail: 0 } })
    expect(report.remarks).toContain(
      'triggerRun accepts inputs that are no strings (S13). Whether it has to refuse them is not stated (A22).',
    )
  })
})

describe('what failing requests share', () => {
  it('a report says what all requests with a 5xx share, although each was sent again with success', async () => {
    const failed = new Set<string>()
    const report = await tryService((it) => {
      const name = `${it.method} ${it.path} ${it.query} ${it.request.headers.get('authorization')} ${it.sent}`
      if (it.status !== 401 || it.key === undefined || failed.has(name)) return
      failed.add(name)
      refuse(it, 500, 'internal_error')
    })
    expect(report.passed).toBe(true)
    expect(report.remarks).toContainEqual(
      expect.stringMatching(/^\d+ requests got a 5xx: all that were sent with a wrong key, and no other\.$/),
    )
  })

  it('a report says nothing of a 5xx that comes to others as well', async () => {
    const report = await tryService((it) => it.number % 15 === 0 && refuse(it, 500, 'internal_error'))
    expect(report.remarks.join()).not.toContain('got a 5xx: all')
  })
})
