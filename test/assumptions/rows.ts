import { serve } from 'srvx'
import { expect, onTestFinished, vi } from 'vitest'
import { playbookList, run, runSucceeded, runWaitingApproval, workspace } from '../../generated/examples.js'
import openapi from '../../generated/openapi.json' with { type: 'json' }
import { indexContract, isUndecidedItem, type Json } from '../../scripts/contract/index.js'
import type { Client, OperationId } from '../../src/index.js'
import type { WorldWorkspace } from '../../src/tools/sandbox/index.js'
import { createService } from '../../src/tools/service/index.js'
import { listOf, VERSION } from '../support/fixtures.js'

/**
 * What a service does otherwise than the contract assumes: the kit sends it from a handler on a real port, `createFetch` returns it
 * unchanged, and a client with `validate` gets what the row says and reports the places that differ.
 */
export interface Row {
  /** The assumptions that are wrong, two where they meet in one response. */
  wrong: string
  handlers: Partial<Record<OperationId | 'authenticate', (path: string, number: number) => object>>
  use: (client: Client) => Promise<unknown>
  seen: unknown
  /** The same in the world of a sandbox. */
  world?: Partial<WorldWorkspace>
  /** The places that `onMismatch` receives. */
  reported?: string[]
  /** False where something that is stated excludes it by now. */
  undecided?: boolean
  /** What the entries say of it in `ifWrong`. */
  says: RegExp
}

const meta = { total: 2, page: 1, per_page: 20 }
/** A playbook without what the contract assumes of its id. */
const { id: _id, ...unnamed } = playbookList.data[0]!
export const ok =
  (body: unknown, status = 200) =>
  () => ({ status, body })
export const inputs = { inputs: {} }
const trigger = (client: Client) => client.triggerRun(run.playbook_id, inputs)
const getRun = (client: Client) => client.getRun(run.id)
const errorOf = async (call: Promise<unknown>) => {
  const { name, status, message } = (await call.catch((error) => error)) as Error & { status: number }
  return [name, status, message.split('\n')[0]]
}
/** A run that is read as it is. */
const readAs = (wrong: string, body: object, says: RegExp): Row => ({
  wrong,
  handlers: { getRun: ok(body) },
  use: getRun,
  seen: body,
  says,
})
const aStep = { id: 'step_1', status: 'running' }

