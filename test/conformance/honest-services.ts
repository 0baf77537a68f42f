import {
  acceptTrigger,
  isRead,
  isReal,
  isTrigger,
  limit,
  limited,
  refuse,
  run,
  success,
  triggered,
  when,
} from './mutants/mutant.js'
import type { Change, Served, Trial } from './service.js'

/** A service that keeps to everything stated, and differs in what the source leaves open. */
export type Honest = [name: string, change: Change, trial?: Trial]

const LISTS = /^\/(playbooks|providers)$/
const WORKSPACE = /^\/workspaces/

/** Everything that can be asked for. */
export const ALL: Trial = { trigger: 'succeeds', rateLimit: true }
const fast = { sandbox: { plan: { requestsPerMinute: 60_000, burst: 60_000 } } }

const nothing: Change = () => {}
const first = (which: (it: Served) => boolean, act: (it: Served) => unknown): Change => {
  let done = false
  return (it) => {
    if (done || !which(it)) return
    done = true
    act(it)
  }
}
let polls = 0
const startedAt = (text: string): Honest => [
  `started_at is ${text}`,
  run(({ body }) => Object.assign(body, { started_at: text })),
]
const message = (text: string): Honest => [
  `a 429 says "${text}"`,
  limited(({ body }) => Object.assign(body, { message: text })),
]
const unavailable = (it: Served, status: number): void => {
  Object.assign(it, { status, text: '<h1>Unavailable</h1>' })
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
  keyed('run'),
  keyed('test'),
  keyed('a'),
  keyed('id'),
  keyed('1'),
  keyed('p+/=~._-Z9'),
  [
    'the workspace is called Basic "starter"',
    success(WORKSPACE, ({ body }) => Object.assign(body, { name: 'Basic "starter"' })),
  ],
  [
    'the workspace is called Bearer of good news',
    success(WORKSPACE, ({ body }) => Object.assign(body, { name: 'Bearer good-news-and-more' })),
  ],
  [
    'names hold control characters and marks of direction',
    success(LISTS, ({ body }) => {
      for (const each of body.data) each.name = 'A\u202eB\u0007\u001b[31m👩‍💻'
    }),
  ],
  [
    'a field is called __proto__',
    success(LISTS, (it) =>
      Object.assign(it, { text: JSON.stringify(it.body).replace('"data":', '"__proto__":{"x":1},"data":') }),
    ),
  ],
  [
    'JSON is indented and begins with a line',
    (it) => {
      if (it.status < 300) it.text = `\n${JSON.stringify(it.body, null, 4)}\n`
    },
  ],
  [
    'JSON is written in escapes',
    success(LISTS, (it) => Object.assign(it, { text: JSON.stringify(it.body).replaceAll('o', '\\u006f') })),
  ],
  [
    'counts are written as 4.0',
    success(LISTS, (it) =>
      Object.assign(it, { text: JSON.stringify(it.body).replace(/"total":(\d+)/, '"total":$1.0') }),
    ),
  ],
  [
    'the list of playbooks has 5 MB',
    (() => {
      const lists = new Map<unknown, Record<string, unknown>[]>()
      return success(/^\/playbooks$/, ({ body, query, key }) => {
        const owner = /other/i.test(key ?? '') ? 'other' : 'own'
        if (query.size === 0) lists.set(owner, body.data)
        const first = lists.get(owner) ?? []
        const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30_000)]
        const total = 30_000
        const count = Math.max(0, Math.min(size, total - size * (page - 1)))
        const description = 'x'.repeat(120)
        body.data = Array.from({ length: count }, (_, index) => {
          const number = size * (page - 1) + index
          return { ...first[0], description, id: first[number]?.id ?? `pb_${owner}_${number}` }
        })
        body.meta = { total, page, per_page: size }
      })
    })(),
  ],
  [
    'resources have more fields',
    (it) => {
      if (it.status < 300) Object.assign(it.body, { links: { self: '/' }, id_of_tenant: 7 })
    },
  ],
  [
    'responses have more headers',
    ({ headers }) => {
      headers.set('x-request-id', 'req_1')
      headers.set('x-ratelimit-remaining', '7')
    },
  ],
  ['the workspace is in an envelope', success(WORKSPACE, (it) => Object.assign(it, { body: { data: it.body } }))],
  [
    'the workspace has a list and meta data of its own',
    success(WORKSPACE, (it) => Object.assign(it, { body: { slug: 'acme', data: ['eu'], meta: { total: 1 } } })),
  ],
  [
    'the workspace has its members as a list with meta',
    success(WORKSPACE, ({ body }) =>
      Object.assign(body, { data: [{ id: 'user_1' }], meta: { total: 1, page: 1, per_page: 20 } }),
    ),
  ],
  ['the workspace has no fields', success(WORKSPACE, (it) => Object.assign(it, { body: {} }))],
  [
    'the workspace has a number as its id',
    success(WORKSPACE, ({ body, key }) => Object.assign(body, { id: key === 'key_other_workspace' ? 8 : 7 })),
    { trigger: 'succeeds' },
  ],
  [
    'playbooks have a playbook_id',
    success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id }: { id: string }) => ({ playbook_id: id }))
    }),
  ],
  [
    'playbooks have a uuid',
    success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id, ...rest }: { id: string }) => ({ ...rest, uuid: id }))
    }),
  ],
  [
    'playbooks have their id in meta data',
    success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id, ...rest }: { id: string }) => ({ ...rest, metadata: { id } }))
    }),
  ],
  [
    'providers have no fields',
    success(/^\/providers$/, ({ body }) => {
      body.data = body.data.map(() => ({}))
    }),
  ],
  [
    'there are no playbooks and no providers',
    success(LISTS, ({ body }) => Object.assign(body, { data: [], meta: { ...body.meta, total: 0 } })),
    { rateLimit: true },
  ],
  [
    'a playbook is added meanwhile',
    (it) => {
      if (it.path !== '/playbooks' || it.status !== 200 || it.number <= 6) return
      const { meta, data } = it.body
      const [page, size] = [Number(it.query.get('page') ?? 1), Number(it.query.get('per_page') ?? 20)]
      if (data.length < size && size * (page - 1) + data.length === meta.total) data.push({ id: `pb_added_${it.key}` })
      meta.total++
    },
  ],
  ['total counts the page', success(LISTS, ({ body }) => Object.assign(body.meta, { total: body.data.length }))],
  ['per_page counts pages', success(LISTS, ({ body }) => Object.assign(body.meta, { per_page: 1 }))],
  ['pages are counted from 0', success(LISTS, ({ body }) => Object.assign(body.meta, { page: body.meta.page - 1 }))],
  [
    'page and per_page are ignored',
    nothing,
    {
      ...ALL,
      before: (request) =>
        /\/p\w+\?/.test(request.url) ? new Request(request.url.split('?')[0] ?? '', request) : request,
    },
  ],
]

