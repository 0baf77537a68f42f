import { describe, expect, it } from 'vitest'
import type { Depth } from '../../../src/tools/conformance/index.js'
import {
  type Change,
  ids,
  isTrigger,
  limit,
  refuse,
  type Served,
  type Service,
  success,
  type Trial,
  tryService,
} from '../../conformance/service.js'

/** Services that were written from the specification, without a look at what the kit sends. */
type Row = [what: string, change: () => Change, trial?: Trial]

const isPlain = ({ query, request }: Served) => query.size === 0 && !request.headers.has('service-version')
const isOf = (it: Served, sandbox: Service) => it.key === sandbox.keys.otherWorkspace
const isRun = ({ path, method }: Served) => method === 'GET' && path.startsWith('/runs/')

/** What the workspace of the key sees at this address. */
async function seenBy(key: string, { request }: Served, sandbox: Service): Promise<Partial<Served>> {
  const response = await sandbox.fetch(new Request(request.url, { headers: { authorization: `Bearer ${key}` } }))
  return { status: response.status, body: await response.json() }
}

/** Shows what is there to those who must not see it. */
const leak =
  (which: (it: Served, sandbox: Service) => boolean, onlyIf: (body: Served['body']) => boolean = () => true): Change =>
  async (it, sandbox) => {
    if (it.status < 400 || !which(it, sandbox)) return
    const seen = await seenBy(sandbox.keys.valid, it, sandbox)
    if (seen.status === 200 && onlyIf(seen.body)) Object.assign(it, seen)
  }

const starts: Change = (it) =>
  Object.assign(it, { status: 201, body: { id: `run_${it.number}leaked`, status: 'running' } })
const stepsAre = (status: string) => (body: Served['body']) =>
  body.steps.some((step: { status: string }) => step.status === status)

/** Calls that are open at the same time, as far as a test in one thread has them. */
function together() {
  let open = 0
  return async (it: Served): Promise<boolean> => {
    open++
    await new Promise((resolve) => setTimeout(resolve, 1))
    const isTogether = open > 1
    await new Promise((resolve) => setTimeout(resolve, 1))
    open--
    return isTogether && it.number >= 0
  }
}

const critical: Row[] = [
  ['another key reads a run that is asked for plainly', () => leak((it, s) => isRun(it) && isOf(it, s) && isPlain(it))],
  [
    'another key reads a run that waits',
    () => leak((it, s) => isRun(it) && isOf(it, s), stepsAre('waiting_approval')),
    { trigger: 'needsApproval' },
  ],
  [
    'another key reads a run that has ended',
    () =>
      leak(
        (it, s) => isRun(it) && isOf(it, s),
        ({ status }) => status === 'succeeded',
      ),
  ],
  [
    'another key reads a run that has failed',
    () =>
      leak(
        (it, s) => isRun(it) && isOf(it, s),
        ({ status }) => status === 'failed',
      ),
    { trigger: 'fails' },
  ],
  [
    'no key is needed for a run that has ended',
    () =>
      leak(
        (it) => isRun(it) && it.key === undefined && isPlain(it),
        ({ status }) => status === 'succeeded',
      ),
  ],
  [
    'any key reads a run that is running',
    () =>
      leak(
        (it) => isRun(it) && it.status === 401 && isPlain(it),
        ({ status }) => status === 'running',
      ),
  ],
  [
    'no key is needed for a plain list of providers',
    () => leak((it) => it.path === '/providers' && it.key === undefined && isPlain(it)),
  ],
  [
    'any key reads the plain list of playbooks',
    () => leak((it) => it.path === '/playbooks' && it.status === 401 && isPlain(it)),
  ],
  [
    'no key is needed for a plain trigger',
    () => async (it, s) =>
      isTrigger(it) && it.status === 401 && it.key === undefined && isPlain(it) ? starts(it, s) : undefined,
  ],
  [
    'another key triggers a playbook plainly',
    () => (it, s) => (isTrigger(it) && isOf(it, s) && it.status === 404 && isPlain(it) ? starts(it, s) : undefined),
  ],
  [
    'another key triggers the second playbook that was named',
    () => (it, s) =>
      isTrigger(it) && isOf(it, s) && it.status === 404 && it.path.includes(s.playbooks.fails) && isPlain(it)
        ? starts(it, s)
        : undefined,
    { trigger: 'succeeds', options: { trigger: ['pb_7hQ2vn', 'pb_9dL5sa'] } },
  ],
  [
    'the key of another workspace reads this one',
    () => async (it, s) =>
      it.path === '/workspaces/me' && isOf(it, s) && isPlain(it)
        ? Object.assign(it, await seenBy(s.keys.valid, it, s))
        : undefined,
  ],
  [
    'the first page with another key, of one size, has an item of this workspace',
    () => async (it, s) => {
      if (it.path !== '/playbooks' || !isOf(it, s) || !it.query.has('per_page') || it.status !== 200) return
      const { body } = await seenBy(s.keys.valid, it, s)
      if (body.data[0]) it.body.data = [body.data[0], ...it.body.data.slice(1)]
    },
  ],
  [
    'simultaneous reads get the run of another workspace',
    () => {
      const isTogether = together()
      const leaks = leak((it, s) => isRun(it) && isOf(it, s))
      return async (it, s) => ((await isTogether(it)) ? leaks(it, s) : undefined)
    },
  ],
  [
    'simultaneous reads get another workspace',
    () => {
      const isTogether = together()
      return async (it, s) =>
        (await isTogether(it)) && it.path === '/workspaces/me' && isOf(it, s)
          ? Object.assign(it, await seenBy(s.keys.valid, it, s))
          : undefined
    },
  ],
  [
    'simultaneous requests need no key',
    () => {
      const isTogether = together()
      const leaks = leak((it) => it.path === '/providers' && it.key === undefined)
      return async (it, s) => ((await isTogether(it)) ? leaks(it, s) : undefined)
    },
  ],
]