const ALL: Row[] = [
  {
    wrong: 'A01',
    handlers: { getCurrentWorkspace: ok({ id: 7, plan: 'pro' }) },
    use: (client) => client.getCurrentWorkspace(),
    world: { workspace: { id: 7, plan: 'pro' } },
    seen: { id: 7, plan: 'pro' },
    reported: ['/id'],
    says: /missing, or of another type/,
  },
  {
    wrong: 'A02',
    handlers: { listPlaybooks: ok(listOf([{ id: 'pb_1', title: 'A', description: null }], meta)) },
    use: async (client) => (await client.listPlaybooks()).data,
    world: { playbooks: { one: { playbook: { id: 'pb_1', title: 'A', description: null }, steps: [{}] } } },
    seen: [{ id: 'pb_1', title: 'A', description: null }],
    reported: ['/data/0/description'],
    says: /missing, or of another type/,
  },
  {
    wrong: 'A03',
    handlers: { listProviders: ok(listOf([{ slug: 'crm' }, { id: 7 }], meta)) },
    use: async (client) => (await client.listProviders()).data,
    world: { providers: [{ slug: 'crm' }, { id: 7 }] },
    seen: [{ slug: 'crm' }, { id: 7 }],
    reported: ['/data/1/id'],
    says: /missing, or of another type/,
  },
  {
    wrong: 'A03 A15',
    handlers: { listProviders: ok(listOf([{ slug: 'crm' }], { total: 2, page: 1, per_page: 1 })) },
    use: async (client) => (await client.listProviders({ page: 2, per_page: 1 })).data,
    seen: [{ slug: 'crm' }],
    says: /sends the first page again, which a call with page then gets/,
  },
  readAs('A05', { ...run, status: 'completed' }, /polled until the caller's timeout/),
  readAs('A06', { ...run, steps: [{ ...aStep, status: 'queued' }] }, /passed through unchanged/),
  readAs('A08', { ...runSucceeded, steps: [aStep] }, /in an unexpected order/),
  readAs('A09', { ...runWaitingApproval, status: 'paused' }, /has an unknown status/),
  readAs('A11', { ...run, steps: [...run.steps, { id: 'later', status: 'planned' }] }, /steps has more entries/),
  readAs('A27', { ...run, tenant: 7, steps: [{ ...aStep, cost: 3 }] }, /Nothing changes/),
  readAs('A28', { ...run, started_at: '20261121T093000Z' }, /value is valid/),
  readAs('A35', { ...run, status: '' }, /passes it on/),
  readAs(
    'A53',
    { ...run, steps: [{ ...aStep, status: 'waiting_approval', capability: 'mail.ask' }] },
    /has a capability/,
  ),
  readAs('A60', { ...run, status: 'queued', steps: [] }, /has another status/),
  {
    wrong: 'A59',
    handlers: {
      getRun: (_, number) => ({ status: 200, body: number === 0 ? { ...run, steps: [aStep] } : { ...run, steps: [] } }),
    },
    use: async (client) => [(await client.getRun(run.id)).steps, (await client.getRun(run.id)).steps],
    seen: [[aStep], []],
    says: /passes on the steps of the latest response/,
  },
  {
    wrong: 'A07 A43',
    handlers: {
      triggerRun: ok({ id: run.id }, 201),
      getRun: (_, number) => (number < 4 ? { status: 404 } : { status: 200, body: { ...run, status: 'failed' } }),
    },
    use: async (client) => (await client.waitForRun(await trigger(client), { timeout: 5_000 })).status,
    seen: 'failed',
    says: /stops watching a run that continues|repeat a 404/,
  },
  {
    wrong: 'A12 A13',
    handlers: { triggerRun: ok({ id: run.id }, 202), getRun: ok({ ...runSucceeded, id: run.id }, 203) },
    use: async (client) => (await client.waitForRun(await trigger(client))).status,
    seen: 'succeeded',
    says: /another 2xx\. The client, the validators/,
  },
  {
    wrong: 'A14',
    handlers: { triggerRun: ok({ id: 'run_9', status: 7, steps: 'none' }, 201) },
    use: trigger,
    seen: { id: 'run_9', status: 7, steps: 'none' },
    reported: ['/status', '/steps'],
    says: /missing or of another type, or the response has no body/,
  },
  {
    wrong: 'A14 A31',
    handlers: { triggerRun: () => ({ status: 202 }) },
    use: async (client) => [
      ...(await errorOf(trigger(client))),
      (await client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: inputs })).data,
    ],
    seen: ['MissingRunIdError', 202, expect.stringMatching(/^The run was started, but/), undefined],
    reported: [''],
    says: /no body|says that the run was started/,
  },
  {
    wrong: 'A14 A31',
    handlers: { triggerRun: ok({ run_id: 'run_9', status: 7 }, 201) },
    use: trigger,
    seen: { id: 'run_9', run_id: 'run_9', status: 7 },
    reported: ['/status', ''],
    says: /missing or of another type|takes its id from run_id/,
  },
  {
    wrong: 'A14 A31',
    handlers: { triggerRun: () => ({ status: 202, headers: { Location: `${VERSION}/runs/run_9` } }) },
    use: trigger,
    seen: { id: 'run_9' },
    reported: ['', ''],
    says: /no body|a Location that leads to a run/,
  },
  {
    wrong: 'A17',
    handlers: { getRun: ok({ error: { message: 'It was deleted.' } }, 404) },
    use: (client) => errorOf(getRun(client)),
    seen: ['NotFoundError', 404, expect.stringContaining('It was deleted.')],
    reported: ['/error'],
    says: /no code unless/,
  },
  {
    wrong: 'A17 A24',
    handlers: { getRun: ok({ title: 'Gone', error: 'GONE', code: 7 }, 404) },
    use: async (client) => ((await getRun(client).catch((error) => error)) as { code: string }).code,
    seen: 'GONE',
    says: /no code unless|another value/,
  },
  ...(['It was deleted.', ['deleted'], 7] as unknown[]).map(
    (body): Row => ({
      wrong: 'A17',
      handlers: { getRun: ok(body, 404) },
      use: (client) => errorOf(getRun(client)),
      seen: ['NotFoundError', 404, expect.stringContaining('404')],
      reported: [''],
      says: /otherwise the status alone/,
    }),
  ),
  {
    wrong: 'A18',
    handlers: { authenticate: () => ({ status: 402, body: { title: 'No plan.' } }) },
    use: (client) => errorOf(getRun(client)),
    seen: ['ApiError', 402, expect.stringContaining('402')],
    reported: [''],
    says: /throws another error, most likely for 401 or 402/,
  },
  ...(
    [
      ['A20', 406],
      ['A52', 422],
      ['A46', 409],
    ] as const
  ).map(
    ([wrong, status]): Row => ({
      wrong,
      handlers: { getCurrentWorkspace: () => ({ status }) },
      use: (client) => errorOf(client.getCurrentWorkspace()),
      seen: ['ApiError', status, expect.stringContaining(`${status}`)],
      reported: [''],
      says: /fails with another status|another of its errors/,
    }),
  ),
  ...(
    [
      ['A22', 422],
      ['A57', 402],
    ] as const
  ).map(
    ([wrong, status]): Row => ({
      wrong,
      handlers: { triggerRun: ok({ errors: ['order'] }, status) },
      use: (client) => errorOf(trigger(client)),
      seen: ['ApiError', status, expect.stringContaining(`${status}`)],
      reported: [''],
      says: /refused with another status|accepted and the run waits/,
    }),
  ),
  {
    wrong: 'A25',
    handlers: { getRun: () => ({ status: 403 }) },
    use: (client) => errorOf(getRun(client)),
    seen: ['PermissionError', 403, expect.stringContaining('403')],
    says: /most likely for 403/,
  },
  ...['application/vnd.example+json', 'text/plain'].map(
    (type): Row => ({
      wrong: 'A29',
      handlers: { getCurrentWorkspace: () => ({ status: 200, headers: { 'Content-Type': type }, body: workspace }) },
      use: (client) => client.getCurrentWorkspace(),
      seen: workspace,
      reported: type === 'text/plain' ? [''] : [],
      says: /under another media type/,
    }),
  ),
  {
    wrong: 'A30',
    handlers: {
      listPlaybooks: ok(
        listOf(
          [
            { ...unnamed, playbook_id: 'pb_1' },
            { ...unnamed, id: 7 },
          ],
          meta,
        ),
      ),
    },
    use: async (client) => (await client.listPlaybooks()).data,
    seen: [
      { ...unnamed, playbook_id: 'pb_1' },
      { ...unnamed, id: 7 },
    ],
    reported: ['/data/1/id'],
    says: /passes the entry on unchanged/,
  },
  ...(
    [
      ['A30', 'listPlaybooks', 'Playbook', 3],
      ['A03 A32', 'listProviders', 'Provider', 2],
    ] as const
  ).map(
    ([wrong, operation, item, total]): Row => ({
      wrong,
      undecided: isUndecidedItem(indexContract(openapi), openapi.components.schemas[item]),
      handlers: { [operation]: ok(listOf(['one', 7, null], { total, page: 1, per_page: 20 })) },
      use: async (client) => (await client[operation]()).data,
      seen: ['one', 7, null],
      reported: ['/data/0'],
      says: /the entry on unchanged|pass all of them on/,
    }),
  ),
  {
    wrong: 'A32 A36',
    handlers: { listPlaybooks: ok(listOf(playbookList.data, { total: -1, page: 7, per_page: 0 })) },
    use: async (client) => (await client.listPlaybooks()).meta,
    seen: expect.objectContaining({ total: -1, page: 7, per_page: 0 }),
    says: /Pages do not fit together|a negative total/,
  },
  {
    wrong: 'A33 A44',
    handlers: {
      triggerRun: (_, number) =>
        number > 0
          ? { status: 201, body: { id: 'run_9' } }
          : { status: 429, body: { message: 'Sixty requests per minute.', retry_after: 0 } },
    },
    use: async (client) => (await client.withOptions({ retry: true }).triggerRun('pb_1', inputs)).id,
    seen: 'run_9',
    says: /waits as long as Retry-After says|never gets a 429/,
  },
  {
    wrong: 'A48',
    handlers: { getRun: () => ({ status: 404 }) },
    use: (client) => errorOf(getRun(client)),
    seen: ['NotFoundError', 404, expect.stringContaining('404')],
    says: /fails with 404, at once with getRun/,
  },
  ...(['A50', 'A51'] as const).map(
    (wrong): Row => ({
      wrong,
      handlers: {
        getRun: (_, number) => ({
          status: 200,
          body: {
            ...run,
            started_at: `2026-11-21T09:30:0${number}Z`,
            steps: [{ ...aStep, capability: `a.${number}` }],
          },
        }),
      },
      use: async (client) => {
        const [one, two] = [await getRun(client), await getRun(client)]
        return [one.started_at === two.started_at, one.steps[0]?.capability === two.steps[0]?.capability]
      },
      seen: [false, false],
      says: /passes on the latest value/,
    }),
  ),
]