const forms: Honest[] = [
  ...[
    '2026-11-21T19:00Z',
    '20261121T190000Z',
    '2026-11-21T19:00:00,5Z',
    '2026-11-21T19:00:00+00:00',
    '2026-11-21T19:00:00.123456789Z',
  ].map(startedAt),
  [
    'nodes write one moment in two forms of UTC',
    run(({ body }) => {
      if (polls++ % 2) Object.assign(body, { started_at: body.started_at.replace(/(\.\d+)?Z$/, '$1+00:00') })
    }),
    ALL,
  ],
  ...[
    '2016-12-31T23:59:60Z',
    '2026-W47-6T19:00:00Z',
    '2026-325T19:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T19Z',
    '2028-02-29T00:00:00Z',
  ].map(startedAt),
  ['bodies have a vendor media type', ({ headers }) => headers.set('content-type', 'application/vnd.acme.v1+json')],
  [
    'bodies have the media type in capitals and a charset',
    ({ headers }) => headers.set('content-type', 'Application/JSON; Charset="UTF-8"'),
  ],
  ['bodies are text/json', ({ headers }) => headers.set('content-type', 'text/json')],
  ['bodies have no media type', ({ headers }) => headers.delete('content-type')],
  [
    'errors are problem details',
    (it) => {
      if (it.status >= 400 && it.status !== 429) {
        it.body = { type: 'about:blank', title: 'Wrong', status: it.status }
        it.headers.set('content-type', 'application/problem+json')
      }
    },
  ],
  [
    'errors are empty',
    (it) => {
      if (it.status >= 400 && it.status !== 429) it.text = ''
    },
  ],
  [
    'errors are pages',
    (it) => {
      if (it.status >= 400 && it.status !== 429) {
        it.text = '<h1>No</h1>'
        it.headers.set('content-type', 'text/html')
      }
    },
  ],
  [
    'errors have an id',
    (it) => {
      if (it.status >= 400 && it.status !== 429) it.body = { id: 'err_1', error: { code: it.status } }
    },
  ],
  ['a 429 has more fields', limited(({ body }) => Object.assign(body, { limit: 60, docs: 'https://docs.example' }))],
]

