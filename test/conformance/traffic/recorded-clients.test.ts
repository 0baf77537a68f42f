import { describe, expect, it } from 'vitest'
import { basis, plans } from '../../../generated/contract.js'
import { errorRateLimited } from '../../../generated/examples.js'
import type { Report } from '../../../src/tools/conformance/index.js'
import { renderJunit } from '../../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../../src/tools/conformance/report/table.js'
import { createSandbox, type Fault } from '../../../src/tools/sandbox/index.js'
import { listOf } from '../../support/fixtures.js'
import { ids } from '../service.js'
import { BASE_URL, check, named, run, type Sent } from './recording.js'

const HOST = { host: 'workflow-automation.example' }
const KEY = 'key_of_the_recording'

const trigger = {
  path: '/playbooks/pb_1/runs',
  method: 'POST',
  sent: '{"inputs":{"order":"42"}}',
  key: KEY,
  headers: HOST,
}
const started = { ...trigger, status: 201, body: { id: 'run_1' }, at: 2 }
const lost = (more: Record<string, unknown>): Sent => ({
  ...trigger,
  entry: { response: { status: 0, headers: [], content: {} }, ...more },
})
const failed = (error: string, more: object = {}) =>
  lost({ response: { status: 0, headers: [], content: {}, _error: error }, ...more })

const messages = (report: Report, id: string) =>
  report.findings.filter(({ basis, outcome }) => basis === id && outcome === 'client').map(({ message }) => message)

