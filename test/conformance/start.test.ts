import { expect, it } from 'vitest'
import { ConformanceError, checkConformance } from '../../src/tools/conformance/index.js'
import { ofSameForm } from '../../src/tools/conformance/live/cases/similar-ids.js'
import { VERSION } from '../support/fixtures.js'
import { fakeClock, success, tryService } from './service.js'

/** Why a service that responds so cannot be checked, and how long that took in ms. */
async function whyNot(fetch: typeof globalThis.fetch, baseUrl = `https://service.test${VERSION}`) {
  const clock = fakeClock()
  const error = await checkConformance({ baseUrl, apiKey: 'key', fetch, clock }).catch((thrown: unknown) => thrown)
  if (!(error instanceof ConformanceError)) throw error
  return { message: error.message, waited: clock.now() }
}

it.each<[what: string, headers: Record<string, string>, body: string, shown: RegExp]>([
  ['cf-mitigated', { 'cf-mitigated': 'challenge' }, '<!doctype html>', /cf-mitigated: challenge/],
  ['a page', { 'content-type': 'text/html' }, '<html><title>Access denied</title></html>', /HTML, "Access denied"/],
  ['Kong', {}, '{"message":"No API key found in request"}', /No API key found in request/],
])('a refusal that is that of a gateway is shown in one line: %s', async (_, headers, body, shown) => {
  const { message } = await whyNot(async () => new Response(body, { status: 403, headers }))
  expect(message).toMatch(shown)
  expect(message).toContain('gateway')
  expect(message).not.toMatch(/may read nothing|\n/)
})

it('a port that fetch forbids is named without a wait', async () => {
  const { message, waited } = await whyNot(fetch, `http://127.0.0.1:6667${VERSION}`)
  expect(message).toBe(
    'fetch sends nothing to http://127.0.0.1:6667: it forbids this port. Let the service listen at another one.',
  )
  expect(waited).toBe(0)
})

it.each([
  ['a run is read', { operations: ['getRun'], run: 'run_1' }],
  ['a run is started', { operations: ['triggerRun'], trigger: 'pb_1', inputs: {} }],
] as const)('a key that is refused ends the check, also when nothing but %s', async (_, options) => {
  let sent = 0
  const fetch = async () => {
    sent++
    return Response.json({ error: 'unauthorized', message: 'No.' }, { status: 401 })
  }
  const baseUrl = `https://service.test${VERSION}`
  const checking = checkConformance({ baseUrl, apiKey: 'key', fetch, clock: fakeClock(), ...options })
  await expect(checking).rejects.toMatchObject({ name: 'ConformanceError', code: 'refused' })
  expect(sent).toBeLessThan(10)
})

it('a check of triggers that names no playbook expects 404, and no other service at the address', async () => {
  const report = await tryService(
    success(/^\/providers$/, (it) => it),
    { options: { operations: ['triggerRun'] } },
  )
  expect(report.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

it('a 304 is no redirect', async () => {
  const report = await tryService(success(/^\/providers$/, (it) => Object.assign(it, { status: 304, text: null })))
  const messages = report.findings.filter(({ outcome }) => outcome === 'fail').map(({ message }) => message)
  expect(messages.join()).toContain('got 304')
  expect(messages.join()).not.toContain('redirect')
})

it('an id of 40,000 characters has an unknown one of the same form', () => {
  expect(ofSameForm('a'.repeat(40_000), '0', 'b')).toBe('b'.repeat(40_000))
  expect(ofSameForm('9'.repeat(40_000), '0', 'b')).toBe('0'.repeat(40_000))
})