const wrong: Row[] = [
  [
    'the second page with another key is that of this workspace',
    () => async (it, s) =>
      it.path === '/playbooks' && isOf(it, s) && it.query.get('page') === '2'
        ? Object.assign(it, await seenBy(s.keys.valid, it, s))
        : undefined,
  ],
  [
    'a list loses an item from page to page',
    () => success(/^\/playbooks$/, (it) => it.query.get('page') === '2' && it.body.data.shift()),
  ],
  [
    'a list repeats an item from page to page, and counts otherwise there',
    () => {
      let first: unknown
      return success(/^\/playbooks$/, (it) => {
        if (it.query.get('page') === '1') first = it.body.data[0]
        if (it.query.get('page') === '2')
          Object.assign(it.body, { data: [first], meta: { ...it.body.meta, total: it.body.meta.total + 1 } })
      })
    },
  ],
  [
    'a list has another order each time',
    () => success(/^\/playbooks$/, (it) => it.number % 2 === 0 && it.body.data.reverse()),
  ],
  [
    'a trigger refuses the pin that reading accepts',
    () => (it) => isTrigger(it) && it.status === 201 && it.request.headers.has('service-version') && refuse(it, 400),
  ],
  [
    'a trigger refuses the known release',
    () => (it) => isTrigger(it) && it.status === 201 && it.request.headers.has('service-version') && refuse(it, 400),
    { trigger: 'succeeds', options: { serviceVersion: '2026-11-21' } },
  ],
  ...(['"":', 'x'.repeat(900), '👩', ':42', ':null'] as const).map(
    (part): Row => [
      `a trigger fails with inputs that have ${part.slice(0, 6)}`,
      () => (it) =>
        isTrigger(it) &&
        it.sent.includes(part) &&
        (it.status === 201 || it.status === 400) &&
        !it.path.includes('0') &&
        refuse(it, 500, 'internal_error'),
    ],
  ),
  [
    'a valid key is refused in the middle of what worked',
    () => {
      let isOver = false
      return (it, { keys }) => {
        const isOne = it.path === '/providers' && it.status === 200 && it.key === keys.valid && it.number >= 60
        if (!isOne || isOver) return
        isOver = true
        refuse(it, 401)
      }
    },
  ],
  [
    'a list is forbidden in the middle of what worked',
    () => {
      let reads = 0
      return success(/^\/playbooks$/, (it, { keys }) => it.key === keys.valid && ++reads === 6 && refuse(it, 403))
    },
  ],
  [
    'a run is not found in the middle of what worked',
    () => {
      let reads = 0
      return (it) => isRun(it) && it.status === 200 && ++reads === 6 && refuse(it, 404)
    },
  ],
  [
    'simultaneous triggers start one run',
    () => {
      const isTogether = together()
      let last: unknown
      return async (it) => {
        const is = await isTogether(it)
        if (!isTrigger(it) || it.status !== 201) return
        if (is && last) it.body.id = last
        last = it.body.id
      }
    },
  ],
  [
    'the id in the response to a trigger is a number, and the run cannot be read',
    () => (it) => {
      if (isTrigger(it) && it.status === 201) it.body = { id: 17 }
      if (it.path === '/runs/17') refuse(it, 404)
    },
  ],
]

