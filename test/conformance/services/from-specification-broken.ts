import { body, instead, type When } from './changes.js'
import { createService } from './create.js'
import type { Ask, Driver } from './driver.js'
import type { Broken } from './faults.js'
import { limit } from './plain.js'
import type { Change, Context, Json, Operation, Principal, Reply, Run, Running, Step } from './types.js'

// Faults that were written from the specification alone, each with the sentence of it that the service contradicts.

type Show = (d: Driver) => Promise<unknown>
interface Flags {
  /** Somebody without the right key sees or triggers something, a run starts twice, or a run is lost. */
  critical?: true
  depth?: 'thorough'
}
type Row = [sentence: string, visible: string, change: Change, show: Show, flags?: Flags]
const CRITICAL: Flags = { critical: true }
const THOROUGH: Flags = { depth: 'thorough' }

const on =
  (...operations: string[]): When =>
  (c) =>
    operations.includes(c.operation ?? '')
const pinned: When = (c) => c.request.headers.has('service-version')
const failing =
  (...statuses: number[]) =>
  (edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => (statuses.includes(was.status) ? edit(base.finish(c, was), c) : base.finish(c, was)),
  })
const as = (status: number, content: Json) => (): Reply => ({ status, body: content })
const internal = as(500, { error: 'internal', message: 'Something went wrong.' })
/** Answers 500 to each trigger with such inputs. */
const crashes = (on: (name: string, value: string) => boolean): Change =>
  instead(
    'triggered',
    (c) => Object.entries(c.inputs).some(([name, value]) => on(name, value)),
    () => internal,
  )
const runs =
  (edit: (was: Json, c: Context, run: Run) => unknown): Change =>
  (base) => ({ run: (c, run) => edit(base.run(c, run), c, run) as Json })
const steps = (edit: (step: Step, index: number) => unknown): Change =>
  runs((was) => ({ ...was, steps: (was.steps as Step[]).map(edit) }))
const startedAt = (edit: (at: number) => unknown): Change =>
  runs((was, _c, run) => ({ ...was, started_at: edit(run.at) }))
const buckets =
  (bucket: (c: Context) => string): Change =>
  () => ({ bucket })
const limited = (edit: (was: Reply, body: Json, c: Context) => Reply): Change =>
  failing(429)((was, c) => edit(was, was.body as Json, c))
const metas = (when: When, edit: (meta: Json, c: Context) => unknown): Change =>
  body(when, (was, c) => ({ ...was, meta: edit(was.meta as Json, c) }))
/** Lets requests with another key in. */
const lets =
  (find: (c: Context, key: string) => Principal | undefined): Change =>
  (base) => ({
    accepts: (c, key) => base.accepts(c, key) ?? find(c, key),
  })
const loses =
  (lost: (c: Context, run: Run) => boolean): Change =>
  (base) => ({
    findRun(c) {
      const run = base.findRun(c)
      return run && lost(c, run) ? undefined : run
    },
  })
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const iso = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

const send =
  (operation: Operation, ask: Partial<Ask> | ((d: Driver) => Partial<Ask>) = {}): Show =>
  (d) =>
    d.send(operation, typeof ask === 'function' ? ask(d) : ask)
const wrong = (content: string): Show => send('triggerRun', { body: content })
const poll =
  (after = 0, playbook: keyof Running['playbooks'] = 'succeeds'): Show =>
  async (d) => {
    const id = await d.trigger(d.service.playbooks[playbook])
    d.advance(after)
    return d.send('getRun', { id })
  }
const pollOf =
  (content: string): Show =>
  async (d) => {
    const { body } = await d.send('triggerRun', { body: content })
    return d.send('getRun', { id: String((body as Json).id) })
  }
/** Sends as many requests as a workspace may at once, then what follows. */
const drained =
  (then: Show, operation: Operation = 'getCurrentWorkspace', times = 120): Show =>
  async (d) => {
    for (let sent = 0; sent < times; sent++) await d.send(operation)
    return then(d)
  }
const me = send('getCurrentWorkspace')
const page2 = send('listPlaybooks', { query: { page: '2', per_page: '5' } })
const pin = ({ service }: Driver): Partial<Ask> => ({ headers: { 'service-version': service.release } })
const byOther = ({ service }: Driver): Partial<Ask> => ({ key: service.keys.other })
const byReader = ({ service }: Driver): Partial<Ask> => ({ key: service.keys.readOnly })
const noKey: Partial<Ask> = { key: undefined }
const twice =
  (operation: Operation): Show =>
  async (d) => [await d.send(operation), await d.send(operation, byOther(d))]