const runs: Honest[] = [
  ['a trigger gets 200 and an id', triggered((it) => Object.assign(it, { status: 200, body: { id: it.body.id } }))],
  ['a trigger gets 202', triggered((it) => Object.assign(it, { status: 202 }))],
  ['a trigger responds with the run in an envelope', triggered((it) => Object.assign(it, { body: { data: it.body } }))],
  ['a trigger responds with a run_id', triggered((it) => Object.assign(it, { body: { run_id: it.body.id } }))],
  [
    'a trigger responds with a Location only',
    triggered((it) => {
      it.headers.set('location', `https://sandbox.test/v1/runs/${it.body.id}?x=1`)
      Object.assign(it, { status: 201, text: '' })
    }),
  ],
  [
    'the response to a trigger has a status of its own',
    triggered((it) =>
      Object.assign(it, { body: { id: it.body.id, status: { code: 'accepted' }, started_at: null, steps: 0 } }),
    ),
  ],
  [
    'one trigger is recognised when it is repeated',
    (() => {
      let id: string | undefined
      return triggered(({ body }) => {
        id ??= body.id
        body.id = id
      })
    })(),
  ],
  [
    'runs have other statuses',
    run(({ body }) => Object.assign(body, { status: body.status === 'running' ? 'IN_PROGRESS' : 'Completed' })),
    { trigger: 'succeeds' },
  ],
  [
    'steps have other statuses',
    run(({ body }) => {
      for (const step of body.steps) step.status = step.status === 'succeeded' ? 'done' : 'pending'
    }),
  ],
  [
    'steps have no capability',
    run(({ body }) => {
      for (const step of body.steps) delete step.capability
    }),
  ],
  [
    'a capability has several dots',
    run(({ body }) => {
      for (const step of body.steps) if (step.capability) step.capability = `eu.${step.capability}`
    }),
  ],
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
  ['a run has no steps yet', run(({ body }) => Object.assign(body, { steps: [] }))],
  ['a run fails', nothing, { ...ALL, trigger: 'fails' }],
  ['a run does not end in time', run(({ body }) => Object.assign(body, { status: 'running' }))],
  [
    'a rejected approval has a status of its own',
    run(({ body }) => Object.assign(body, { status: body.status === 'succeeded' ? 'cancelled' : body.status })),
    { ...ALL, trigger: 'needsApproval' },
  ],
  ['ids have other forms', nothing, { ...ALL, options: { run: 'run_8Zt4Lm2c' } }],
  [
    'numbers as inputs are accepted',
    when(({ status, sent }) => status === 400 && sent.includes('"conformance":42'), acceptTrigger),
  ],
  [
    'numbers as inputs are not looked at',
    when(
      ({ status, sent }) => status === 400 && sent.includes('"conformance":42'),
      (it) => refuse(it, 404, 'not_found'),
    ),
  ],
  [
    'unknown properties are ignored',
    when(
      ({ status, sent }) => status === 400 && sent.includes('"conformance_check":{}'),
      (it) => refuse(it, 404, 'not_found'),
    ),
  ],
  ['the playbook refuses the inputs', triggered((it) => refuse(it, 400))],
  ['the playbook refuses the inputs with 422', triggered((it) => refuse(it, 422))],
  ['the run quota is used up: 402', triggered((it) => refuse(it, 402)), { trigger: 'succeeds' }],
  ['the run quota is used up: 403', triggered((it) => refuse(it, 403)), { trigger: 'succeeds' }],
  ['the run quota is used up: 429 of its own', triggered((it) => refuse(it, 429, 'run_quota_exceeded')), ALL],
  ['the run quota is used up: 429 of the rate limit', triggered((it) => limit(it, 30)), ALL],
  [
    'the id is looked up before the body',
    when(
      ({ status, path }) => status === 400 && /^\/playbooks\/pb_0+\//.test(path),
      (it) => refuse(it, 404),
    ),
    { trigger: 'succeeds' },
  ],
  [
    'the id is looked up before the permission',
    when(
      ({ status, path }) => status === 403 && path.includes('pb_0'),
      (it) => refuse(it, 404),
    ),
    { trigger: 'succeeds' },
  ],
]