export const register: Json[] = (openapi as Json)['x-basis-register']

/** Those that are wrong; what is stated by now is no assumption. */
export const ROWS = ALL.filter(
  ({ wrong, undecided = true }) =>
    undecided && wrong.split(' ').every((id) => register.some((each) => each.id === id && !each.replacedBy)),
)

/** A service made with the kit, with the handlers of a row, on a port. */
export async function serviceOf({ handlers }: Pick<Row, 'handlers'>) {
  const onError = vi.fn()
  const sent: [status: number, body: string][] = []
  const entries: object[] = []
  const counts: Record<string, number> = {}
  const handled = (operation: string, make: (path: string, number: number) => object) => (request: Json) => {
    counts[operation] = (counts[operation] ?? -1) + 1
    return make(request.path?.id, counts[operation]) as never
  }
  const { authenticate, ...operations } = handlers
  const service = createService({
    authenticate: () => (authenticate ? (authenticate('', 0) as never) : { context: {} }),
    operations: Object.fromEntries(
      Object.entries({ getRun: ok(run), ...operations }).map(([id, make]) => [id, handled(id, make)]),
    ) as never,
    otherwise: 501,
    onError,
  })
  const fetch = async (request: Request) => {
    const startedDateTime = new Date().toISOString()
    const asked = await request.clone().text()
    const response = await service.fetch(request)
    const body = await response.clone().text()
    sent.push([response.status, body])
    const headersOf = (headers: Headers) => [...headers].map(([name, value]) => ({ name, value }))
    entries.push({
      startedDateTime,
      time: 1,
      request: {
        method: request.method,
        url: request.url,
        headers: headersOf(request.headers),
        postData: { text: asked },
      },
      response: { status: response.status, headers: headersOf(response.headers), content: { text: body } },
    })
    return response
  }
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1', silent: true })
  await server.ready()
  onTestFinished(() => server.close(true))
  const baseUrl = `${server.url?.replace(/\/$/, '')}${VERSION}`
  return { baseUrl, onError, sent, har: { log: { version: '1.2', entries } } }
}
