import { describe, expect, it } from 'vitest'
import { type Change, ids, type Trial, tryService } from './service.js'

type Mutant = [name: string, id: string, change: Change, trial?: Trial]

const at =
  (path: RegExp, change: Change): Change =>
  (answer, sandbox) => {
    if (answer.status < 300 && path.test(answer.path)) return change(answer, sandbox)
  }

const answers: Mutant[] = [
  ['the workspace is a list', 'S16', at(/^\/workspaces/, (answer) => (answer.body = [answer.body]))],
  [
    'the workspace comes as an HTML page',
    'S16',
    at(/^\/workspaces/, (answer) => {
      answer.text = '<!doctype html><title>Welcome</title>'
      answer.headers.set('content-type', 'text/html')
    }),
  ],
  [
    'the workspace has another content type',
    'S16',
    at(/^\/workspaces/, ({ headers }) => headers.set('content-type', 'text/plain')),
  ],
  ['the workspace of a key changes', 'S03', at(/^\/workspaces/, (answer) => (answer.body.id = `ws_${answer.number}`))],
  ['the playbooks are a bare list', 'S17', at(/^\/playbooks$/, (answer) => (answer.body = answer.body.data))],
  ['the JSON of the playbooks is cut off', 'S17', at(/^\/playbooks$/, (answer) => (answer.text = '{"data": [{'))],
  ['the list has no data', 'S14', at(/^\/playbooks$/, ({ body }) => delete body.data)],
  ['data is an object', 'S14', at(/^\/providers$/, ({ body }) => (body.data = { ...body.data }))],
  ['the list has no meta', 'S15', at(/^\/playbooks$/, ({ body }) => delete body.meta)],
  ['meta has no total', 'S15', at(/^\/playbooks$/, ({ body }) => delete body.meta.total)],
  ['meta.page is a text', 'S15', at(/^\/providers$/, ({ body }) => (body.meta.page = '1'))],
  ['meta.total is less than the page has', 'S15', at(/^\/playbooks$/, ({ body }) => (body.meta.total = 0))],
  ['a page has more items than per_page', 'S15', at(/^\/playbooks$/, ({ body }) => (body.meta.per_page = 0))],
  ['meta.total is negative', 'D07', at(/^\/playbooks$/, ({ body }) => (body.meta.total = -1))],
  ['a playbook has no id', 'D01', at(/^\/playbooks$/, ({ body }) => delete body.data[0]?.id)],
  [
    'a playbook has an empty id',
    'D06',
    at(/^\/playbooks$/, ({ body }) => Object.assign(body.data[0] ?? {}, { id: '' })),
  ],
  ['the providers are empty', 'S20', at(/^\/providers$/, (answer) => (answer.text = ''))],
  [
    'the providers are elsewhere',
    'S20',
    at(/^\/providers$/, (answer) => {
      answer.status = 302
      answer.text = ''
      answer.headers.set('location', 'https://elsewhere.example/v1/providers')
    }),
  ],
  [
    'the providers always fail',
    'S20',
    at(/^\/providers$/, (answer) => {
      answer.status = 500
      answer.body = { error: 'internal_error', message: 'It failed.' }
    }),
  ],
  ['a success has the status of an error', 'D03', at(/^\/playbooks$/, (answer) => (answer.status = 404))],
  [
    'a pin to a release that exists is refused',
    'S40',
    (answer) => {
      if (answer.status < 300 && answer.path === '/workspaces/me' && answer.number > 2) answer.status = 400
    },
    { options: { serviceVersion: '2026-01-01' } },
  ],
]

const refusals: Mutant[] = [
  [
    'a missing key is answered 403',
    'S24',
    (answer) => {
      if (answer.key === undefined) answer.status = 403
    },
  ],
  [
    'a wrong key is taken',
    'S24',
    (answer) => {
      if (answer.key?.includes('wrong') && answer.path === '/workspaces/me')
        Object.assign(answer, { status: 200, body: {} })
    },
  ],
  [
    'a malformed key is a fault of the service',
    'S24',
    (answer) => {
      if (answer.key === '') answer.status = 500
    },
  ],
  [
    'one operation asks for no key',
    'S24',
    (answer) => {
      if (answer.status === 401 && answer.path === '/providers')
        Object.assign(answer, { status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } })
    },
  ],
  [
    'a key without the permission is answered 401',
    'S25',
    (answer) => {
      if (answer.status === 403 && answer.key === 'key_read_only') answer.status = 401
    },
  ],
  [
    'a key without the permission may trigger',
    'S25',
    (answer) => {
      if (answer.status === 403 && answer.key === 'key_read_only')
        Object.assign(answer, { status: 201, body: { id: 'run_1' } })
    },
  ],
  [
    'a run that does not exist is answered 400',
    'S22',
    (answer) => {
      if (answer.status === 404 && answer.path.startsWith('/runs')) answer.status = 400
    },
  ],
  [
    'a playbook that does not exist is triggered',
    'S22',
    (answer) => {
      if (answer.status === 404 && answer.method === 'POST')
        Object.assign(answer, { status: 201, body: { id: 'run_1' } })
    },
  ],
  [
    'a malformed body is a fault of the service',
    'S26',
    (answer) => {
      if (answer.status === 400 && answer.method === 'POST' && answer.sent.endsWith('{}')) answer.status = 500
    },
  ],
  [
    'a body without inputs is answered 422',
    'S26',
    (answer) => {
      if (answer.status === 400 && answer.sent === '{}') answer.status = 422
    },
  ],
  [
    'a number as an input is taken',
    'S26',
    (answer) => {
      if (answer.status === 400 && answer.sent.includes('42'))
        Object.assign(answer, { status: 201, body: { id: 'run_1' } })
    },
  ],
  [
    'a malformed body breaks the connection',
    'S26',
    (answer) => {
      if (answer.status === 400 && answer.sent === '{}') throw new TypeError('fetch failed')
    },
  ],
]

describe('a service that breaks what is stated or derived fails, by the entry that it breaks', () => {
  it.each([...answers, ...refusals])('%s: %s', async (_, id, change, trial) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([id])
    expect(report.passed).toBe(false)
    const finding = report.findings.find((each) => each.outcome === 'fail')
    expect(finding?.request?.url).toContain('/v1/')
    expect(finding?.message).not.toBe('')
  })
})
