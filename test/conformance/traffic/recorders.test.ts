import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { protocol } from '../../../generated/contract.js'
import { checkTraffic, type Report, type TrafficOptions } from '../../../src/tools/conformance/index.js'
import { listOf } from '../../support/fixtures.js'
import { ids } from '../service.js'
import { check, folder, named, run } from './recording.js'

const VERSION = protocol.versionSegment
const WORKSPACE = { id: 'ws_1', name: 'One' }
const KEY = 'key_of_the_recording'
const HOST = { host: 'workflow-automation.example' }
const PROVIDERS = listOf([{ id: 'crm' }])

const failedOr = (report: Report) => [ids(report, 'fail'), ids(report, 'contradicted'), ids(report, 'client')]
const NOTHING = [[], [], []]
const RENEW = 'after a change of the contract, renew the recordings: npx tsx test/conformance/traffic/renew.ts'

describe('a recording of Playwright of an app with a service worker', () => {
  const all: [name: string, baseUrl: string][] = [
    ['playwright-full-attach-sw', `http://127.0.0.1:34843${VERSION}`],
    ['playwright-full-embed-sw', ''],
    ['playwright-minimal-attach-sw', `http://127.0.0.1:41527${VERSION}`],
  ]
  const optionsOf = (name: string, baseUrl: string): TrafficOptions => {
    const har = JSON.parse(readFileSync(join(folder, name, 'recording.har'), 'utf8'))
    const urls: string[] = har.log.entries.map(({ request }: { request: { url: string } }) => request.url)
    const found = urls.find((url) => url.includes(`${VERSION}/`))?.split(`${VERSION}/`)[0]
    return {
      har,
      baseUrl: baseUrl || `${found}${VERSION}`,
      attachment: (file) => readFileSync(join(folder, name, file)),
    }
  }

  it.each(all)('%s passes, and each request of the page counts once', async (name, baseUrl) => {
    const report = await checkTraffic(optionsOf(name, baseUrl))
    expect(failedOr(report), RENEW).toEqual(NOTHING)
    const times = Object.fromEntries(
      report.coverage.map(({ operation, responses }) => [
        operation,
        responses.map(({ status, times, withBody }) => [status, times, withBody]).filter(([, count]) => count),
      ]),
    )
    const requested = Object.fromEntries(Object.entries(times).filter(([, responses]) => responses.length > 0))
    // Of the seven polls of the page three broke off, and one was aborted before a response came.
    expect(requested).toEqual({
      getCurrentWorkspace: [[200, 1, 1]],
      listPlaybooks: [[200, 1, 1]],
      triggerRun: [[201, 1, 1]],
      getRun: [[200, 9, 5]],
      listProviders: [[200, 1, 1]],
    })
    expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S16', 'S17', 'S19', 'S20', 'S23']))
    expect(report.remarks.join(' ')).toContain('12 recorded twice')
    expect(report.remarks.join(' ')).toContain("2 from the browser's cache")
  })
})

describe('an entry whose key was not recorded', () => {
  const recorded = { path: '/workspaces/me', body: WORKSPACE, key: KEY, headers: HOST }

  it.each([
    ['without any header, as Insomnia leaves out those of its Auth tab', {}],
    [
      'with provisional headers, as Chrome writes them',
      { headers: { accept: 'application/json', referer: 'https://app.example/' } },
    ],
  ])('%s fails nothing, although others have their key', async (_, entry) => {
    const report = await check([recorded, { path: '/providers', body: PROVIDERS, at: 1, ...entry }])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
  })

  it.each([
    ['Host', { headers: HOST }],
    ['the pseudo-header :authority', { headers: { ':authority': HOST.host } }],
  ])('a request whose headers were recorded, with %s, and that has no key fails when it succeeds', async (_, entry) => {
    const report = await check([recorded, { path: '/providers', body: PROVIDERS, at: 1, ...entry }])
    expect(ids(report, 'fail')).toEqual(['S24'])
  })

  it('a request whose key is unknown is no client of another workspace', async () => {
    const report = await check([
      { ...recorded, headers: HOST },
      { path: '/runs/run_1', body: run(), key: KEY, headers: HOST, at: 1 },
      { path: '/workspaces/me', body: { id: 'ws_2', name: 'Two' }, at: 2 },
      { path: '/runs/run_1', body: run(), at: 3 },
    ])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
  })
})

describe('an entry that came from a cache', () => {
  const first = { path: '/providers', body: PROVIDERS, key: KEY }
  const poll = (at: number, steps: object[], entry: object = {}) => ({
    path: '/runs/run_1',
    key: KEY,
    at,
    body: run({ steps }),
    entry,
  })
  const step = { id: 'step_1', status: 'succeeded', capability: 'crm.create' }

  it.each<[what: string, entry: object]>([
    ['Safari, from memory', { _fetchType: 'Memory Cache' }],
    ['Safari, from disk', { _fetchType: 'Disk Cache' }],
    ['Safari, from a service worker', { _fetchType: 'Service Worker' }],
    ['Safari, where a developer replaces the response', { _fetchType: 'Inspector Override' }],
    ['Firefox', { time: 0, timings: {}, response: { status: 200, bodySize: 0 } }],
    ['Playwright', { response: { status: 200, _transferSize: 0 } }],
    ['Chrome', { _fromCache: 'disk' }],
  ])('%s: it is no response of the service', async (_, entry) => {
    const { response = {}, ...others } = entry as { response?: object }
    const complete = (body: object) => ({
      ...others,
      response: {
        status: 200,
        headers: named({ 'content-type': 'application/json' }),
        content: { size: 10, text: JSON.stringify(body) },
        ...response,
      },
    })
    const report = await check([
      first,
      { ...first, at: 5, entry: complete(PROVIDERS) },
      poll(10, [step]),
      poll(11, [], complete(run())),
    ])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
    expect(report.requests).toBe(2)
  })

  it('a response that Safari loaded from the network is one of the service', async () => {
    const report = await check([first, { ...first, at: 5, entry: { _fetchType: 'Network Load' } }])
    expect([report.requests, ids(report, 'client')]).toEqual([2, ['S38']])
  })
})