/** A window of a minute that takes 120 requests at once and 60 after, instead of a bucket. */
const windows = (offset = 0): Change => {
  let used = 0
  let window = 0
  return (it) => {
    if (it.key === 'key_other_workspace' || it.key === 'key_hobby' || isTrigger(it) || it.status === 401) return
    const now = Math.floor((it.time + offset) / 60_000)
    if (now !== window) used = 0
    window = now
    if (++used > 120) limit(it, Math.ceil(60 - ((it.time + offset) % 60_000) / 1_000))
  }
}

const limits: Honest[] = [
  ...[
    'Limit: 60/min',
    'You are limited to 60 rpm.',
    'Mehr als 60 Anfragen pro Minute.',
    '60 requests in 1 minute',
    'Over 60 requests per minute; retry in 1 s.',
    '1分あたり６０リクエストの上限に達しました',
    'الحد ٦٠ طلبًا في الدقيقة',
  ].map(message),
  ...['Over sixty requests per minute.', 'Soixante requêtes par minute.', '每分钟最多60个请求', 'Limit 60'].map(
    message,
  ),
  [
    'the limit was arranged',
    limited(({ body }) => Object.assign(body, { message: 'Over 1,000 requests per minute.' })),
    { ...ALL, sandbox: { plan: { requestsPerMinute: 1_000, burst: 1_000 } } },
  ],
  ['the limit was arranged so high that it is not reached', nothing, { ...ALL, ...fast }],
  ['the plan is Pro 10×', nothing, { ...ALL, sandbox: { plan: 'pro10x' } }],
  ['a minute is one window', windows(), { ...ALL, ...fast }],
  ...[...Array(4).keys()].map(
    (index): Honest => [
      `a minute is one window that begins ${15 * index} s earlier`,
      windows(15_000 * index),
      { ...ALL, ...fast, latency: 100, options: { totalTimeout: 1e9 } },
    ],
  ),
  [
    'a 429 always asks for a minute',
    limited(({ body, headers }) => {
      Object.assign(body, { retry_after: 60 })
      headers.set('retry-after', '60')
    }),
  ],
  [
    'a 429 comes once in the middle',
    first(
      ({ number }) => number === 10,
      (it) => limit(it, 7),
    ),
  ],
  [
    'a 429 asks for an hour',
    (it) => {
      if (it.number >= 10) limit(it, 3_600)
    },
    {},
  ],
  [
    'an id is looked up before the limit',
    limited((it) => it.path.startsWith('/runs') && refuse(it, 404)),
    { rateLimit: true },
  ],
  ['keys are checked after the limit', limited(() => {}), ALL],
  [
    'one trigger gets 500',
    first(
      (it) => isTrigger(it) && it.status === 201,
      (it) => refuse(it, 500, 'internal_error'),
    ),
  ],
  [
    'one trigger gets 503',
    first(
      (it) => isTrigger(it) && it.status === 201,
      (it) => unavailable(it, 503),
    ),
    { trigger: 'succeeds' },
  ],
  ...[
    ['each trigger gets 502', 502, ALL] as const,
    ['each trigger gets 503', 503, ALL] as const,
    ['each trigger gets 503, and none was asked for', 503, {}] as const,
  ].map(([name, status, trial]): Honest => [name, when(isTrigger, (it) => unavailable(it, status)), trial]),
  [
    'each trigger of a playbook that exists gets 503',
    when(
      (it) => isTrigger(it) && isReal(it),
      (it) => unavailable(it, 503),
    ),
  ],
  [
    'one read gets 500',
    first(
      ({ number }) => number === 5,
      (it) => refuse(it, 500, 'internal_error'),
    ),
  ],
  [
    'one read gets 502',
    first(
      ({ number }) => number === 0,
      (it) => unavailable(it, 502),
    ),
  ],
  [
    'one read gets 503 with a wait',
    first(
      ({ number }) => number === 2,
      (it) => {
        unavailable(it, 503)
        it.headers.set('retry-after', '9')
      },
    ),
  ],
  [
    'one poll gets 504',
    first(
      ({ path, status }) => path.startsWith('/runs') && status === 200,
      (it) => unavailable(it, 504),
    ),
  ],
  [
    'one malformed body gets 503',
    first(
      (it) => isTrigger(it) && it.status === 400,
      (it) => unavailable(it, 503),
    ),
  ],
  [
    'one connection breaks',
    first(
      ({ number }) => number === 4,
      () => {
        throw new TypeError('fetch failed')
      },
    ),
  ],
]

