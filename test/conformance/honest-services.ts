import { isReal, isTrigger, limit, limited, refuse, refusing, run, success, triggered, when } from './mutants/mutant.js'
import type { Change, Served, Trial } from './service.js'

/**
 * A service that keeps to everything stated, and differs in what the source leaves open: what the services written from
 * the specification (services/honest) do not have.
 */
export type Honest = [name: string, change: Change, trial?: Trial]

const named = (changes: Record<string, Change>): Honest[] => Object.entries(changes)

const LISTS = /^\/(playbooks|providers)$/
const WORKSPACE = /^\/workspaces/

/** Everything that can be asked for. */
export const ALL: Trial = { trigger: 'succeeds', rateLimit: true }
const fast = { sandbox: { plan: { requestsPerMinute: 60_000, burst: 60_000 } } }

const nothing: Change = () => {}
const first = (which: (it: Served) => boolean, act: Change): Change => {
  let done = false
  return (it, service) => {
    if (done || !which(it)) return
    done = true
    act(it, service)
  }
}
const startedAt = (text: string): Honest => [
  `started_at is ${text}`,
  run(({ body }) => Object.assign(body, { started_at: text })),
]
const message = (text: string): Honest => [
  `a 429 says "${text}"`,
  limited(({ body }) => Object.assign(body, { message: text })),
]
const unavailable = (it: Served): void => {
  Object.assign(it, { status: 503, text: '<h1>Unavailable</h1>' })
  it.headers.set('content-type', 'text/html')
}

/** The valid key is another one; the sandbox knows it by its own name. */
const keyed = (apiKey: string): Honest => [
  `the key is ${apiKey}`,
  nothing,
  {
    ...ALL,
    options: { apiKey },
    before: (request) => {
      if (request.headers.get('authorization') !== `Bearer ${apiKey}`) return request
      const headers = new Headers(request.headers)
      headers.set('authorization', 'Bearer key_valid')
      return new Request(request, { headers })
    },
  },
]

const values: Honest[] = [
  ...named({
    'the workspace is called Bearer of good news': success(WORKSPACE, ({ body }) =>
      Object.assign(body, { name: 'Bearer good-news-and-more' }),
    ),
    'a field is called __proto__': success(LISTS, (it) =>
      Object.assign(it, { text: JSON.stringify(it.body).replace('"data":', '"__proto__":{"x":1},"data":') }),
    ),
    'counts are written as 4.0': success(LISTS, (it) =>
      Object.assign(it, { text: JSON.stringify(it.body).replace(/"total":(\d+)/, '"total":$1.0') }),
    ),
    'the workspace has its members as a list with meta': success(WORKSPACE, ({ body }) =>
      Object.assign(body, { data: [{ id: 'user_1' }], meta: { total: 1, page: 1, per_page: 20 } }),
    ),
    'playbooks have their id in meta data': success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id, ...rest }: { id: string }) => ({ ...rest, metadata: { id } }))
    }),
    'a playbook is added meanwhile': (it) => {
      if (it.path !== '/playbooks' || it.status !== 200 || it.number <= 6) return
      const { meta, data } = it.body
      const [page, size] = [Number(it.query.get('page') ?? 1), Number(it.query.get('per_page') ?? 20)]
      if (data.length < size && size * (page - 1) + data.length === meta.total) data.push({ id: `pb_added_${it.key}` })
      meta.total++
    },
    'total counts the page': success(LISTS, ({ body }) => Object.assign(body.meta, { total: body.data.length })),
    'per_page counts pages': success(LISTS, ({ body }) => Object.assign(body.meta, { per_page: 1 })),
  }),
  keyed('run'),
  keyed('test'),
  keyed('a'),
  keyed('p+/=~._-Z9'),
  [
    'names hold control characters and marks of direction',
    success(LISTS, ({ body }) => {
      for (const each of body.data) each.name = 'A\u202eB\u0007\u001b[31m👩‍💻'
    }),
  ],
  [
    'there are no playbooks and no providers',
    success(LISTS, ({ body }) => Object.assign(body, { data: [], meta: { ...body.meta, total: 0 } })),
    { rateLimit: true },
  ],
]