describe('a recorded trigger that is sent again', () => {
  it.each<[string, Sent, string]>([
    ['after a 504', { ...trigger, status: 504, body: { message: 'gateway' } }, 'got 504'],
    ['after a 409', { ...trigger, status: 409, body: {} }, 'got 409'],
    [
      'after the page of a proxy',
      { ...trigger, status: 200, text: '<html>', responseHeaders: { 'content-type': 'text/html' } },
      'got 200',
    ],
    ['after it waited for a response', lost({ timings: { send: 0, wait: 30, receive: -1 } }), 'got no response'],
    [
      'after Chrome lost the response',
      failed('net::ERR_EMPTY_RESPONSE', { timings: { blocked: 3, send: 0, wait: 0 } }),
      'got no response',
    ],
    ['after a reset', failed('net::ERR_CONNECTION_RESET'), 'got no response'],
    ['after mitmproxy lost the server', failed('server closed connection'), 'got no response'],
    ['after the client of mitmproxy left', failed('Client disconnected.'), 'got no response'],
    ['after Safari lost the response', failed('The network connection was lost.'), 'got no response'],
    [
      'after Playwright lost the response',
      lost({
        response: { status: -1, _failureText: 'net::ERR_HTTP2_PROTOCOL_ERROR' },
        timings: { send: -1, wait: -1, receive: -1 },
      }),
      'got no response',
    ],
    [
      'after a response whose body was cut off',
      lost({ response: { status: 201, headers: [], content: {}, _failureText: 'net::ERR_CONTENT_LENGTH_MISMATCH' } }),
      'got no response',
    ],
  ])('%s is found', async (_, first, what) => {
    const report = await check([first, started], { failOnClient: true })
    expect([report.passed, ids(report, 'fail')]).toEqual([false, ['D10']])
    const { message } = report.findings.find(({ outcome }) => outcome === 'fail') ?? {}
    expect(message).toMatch(
      new RegExp(`^the client sent the same trigger again (1\\.99|2) s after one that ${what}\\. The first one`),
    )
  })

  it.each<[string, Sent]>([
    ['was refused a connection', failed('net::ERR_CONNECTION_REFUSED', { timings: { blocked: 5, send: 0, wait: 0 } })],
    ['found no address', failed('net::ERR_NAME_NOT_RESOLVED')],
    ['was offline', failed('net::ERR_INTERNET_DISCONNECTED')],
    ['had no time to connect', failed('net::ERR_CONNECTION_TIMED_OUT')],
    ['was blocked by an extension', failed('net::ERR_BLOCKED_BY_CLIENT')],
    ['did not get through a proxy', failed('net::ERR_TUNNEL_CONNECTION_FAILED', { timings: { send: 1 } })],
    ['was killed in mitmproxy', failed('Connection killed.', { timings: { send: 4, wait: 0, receive: 0 } })],
    ['was aborted, nobody knows when', failed('net::ERR_ABORTED', { timings: { send: -1, wait: -1, receive: -1 } })],
    ['has no time and no error', lost({ timings: { blocked: 20, send: -1, wait: -1, receive: -1 } })],
  ])(
    'after one that %s is no second run, and the report says which rule the entry could have shown',
    async (_, first) => {
      const report = await check([first, started])
      expect([ids(report, 'client'), ids(report, 'not-exercised').includes('D10')]).toEqual([[], true])
      expect(report.remarks[0]).toBe(
        'Entries that were ignored: 1 without a response. They could have shown: "A trigger whose response was lost is not sent again" (D10).',
      )
    },
  )

  it.each<[string, Sent]>([
    [
      'mitmproxy, which ends with the sending',
      failed('Client disconnected.', { time: 3, timings: { connect: 1, ssl: null, send: 2, receive: 0, wait: 0 } }),
    ],
    [
      'Playwright, which has none',
      failed('net::ERR_CONNECTION_RESET', { time: -1, timings: { send: -1, wait: -1, receive: -1 } }),
    ],
  ])(
    'may have been sent together with the first one where that has no time of its loss, and is advice: %s',
    async (_, first) => {
      const report = await check([first, started], { failOnClient: true })
      expect([report.passed, messages(report, 'D10').length]).toEqual([true, 1])
    },
  )

  it('was not sent twice where Playwright gives a request that an extension blocked the status 200', async () => {
    const blocked = { status: 200, headers: [], content: { size: -1 }, _failureText: 'net::ERR_ABORTED' }
    const first = lost({ response: blocked, time: -1, timings: { send: -1, wait: -1, receive: -1 } })
    expect(ids(await check([first, started]), 'client')).toEqual([])
  })

  it.each([400, 401, 403, 404, 429, 500])('after a %i is no second run', async (status) => {
    expect(ids(await check([{ ...trigger, status, body: errorRateLimited }, started]), 'client')).not.toContain('D10')
  })

  it('with other inputs, or with another key, is no repetition', async () => {
    const other = { ...started, sent: '{"inputs":{"order":"43"}}' }
    const report = await check([{ ...trigger, status: 504 }, other, { ...started, key: 'another' }])
    expect([ids(report, 'client'), ids(report, 'pass').includes('D10')]).toEqual([[], true])
  })

  it('is titled with the rule, in text and in JUnit', async () => {
    const report = await check([{ ...trigger, status: 504 }, started], { failOnClient: true })
    for (const shown of [renderTable(report, { colour: false, width: 200 }), renderJunit(report)])
      expect([shown.includes('A trigger whose response was lost'), shown.includes(basis.D10.text)]).toEqual([
        true,
        false,
      ])
  })
})