const others: Honest[] = [
  [
    'an unknown release is refused',
    when(
      ({ request, status }) => status < 300 && request.headers.has('service-version'),
      (it) => refuse(it, 400),
    ),
  ],
  [
    'malformed parameters are ignored',
    nothing,
    {
      trigger: 'succeeds',
      before: (request) => {
        const headers = new Headers(request.headers)
        headers.delete('service-version')
        return new Request(request.url.replace(/\?.*(malformed|=0).*/, ''), new Request(request, { headers }))
      },
    },
  ],
  ['every request is pinned', nothing, { ...ALL, options: { serviceVersion: '2026-11-21' } }],
  [
    'a key that may read may not read the providers',
    when(
      ({ key, path }) => key === 'key_read_only' && path === '/providers',
      (it) => refuse(it, 403),
    ),
  ],
  [
    'a run of another workspace is forbidden',
    when(
      ({ key, status }) => key === 'key_other_workspace' && status === 404,
      (it) => refuse(it, 403),
    ),
  ],
  [
    'a plan without API access gets 402',
    when(
      ({ key }) => key === 'key_hobby',
      (it) => refuse(it, 402),
    ),
  ],
  [
    'a plan without API access gets 401',
    when(
      ({ key }) => key === 'key_hobby',
      (it) => refuse(it, 401),
    ),
  ],
]

