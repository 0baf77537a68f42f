import { describe, expect, it } from 'vitest'
import { checkTraffic, type Report } from '../../../src/tools/conformance/index.js'
import { ids, limited, printed, type Served, tryService } from '../../conformance/service.js'
import { VERSION } from '../../support/fixtures.js'

const DEPTH = 8_000

/** JSON that a service may send instead of any value, and that a program may stumble over. */
const VALUES: Record<string, string> = {
  'lists in lists': '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  'an object that is no text': '{"toString":1,"valueOf":1,"toJSON":1}',
  'half of a character': '"\\ud800"',
  'a long text': `"${'\\"x'.repeat(100_000)}"`,
}

/** A further field of every object, the fields that the contract names, and the whole body. */
const FIELDS = [
  ...['further', 'id', 'name', 'data', 'meta', 'total', 'page', 'status', 'playbook_id', 'started_at', 'steps'],
  ...['capability', ''],
]

const HERE = '@here@'

/** Replaces a field in every object of a body; the first item of a list stands for all. */
function replaced(value: unknown, field: string): unknown {
  if (field === '') return HERE
  if (Array.isArray(value)) return value.map((each, index) => (index === 0 ? replaced(each, field) : each))
  if (typeof value !== 'object' || value === null) return value
  const own = Object.entries(value).map(([name, each]) => [name, name === field ? HERE : replaced(each, field)])
  return Object.fromEntries(field === 'further' ? [...own, [field, HERE]] : own)
}

const bodyWith = (body: unknown, field: string, json: string): string =>
  JSON.stringify(replaced(body, field)).replaceAll(JSON.stringify(HERE), () => json)

function expectReadable(report: Report): void {
  for (const text of printed(report)) expect(text.length).toBeLessThan(1_500_000)
  expect(report.remarks.join()).not.toContain('interrupted')
}

/** The fields of a 429. */
const AT_LIMIT = ['further', 'error', 'message', 'retry_after', '']

/** Replaces one of these fields in each response, in turn. */
const inTurn = (fields: readonly string[], json: string) => (it: Served) => {
  it.text = bodyWith(it.body, fields[it.number % fields.length]!, json)
}

describe.each(Object.entries(VALUES))('with %s', (what, json) => {
  it.each([
    ['every field in turn', FIELDS],
    ['a further field', ['further']],
    ['every id', ['id']],
    ['the steps', ['steps']],
    ['every body', ['']],
  ])(`verify reports on a service with ${what} as %s`, async (_, fields) => {
    expectReadable(await tryService(inTurn(fields, json), { trigger: 'succeeds' }))
  })

  it(`verify reports on a service with ${what} as each field of a 429`, async () => {
    const report = await tryService(limited(inTurn(AT_LIMIT, json)), { rateLimit: true })
    expectReadable(report)
    expect(ids(report, 'pass')).toContain('S17')
  })
})

const recording = (response: object) => ({
  log: {
    entries: [0, 1].map((second) => ({
      startedDateTime: new Date(second * 1_000).toISOString(),
      time: 1,
      request: {
        method: 'GET',
        url: `https://api.example.com${VERSION}/workspaces/me`,
        headers: [{ name: 'Authorization', value: 'Bearer key_of_the_recording' }],
      },
      response: { status: 200, headers: [], ...response },
    })),
  },
})

it.each(Object.entries(VALUES))('checkTraffic reports on a recording with %s', async (_, json) => {
  const body = (id: string) => `{"id":"${id}","further":${json}}`
  const [har, other] = ['ws_1', 'ws_2'].map((id) => recording({ content: { text: body(id) } }))
  if (!har || !other) throw new Error('There are two recordings.')
  har.log.entries.push(...other.log.entries.map((entry) => ({ ...entry, time: 2 })))
  const report = await checkTraffic({ har, baseUrl: `https://api.example.com${VERSION}` })
  expectReadable(report)
  expect(report.requests).toBe(4)
})

it('checkTraffic reports on a recording whose secret header has characters that no header has', async () => {
  const har = recording({ headers: [{ name: 'x-token', value: 'tök€n-\ud800-of-a-service' }], content: { text: '{}' } })
  const report = await checkTraffic({ har, baseUrl: `https://api.example.com${VERSION}` })
  expect(report).toMatchObject({ passed: true, requests: 2 })
  expect(JSON.stringify(report)).not.toContain('of-a-service')
})
