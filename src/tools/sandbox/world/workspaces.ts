import type { OperationId } from '../../../../generated/contract.js'
import { errorForbidden } from '../../../../generated/examples.js'
import type { Playbook, Provider, Workspace } from '../../../../generated/types.js'
import { STATUS } from '../../../internal/contract/status.js'
import { limitOf } from '../../../internal/limits/limit.js'
import { type LimitChoice, type PlanChoice, withoutAccess } from '../../service/limit.js'
import type { ServiceResponse } from '../../service/response/respond.js'
import type { ScriptedPlaybook, World } from './types.js'

/** A workspace as handlers see it. */
export interface SandboxWorkspace {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  playbooks: readonly Playbook[]
  scripts: ReadonlyMap<string, ScriptedPlaybook>
  providers: readonly Provider[]
  /** The limit of its requests. */
  limit: LimitChoice
}

/** An API key with its workspace and permissions. */
export interface SandboxKey {
  /** Its name in the world. */
  name: string
  workspace: SandboxWorkspace
  allowed: ReadonlySet<OperationId> | undefined
}

/** The workspaces of a world, and its keys by value. */
export function openWorld(world: World, plan: PlanChoice) {
  const keys = new Map<string, SandboxKey>()
  const workspaces = Object.entries(world).map(([name, given]): SandboxWorkspace => {
    const scripts = Object.values(given.playbooks)
    const workspace = {
      name,
      workspace: given.workspace as Workspace,
      playbooks: scripts.map(({ playbook }) => playbook as Playbook),
      scripts: new Map(scripts.map((script) => [script.playbook.id, script])),
      providers: given.providers as readonly Provider[],
      limit: { key: name, plan: given.plan ?? plan },
    }
    for (const [key, { value, operations: allowed }] of Object.entries(given.keys))
      keys.set(value, { name: key, workspace, allowed: allowed && new Set(allowed) })
    return workspace
  })
  return { workspaces, keys }
}

/** The 403 of a key that may not call an operation. Basis: S25, S27, A18. */
export function checkAccess({ workspace, allowed }: SandboxKey, operation: OperationId): ServiceResponse | undefined {
  if (limitOf(workspace.limit.plan) === undefined) return withoutAccess(workspace.limit.plan)
  if (!allowed || allowed.has(operation)) return undefined
  return {
    status: STATUS.forbidden,
    body: errorForbidden,
    reason: { type: 'permission', operation },
  }
}
