import { errorForbidden, errorHobbyPlan, errorInvalidKey, errorMissingKey } from '../../generated/examples.js'
import { type OperationId, operations, plans } from '../../generated/operations.js'
import type { Playbook, Provider, Workspace } from '../../generated/types.js'
import { STATUS } from '../internal/status.js'
import { createTokenBucket, type Limit, type TokenBucket } from '../internal/token-bucket.js'
import { type Answer, rateLimited } from './answer.js'
import type { SandboxClock } from './clock.js'
import type { PlanChoice, ScriptedPlaybook, World } from './world.js'

/** A workspace as handlers see it. */
export interface SandboxWorkspace {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  playbooks: readonly Playbook[]
  scripts: ReadonlyMap<string, ScriptedPlaybook>
  providers: readonly Provider[]
  hasAccess: boolean
  /** Undefined without a limit. */
  quota: { limit: Limit; bucket: TokenBucket } | undefined
}

/** An API key with what it opens. */
export interface SandboxKey {
  /** Its name in the world. */
  name: string
  workspace: SandboxWorkspace
  allowed: ReadonlySet<OperationId> | undefined
}

/** The workspaces of a world with full buckets. */
export const openWorkspaces = (world: World, plan: PlanChoice, now: number): SandboxWorkspace[] =>
  Object.entries(world).map(([name, own]) => {
    const scripts = Object.values(own.playbooks)
    const limit = limitOf(own.plan ?? plan)
    return {
      name,
      workspace: own.workspace,
      playbooks: scripts.map(({ playbook }) => playbook),
      scripts: new Map(scripts.map((script) => [script.playbook.id, script])),
      providers: own.providers,
      hasAccess: limit !== undefined,
      quota: limit ? { limit, bucket: createTokenBucket(limit, now) } : undefined,
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

/** The key of an Authorization header, or 401. Basis: S23, S24. */
export function authenticate(header: string | null, keys: ReadonlyMap<string, SandboxKey>): SandboxKey | Answer {
  const value = header?.startsWith(SCHEME) ? header.slice(SCHEME.length) : ''
  return keys.get(value) ?? (value === '' ? missingKey : invalidKey)
}

/** What keeps a key from an operation: 403, or 429 when the workspace is over its limit. Basis: S25, S27, S35, S36, A18. */
export function refuse(key: SandboxKey, operation: OperationId, clock: SandboxClock): Answer | undefined {
  const { hasAccess, quota } = key.workspace
  if (!hasAccess) return hobbyPlan
  if (key.allowed && !key.allowed.has(operation)) return forbidden
  if (!quota || operations[operation].quota !== 'requests') return undefined
  const now = clock.limits()
  if (quota.bucket.take(1, now)) return undefined
  return rateLimited(quota.limit.requestsPerMinute, Math.max(1, Math.ceil(quota.bucket.waitFor(1, now) / 1000)))
}

const SCHEME = 'Bearer '

const unauthorized = (body: unknown): Answer => ({
  status: STATUS.unauthorized,
  headers: { 'www-authenticate': SCHEME.trim() },
  body,
})
const missingKey = unauthorized(errorMissingKey)
const invalidKey = unauthorized(errorInvalidKey)
const hobbyPlan: Answer = { status: STATUS.forbidden, body: errorHobbyPlan }
const forbidden: Answer = { status: STATUS.forbidden, body: errorForbidden }

/** The limit of a plan; `false` for none, undefined for a plan without API access. */
function limitOf(plan: PlanChoice): Limit | false | undefined {
  if (typeof plan !== 'string') return plan
  const chosen = plans[plan]
  return chosen.apiAccess ? chosen : undefined
}