const WORKSPACE = 'Every request is made on behalf of one workspace, identified by the API key.'
const INVALID = 'When the key is missing or invalid, the service answers 401.'
const LACKS = 'When the key is valid but lacks permission for the action, the service answers 403.'
const ALL = 'All endpoints require authentication (section 5).'
const POLLS =
  "When a client wants to observe how a triggered run progresses, it repeatedly issues GET /runs/:id with the run's id and reads `status` and `steps`."
const TRIGGERS = 'POST /playbooks/:id/runs: Triggers a run of the playbook.'
const NONE = 'Requests to endpoints that do not exist for a given id return 404 (section 7).'
const BAD = '400: Bad request; the request body is wrong.'
const TRANSIENT = '500: Internal error of the service. Transient; safe to retry.'
const PLAYBOOKS = 'GET /playbooks: List envelope whose `data` holds the playbooks of the workspace.'
const ENVELOPE =
  'When a list endpoint responds, the body is an object with `data` (array) and `meta` (`total`, `page`, `per_page`).'
const META = 'meta: Holds `total`, `page` and `per_page`, all integers.'
const LIMITS = 'Limits apply per workspace, not per key or per client.'
const EXCEEDED = 'When the limit is exceeded, the service answers 429 (section 7).'
const HEADER =
  'A 429 response also carries the HTTP header `Retry-After` with the same value as `retry_after`, in seconds.'
const RUN_ID = 'id: string. Identifier of the run, in the form of a prefix followed by an opaque part (<run_id>).'
const STARTED = 'started_at: string. Timestamp in ISO 8601 UTC form (<timestamp>).'
const STEP_ID = 'id: string. Identifier of the step within the run (<step_id>).'
const APPROVAL = 'capability: It is absent on a step shown in the waiting_approval status.'

/** Lists that are kept under their address, for whichever workspace asks next. */
const cachedLists =
  (when: When): Change =>
  (base) => {
    const kept = new Map<string, Reply>()
    return {
      list(c) {
        const found = when(c) ? kept.get(c.url.href) : undefined
        const is = found ?? base.list(c)
        kept.set(c.url.href, is)
        return is
      },
    }
  }