it.each<[string, Sent[], RegExp]>([
  ['the service', [{ path: '/runs/run_1', body: run({ started_at: 'yesterday' }), key: KEY }], /The service's side: /],
  ['the client', [{ ...trigger, status: 504, body: {} }, started], /The client's side: /],
  [
    'both',
    [{ ...trigger, status: 504, body: {} }, started, { path: '/runs/run_1', body: run({ steps: 1 }), key: KEY, at: 3 }],
    /Both sides: /,
  ],
  ['neither', [{ path: '/runs/run_1', body: run(), key: KEY }], /Neither side: /],
])('the report ends with the side that is at fault: %s', async (_, sent, side) => {
  expect(
    renderTable(await check(sent), { colour: false, width: Infinity })
      .trim()
      .split('\n')
      .at(-1),
  ).toMatch(side)
})

describe('a recorded request without a key', () => {
  const keyed = { path: '/runs/run_1', body: run(), key: KEY, headers: HOST }
  const refused = { path: '/runs/run_1', status: 401, body: { error: 'unauthorized', message: 'no key' }, at: 5 }
  const sentWithout = 'the client sent getRun without the header Authorization'

  it.each<[string, Sent[], string[]]>([
    ['that got 401 beside one with a key', [keyed, refused], [sentWithout]],
    [
      'whose headers are those that were sent, beside one with a key',
      [keyed, { ...refused, headers: HOST, status: 200, body: run() }],
      [sentWithout],
    ],
    ['that got 401 where no other was taken', [refused], [sentWithout]],
    [
      'that got 401 where others without one were taken, as in an export without keys',
      [
        { ...keyed, key: '' },
        { ...refused, headers: HOST },
      ],
      [],
    ],
    ['that got 401, in an export of Chrome', [{ ...refused, headers: HOST, entry: { _priority: 'High' } }], []],
    [
      'that got 401 and whose key was removed',
      [keyed, { ...refused, headers: { ...HOST, authorization: '[redacted]' } }],
      [],
    ],
    [
      'that was taken, with headers that a browser only shows',
      [keyed, { ...keyed, key: '', headers: { accept: '*/*' }, at: 5 }],
      [],
    ],
  ])('%s', async (_, sent, expected) => {
    expect(messages(await check(sent), 'S23')).toEqual(expected)
  })
})

it.each<[string, object]>([
  ['says so', { text: '{"inputs":{"order":"4', comment: 'truncated' }],
  ['counts more bytes', { text: '{"inputs":{"order":"4', size: 90_000 }],
])('the body of a request that the recorder cut off shows nothing that is wrong where it %s', async (_, postData) => {
  const of = (at: number, status: number): Sent => {
    const request = {
      method: 'POST',
      url: `${BASE_URL}${trigger.path}`,
      headers: named({ authorization: `Bearer ${KEY}` }),
    }
    return { ...trigger, status, body: { id: 'run_1' }, at, entry: { request: { ...request, postData } } }
  }
  expect(ids(await check([of(0, 201)]), 'client')).toEqual([])
  const refused = await Promise.all([400, 422].map((status) => check([of(0, status)])))
  for (const report of refused) expect([ids(report, 'fail'), ids(report, 'pass').includes('S26')]).toEqual([[], false])
  // What follows may differ, so that two triggers may be meant.
  const twice = await check([of(0, 504), of(2, 201)], { failOnClient: true })
  expect([twice.passed, ids(twice, 'client')]).toEqual([true, ['D10']])
})

it.each([
  ['Token', `Token ${KEY}`, 'with Token instead of Bearer'],
  ['Basic', `Basic ${btoa(`${KEY}:`)}`, 'with Basic instead of Bearer'],
  ['no scheme', KEY, 'without "Bearer" before the key'],
  ['a scheme that is not known', `Key ${KEY}`, 'without "Bearer" before the key'],
])('a recorded key with %s is not sent as Bearer, and no report names the key', async (_, authorization, what) => {
  const report = await check([{ headers: { ...HOST, authorization } }], { failOnClient: true })
  expect(ids(report, 'fail')).toEqual(['S23'])
  expect(report.findings.find(({ basis }) => basis === 'S23')?.message).toBe(
    `the client sent getCurrentWorkspace ${what} in the header Authorization`,
  )
  expect(JSON.stringify(report)).not.toContain(authorization.split(' ').at(-1))
})

it('a recorded list that is requested again is advice, which --fail-on-client does not fail', async () => {
  const list = { path: '/playbooks', body: listOf([]) }
  const report = await check([list, { ...list, at: 9 }], { failOnClient: true })
  expect([report.passed, ids(report, 'client'), ids(report, 'fail')]).toEqual([true, ['S38'], []])
})

it('recorded workers that share a key are advised once, and failed when one of them resends at once twice', async () => {
  const poll = { path: '/runs/run_1', body: run(), key: KEY, headers: HOST }
  const body = { ...errorRateLimited, retry_after: 30 }
  const limited = { ...poll, status: 429, body, responseHeaders: { 'retry-after': '30' } }
  const together = [poll, { ...poll, at: 0.001 }, { ...limited, at: 5 }, { ...poll, at: 6 }]
  const once = await check(together, { failOnClient: true })
  expect([once.passed, ids(once, 'client')]).toEqual([true, ['S33']])
  const twice = await check([...together, { ...limited, at: 60 }, { ...poll, at: 61 }], { failOnClient: true })
  expect(ids(twice, 'fail')).toEqual(['S33'])
})

describe('what a sandbox finds live', () => {
  type Step = [
    method: string,
    path: string,
    init?: { body?: string; headers?: Record<string, string>; wait?: number; fault?: Fault },
  ]
  const POST = '{"inputs":{"order":"1"}}'
  const runs = '/playbooks/PLAYBOOK/runs'
  it.each<[string, Step[]]>([
    [
      'no key',
      [
        ['GET', '/providers'],
        ['GET', '/workspaces/me', { headers: {} }],
      ],
    ],
    ['a pin that is no date', [['GET', '/providers', { headers: { authorization: 'KEY', 'service-version': 'x' } }]]],
    [
      'a trigger sent again after a 502',
      [
        ['POST', runs, { body: POST, fault: { status: 502 } }],
        ['POST', runs, { body: POST }],
      ],
    ],
    [
      'a trigger sent again after a cut',
      [
        ['POST', runs, { body: POST, fault: { cutOff: true } }],
        ['POST', runs, { body: POST }],
      ],
    ],
    [
      'a trigger sent again after a loss',
      [
        ['POST', runs, { body: POST, fault: { drop: true, after: 'effect' } }],
        ['POST', runs, { body: POST }],
      ],
    ],
    ['inputs that are no strings', [['POST', runs, { body: '{"inputs":{"n":5}}' }]]],
    [
      'a wait that is too short',
      [
        ['GET', '/runs/x', { fault: { status: 429, retryAfter: 5 } }],
        ['GET', '/runs/x', { wait: 1_000 }],
      ],
    ],
    [
      'no wait',
      [
        ['GET', '/runs/x', { fault: { status: 429, retryAfter: false } }],
        ['GET', '/runs/x', { wait: 20 }],
      ],
    ],
    [
      'a list that is not kept',
      [
        ['GET', '/playbooks'],
        ['GET', '/playbooks', { wait: 9_000 }],
      ],
    ],
    [
      'more requests than the rate allows',
      Array.from({ length: plans.pro.burst + 10 }, (): Step => ['GET', '/workspaces/me']),
    ],
    [
      'nothing wrong',
      [
        ['GET', '/playbooks'],
        ['POST', runs, { body: POST }],
        ['GET', '/runs/x', { wait: 2_000 }],
      ],
    ],
  ])('is found in a recording of the same requests too: %s', async (what, steps) => {
    let time = Date.UTC(2030, 0)
    const sandbox = createSandbox({ clock: { now: () => time } })
    const authorization = `Bearer ${sandbox.keys.valid}`
    const sent: Sent[] = []
    for (const [method, where, { body, wait = 1, fault, headers = { authorization } } = {}] of steps) {
      time += wait
      const at = (time - Date.UTC(2030, 0)) / 1_000
      const path = where.replace('PLAYBOOK', sandbox.playbooks.succeeds)
      const own = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('KEY', authorization)]),
      )
      if (fault) sandbox.inject(fault)
      const init = { method, headers: { ...own, 'content-type': 'application/json' }, ...(body && { body }) }
      const response = await sandbox.fetch(sandbox.baseUrl + path, init).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      time += 1
      const isWhole = response !== undefined && text !== undefined
      sent.push({
        ...{ path, method, at, time: 1, headers: { ...own, ...HOST } },
        ...(body && { sent: body }),
        ...(isWhole
          ? {
              ...{ status: response.status, text, responseHeaders: Object.fromEntries(response.headers) },
              entry: { connection: '7' },
            }
          : { entry: { connection: '7', response: { status: 0, _error: 'socket hang up' } } }),
      })
    }
    const live = sandbox.clientRules().findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'warning')
    const recorded = await check(sent, { failOnClient: true })
    const sentence = (message: string) => message.split('. ')[0]?.replace(/^(It|the client) /, '')
    const shown = (report: readonly { basis: string; message: string }[]) =>
      report.map(({ basis, message }) => `${basis} ${sentence(message)}`)
    const isOfClient = ({ keyword, outcome }: Report['findings'][number]) =>
      keyword === 'client' && /fail|client/.test(outcome)
    expect(shown(recorded.findings.filter(isOfClient))).toEqual(shown(live))
    expect(live.length > 0).toBe(what !== 'nothing wrong')
  })
})
