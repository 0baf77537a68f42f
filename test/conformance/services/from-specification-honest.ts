import { planIds } from '../../../generated/operations.js'
import { VERSION } from '../../support/fixtures.js'
import { instead, type When } from './changes.js'
import { createService } from './create.js'
import { authenticate } from './plain.js'
import type { Behaviours, Change, Context, Json, Reply, Run, Service, Stage, Step } from './types.js'

// Services that follow each sentence of the specification, and are unusual where it is silent.

/** Why plain responses do not match the document, where it assumes more than is stated. */
type Row = [does: string, change: Change, beyond?: string]

const on =
  (...operations: string[]): When =>
  (c) =>
    operations.includes(c.operation ?? '')
const runs =
  (edit: (was: Json, c: Context, run: Run) => unknown): Change =>
  (base) => ({ run: (c, run) => edit(base.run(c, run), c, run) as Json })
const statuses = (run: Record<string, string>, step: Record<string, string> = {}): Change =>
  runs((was) => ({
    ...was,
    status: run[String(was.status)] ?? was.status,
    steps: (was.steps as Step[]).map((one) => ({ ...one, status: step[one.status] ?? one.status })),
  }))
const startedAt =
  (edit: (iso: string) => string): Change =>
  () => ({
    startedAt: (_c, run) => edit(new Date(run.at).toISOString()),
  })
const triggered =
  (edit: (was: Json, c: Context, run: Run) => Reply): Change =>
  (base) => ({
    triggered: (c, run) => edit(base.triggered(c, run).body as Json, c, run),
  })
const errors =
  (error: Behaviours['error']): Change =>
  () => ({ error })
const items =
  (edit: (was: Json, index: number, c: Context) => Json): Change =>
  (base) => ({
    items: (c) => base.items(c).map((item, index) => edit(item, index, c)),
  })
const replies =
  (edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => edit(base.finish(c, was), c),
  })
const metas =
  (edit: (meta: Record<string, number>) => Json): Change =>
  (base) => ({
    list(c) {
      const was = base.list(c)
      const { meta, ...rest } = was.body as { meta: Record<string, number> }
      return { ...was, body: { ...rest, meta: edit(meta) } }
    },
  })
const plan =
  (rate: number, burst: number, sold: ReturnType<Behaviours['sold']>): Change =>
  () => ({
    plan: () => ({ rate, burst }),
    sold: () => sold,
  })
const first =
  (stage: Stage): Change =>
  (base) => ({ stages: [stage, ...base.stages] })
/** After the key is known. */
const then =
  (stage: Stage): Change =>
  (base) => ({ stages: [authenticate, stage, ...base.stages.slice(1)] })
const last =
  (stage: Stage): Change =>
  (base) => ({ stages: [...base.stages, stage] })
const refusesInputs =
  (wrong: (inputs: Record<string, string>) => string | undefined): Change =>
  (base) => ({
    wrongBody: (c) => base.wrongBody(c) ?? (base.findPlaybook(c) && wrong(c.inputs)),
  })
const hobby = (status: number): Change =>
  first((c) => {
    const key = c.does.credentials(c)
    const caller = key === undefined ? undefined : c.does.accepts(c, key)
    return caller?.hobby ? c.does.error(c, status, 'no_api_access', 'Your plan has no API access.') : undefined
  })
const html = { 'content-type': 'text/html; charset=utf-8' }
const FIELDS = 'The specification does not show the fields of workspaces, playbooks and providers.'
const ERRORS = 'The specification does not show the bodies of errors other than 429.'

