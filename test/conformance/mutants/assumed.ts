import { entries } from '../../../generated/conformance.js'
import { triggeredRun } from '../../../generated/examples.js'
import type { BasisId } from '../../../generated/operations.js'
import type { Change, Served, Trial } from '../service.js'
import type { Mutant } from './mutant.js'

type Variant = [name: string, contradicts: string[], change: Change, trial?: Trial]

const on =
  (status: number, path: RegExp, change: (it: Served) => unknown): Change =>
  (it) => {
    if (it.status === status && path.test(it.path)) change(it)
  }
const run = { trigger: 'succeeds' } as const
const approval = { trigger: 'needsApproval' } as const

const variants: Variant[] = [
  ['a trigger gets 202', ['A13'], on(201, /./, (it) => (it.status = 202)), run],
  ['lists get 203', ['A12'], on(200, /^\/p/, (it) => (it.status = 203))],
  [
    'lists go on by a cursor',
    ['A15'],
    async (it, { fetch, baseUrl }) => {
      if (it.status !== 200 || it.query.size === 0) return
      const all = await fetch(baseUrl + it.path, { headers: { authorization: `Bearer ${it.key}` } })
      it.body = await all.json()
      it.body.meta.next_cursor = 'abc'
    },
  ],
  [
    'page and per_page are refused',
    ['A15'],
    (it) => {
      if (it.status === 200 && it.query.size > 0)
        Object.assign(it, { status: 400, body: { error: 'bad_request', message: 'Unknown parameter.' } })
    },
  ],
  [
    'a page has 50 items',
    ['A16'],
    (it) => {
      if (it.body?.meta && it.query.size === 0) it.body.meta.per_page = 50
    },
  ],
  [
    'pages are counted from 0',
    ['A15', 'A16'],
    (it) => {
      if (it.body?.meta) it.body.meta.page--
    },
  ],
  [
    'errors have no body',
    ['A17'],
    (it) => {
      if (it.status >= 400) it.text = ''
    },
  ],
  [
    'errors have another shape',
    ['A17'],
    (it) => {
      if (it.status >= 400) it.body = { errors: [{ detail: 'It is wrong.' }] }
    },
  ],
  [
    'errors have other names',
    ['A24'],
    (it) => {
      if (it.status >= 400) it.body.error = `E_${it.status}`
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
      const ended = new Set<unknown>()
      return on(200, /^\/runs/, ({ body }) => {
        if (ended.has(body.id)) body.status = 'running'
        if (body.status === 'succeeded') ended.add(body.id)
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
  ['the response to a trigger is an id only', ['A14'], on(201, /./, (it) => (it.body = { id: it.body.id })), run],
  [
    'refused inputs get 422',
    ['A22'],
    on(201, /./, (it) =>
      Object.assign(it, { status: 422, body: { error: 'bad_request', message: 'The input "order" is missing.' } }),
    ),
    run,
  ],
  [
    'a malformed pin is taken',
    ['A20'],
    async (it, { fetch, baseUrl, keys }) => {
      if (it.status !== 400 || it.path !== '/workspaces/me') return
      it.status = 200
      it.body = await (
        await fetch(`${baseUrl}/workspaces/me`, { headers: { authorization: `Bearer ${keys.valid}` } })
      ).json()
    },
  ],
  [
    'a date that is no release is refused',
    ['A26'],
    (it) => {
      if (it.status === 200 && it.number > 2 && it.number < 6)
        Object.assign(it, { status: 400, body: { error: 'bad_request', message: 'There is no such release.' } })
    },
  ],
  [
    'unknown properties of a body are taken',
    ['A21'],
    (it) => {
      if (it.sent.includes('conformance_check')) Object.assign(it, { status: 201, body: triggeredRun })
    },
  ],
  [
    'a run of another workspace is forbidden',
    ['A25'],
    (it, { keys }) => {
      if (it.status === 404 && it.key === keys.otherWorkspace)
        Object.assign(it, { status: 403, body: { error: 'forbidden', message: 'It is not yours.' } })
    },
    run,
  ],
  [
    'a plan without API access gets 402',
    ['A18'],
    (it, { keys }) => {
      if (it.key === keys.hobby) it.status = 402
    },
  ],
  [
    'a body has a vendor media type',
    ['A29'],
    on(200, /^\/workspaces/, ({ headers }) => headers.set('content-type', 'application/vnd.acme+json')),
  ],
  [
    'a body names another charset',
    ['A29'],
    on(200, /^\/providers/, ({ headers }) => headers.set('content-type', 'application/json; charset=iso-8859-1')),
  ],
  [
    'playbooks have a playbook_id',
    ['A30'],
    on(200, /^\/playbooks/, ({ body }) => {
      body.data = body.data.map(({ id, ...rest }: Record<string, string>) => ({ playbook_id: id, ...rest }))
    }),
  ],
  [
    'the id of a playbook is a number',
    ['A30'],
    on(200, /^\/playbooks/, ({ body }) => {
      for (const each of body.data) each.id = 7 + body.meta.page
    }),
  ],
  [
    'the run stands in the response to a trigger',
    ['A14', 'A31'],
    on(201, /./, (it) => (it.body = { run: it.body })),
    run,
  ],
  [
    'the id of the run is in Location only',
    ['A13', 'D02'],
    on(201, /./, (it) => {
      it.headers.set('location', `/v1/runs/${it.body.id}`)
      it.status = 204
      it.text = null
    }),
    run,
  ],
  [
    'the response to a trigger names another playbook',
    ['A14'],
    on(201, /./, ({ body }) => (body.playbook_id = 'pb_other')),
    run,
  ],
  ['the status in the response to a trigger is a number', ['A14'], on(201, /./, ({ body }) => (body.status = 1)), run],
  [
    'two triggers start one run',
    ['A34'],
    (() => {
      let first: string | undefined
      return on(201, /./, ({ body }) => {
        first ??= body.id
        body.id = first
      })
    })(),
    run,
  ],
  [
    'started_at has no seconds',
    ['A28'],
    on(200, /^\/runs/, ({ body }) => (body.started_at = '2026-11-21T19:00Z')),
    run,
  ],
]

/** Services that differ in what is only assumed: they pass, and the assumption is contradicted. */
export const assumedMutants: Mutant[] = variants.map(([name, contradicts, change, trial]) => ({
  name,
  // What is observed may bind all the same.
  ...(contradicts.some((id) => entries[id as BasisId].binding) ? { fails: contradicts } : { contradicts }),
  change,
  trial,
}))
