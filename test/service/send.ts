import { run, workspace } from '../../generated/examples.js'
import { createService, type Operations, type ServiceOptions } from '../../src/tools/service/index.js'
import { listOf, VERSION } from '../support/fixtures.js'

export interface Context {
  workspace: string
}

type Own = 'getCurrentWorkspace' | 'listPlaybooks' | 'listProviders' | 'triggerRun' | 'getRun'

export const page = (query: { page?: number; per_page?: number }) => ({
  status: 200 as const,
  body: listOf([], { total: 0, page: query.page ?? 1, per_page: query.per_page ?? 20 }),
})

/** A service with the key `secret`, the playbook `pb_1` and the run of the contract's example. */
export const options: ServiceOptions<Context> & { operations: Pick<Operations<Context>, Own> } = {
  authenticate: async (key) => (key === 'secret' ? { context: { workspace: 'ws_1' } } : { status: 401 }),
  operations: {
    getCurrentWorkspace: ({ context }) => ({ status: 200, body: { ...workspace, id: context.workspace } }),
    listPlaybooks: async ({ query }) => page(query),
    listProviders: ({ query }) => page(query),
    triggerRun: async ({ path, body }) =>
      path.id === 'pb_1'
        ? {
            status: 201,
            body: { ...run, playbook_id: path.id, steps: [], status: String(body.inputs.status ?? 'running') },
          }
        : { status: 404 },
    getRun: ({ path }) =>
      path.id === run.id ? { status: 200, body: run } : { status: 404, body: { message: `There is no ${path.id}.` } },
  },
}

/** The options of a service whose `getRun` returns this. */
export const returning = (value: unknown): Partial<ServiceOptions<Context>> => ({
  operations: { ...options.operations, getRun: () => value as never },
})

/** Opens a service with other options, and returns what sends it requests, with a valid key unless they have one. */
export function open(own: Partial<ServiceOptions<Context>>) {
  const reported: unknown[] = []
  const service = createService({ ...options, otherwise: 501, onError: (error) => reported.push(error), ...own })
  return async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', 'Bearer secret')
    const response = await service.fetch(new Request(`https://api.example${VERSION}${path}`, { ...init, headers }))
    const text = await response.text()
    const body = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, text, body, reported }
  }
}

/** Sends one request to a service with other options; `reported` is what `onError` received. */
export const send = (own: Partial<ServiceOptions<Context>>, path: string, init?: RequestInit) => open(own)(path, init)

export const post = (body: string, headers = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
})

export const RUN = `/runs/${run.id}`
export const RUNS = '/playbooks/pb_1/runs'

/** Triggers a run. */
export const trigger = (inputs: object = {}): RequestInit => post(JSON.stringify({ inputs }))

/** A body that comes as a stream. */
export const streamed = (body: ReadableStream, headers = {}): RequestInit => ({
  ...post('', headers),
  body,
  ...{ duplex: 'half' },
})