const ROWS: Row[] = [
  [
    'counts the runs of each workspace, and shows each only to it',
    () => ({
      runId: (c) => `run_${c.principal.workspace.runs.length + 1}`,
    }),
  ],
  [
    'has ids of runs with a colon, an equals sign and 90 characters',
    () => ({
      runId: (_c, opaque) => `run:${opaque.repeat(14).slice(0, 85)}=`,
    }),
  ],
  [
    'has ids of playbooks with spaces and umlauts',
    (base) => ({
      setUp(world) {
        base.setUp(world)
        for (const { workspace } of world.principals.filter((_, index) => index !== 1))
          for (const playbook of workspace.playbooks) playbook.id = `Rückerstattung ${playbook.id}`
      },
    }),
  ],
  [
    'answers a trigger with 202, an id and a Location',
    triggered((was) => ({
      status: 202,
      body: { id: was.id },
      headers: { location: `${VERSION}/runs/${was.id}` },
    })),
  ],
  [
    'has more fields in runs, steps, and items',
    (base) => ({
      ...runs((was) => ({
        ...was,
        steps: (was.steps as Step[]).map((step) => ({ ...step, name: null, attempts: [{ number: 1 }] })),
        ended_at: null,
        triggered_by: { kind: 'api' },
      }))(base),
      ...items((item) => ({ ...item, tags: [], owner: null }))(base),
    }),
  ],
  [
    'has errors of application/problem+json',
    errors((_c, status, code, message) => ({
      status,
      text: JSON.stringify({ type: `https://errors.example/${code}`, title: code, detail: message, status }),
      headers: { 'content-type': 'application/problem+json' },
    })),
  ],
  [
    'has errors in HTML, except 429',
    errors((_c, status, _code, message) => ({
      status,
      text: `<!doctype html><h1>${status}</h1><p>${message}`,
      headers: html,
    })),
  ],
  ['has errors without a body, except 429', errors((_c, status) => ({ status, headers: { 'content-length': '0' } }))],
  [
    'nests errors in an object, with the id of the request',
    errors((c, status, code, message) => ({
      status,
      body: { error: { code: code.toUpperCase(), message }, request_id: `req_${c.count}` },
    })),
    ERRORS,
  ],
  [
    'lists all items on one page, and knows no parameters',
    () => ({
      wrongParameter: () => undefined,
      window: () => ({ page: 1, perPage: 500 }),
    }),
  ],
  [
    'has at most four items on a page, whatever is asked for',
    (base) => ({
      window: (c) => ({ ...base.window(c), perPage: Math.min(4, base.window(c).perPage) }),
    }),
  ],
  [
    'shows the last page instead of one after it',
    (base) => ({
      window(c) {
        const { page, perPage } = base.window(c)
        return { perPage, page: Math.min(page, Math.ceil(base.items(c).length / perPage) || 1) }
      },
    }),
  ],
  [
    'takes wrong parameters for the first page',
    (base) => ({
      wrongParameter: (c) => (on('listPlaybooks', 'listProviders')(c) ? undefined : base.wrongParameter(c)),
      window(c) {
        const number = (name: string, otherwise: number) => {
          const given = c.url.searchParams.get(name) ?? ''
          return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : otherwise
        }
        return { page: number('page', 1), perPage: number('per_page', 20) }
      },
    }),
  ],
  [
    'counts pages from 0',
    (base) => ({
      ...metas((meta) => ({ ...meta, page: meta.page! - 1 }))(base),
      wrongParameter(c) {
        const url = new URL(c.url)
        if (url.searchParams.get('page') === '0') url.searchParams.delete('page')
        return base.wrongParameter({ ...c, url })
      },
      window: (c) => ({ ...base.window(c), page: Number(c.url.searchParams.get('page') ?? 0) + 1 }),
    }),
  ],
  ['has no providers and one page of nothing', instead('items', on('listProviders'), () => () => [])],
  [
    'has three thousand playbooks',
    (base) => ({
      setUp(world) {
        base.setUp(world)
        for (const { workspace, key } of [world.principals[0]!, world.principals[2]!])
          for (let more = 1; more <= 3000; more++)
            workspace.playbooks.push({
              ...workspace.playbooks[0]!,
              id: `pb_${key.slice(4, 8)}${more}`,
              name: `More ${more}`,
            })
      },
    }),
  ],
  ['has a limit of 300 requests per minute, and a burst of 600', plan(300, 600, planIds.largest)],
  ['has a limit of 2,400 requests per minute that was arranged', plan(2400, 4800, undefined)],
  [
    'refills 120 requests each two minutes, at once',
    () => {
      const windows = new Map<string, { from: number; sent: number }>()
      return {
        take(c) {
          const was = windows.get(c.does.bucket(c))
          const is = was && c.now < was.from + 120_000 ? was : { from: c.now, sent: 0 }
          windows.set(c.does.bucket(c), is)
          if (is.sent >= 120) return Math.ceil((is.from + 120_000 - c.now) / 1000)
          is.sent++
          return 0
        },
      }
    },
  ],
  ['asks for twenty seconds of patience at least', (base) => ({ limited: (c, wait) => base.limited(c, wait + 19) })],
  ['answers 401 to a workspace of the Hobby plan', hobby(401)],
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
    'answers 500 to each eleventh request, and does nothing then',
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
    'answers 400 to a release that it does not have',
    (base) => ({
      wrongParameter: (c) =>
        ['2026-11-21', null].includes(c.request.headers.get('service-version'))
          ? base.wrongParameter(c)
          : 'Unknown release.',
    }),
  ],
  [
    'answers 405 to other methods, and redirects addresses with a slash at their end',
    then((c) => {
      const path = c.path.join('/')
      if (c.operation) return undefined
      if (path.endsWith('/')) return { status: 308, headers: { location: c.url.pathname.slice(0, -1) } }
      if (/^(playbooks|providers|workspaces\/me)$/.test(path)) return { status: 405, headers: { allow: 'GET' } }
      return undefined
    }),
  ],
  [
    'lets 100 runs of a workspace start, and answers 402 to more',
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

export const fromSpecificationHonest: Service[] = ROWS.map(([name, change, beyond]) => ({
  ...{ name, class: 'from the specification', kind: 'honest', ...(beyond !== undefined && { beyond }) },
  create: (options) => createService([change], options),
}))