const forms: Honest[] = [
  [
    'errors have an id',
    (it) => {
      if (it.status >= 400 && it.status !== 429) it.body = { id: 'err_1', error: { code: it.status } }
    },
  ],
  ...[
    '2026-11-21T19:00Z',
    '2026-11-21T19Z',
    '2026-11-21T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2028-02-29T00:00:00Z',
    '2024-366T10:00:00Z',
    '2026325T1900+00',
    '2026-W47-6T19:00:00Z',
    '2026W476T190000,5Z',
    '2026-W53-7T00:00+00:00',
  ].map(startedAt),
]

const runs: Honest[] = [
  ...named({
    'the response to a trigger has a status of its own': triggered((it) =>
      Object.assign(it, { body: { id: it.body.id, status: { code: 'accepted' }, started_at: null, steps: 0 } }),
    ),
    'one trigger is recognised when it is repeated': (() => {
      let id: string | undefined
      return triggered(({ body }) => {
        id ??= body.id
        body.id = id
      })
    })(),
    'the playbook refuses the inputs': triggered(refusing(400)),
    'the playbook refuses the inputs with 422': triggered(refusing(422)),
  }),
  [
    'a parallel step appears late, before the others',
    (() => {
      let polls = 0
      return run(({ body }) => {
        if (++polls > 2) body.steps.unshift({ id: 'step_0', status: 'succeeded' })
      })
    })(),
    { trigger: 'succeeds' },
  ],
  ['the run quota is used up: 402', triggered(refusing(402)), { trigger: 'succeeds' }],
  ['the run quota is used up: 429 of its own', triggered(refusing(429, 'run_quota_exceeded')), ALL],
  ['the run quota is used up: 429 of the rate limit', triggered((it) => limit(it, 30)), ALL],
]

const limits: Honest[] = [
  ...named({
    'a 429 comes once in the middle': first(
      ({ number }) => number === 10,
      (it) => limit(it, 7),
    ),
    'each trigger of a playbook that exists gets 503': when((it) => isTrigger(it) && isReal(it), unavailable),
    'one malformed body gets 503': first((it) => isTrigger(it) && it.status === 400, unavailable),
  }),
  ...[
    'Limit: 60/min',
    'You are limited to 60 rpm.',
    '60 requests in 1 minute',
    'Over 60 requests per minute; retry in 1 s.',
    '1分あたり６０リクエストの上限に達しました',
    'الحد ٦٠ طلبًا في الدقيقة',
    '每分钟最多60个请求',
    'Limit 60',
  ].map(message),
  ['the limit was arranged so high that it is not reached', nothing, { ...ALL, ...fast }],
  [
    'a 429 asks for an hour',
    (it) => {
      if (it.number >= 10) limit(it, 3_600)
    },
    {},
  ],
  ['each trigger gets 503', when(isTrigger, unavailable), ALL],
  ['each trigger gets 503, and none was asked for', when(isTrigger, unavailable), {}],
]

/** What a response of the sandbox has at the limit, with the quota and so on, each in its own form. */
const triggerBody = (name: string, body: (run: { id: string }) => unknown): Honest => [
  `a trigger responds with ${name}`,
  triggered((it) => Object.assign(it, { body: body(it.body) })),
]
const quotaOf = (name: string, more: object = {}): Honest => [
  `the run quota is used up from the start: ${name}`,
  when(
    (it) => isTrigger(it) && /^key_(valid|other_workspace)$/.test(it.key ?? '') && it.status !== 401,
    (it) => {
      limit(it, 3_600)
      Object.assign(it.body, { message: 'Quota' })
      Object.assign(it, more)
    },
  ),
]
const slow = (latency: number, trial: Trial = ALL): Honest => [
  `every response takes ${latency} ms${trial.sandbox ? ' with Pro 10×' : ''}`,
  nothing,
  { ...trial, latency, options: { totalTimeout: 1e9, maxWait: 120_000, timeout: 1e6 } },
]

/** One fault of the service while the limit is measured, whenever it comes. */
const faultAt = (number: number, name: string, act: Change): Honest => [
  `${name} comes as response ${number}`,
  first((it) => it.number >= number && !isTrigger(it) && (it.status < 300 || it.status === 429), act),
]
const broken = () => {
  throw new TypeError('fetch failed')
}

