import { createWithin, type Sandbox } from './create.js'
import type { DefaultKey, DefaultPlaybook } from './default-world.js'
import type { SandboxOptions } from './settings.js'
import type { NamedWorld } from './world.js'

export type { Limit } from '../internal/token-bucket.js'
export type { PlanChoice } from '../service/limit.js'
export type { Reason } from '../service/respond.js'
export type { OperationHandler, OperationRequest, OperationResponse } from '../service/types.js'
export { InvalidResponseError } from '../service/validate.js'
export { InvalidWorldError, type WorldProblem } from './check-world.js'
export type { RunProgress, TimeSource } from './clock.js'
export type { Sandbox, SandboxState, WorkspaceState } from './create.js'
export type { DefaultKey, DefaultPlaybook } from './default-world.js'
export { DroppedConnectionError, type Fault, type WaitingFault } from './faults.js'
export type { RequestRecord } from './log.js'
export type { SandboxOperations } from './resources.js'
export type { SandboxOptions } from './settings.js'
export type { SandboxWorkspace } from './workspaces.js'
export type * from './world.js'

/**
 * Creates a sandbox: the service with state, in memory, deterministic. It needs web standards only.
 *
 * @throws TypeError when an option is invalid
 * @throws InvalidWorldError when the world is not valid
 */
export function createSandbox(
  options?: Omit<SandboxOptions, 'world'> & { world?: undefined },
): Sandbox<DefaultKey, DefaultPlaybook>
export function createSandbox<Key extends string, Name extends string>(
  options: SandboxOptions & { world: NamedWorld<Key, Name> },
): Sandbox<Key, Name>
export function createSandbox(options: SandboxOptions): Sandbox
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return createWithin(options)
}
