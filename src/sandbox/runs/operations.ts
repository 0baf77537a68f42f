import { operations } from '../../../generated/operations.js'
import type { ListMeta } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import type { Operations } from '../../service/types.js'
import type { SandboxWorkspace } from '../world/workspaces.js'
import type { RunStore } from './store.js'

/** Handlers whose context is the workspace of the key. */
export type SandboxOperations = Operations<SandboxWorkspace>

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

/** One page in the list envelope. Basis: S14, S15, A15, A16. */
function pageOf<Item>(
  items: readonly Item[],
  { page, per_page }: { page: number; per_page: number },
): { data: Item[]; meta: ListMeta } {
  return { data: items.slice((page - 1) * per_page, page * per_page), meta: { total: items.length, page, per_page } }
}

const notFound = { status: STATUS.notFound }
