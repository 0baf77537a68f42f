import { describe, expect, it } from 'vitest'
import { triggeredRun } from '../../generated/examples.js'
import { type Answer, type Change, ids, type Trial, tryService } from './service.js'

type Variant = [name: string, contradicted: string[], change: Change, trial?: Trial]

const on =
  (status: number, path: RegExp, change: (answer: Answer) => unknown): Change =>
  (answer) => {
    if (answer.status === status && path.test(answer.path)) change(answer)
  }
const run = { trigger: 'succeeds' } as const
const approval = { trigger: 'needsApproval' } as const

const variants: Variant[] = [
  ['a trigger is answered 202', ['A13'], on(201, /./, (answer) => (answer.status = 202)), run],
  ['lists are answered 203', ['A12'], on(200, /^\/p/, (answer) => (answer.status = 203))],
  [
    'lists go on by a cursor',
    ['A15'],
    async (answer, { fetch, baseUrl, keys }) => {
      if (answer.status !== 200 || answer.query.size === 0) return
      const all = await fetch(baseUrl + answer.path, { headers: { authorization: `Bearer ${keys.valid}` } })
      answer.body = await all.json()
      answer.body.meta.next_cursor = 'abc'
    },
  ],
  [
    'page and per_page are refused',
    ['A15'],
    (answer) => {
      if (answer.status === 200 && answer.query.size > 0)
        Object.assign(answer, { status: 400, body: { error: 'bad_request', message: 'Unknown parameter.' } })
    },
  ],
  [
    'a page holds 50',
    ['A16'],
    (answer) => {
      if (answer.body?.meta && answer.query.size === 0) answer.body.meta.per_page = 50
    },
  ],
  [
    'pages are counted from 0',
    ['A15', 'A16'],
    (answer) => {
      if (answer.body?.meta) answer.body.meta.page--
    },
  ],
  [
    'errors have no body',
    ['A17'],
    (answer) => {
      if (answer.status >= 400) answer.text = ''
    },
  ],
  [
    'errors are HTML pages',
    ['A17'],
    (answer) => {
      if (answer.status < 400) return
      answer.text = '<h1>Error</h1>'
      answer.headers.set('content-type', 'text/html')
    },
  ],
  [
    'errors have another shape',
    ['A17'],
    (answer) => {
      if (answer.status >= 400) answer.body = { errors: [{ detail: 'It is wrong.' }] }
    },
  ],
  [
    'errors have other names',
    ['A24'],
    (answer) => {
      if (answer.status >= 400) answer.body.error = `E_${answer.status}`
    },
  ],
  ['a workspace has no name', ['A01'], on(200, /^\/workspaces/, ({ body }) => delete body.name)],
  [
    'playbooks have a title',
    ['A02'],
    on(200, /^\/playbooks/, ({ body }) => {
      body.data = body.data.map(({ id, name }: Record<string, string>) => ({ id, title: name }))
    }),
  ],
  [
    'providers have a slug',
    ['A03'],
    on(200, /^\/providers/, ({ body }) => {
      body.data = body.data.map(({ id, name }: Record<string, string>) => ({ slug: id, name }))
    }),
  ],
  [
    'capabilities name other providers',
    ['A04'],
    on(200, /^\/runs/, ({ body }) => {
      for (const step of body.steps) if (step.capability) step.capability = `x-${step.capability}`
    }),
    run,
  ],
  [
    'a run ends as completed',
    ['A05', 'A07'],
    on(200, /^\/runs/, ({ body }) => {
      if (body.status === 'succeeded') body.status = 'completed'
    }),
    run,
  ],
  ['a run begins as queued', ['A05', 'A07'], on(201, /./, ({ body }) => (body.status = 'queued')), run],
  [
    'steps are called done',
    ['A06', 'A08'],
    on(200, /^\/runs/, ({ body }) => {
      for (const step of body.steps) if (step.status === 'succeeded') step.status = 'done'
    }),
    run,
  ],
  [
    'a run that has ended goes on',
    ['A07'],
    (() => {
      let ended = 0
      return on(200, /^\/runs/, ({ body }) => {
        if (body.status === 'succeeded' && ++ended > 1) body.status = 'running'
      })
    })(),
    run,
  ],
  [
    'a run has a status of its own while it waits',
    ['A05', 'A07', 'A09'],
    on(200, /^\/runs/, ({ body }) => {
      if (body.steps.some(({ status }: { status: string }) => status === 'waiting_approval')) body.status = 'paused'
    }),
    approval,
  ],
  [
    'a step that waits has a capability',
    ['O03'],
    on(200, /^\/runs/, ({ body }) => {
      for (const step of body.steps) if (step.status === 'waiting_approval') step.capability = 'billing.refund'
    }),
    approval,
  ],
  [
    'all steps are listed from the start',
    ['A06', 'A08', 'A11'],
    on(200, /^\/runs/, ({ body }) => {
      if (body.steps.length === 1) body.steps.push({ id: 'step_2', status: 'pending' })
    }),
    run,
  ],
  [
    'the answer to a trigger is an id only',
    ['A14'],
    on(201, /./, (answer) => (answer.body = { id: answer.body.id })),
    run,
  ],
  [
    'refused inputs are answered 422',
    ['A22'],
    on(201, /./, (answer) =>
      Object.assign(answer, { status: 422, body: { error: 'bad_request', message: 'The input "order" is missing.' } }),
    ),
    run,
  ],
  [
    'a malformed pin is taken',
    ['A20'],
    async (answer, { fetch, baseUrl, keys }) => {
      if (answer.status !== 400 || answer.path !== '/workspaces/me') return
      answer.status = 200
      answer.body = await (
        await fetch(`${baseUrl}/workspaces/me`, { headers: { authorization: `Bearer ${keys.valid}` } })
      ).json()
    },
  ],
  [
    'a date that is no release is refused',
    ['A26'],
    (answer) => {
      if (answer.status === 200 && answer.number > 2 && answer.number < 6)
        Object.assign(answer, { status: 400, body: { error: 'bad_request', message: 'There is no such release.' } })
    },
  ],
  [
    'unknown properties of a body are taken',
    ['A21'],
    (answer) => {
      if (answer.sent.includes('conformance_check')) Object.assign(answer, { status: 201, body: triggeredRun })
    },
  ],
  [
    'a run of another workspace is forbidden',
    ['A25'],
    (answer, { keys }) => {
      if (answer.status === 404 && answer.key === keys.otherWorkspace)
        Object.assign(answer, { status: 403, body: { error: 'forbidden', message: 'It is not yours.' } })
    },
    run,
  ],
  [
    'a plan without API access is answered 402',
    ['A18'],
    (answer, { keys }) => {
      if (answer.key === keys.hobby) answer.status = 402
    },
  ],
  [
    'the burst is smaller',
    ['A19'],
    () => {},
    { rateLimit: true, sandbox: { plan: { requestsPerMinute: 60, burst: 70 } } },
  ],
  [
    'the limit fills up ten times as fast',
    ['A19'],
    ({ status, body }) => {
      if (status === 429) body.message = body.message.replace('600', '60')
    },
    { rateLimit: true, sandbox: { plan: { requestsPerMinute: 600, burst: 120 } } },
  ],
]

describe('a service that differs in what is assumed only passes, with the assumption contradicted', () => {
  it.each(variants)('%s: %j', async (_, contradicted, change, trial) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([])
    expect(report.passed).toBe(true)
    expect(ids(report, 'contradicted').sort()).toEqual([...contradicted].sort())
  })
})
