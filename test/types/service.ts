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
// @ts-expect-error the contract has no 204 here
export const wrongStatus: OperationHandler<'getRun', Context> = () => ({ status: 204 })
// @ts-expect-error a list has no 404
export const noSuchError: OperationHandler<'listPlaybooks', Context> = () => ({ status: 404 })
// @ts-expect-error a run lacks its status
export const wrongBody: OperationHandler<'getRun', Context> = () => ({ status: 200, body: { id: 'run_1' } })
// @ts-expect-error a web Response is none of the contract's
export const webResponse: OperationHandler<'getRun', Context> = () => new Response('{}')

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
// @ts-expect-error 404 is no refusal
createService({ authenticate: () => ({ status: 404 }), operations })
// @ts-expect-error the contract has no such plan
createService({ authenticate, operations, limit: () => ({ key: 'ws', plan: 'gold' }) })
createService({ authenticate, operations, limit: async () => ({ key: 'ws', plan: 'pro' }) })
// @ts-expect-error the option is named validateResponses
createService({ authenticate, operations, validateResponse: 'throw' })
