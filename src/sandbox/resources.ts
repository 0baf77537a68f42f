import { type OperationId, operations } from '../../generated/operations.js'
import type { TriggerRunRequest } from '../../generated/types.js'
import { type Answer, notFound, success } from './answer.js'
import type { RunStore } from './runs.js'
import type { SandboxWorkspace } from './workspaces.js'

/** A request that has passed every check. */
export interface Call {
  /** The workspace of the key. */
  workspace: SandboxWorkspace
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  body: unknown
}

export type Handler = (call: Call) => Answer

/** How the sandbox answers the operations of the contract from what it holds. */
export const createHandlers = (runs: RunStore): Partial<Record<OperationId, Handler>> => ({
  getCurrentWorkspace: ({ workspace }) => success('getCurrentWorkspace', workspace.workspace),
  listPlaybooks: ({ workspace, query }) => listAnswer('listPlaybooks', workspace.playbooks, query),
  listProviders: ({ workspace, query }) => listAnswer('listProviders', workspace.providers, query),
  triggerRun({ workspace, path, body }) {
    const script = workspace.scripts.get(path.id ?? '')
    if (!script) return notFound
    return success('triggerRun', runs.start(workspace.name, script, (body as TriggerRunRequest).inputs))
  },
  getRun({ workspace, path }) {
    const run = runs.poll(workspace.name, path.id ?? '')
    return run ? success('getRun', run) : notFound
  },
})

/** One page in the list envelope. Basis: S14, S15, A15, A16. */
function listAnswer(
  operation: 'listPlaybooks' | 'listProviders',
  items: readonly unknown[],
  query: Readonly<Record<string, string>>,
): Answer {
  const { defaults } = operations[operation]
  const page = Number(query.page ?? defaults.page)
  const perPage = Number(query.per_page ?? defaults.per_page)
  const data = items.slice((page - 1) * perPage, page * perPage)
  return success(operation, { data, meta: { total: items.length, page, per_page: perPage } })
}
