import { accept, acceptTrigger, type Mutant, refusing, run, success, triggered, violating, when } from './mutant.js'

const followed = { trigger: 'succeeds' } as const
const waiting = { trigger: 'needsApproval' } as const

/** Services that differ in what is only assumed. */
export const assumedMutants: Mutant[] = [
  ...violating(
    {
      A13: {
        'a trigger gets 202': triggered((it) => (it.status = 202)),
      },
      A04: {
        'capabilities name other providers': run(({ body }) => {
          for (const step of body.steps) if (step.capability) step.capability = `x-${step.capability}`
        }),
      },
      A07: {
        'a run that has ended goes on': (() => {
          const ended = new Set<unknown>()
          return run(({ body }) => {
            if (ended.has(body.id)) body.status = 'running'
            if (body.status === 'succeeded') ended.add(body.id)
          })
        })(),
      },
      A14: {
        'the response to a trigger is an id only': triggered((it) => (it.body = { id: it.body.id })),
        'the response to a trigger names another playbook': triggered(({ body }) => (body.playbook_id = 'pb_other')),
        'the status in the response to a trigger is a number': triggered(({ body }) => (body.status = 1)),
      },
      A22: {
        'refused inputs get 422': triggered(refusing(422)),
      },
      A25: {
        'a run of another workspace is forbidden': when(
          ({ status, key }) => status === 404 && key === 'key_other_workspace',
          refusing(403),
        ),
      },
      A34: {
        'two triggers start one run': (() => {
          let first: string | undefined
          return triggered(({ body }) => {
            first ??= body.id
            body.id = first
          })
        })(),
      },
      A28: {
        'started_at has no seconds': run(({ body }) => (body.started_at = '2026-11-21T19:00Z')),
      },
    },
    followed,
  ),
  ...violating({
    A12: {
      'lists get 203': success(/^\/p/, (it) => (it.status = 203)),
    },
    A15: {
      'lists go on by a cursor': async (it, { fetch, baseUrl }) => {
        if (it.status !== 200 || it.query.size === 0) return
        const all = await fetch(baseUrl + it.path, { headers: { authorization: `Bearer ${it.key}` } })
        it.body = await all.json()
        it.body.meta.next_cursor = 'abc'
      },
      'page and per_page are refused': when(({ status, query }) => status === 200 && query.size > 0, refusing(400)),
    },
    A16: {
      'a page has 50 items': (it) => {
        if (it.body?.meta && it.query.size === 0) it.body.meta.per_page = 50
      },
    },
    A17: {
      'errors have no body': (it) => {
        if (it.status >= 400) it.text = ''
      },
      'errors have another shape': (it) => {
        if (it.status >= 400) it.body = { errors: [{ detail: 'It is wrong.' }] }
      },
    },
    A24: {
      'errors have other names': (it) => {
        if (it.status >= 400) it.body.error = `E_${it.status}`
      },
    },
    A01: {
      'a workspace has no name': success(/^\/workspaces/, ({ body }) => delete body.name),
    },
    A02: {
      'playbooks have a title': success(/^\/playbooks/, ({ body }) => {
        body.data = body.data.map(({ id, name }: Record<string, string>) => ({ id, title: name }))
      }),
    },
    A03: {
      'providers have a slug': success(/^\/providers/, ({ body }) => {
        body.data = body.data.map(({ id, name }: Record<string, string>) => ({ slug: id, name }))
      }),
    },
    A20: {
      'a malformed pin is taken': when(({ status, path }) => status === 400 && path === '/workspaces/me', accept()),
    },
    A26: {
      'a date that is no release is refused': when(
        ({ status, number }) => status === 200 && number > 2 && number < 6,
        refusing(400),
      ),
    },
    A21: {
      'unknown properties of a body are taken': when(({ sent }) => sent.includes('conformance_check'), acceptTrigger),
    },
    A18: {
      'a plan without API access gets 402': when(
        ({ key }) => key === 'key_hobby',
        (it) => (it.status = 402),
      ),
    },
    A29: {
      'a body has a vendor media type': success(/^\/workspaces/, ({ headers }) =>
        headers.set('content-type', 'application/vnd.acme+json'),
      ),
      'a body names another charset': success(/^\/providers/, ({ headers }) =>
        headers.set('content-type', 'application/json; charset=iso-8859-1'),
      ),
    },
    A30: {
      'playbooks have a playbook_id': success(/^\/playbooks/, ({ body }) => {
        body.data = body.data.map(({ id, ...rest }: Record<string, string>) => ({ playbook_id: id, ...rest }))
      }),
      'the id of a playbook is a number': success(/^\/playbooks/, ({ body }) => {
        for (const each of body.data) each.id = 7 + body.meta.page
      }),
    },
  }),
  ...violating(
    {
      O03: {
        'a step that waits has a capability': run(({ body }) => {
          for (const step of body.steps) if (step.status === 'waiting_approval') step.capability = 'billing.refund'
        }),
      },
    },
    waiting,
  ),
  {
    name: 'pages are counted from 0',
    violates: ['A15', 'A16'],
    change: (it) => {
      if (it.body?.meta) it.body.meta.page--
    },
  },
  {
    name: 'a run ends as completed',
    violates: ['A05', 'A07'],
    change: run(({ body }) => {
      if (body.status === 'succeeded') body.status = 'completed'
    }),
    trial: followed,
  },
  {
    name: 'a run begins as queued',
    violates: ['A05', 'A07'],
    change: triggered(({ body }) => (body.status = 'queued')),
    trial: followed,
  },
  {
    name: 'steps are called done',
    violates: ['A06', 'A08'],
    change: run(({ body }) => {
      for (const step of body.steps) if (step.status === 'succeeded') step.status = 'done'
    }),
    trial: followed,
  },
  {
    name: 'a run has a status of its own while it waits',
    violates: ['A05', 'A07', 'A09'],
    change: run(({ body }) => {
      if (body.steps.some(({ status }: { status: string }) => status === 'waiting_approval')) body.status = 'paused'
    }),
    trial: waiting,
  },
  {
    name: 'all steps are listed from the start',
    violates: ['A06', 'A08', 'A11'],
    change: run(({ body }) => {
      if (body.steps.length === 1) body.steps.push({ id: 'step_2', status: 'pending' })
    }),
    trial: followed,
  },
  {
    name: 'the run stands in the response to a trigger',
    violates: ['A14', 'A31'],
    change: triggered((it) => (it.body = { run: it.body })),
    trial: followed,
  },
  {
    name: 'the id of the run is in Location only',
    violates: ['A13', 'D02'],
    change: triggered((it) => {
      it.headers.set('location', `/v1/runs/${it.body.id}`)
      it.status = 204
      it.text = null
    }),
    trial: followed,
  },
]