/** What an attack on the kit found to be refused, with what is like it. */
const attacked: Honest[] = [
  ...named({
    'providers are strings': success(/^\/providers$/, ({ body }) => {
      body.data = body.data.map(({ id }: { id: string }) => id)
    }),
    'playbooks are strings': success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id }: { id: string }) => id)
    }),
    'every workspace has the same id and another name': success(WORKSPACE, ({ body }) =>
      Object.assign(body, { id: 'ws_tenant_1' }),
    ),
    'the id of a workspace is one of the response': success(WORKSPACE, (it) =>
      Object.assign(it, { body: { id: `req_${it.number}`, plan: 'pro' } }),
    ),
  }),
  ...[80, 163, 260].flatMap((number) => [
    faultAt(number, 'a 500', refusing(500, 'internal_error')),
    faultAt(number, 'a 503', unavailable),
    faultAt(number, 'a broken connection', broken),
  ]),
  quotaOf('a 429 without a number'),
  quotaOf('a 429 with another error', { body: { error: 'quota_exceeded' } }),
  quotaOf('a 429 without a body', { text: '' }),
  quotaOf('a 429 that is a page', { text: '<h1>Quota</h1>' }),
  quotaOf('a 403', { status: 403 }),
  [
    'the key may not trigger',
    when((it) => isTrigger(it) && it.key === 'key_valid' && it.status !== 401, refusing(403, 'forbidden')),
    {},
  ],
  ...[300, 900, 2_500, 9_000].flatMap((latency) => [
    slow(latency),
    slow(latency, { ...ALL, sandbox: { plan: 'pro10x' } }),
  ]),
  triggerBody('the id as a JSON string', ({ id }) => id),
  triggerBody('a list of ids', ({ id }) => [id]),
  triggerBody('the address of the run', ({ id }) => ({ href: `https://sandbox.test/v1/runs/${id}` })),
  triggerBody('the run below its playbook', (it) => ({ playbook: { id: 'pb_3kX9wq' }, run: { id: it.id } })),
  triggerBody('a property run with the id', ({ id }) => ({ run: id })),
  ...['me', 1].map(
    (id): Honest => [
      `every workspace has the id ${id}`,
      success(WORKSPACE, (it) => Object.assign(it, { body: { id } })),
    ],
  ),
]

/** Each service counts for itself. */
export const gets500 = (times: number): Change => {
  const left = new WeakMap<object, number>()
  return (it, service) => {
    const still = left.get(service) ?? times
    if (!isTrigger(it) || it.status !== 201 || still === 0) return
    left.set(service, still - 1)
    refuse(it, 500, 'internal_error')
  }
}
const withoutAccess = (wait: number): Honest => [
  `a plan without API access gets 429 with a wait of ${wait} s`,
  when(
    ({ key }) => key === 'key_hobby',
    (it) => limit(it, wait),
  ),
]

/** The sandbox sees of a body what it knows. */
export async function ignoringProperties(request: Request): Promise<Request> {
  const text = request.method === 'POST' ? await request.clone().text() : ''
  if (!text.includes('"conformance_check":{}')) return request
  const { inputs } = JSON.parse(text)
  return new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify({ inputs }) })
}

/** What a service decides here leaves no stated entry unexercised. */
export const harmless: readonly Honest[] = [
  ['a trigger may have properties that are not known', nothing, { ...ALL, before: ignoringProperties }],
  [
    'a trigger may have properties that are not known, and the limit is not tried',
    nothing,
    { trigger: 'succeeds', before: ignoringProperties },
  ],
  withoutAccess(5),
  withoutAccess(3_600),
  ...[1, 2].flatMap((times): Honest[] => [
    [`the first ${times} of all triggers get 500`, gets500(times), ALL],
    [`the first ${times} of few triggers get 500`, gets500(times), { trigger: 'succeeds' }],
    [
      `the first ${times} triggers get 500, and a trigger may have properties that are not known`,
      gets500(times),
      { ...ALL, before: ignoringProperties },
    ],
  ]),
]

export const honest: readonly Honest[] = [...values, ...forms, ...runs, ...limits, ...attacked, ...harmless]