const honest: Row[] = [
  [
    'responds with 404 to an unknown pin',
    () => (it) => it.request.headers.has('service-version') && it.status < 300 && refuse(it, 404),
  ],
  [
    'responds with 501 to an unknown pin',
    () => (it) => it.request.headers.has('service-version') && it.status < 300 && refuse(it, 501),
  ],
  [
    'shows a page to browsers',
    () => (it) => {
      if (it.status !== 200 || !/^text\/html/.test(it.request.headers.get('accept') ?? '')) return
      it.text = '<h1>Workflow automation</h1>'
      it.headers.set('content-type', 'text/html')
    },
  ],
  [
    'counts runs in each workspace',
    () => (it, s) => {
      if (!isRun(it) || !isOf(it, s) || it.status !== 404 || !it.path.includes('run_')) return
      const id = it.path.split('/')[2]
      if (!s.state.workspaces[0]?.runs.some(({ run }) => run.id === id)) return
      Object.assign(it, {
        status: 200,
        body: { id, status: 'running', playbook_id: 'pb_other', started_at: '2026-01-01T00:00:00Z', steps: [] },
      })
    },
  ],
  [
    'has providers of one name in both workspaces',
    () =>
      success(/^\/providers$/, (it, s) => {
        const mine = { id: 'crm', name: isOf(it, s) ? 'Their CRM' : 'Our CRM' }
        it.body = { data: [mine], meta: { total: 1, page: 1, per_page: 20 } }
      }),
  ],
  [
    'has opaque ids with an equals sign',
    () => {
      const encode = (it: { id?: unknown }) => {
        if (typeof it.id === 'string' && /^run_.*[^=]$/.test(it.id)) it.id += '='
      }
      return (it) => {
        if (it.status < 300 && it.body) for (const each of [it.body, ...[it.body.data ?? []].flat()]) encode(each)
      }
    },
    {
      trigger: 'succeeds',
      // An id without its sign is another one, wherever it stands in the path.
      before: (request) =>
        new Request(
          request.url.replace(/(?<=\/runs\/)run_[^/?]*/, (id) =>
            /(%3D|=)$/.test(id) ? id.replace(/(%3D|=)$/, '') : `${id}x`,
          ),
          request,
        ),
    },
  ],
  [
    'writes started_at without seconds',
    () => (it) => {
      if (it.status < 300 && typeof it.body?.started_at === 'string')
        it.body.started_at = it.body.started_at.replace(/:\d\dZ$/, 'Z')
    },
  ],
  [
    'has numbers as ids in responses to triggers',
    () => {
      const numbers = new Map<number, string>()
      return (it) => {
        if (!isTrigger(it) || it.status !== 201) return
        numbers.set(1_000 + numbers.size, it.body.id)
        it.body = { id: 999 + numbers.size }
      }
    },
  ],
  [
    'asks for a wait of two minutes at the limit',
    () => {
      let until = -1
      return (it, s) => {
        if (it.status === 429 && until < it.time) until = it.time + 120_000
        if (isTrigger(it) || it.status === 401 || isOf(it, s)) return
        if (it.time < until) limit(it, Math.ceil((until - it.time) / 1000))
      }
    },
    { rateLimit: true, trigger: 'succeeds', options: { maxWait: 180_000 } },
  ],
  [
    'asks for a wait of two minutes, and nobody waits as long',
    () => {
      let until = -1
      return (it, s) => {
        if (it.status === 429 && until < it.time) until = it.time + 120_000
        if (isTrigger(it) || it.status === 401 || isOf(it, s)) return
        if (it.time < until) limit(it, Math.ceil((until - it.time) / 1000))
      }
    },
    { rateLimit: true },
  ],
]

const all = (rows: Row[], depths: Depth[]) =>
  rows.flatMap(([what, change, trial]) => depths.map((depth) => [what, depth, change, trial] as const))

const outcome = async (depth: Depth, change: () => Change, trial: Trial = { trigger: 'succeeds' }) =>
  tryService(change(), { ...trial, options: { ...trial.options, depth } })

describe('the plainest request', () => {
  it.each(all(critical, ['quick']))('verify fails a service in which %s, at %s', async (_, depth, change, trial) => {
    expect((await outcome(depth, change, trial)).passed).toBe(false)
  })

  it.each(all(wrong, ['normal']))('verify finds a service in which %s, at %s', async (_, depth, change, trial) => {
    const { summary } = await outcome(depth, change, trial)
    const { summary: usual } = await outcome(depth, () => () => {}, trial)
    expect(summary.fail + summary.contradicted).toBeGreaterThan(usual.fail + usual.contradicted)
  })

  it.each(all(honest, ['normal']))('verify fails no service that %s, at %s', async (_, depth, change, trial) => {
    const report = await outcome(depth, change, trial)
    expect(report.findings.filter((each) => each.outcome === 'fail').map(({ message }) => message)).toEqual([])
    expect(ids(report, 'pass').length).toBeGreaterThan(10)
  })
})
