import { instead } from '../changes.js'
import type { Json } from '../types.js'
import {
  afterKey,
  FIELDS,
  first,
  hobby,
  html,
  last,
  on,
  type Row,
  refusesInputs,
  replies,
  runs,
  startedAt,
  statuses,
} from './honest-frame.js'

export const OPERATION: Row[] = [
  ['responds with 401 to a workspace of the Hobby plan', hobby(401)],
  [
    'does not let a key that may not trigger runs list providers',
    instead('permitted', on('listProviders'), () => (c) => !c.principal.readOnly && !c.principal.hobby),
  ],
  [
    'shows a run as queued without steps for a second',
    runs((was, c, run) => (c.now - run.at < 1000 ? { ...was, status: 'queued', steps: [] } : was)),
  ],
  [
    'has other words for the end of runs, and of steps that fail',
    statuses({ succeeded: 'completed', failed: 'errored' }, { failed: 'errored', running: 'in_progress' }),
  ],
  [
    'shows all steps from the start, those to come as scheduled',
    (base) => ({
      shown: (c, run, steps) => [
        ...base.shown(c, run, steps),
        ...run.playbook.steps.slice(steps.length).map(({ id, capability }) => ({
          ...{ id, status: 'scheduled' },
          ...(capability && { capability }),
        })),
      ],
    }),
  ],
  ['writes UTC as +00:00', startedAt((iso) => iso.replace(/\.\d+Z/, '+00:00'))],
  [
    'takes two seconds for each response',
    first(async (c) => {
      await c.world.sleep(2000)
      return undefined
    }),
  ],
  [
    'responds with 500 to each eleventh request, and does nothing then',
    () => ({
      arrive: (c) => (c.count % 11 === 0 ? { status: 500, text: 'Internal Server Error', headers: html } : undefined),
    }),
  ],
  [
    'restarts after the thirtieth request, which four requests get 500 for',
    () => ({
      arrive: (c) => (c.count > 30 && c.count < 35 ? { status: 500, text: 'Restarting', headers: html } : undefined),
    }),
  ],
  [
    'refuses inputs that a playbook does not know',
    refusesInputs((inputs) => {
      const unknown = Object.keys(inputs).find((name) => name !== 'order')
      return unknown === undefined ? undefined : `The input ${unknown} is unknown.`
    }),
  ],
  [
    'requires an input, of at most 40 characters',
    refusesInputs(({ order }) =>
      order && order.length <= 40 ? undefined : 'The input order must have 1 to 40 characters.',
    ),
  ],
  [
    'ignores what it does not know in a body',
    (base) => ({
      wrongBody(c) {
        try {
          const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(c.body)) as Json
          const { inputs } = value
          const known = new TextEncoder().encode(JSON.stringify(Array.isArray(value) ? value : { inputs }))
          return base.wrongBody(Object.assign(c, { body: known }))
        } catch {
          return base.wrongBody(c)
        }
      },
    }),
  ],
  [
    'responds with 400 to a release that it does not have',
    (base) => ({
      wrongParameter: (c) =>
        ['2026-11-21', null].includes(c.request.headers.get('service-version'))
          ? base.wrongParameter(c)
          : 'Unknown release.',
    }),
  ],
  [
    'responds with 405 to other methods, and redirects addresses with a slash at their end',
    afterKey((c) => {
      const path = c.path.join('/')
      if (c.operation) return undefined
      if (path.endsWith('/')) return { status: 308, headers: { location: c.url.pathname.slice(0, -1) } }
      if (/^(playbooks|providers|workspaces\/me)$/.test(path)) return { status: 405, headers: { allow: 'GET' } }
      return undefined
    }),
  ],
  [
    'lets 100 runs of a workspace start, and responds with 402 to more',
    last((c) =>
      c.operation === 'triggerRun' && c.principal.workspace.runs.length >= 100
        ? c.does.error(c, 402, 'quota_exceeded', 'The quota of runs is used up.')
        : undefined,
    ),
  ],
  [
    'is behind a gateway that indents JSON and names its charset',
    replies((was) =>
      was.body === undefined
        ? was
        : {
            ...{ status: was.status, text: JSON.stringify(was.body, null, 2) },
            headers: { ...was.headers, 'content-type': 'application/json; charset=utf-8', via: '1.1 gateway' },
          },
    ),
  ],
  [
    'has a workspace with a slug instead of an id and a name',
    (base) => ({
      workspace: (c) => ({ slug: String(base.workspace(c).id), plan: { name: 'pro' } }),
    }),
  ],
  [
    'has providers with numbers for ids',
    instead(
      'items',
      on('listProviders'),
      (base) => (c) =>
        base.items(c).map((item, index) => ({ ...item, id: index + 1 + c.principal.workspace.id.charCodeAt(3) * 100 })),
    ),
    FIELDS,
  ],
  [
    'knows only "Bearer" with a capital letter',
    (base) => ({
      credentials: (c) =>
        /^Bearer /.test(c.request.headers.get('authorization') ?? '') ? base.credentials(c) : undefined,
    }),
  ],
  [
    'shows a run half a second after its trigger',
    (base) => ({
      findRun(c) {
        const run = base.findRun(c)
        return run && c.now - run.at >= 500 ? run : undefined
      },
    }),
  ],
]