/** What a response of the sandbox has at the limit, with the quota and so on, each in its own form. */
const triggerBody = (name: string, body: (run: { id: string }) => unknown): Honest => [
  `a trigger responds with ${name}`,
  triggered((it) => Object.assign(it, { body: body(it.body) })),
]
const quotaOf = (name: string, message: string, more: object = {}): Honest => [
  `the run quota is used up from the start: ${name}`,
  when(
    (it) => isTrigger(it) && /^key_(valid|other_workspace)$/.test(it.key ?? '') && it.status !== 401,
    (it) => {
      limit(it, 3_600)
      Object.assign(it.body, { message })
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
const faultAt = (number: number, name: string, act: (it: Served) => unknown): Honest => [
  `${name} comes as response ${number}`,
  first((it) => it.number >= number && !isTrigger(it) && (it.status < 300 || it.status === 429), act),
]
const broken = () => {
  throw new TypeError('fetch failed')
}

/** What an attack on the kit found to be refused, with what is like it. */
const attacked: Honest[] = [
  ...[80, 117, 163, 240, 260, 300].flatMap((number) => [
    faultAt(number, 'a 500', (it) => refuse(it, 500, 'internal_error')),
    faultAt(number, 'a 503', (it) => unavailable(it, 503)),
    faultAt(number, 'a broken connection', broken),
  ]),
  [
    'every fortieth request gets a 500',
    when(
      (it) => it.number % 40 === 39 && isRead(it) && it.status !== 401,
      (it) => refuse(it, 500, 'internal_error'),
    ),
  ],
  quotaOf('a 429 without a number', 'Quota'),
  quotaOf('a 429 with another error', 'Quota', { body: { error: 'quota_exceeded' } }),
  quotaOf('a 429 without a body', 'Quota', { text: '' }),
  quotaOf('a 429 that is a page', 'Quota', { text: '<h1>Quota</h1>' }),
  quotaOf('a 402', 'Quota', { status: 402 }),
  quotaOf('a 403', 'Quota', { status: 403 }),
  [
    'the key may not trigger',
    when(
      (it) => isTrigger(it) && it.key === 'key_valid' && it.status !== 401,
      (it) => refuse(it, 403, 'forbidden'),
    ),
    {},
  ],
  ...[300, 900, 2_500, 9_000].flatMap((latency) => [
    slow(latency),
    slow(latency, { ...ALL, sandbox: { plan: 'pro10x' } }),
  ]),
  triggerBody('the id as a JSON string', ({ id }) => id),
  triggerBody('a list of runs', (it) => [it]),
  triggerBody('a list of ids', ({ id }) => [id]),
  triggerBody('runs in an envelope', (it) => ({ data: [it], meta: { total: 1 } })),
  triggerBody('runs in the envelope of a list', (it) => ({ data: [it], meta: { total: 1, page: 1, per_page: 20 } })),
  triggerBody('the address of the run', ({ id }) => ({ href: `https://sandbox.test/v1/runs/${id}` })),
  triggerBody('a link to the run', ({ id }) => ({ _links: { self: { href: `/v1/runs/${id}` } } })),
  triggerBody('the run below its playbook', (it) => ({ playbook: { id: 'pb_3kX9wq' }, run: { id: it.id } })),
  triggerBody('a property run with the id', ({ id }) => ({ run: id })),
  triggerBody('a runId', ({ id }) => ({ runId: id, requestId: 'req_1' })),
  [
    'a trigger responds with the id as plain text',
    triggered((it) => {
      it.headers.set('content-type', 'text/plain')
      it.text = `${it.body.id}\n`
    }),
  ],
  [
    'providers are strings',
    success(/^\/providers$/, ({ body }) => {
      body.data = body.data.map(({ id }: { id: string }) => id)
    }),
  ],
  [
    'providers are numbers',
    success(/^\/providers$/, ({ body }) => {
      body.data = body.data.map((_: unknown, index: number) => index)
    }),
  ],
  [
    'playbooks are strings',
    success(/^\/playbooks$/, ({ body }) => {
      body.data = body.data.map(({ id }: { id: string }) => id)
    }),
  ],
  ...['me', 'self', 'current', 'default', 1, 'workspace'].map(
    (id): Honest => [
      `every workspace has the id ${id}`,
      success(WORKSPACE, (it) => Object.assign(it, { body: { id } })),
    ],
  ),
  [
    'every workspace has the same id and another name',
    success(WORKSPACE, ({ body }) => Object.assign(body, { id: 'ws_tenant_1' })),
  ],
  [
    'the id of a workspace is one of the response',
    success(WORKSPACE, (it) => Object.assign(it, { body: { id: `req_${it.number}`, plan: 'pro' } })),
  ],
  ...[
    '2024-366T10:00:00Z',
    '20261121T19Z',
    '2026W476T190000,5Z',
    '2026325T1900+00',
    '2026-W53-7T00:00+00:00',
    '2020-W53-1T10:00Z',
    '2026-11-21T24:00:00.000Z',
    '0004-02-29T00:00Z',
  ].map(startedAt),
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

/** A service for everything that the source leaves open. */
export const honest: readonly Honest[] = [...values, ...forms, ...runs, ...limits, ...others, ...attacked, ...harmless]
