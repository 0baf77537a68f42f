import {
  createService,
  type OperationHandler,
  type OperationRequest,
  type Operations,
  type ServiceOptions,
} from '@workflow-automation/contract/service'
import { assertTrue, type Same } from './expect.js'

interface Context {
  workspace: string
}

const operations: Operations<Context> = {
  getCurrentWorkspace: ({ context }) => ({ status: 200, body: { id: context.workspace } }),
  listPlaybooks({ query, path, body }) {
    assertTrue<Same<typeof query.page, number | undefined>>()
    assertTrue<Same<typeof query.per_page, number | undefined>>()
    assertTrue<Same<typeof body, undefined>>()
    // @ts-expect-error the path has no parameter
    path.id
    // @ts-expect-error the contract has no such parameter
    query.cursor
    return { status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20, ...query } } }
  },
  listProviders: () => ({ status: 203, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } }),
  triggerRun({ path, body, headers }) {
    assertTrue<Same<typeof path.id, string>>()
    assertTrue<Same<(typeof headers)['Service-Version'], string | undefined>>()
    const input: string | undefined = body.inputs.order
    return { status: 201, body: { id: `run_${input}` }, headers: { 'x-a': 'b' } }
  },
  getRun: async () => ({ status: 404, body: { message: 'Gone.' } }),
}

const authenticate: ServiceOptions<Context>['authenticate'] = async (key) =>
  key ? { context: { workspace: key } } : { status: 401 }
export const { fetch } = createService({ authenticate, operations })

export const request: OperationRequest<'getRun', Context>['path'] = { id: 'run_1' }

class Handlers implements Operations<Context> {
  constructor(private readonly message: string) {}
  getCurrentWorkspace = operations.getCurrentWorkspace
  listPlaybooks = operations.listPlaybooks
  listProviders = operations.listProviders
  triggerRun = operations.triggerRun
  getRun = () => ({ status: 404 as const, body: { message: this.message } })
}
createService({ authenticate, operations: new Handlers('Gone.'), maxBodySize: 2 ** 22 })

// The context of a key that may also be refused is inferred.
createService({
  authenticate: (key) => (key ? { context: { workspace: key } } : { status: 401 }),
  limit: ({ context }) => ({ key: context.workspace, plan: 'pro' }),
  operations: { getCurrentWorkspace: ({ context }) => ({ status: 200, body: { id: context.workspace } }) },
})

// @ts-expect-error 200 needs its body
export const withoutBody: OperationHandler<'getRun', Context> = () => ({ status: 200 })
// @ts-expect-error 204 has no body, and a run needs its own
export const wrongStatus: OperationHandler<'getRun', Context> = () => ({ status: 204 })
// @ts-expect-error a run lacks its status
export const wrongBody: OperationHandler<'getRun', Context> = () => ({ status: 200, body: { id: 'run_1' } })
// @ts-expect-error a list lacks its meta
export const withoutMeta: OperationHandler<'listProviders', Context> = () => ({ status: 200, body: { data: [] } })

const { getRun: _, ...four } = operations
createService({ authenticate, operations: four })
// @ts-expect-error getRun is missing
export const all = four satisfies Operations<Context>
// @ts-expect-error the contract has no such operation
createService({ authenticate, operations: { ...operations, fly: () => ({ status: 200 }) } })
// @ts-expect-error a key that is not valid has no context
createService({ authenticate: () => ({ context: undefined }), operations })
// @ts-expect-error a promise is no context: every key would be valid
createService({ authenticate: (key: string) => ({ context: Promise.resolve(key) }), operations: {} })
// @ts-expect-error a boolean is no context
createService({ authenticate: (key: string) => ({ context: key === 'a' }), operations: {} })
// @ts-expect-error a refusal has no context
createService({ authenticate: () => ({ status: 403, context: { workspace: 'ws' } }), operations })
// @ts-expect-error 303 is no refusal
createService({ authenticate: () => ({ status: 303 }), operations })
// @ts-expect-error the contract has no such plan
createService({ authenticate, operations, limit: () => ({ key: 'ws', plan: 'gold' }) })
createService({ authenticate, operations, limit: async () => ({ key: 'ws', plan: 'pro' }) })
// @ts-expect-error the option is named validateResponses
createService({ authenticate, operations, validateResponse: 'throw' })

// What the specification leaves open compiles.
interface ProviderRow {
  slug: string
  owner: string
}
class Provider {
  constructor(readonly slug: string) {}
}
interface RunRow {
  id: string
  status: string
  playbook_id: string
  started_at: string
  steps: { id: string; status: string }[]
  tenant: number
}
declare const providers: ProviderRow[]
declare const runRow: RunRow
const meta = { total: 0, page: 1, per_page: 20 }

createService({
  authenticate: (key) => (key ? { context: { workspace: key } } : { status: 402 }),
  operations: {
    getCurrentWorkspace: () => ({ status: 402, body: { title: 'No plan.' } }),
    listPlaybooks: () => ({ status: 200, body: { data: [{ id: 7, description: null }], meta, next: null } }),
    listProviders: () => ({
      status: 200,
      body: { data: [{ slug: 'crm' }, ...providers, new Provider('mail'), 'billing'], meta },
    }),
    async triggerRun({ path }) {
      if (path.id === 'accepted') return { status: 202 }
      if (path.id === 'empty') return { status: 204 }
      if (path.id === 'elsewhere') return { status: 303, headers: { Location: '/v1/runs/run_1' } }
      if (path.id === 'inputs') return { status: 422, body: ['order'] }
      return { status: 201, body: { run_id: 'run_1' } }
    },
    getRun({ path }) {
      if (path.id === 'text') return { status: 404, body: 'Not found.' }
      if (path.id === 'list') return { status: 404, body: [] }
      if (path.id === 'nested') return { status: 404, body: { error: { message: 'Not found.' } } }
      if (path.id === 'own') return { status: 404, body: { title: 'Not found', code: 7 } }
      return { status: 200, body: runRow }
    },
  },
})
export const webResponse: OperationHandler<'getRun', Context> = async () => new Response('{}', { status: 299 })

// A service that counts a limit knows what a 429 has to say; that of triggers is another.
const plan = () => ({ key: 'ws', plan: 'pro' }) as const
const TOO_MANY_RUNS = { message: 'The limit is 10 runs per minute.', retry_after: 6 }
createService({
  authenticate,
  limit: plan,
  operations: { getRun: () => ({ status: 429 }), triggerRun: () => ({ status: 429, body: TOO_MANY_RUNS }) },
})
export const limited: Partial<Operations<Context, unknown, true>> = { getRun: () => ({ status: 429 }) }
createService({ authenticate, limit: plan, operations: limited })
// @ts-expect-error without a limit, a 429 needs its message and its wait
createService({ authenticate, operations: limited })
// @ts-expect-error without a limit, a 429 needs its message and its wait
createService({ authenticate, operations: { getRun: () => ({ status: 429 }) } })
// @ts-expect-error a 429 without its wait
createService({ authenticate, operations: { getRun: () => ({ status: 429, body: { message: '60 a minute' } }) } })
// @ts-expect-error the limit of requests is not that of triggers
createService({ authenticate, limit: plan, operations: { triggerRun: () => ({ status: 429 }) } })