const CRITICAL_ROWS: Row[] = [
  [
    WORKSPACE,
    'a run that its owner has polled is shown to any workspace',
    (base) => {
      const kept = new Map<string, Run>()
      return {
        findRun(c) {
          const own = base.findRun(c)
          if (own) kept.set(c.id, own)
          return own ?? kept.get(c.id)
        },
      }
    },
    async (d) => {
      const id = await d.trigger()
      await d.send('getRun', { id })
      return (await d.send('getRun', { id, ...byOther(d) })).status
    },
    CRITICAL,
  ],
  [
    PLAYBOOKS,
    'the list of playbooks is cached across workspaces',
    cachedLists(on('listPlaybooks')),
    twice('listPlaybooks'),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'the list of providers is cached across workspaces',
    cachedLists(on('listProviders')),
    twice('listProviders'),
    CRITICAL,
  ],
  [
    ALL,
    'the providers of the first workspace are listed without a key',
    (base) => ({
      credentials: (c) =>
        base.credentials(c) ?? (c.operation === 'listProviders' ? c.world.principals[0]!.key : undefined),
    }),
    send('listProviders', noKey),
    CRITICAL,
  ],
  [
    INVALID,
    'keys are found by their first twelve characters',
    lets((c, key) => c.world.principals.find((one) => one.key.slice(0, 12) === key.slice(0, 12))),
    send('getCurrentWorkspace', ({ service }) => ({ key: service.keys.valid.slice(0, 12) })),
    CRITICAL,
  ],
  [
    INVALID,
    'keys are compared without regard to case',
    lets((c, key) => c.world.principals.find((one) => one.key.toLowerCase() === key.toLowerCase())),
    send('getCurrentWorkspace', ({ service }) => ({ key: service.keys.valid.toUpperCase() })),
    CRITICAL,
  ],
  [
    INVALID,
    'a trigger with an unknown key starts the run',
    lets((c) =>
      c.operation === 'triggerRun'
        ? c.world.principals.find(({ workspace }) => workspace.playbooks.some(({ id }) => id === c.id))
        : undefined,
    ),
    send('triggerRun', { key: 'wfk_0000000000000000' }),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'a playbook of another workspace can be triggered',
    () => ({
      findPlaybook: (c) =>
        c.world.principals.flatMap(({ workspace }) => workspace.playbooks).find(({ id }) => id === c.id),
    }),
    send('triggerRun', byOther),
    CRITICAL,
  ],
  [
    LACKS,
    'a read-only key triggers runs when it pins a release',
    instead('permitted', pinned, () => (c) => !c.principal.hobby),
    send('triggerRun', (d) => ({ ...byReader(d), ...pin(d) })),
    CRITICAL,
  ],
  [
    INVALID,
    'an empty bearer token is taken for an internal caller',
    (base) => ({
      credentials: (c) =>
        c.request.headers.get('authorization')?.trim() === 'Bearer' ? c.world.principals[0]!.key : base.credentials(c),
    }),
    send('getCurrentWorkspace', { key: undefined, headers: { authorization: 'Bearer ' } }),
    CRITICAL,
  ],
  [
    INVALID,
    'an address with a slash at its end is answered without a key',
    () => ({
      arrive: (c) => {
        if (!/\/(providers|playbooks)\/$/.test(c.url.pathname) || c.request.headers.has('authorization'))
          return undefined
        return { status: 200, body: c.principal.workspace.providers }
      },
    }),
    async (d) => (await d.service.fetch(`${d.service.baseUrl}/providers/`)).status,
    CRITICAL,
  ],
  [
    'GET /workspaces/me: The workspace the key belongs to (a single resource object).',
    'a read-only key is shown another workspace',
    instead(
      'workspace',
      (c) => c.principal.readOnly,
      (base) => (c) => base.workspace({ ...c, principal: c.world.principals[2]! }),
    ),
    send('getCurrentWorkspace', byReader),
    CRITICAL,
  ],
  [
    'Request rate, per workspace: Hobby: no API access.',
    'a workspace of the Hobby plan lists its providers',
    instead('permitted', on('listProviders'), () => () => true),
    send('listProviders', ({ service }) => ({ key: service.keys.hobby })),
    CRITICAL,
  ],
  [
    'When a client receives 500, retrying the same request is safe.',
    'each third trigger answers 500, and the same request 409 ever after',
    (base) => {
      const locked = new Set<string>()
      let triggers = 0
      return {
        stages: [
          ...base.stages,
          (c) => {
            if (c.operation !== 'triggerRun') return undefined
            const name = JSON.stringify([c.principal.workspace.id, c.id, c.inputs])
            if (locked.has(name)) return { status: 409, body: { error: 'conflict', message: 'This run has started.' } }
            if (++triggers % 3 > 0) return undefined
            locked.add(name)
            return internal()
          },
        ],
      }
    },
    async (d) => {
      const all: number[] = []
      for (let sent = 0; sent < 5; sent++) all.push((await d.send('triggerRun')).status)
      return all
    },
    CRITICAL,
  ],
  [
    RUN_ID,
    'two runs of one second have one id, and the second is never shown',
    () => ({
      runId: (c) => `run_${Math.floor(c.now / 1000)}`,
    }),
    async (d) => {
      await d.trigger()
      const { body } = await d.send('getRun', { id: await d.trigger(d.service.playbooks.fails) })
      return (body as Json).playbook_id
    },
    CRITICAL,
  ],
  [
    POLLS,
    'a run is gone as soon as it has ended',
    loses((c, run) => c.does.status(c, run, c.does.steps(c, run)) !== 'running'),
    poll(4000),
    CRITICAL,
  ],
  [
    POLLS,
    'one of three replicas knows no run',
    loses((c) => c.count % 3 === 0),
    async (d) => {
      const id = await d.trigger()
      return [await d.send('getRun', { id }), await d.send('getRun', { id }), await d.send('getRun', { id })]
    },
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a run without inputs is accepted and lost',
    loses((_c, run) => Object.keys(run.inputs).length === 0),
    pollOf('{"inputs":{}}'),
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a run with an input that is not ASCII is accepted and lost',
    loses((_c, run) => Object.values(run.inputs).some((input) => /[^ -~]/.test(input))),
    pollOf('{"inputs":{"order":"Größe"}}'),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'runs are counted in each workspace, and the newest with a number is shown to all',
    (base) => {
      const byId = new Map<string, Run>()
      return {
        runId: (c) => `run_${c.principal.workspace.runs.length + 1}`,
        findRun: (c) => byId.get(c.id),
        triggered(c, run) {
          byId.set(run.id, run)
          return base.triggered(c, run)
        },
      }
    },
    async (d) => {
      const id = await d.trigger()
      const { body } = await d.send('listPlaybooks', byOther(d))
      await d.trigger(String((body as { data: Json[] }).data[0]?.id), d.service.keys.other)
      return ((await d.send('getRun', { id })).body as Json).playbook_id
    },
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a trigger runs the playbook of the trigger before',
    (base) => {
      const last = new Map<string, Run['playbook']>()
      return {
        triggered(c, run) {
          const { playbook } = run
          run.playbook = last.get(c.principal.workspace.id) ?? playbook
          last.set(c.principal.workspace.id, playbook)
          return base.triggered(c, run)
        },
      }
    },
    async (d) => [await poll()(d), await poll(0, 'fails')(d)],
    CRITICAL,
  ],
  [
    STEP_ID,
    'a run that takes longer than two seconds starts again, and its steps are there twice',
    runs((was, c, run) =>
      c.now - run.at < 2000
        ? was
        : { ...was, started_at: iso(run.at + 2000), steps: [...(was.steps as Step[]), ...(was.steps as Step[])] },
    ),
    poll(2500),
    CRITICAL,
  ],
  [
    STEP_ID,
    'runs that are triggered together are each executed twice',
    (base) => {
      const doubled = new WeakSet<Run>()
      return {
        triggered(c, run) {
          if (c.together) doubled.add(run)
          return base.triggered(c, run)
        },
        shown: (c, run, all) => base.shown(c, run, all).flatMap((step) => (doubled.has(run) ? [step, step] : [step])),
      }
    },
    async (d) => {
      const [id = ''] = await Promise.all([d.trigger(), d.trigger(), d.trigger()])
      return d.send('getRun', { id })
    },
    { critical: true, depth: 'thorough' },
  ],
  [
    WORKSPACE,
    'simultaneous requests of two workspaces are answered for the later one',
    (base) => {
      let current: Principal | undefined
      return {
        stages: [
          ...base.stages,
          async (c) => {
            current = c.principal
            await c.world.sleep(5)
            if (on('getCurrentWorkspace', 'listPlaybooks', 'listProviders')(c)) c.principal = current
            return undefined
          },
        ],
      }
    },
    (d) => Promise.all([d.send('getCurrentWorkspace'), d.send('getCurrentWorkspace', byOther(d))]),
    { critical: true, depth: 'thorough' },
  ],
]

