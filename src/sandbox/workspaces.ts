import { errorForbidden } from '../../generated/examples.js'
import type { OperationId } from '../../generated/operations.js'
import type { Playbook, Provider, Workspace } from '../../generated/types.js'
import { STATUS } from '../internal/status.js'
import { type LimitChoice, limitOf, type PlanChoice, withoutAccess } from '../service/limit.js'
import type { ServiceResponse } from '../service/respond.js'
import type { ScriptedPlaybook, World } from './world.js'

/** A workspace as handlers see it. */
export interface SandboxWorkspace {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  playbooks: readonly Playbook[]
  scripts: ReadonlyMap<string, ScriptedPlaybook>
  providers: readonly Provider[]
  /** What its requests count against. */
  limit: LimitChoice
}

/** An API key with what it opens. */
export interface SandboxKey {
  /** Its name in the world. */
  name: string
  workspace: SandboxWorkspace
  allowed: ReadonlySet<OperationId> | undefined
}

export const openWorkspaces = (world: World, plan: PlanChoice): SandboxWorkspace[] =>
  Object.entries(world).map(([name, own]) => {
    const scripts = Object.values(own.playbooks)
    return {
      name,
      workspace: own.workspace,
      playbooks: scripts.map(({ playbook }) => playbook),
      scripts: new Map(scripts.map((script) => [script.playbook.id, script])),
      providers: own.providers,
      limit: { key: name, plan: own.plan ?? plan },
    }
  })

/** The keys of a world by their value. */
export const keysByValue = (world: World, workspaces: readonly SandboxWorkspace[]): Map<string, SandboxKey> =>
  new Map(
    workspaces.flatMap((workspace) =>
      Object.entries(world[workspace.name]?.keys ?? {}).map(([name, { value, operations: allowed }]) => [
        value,
        { name, workspace, allowed: allowed && new Set(allowed) },
      ]),
    ),
  )

/** The 403 of a key that may not call an operation. Basis: S25, S27, A18. */
export function checkAccess({ workspace, allowed }: SandboxKey, operation: OperationId): ServiceResponse | undefined {
  if (limitOf(workspace.limit.plan) === undefined) return withoutAccess(workspace.limit.plan)
  if (!allowed || allowed.has(operation)) return undefined
  return { status: STATUS.forbidden, body: errorForbidden, reason: { type: 'permission', operation } }
}