describe('a recording whose secrets were removed', () => {
  const of = (authorization: string) => [
    { path: '/workspaces/me', body: WORKSPACE, headers: { ...HOST, authorization } },
    { path: '/workspaces/me', body: { id: 'ws_2', name: 'Two' }, headers: { ...HOST, authorization }, at: 1 },
    { path: '/runs/run_1', body: run(), headers: { ...HOST, authorization }, at: 2 },
  ]

  it.each([
    'Bearer [redacted]',
    'Bearer REDACTED',
    '[REDACTED]',
    'redacted',
    'Bearer ****',
    '********',
    'Bearer',
    '',
    'Bearer <token>',
    'Bearer {{api_key}}',
    'Bearer $API_KEY',
    'Bearer XXXXXXXX',
    'Bearer ey[redacted]',
    '<removed>',
    'Bearer _FILTERED_',
  ])('the placeholder %j is no key of one workspace, and no request without a key', async (placeholder) => {
    const report = await check([
      ...of(placeholder),
      { path: '/providers', body: PROVIDERS, key: KEY, headers: HOST, at: 3 },
    ])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
    expect(report.remarks.join(' ')).toContain('The key of 3 of 4 requests was not recorded')
  })

  it('a key that only looks unusual is a key', async () => {
    expect(ids(await check(of('Bearer key_xxxx_1')), 'fail')).toEqual(['S03'])
  })

  it.each(['[redacted]', 'REDACTED', '"[REDACTED]"', '***', '<body removed>', '(omitted)', '[sanitized by a tool]'])(
    'a body that is %j was not recorded',
    async (text) => {
      const report = await check([
        { path: '/workspaces/me', text, key: KEY },
        { path: '/providers', body: PROVIDERS, key: KEY, at: 1 },
      ])
      expect(failedOr(report), RENEW).toEqual(NOTHING)
      expect(report.remarks.join(' ')).toContain('The body of 1 of 2 responses was not recorded')
    },
  )

  it('a body in which ids were replaced by a placeholder was not recorded', async () => {
    const body = run({ id: '[redacted]', playbook_id: '[redacted]' })
    const report = await check([{ path: '/runs/run_1', body, key: KEY }])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
  })

  it.each(['hidden', 'removed', 'filtered', 'omitted', 'masked'])(
    'a body that has the word "%s" as a value was recorded',
    async (visibility) => {
      const { id: _, ...body } = run({ visibility })
      expect(ids(await check([{ path: '/runs/run_1', body, key: KEY }]), 'fail')).toEqual(['S05'])
    },
  )

  it.each(['REDACTED', '[hidden]', '**removed**', '_FILTERED_', '<omitted>'])(
    'a body that has %j as a value was not recorded',
    async (visibility) => {
      const { id: _, ...body } = run({ visibility })
      expect(failedOr(await check([{ path: '/runs/run_1', body, key: KEY }])), RENEW).toEqual(NOTHING)
    },
  )

  it('text that is said to be base64 and is not is the text, as old versions of Firefox write it', async () => {
    const content = { text: JSON.stringify(WORKSPACE), encoding: 'base64' }
    const response = { status: 200, headers: named({ 'content-type': 'application/json' }), content }
    const report = await check([{ key: KEY, entry: { response } }])
    expect(failedOr(report), RENEW).toEqual(NOTHING)
    expect(ids(report, 'pass')).toContain('S16')
  })

  it('a check is refused when every entry is from a cache, and nothing is left', async () => {
    await expect(check([{ entry: { _fetchType: 'Disk Cache' } }])).rejects.toThrow(/1 from the browser's cache/)
  })

  it('a body that is a word and no placeholder is still no JSON', async () => {
    expect(ids(await check([{ path: '/workspaces/me', text: 'OK', key: KEY }]), 'fail')).toEqual(['S16'])
  })
})

describe('what only an assumption excludes', () => {
  const step = (id: string) => ({ id, status: 'succeeded', capability: 'crm.create' })
  const poll = (at: number, changes: object) => ({ path: '/runs/run_1', key: KEY, at, body: run(changes) })

  it('a run that has succeeded and later runs again with other steps contradicts assumptions and fails nothing', async () => {
    const report = await check([
      poll(0, { status: 'succeeded', steps: [step('step_1')] }),
      poll(1, { status: 'running', steps: [step('step_2')] }),
    ])
    expect([ids(report, 'fail'), ids(report, 'contradicted')]).toEqual([[], ['A07']])
  })

  it('a run that starts anew, at another time and with other steps, contradicts assumptions and fails nothing', async () => {
    const report = await check([
      poll(0, { steps: [step('step_1'), step('step_2')] }),
      poll(1, { started_at: '2026-11-21T09:05:00Z', steps: [step('step_3')] }),
    ])
    expect([ids(report, 'fail'), ids(report, 'contradicted')]).toEqual([[], ['A51']])
  })

  it('a step that is lost while the run goes on contradicts A59 and fails nothing', async () => {
    const report = await check([
      poll(0, { steps: [step('step_1'), step('step_2')] }),
      poll(1, { steps: [step('step_1')] }),
    ])
    expect([ids(report, 'fail'), ids(report, 'contradicted')]).toEqual([[], ['A59']])
  })
})
