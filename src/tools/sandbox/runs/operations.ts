import { assumedValues, type OperationId, operations } from '../../../../generated/contract.js'
import type { HandlerBodies } from '../../../../generated/service/bodies.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { examplesOf } from '../../service/response/examples.js'
import { type ServiceResponse, withRetryAfter } from '../../service/response/respond.js'
import type { Operations } from '../../service/types.js'
import type { SandboxWorkspace } from '../world/workspaces.js'
import type { RunStore } from './store.js'

/** Handlers whose context is the workspace of the key. */
export type SandboxOperations = Operations<SandboxWorkspace, unknown, boolean>

/** The operations of the contract on the state of the sandbox. */
export const sandboxOperations = (runs: RunStore): Partial<SandboxOperations> => ({
  getCurrentWorkspace: ({ context }) => ({
    status: operations.getCurrentWorkspace.success[0],
    body: context.workspace,
  }),
  listPlaybooks: ({ context, query }) => ({
    status: operations.listPlaybooks.success[0],
    body: pageOf(context.playbooks, query),
  }),
  listProviders: ({ context, query }) => ({
    status: operations.listProviders.success[0],
    body: pageOf(context.providers, query),
  }),
  triggerRun({ context, path, body }) {
    const script = context.scripts.get(path.id)
    if (!script) return notFound
    return { status: operations.triggerRun.success[0], body: runs.start(context.name, script, body.inputs) }
  },
  getRun({ context, path }) {
    const run = runs.poll(context.name, path.id)
    return run ? { status: operations.getRun.success[0], body: run } : notFound
  },
})

type PagedId = { [Id in OperationId]: (typeof operations)[Id] extends { paged: true } ? Id : never }[OperationId]

type ListBody = { [Id in PagedId]: HandlerBodies[Id][(typeof operations)[Id]['success'][0]] }[PagedId]
type Every<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** A request of an operation without a handler. */
interface Unhandled {
  operation: OperationId
  path: Readonly<Record<string, unknown>>
  query: object
  context: SandboxWorkspace
}

/**
 * The response of an operation without a handler: its first example, or the requested page of a list. It is a 404 unless the
 * workspace, or in the first workspace the example, has the id of the path. Basis: S22, D05.
 */
export function exampleOf(
  { operation, path, query, context }: Unhandled,
  runs: RunStore,
  isFirst: boolean,
): ServiceResponse {
  const example = firstExample(operation)
  const { scripts } = context
  const isKnown = (id: unknown) =>
    (isFirst && JSON.stringify(example.body).includes(JSON.stringify(id))) ||
    scripts.has(isTrigger(operation) ? String(id) : (runs.playbookOf(String(id)) ?? ''))
  if (!Object.values(path).every(isKnown)) return notFound
  const isPaged = 'paged' in operations[operation]
  if (!isPaged) return example
  // A list that has no page numbers does not compile here: extend this file and src/client/pages.ts.
  const body: Every<ListBody> = pageOf((example.body as Page<never>).data, query as PageQuery)
  return { ...example, body }
}

/** The first example of the success. */
export const firstExample = (operation: OperationId): ServiceResponse => {
  const status = operations[operation].success[0]
  return withRetryAfter(status, Object.values(examplesOf(operation)[status] ?? {})[0])
}

/** A page in the list envelope; empty beyond the end of the list. Basis: S14, S15, A15, A16, A37. */
function pageOf<Item>(items: readonly Item[], { page = firstPage, per_page = pageSize }: PageQuery): Page<Item> {
  const from = (page - firstPage) * per_page
  const data = from < 0 || per_page < 1 ? [] : items.slice(from, from + per_page)
  return { data, meta: { total: items.length, page, per_page } }
}

const { firstPage, pageSize } = assumedValues

interface PageQuery {
  page?: number
  per_page?: number
}

interface Page<Item = unknown> {
  data: Item[]
  meta: Required<PageQuery> & { total: number }
}

const notFound = { status: STATUS.notFound }