const KEYS_AND_ERRORS: Row[] = [
  [
    INVALID,
    'a client without a key is redirected to a page to log in',
    (base) => ({
      unauthorized: (c, key) =>
        key === undefined
          ? { status: 302, text: '<html>Log in</html>', headers: { location: '/login', 'content-type': 'text/html' } }
          : base.unauthorized(c, key),
    }),
    send('getCurrentWorkspace', noKey),
  ],
  [
    INVALID,
    'a wrong body is refused with 400 before the key is looked at',
    (base) => ({
      stages: [
        (c) => (c.operation === 'triggerRun' && c.does.wrongBody(c) ? as(400, { error: 'bad_request' })() : undefined),
        ...base.stages,
      ],
    }),
    send('triggerRun', { key: 'wfk_unknown', body: '{"inputs":7}' }),
  ],
  [
    INVALID,
    'an unknown key gets 200 and an envelope of an error',
    failing(401)((was, c) =>
      c.request.headers.has('authorization') ? { status: 200, body: { ok: false, error: was.body } } : was,
    ),
    send('listPlaybooks', { key: 'wfk_unknown' }),
  ],
  [
    LACKS,
    'a trigger with a read-only key answers 401',
    failing(403)((was, c) => (c.principal.readOnly ? { ...was, status: 401 } : was)),
    send('triggerRun', byReader),
  ],
  [
    NONE,
    'an unknown run is null',
    failing(404)((was, c) =>
      c.operation === 'getRun' ? { status: 200, text: 'null', headers: { 'content-type': 'application/json' } } : was,
    ),
    send('getRun', { id: 'run_none' }),
  ],
  [
    NONE,
    'a trigger of an unknown playbook is accepted',
    failing(404)((was, c) =>
      c.operation === 'triggerRun' ? { status: 202, body: { id: 'run_0', status: 'queued' } } : was,
    ),
    send('triggerRun', { id: 'pb_none' }),
  ],
  [
    NONE,
    'an id that is not ASCII is an internal error',
    failing(404)((was, c) => (/[^ -~]/.test(c.id) ? internal() : was)),
    send('getRun', { id: 'run_ü' }),
  ],
  [
    NONE,
    'a percent sign in an id of a run stands for anything',
    (base) => ({
      findRun: (c) =>
        c.id.endsWith('%')
          ? c.principal.workspace.runs.find(({ id }) => id.startsWith(c.id.slice(0, -1)))
          : base.findRun(c),
    }),
    async (d) => {
      await d.trigger()
      return d.send('getRun', { id: 'run_%' })
    },
  ],
  [
    BAD,
    'a body that is not JSON is an internal error',
    failing(400)((was, c) =>
      c.operation === 'triggerRun' && !isJson(new TextDecoder().decode(c.body)) ? internal() : was,
    ),
    wrong('order=42'),
  ],
  [
    '`inputs` is a JSON object. Its keys are strings and its values are strings.',
    'a list is taken for inputs',
    instead(
      'wrongBody',
      (c) => /"inputs":\s*\[/.test(new TextDecoder().decode(c.body)),
      () => () => undefined,
    ),
    wrong('{"inputs":["42"]}'),
  ],
  [
    '`inputs` is a JSON object. Its keys are strings and its values are strings.',
    'numbers are taken for inputs',
    instead(
      'wrongBody',
      (c) => /"inputs":\s*\{[^}]*:\s*-?\d/.test(new TextDecoder().decode(c.body)),
      () => () => undefined,
    ),
    wrong('{"inputs":{"order":42}}'),
  ],
  [
    TRANSIENT,
    'an emoji in an input is always an internal error',
    crashes((_name, value) => /[^\0-\uffff]/u.test(value)),
    wrong('{"inputs":{"order":"🧾"}}'),
  ],
  [
    TRANSIENT,
    'a run that has failed is always an internal error',
    (base) => ({
      finish: (c, was) => ((was.body as Json | undefined)?.status === 'failed' ? internal() : base.finish(c, was)),
    }),
    poll(4000, 'fails'),
  ],
  [
    'A client may pin to a specific release by sending the request header `Service-Version: <release_date>`',
    'a pin to any release until now is refused',
    (base) => ({
      wrongParameter: (c) =>
        (c.request.headers.get('service-version') ?? '9') < '2026-12'
          ? 'This release has ended.'
          : base.wrongParameter(c),
    }),
    send('getCurrentWorkspace', pin),
  ],
  [
    'Pinning protects the client from breaking changes in later releases.',
    'one of four replicas shows pinned clients the fields of the next release',
    body(
      (c) => pinned(c) && c.operation === 'getRun' && c.count % 4 === 0,
      ({ status, ...was }) => ({ ...was, state: status }),
    ),
    async (d) => {
      const id = await d.trigger()
      const all: unknown[] = []
      for (let sent = 0; sent < 4; sent++) all.push(await d.send('getRun', { id, ...pin(d) }))
      return all
    },
    THOROUGH,
  ],
]

const LIMIT_ROWS: Row[] = [
  [
    LIMITS,
    'each key has a limit of its own',
    buckets((c) => c.principal.key),
    drained(send('getCurrentWorkspace', byReader)),
  ],
  [
    LIMITS,
    'each user agent has a limit of its own',
    buckets((c) => `${c.principal.workspace.id} ${c.request.headers.get('user-agent')}`),
    drained(send('getCurrentWorkspace', { headers: { 'user-agent': 'another/2.0' } })),
  ],
  [LIMITS, 'all workspaces share one limit', buckets(() => 'all'), drained(send('getCurrentWorkspace', byOther))],
  [
    EXCEEDED,
    'each of two replicas counts the requests that it has got',
    buckets((c) => `${c.principal.workspace.id} ${c.count % 2}`),
    drained(me),
    THOROUGH,
  ],
  [
    EXCEEDED,
    'simultaneous requests are counted as one',
    (base) => ({
      stages: base.stages.map((stage) =>
        stage !== limit
          ? stage
          : async (c) => {
              const name = c.does.bucket(c)
              const was = c.world.buckets.get(name)
              await c.world.sleep(5)
              if (was && c.does.counted(c)) c.world.buckets.set(name, was)
              return limit(c)
            },
      ),
    }),
    async (d) => {
      await d.send('getCurrentWorkspace')
      return Promise.all(Array.from({ length: 125 }, () => d.send('getCurrentWorkspace')))
    },
    THOROUGH,
  ],
  [HEADER, 'Retry-After is missing', limited(({ headers: _, ...was }) => was), drained(me)],
  [
    HEADER,
    'Retry-After is a date',
    limited((was, { retry_after }, c) => ({
      ...was,
      headers: { 'retry-after': new Date(c.now + Number(retry_after) * 1000).toUTCString() },
    })),
    drained(me),
  ],
  [
    'retry_after: integer. Seconds to wait before retrying.',
    'retry_after is in milliseconds',
    limited((was, b) => ({
      ...was,
      body: { ...b, retry_after: Number(b.retry_after) * 1000 },
    })),
    drained(me),
  ],
  [
    'They do not count against the API request rate limit.',
    'triggers count against the rate limit',
    () => ({ counted: () => true }),
    drained(me, 'triggerRun'),
  ],
]

const CONTENT: Row[] = [
  [
    RUN_ID,
    'the id of a run is a number',
    (base) => ({
      runId: (c) => String(70_000 + c.count),
      run: (c, run) => ({ ...base.run(c, run), id: Number(run.id) }),
    }),
    poll(),
  ],
  [
    STARTED,
    'started_at has the offset of the office',
    startedAt((at) => iso(at + 7_200_000).replace('Z', '+02:00')),
    poll(),
  ],
  [STARTED, 'started_at is the time of the office, marked as UTC', startedAt((at) => iso(at + 7_200_000)), poll()],
  [
    'steps: array of Step. Steps of the run, in order.',
    'the newest step is the first',
    runs((was) => ({ ...was, steps: (was.steps as Step[]).toReversed() })),
    poll(1500),
  ],
  [
    'steps: array of Step. Steps of the run, in order.',
    'a run that has ended has no steps',
    runs(({ steps, ...was }) => (was.status === 'running' ? { ...was, steps } : was)),
    poll(4000),
  ],
  [
    APPROVAL,
    'the capability of a step that waits is null',
    steps((step) => (step.status === 'waiting_approval' ? { ...step, capability: null } : step)),
    poll(1500, 'waits'),
  ],
  [
    'capability: Present on a step that performs a provider action.',
    'a step that has succeeded loses its capability',
    steps(({ capability, ...step }) => (step.status === 'succeeded' || !capability ? step : { ...step, capability })),
    poll(1500),
  ],
  [
    'GET /runs/:id: A Run object (section 2).',
    'a run is JSON in a string of JSON',
    body(on('getRun'), (was) => JSON.stringify(was)),
    poll(),
  ],
  [
    ENVELOPE,
    'the data of a page after the last is null',
    body(on('listPlaybooks', 'listProviders'), (was) => ((was.data as Json[]).length ? was : { ...was, data: null })),
    send('listPlaybooks', { query: { page: '40' } }),
  ],
  [
    META,
    'the page that was asked for is returned as a string',
    metas(
      (c) => c.url.searchParams.has('page'),
      (meta) => ({ ...meta, page: `${meta.page}` }),
    ),
    page2,
  ],
  [
    PLAYBOOKS,
    'the pages are cut from an order that changes with each request',
    (base) => ({
      items(c) {
        const all = base.items(c)
        const by = (c.count * 7) % all.length
        return [...all.slice(by), ...all.slice(0, by)]
      },
    }),
    async (d) => [await page2(d), await page2(d)],
  ],
  [
    PLAYBOOKS,
    'the second page leaves out a playbook',
    body(
      (c) => Number(c.url.searchParams.get('page')) > 1 && c.operation === 'listPlaybooks',
      (was) => ({ ...was, data: (was.data as Json[]).slice(1) }),
    ),
    page2,
  ],
]

type FromSpecification = Broken & Flags
const service = ([sentence, name, change, show, flags]: Row): FromSpecification => ({
  ...{ name, class: 'from the specification', kind: 'broken', sentence, show, ...flags },
  create: (options) => createService([change], options),
})
export const fromSpecificationBroken: FromSpecification[] = [
  ...CRITICAL_ROWS,
  ...KEYS_AND_ERRORS,
  ...LIMIT_ROWS,
  ...CONTENT,
].map(service)
