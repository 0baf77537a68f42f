import { createEngine } from './create.js'
import { type Sandbox, sandboxOf } from './sandbox.js'
import type { SandboxOptions } from './settings.js'
import type { DefaultKey, DefaultPlaybook } from './world/default.js'
import type { NamedWorld } from './world/types.js'

export type { Clock } from '../../shared/clock.js'
export type { Limit } from '../../shared/limit.js'
export type { PlanChoice } from '../service/limit.js'
export { InvalidResponseError } from '../service/response/validate.js'
export type { OperationHandler, OperationRequest, OperationResponse } from '../service/types.js'
export type { PointInTime, RunProgress } from './clock.js'
export type { Fault, FaultEffect, WaitingFault } from './faults/types.js'
export type { RequestFilter } from './log/index.js'
export type { Reason, RequestRecord } from './log/request-record.js'
export type { WaitOptions } from './log/waiting.js'
export type { SandboxOperations } from './runs/operations.js'
export type { Sandbox, SandboxState, WorkspaceState } from './sandbox.js'
export type { SandboxOptions } from './settings.js'
export type { SandboxSnapshot } from './snapshot.js'
export { InvalidWorldError, type WorldProblem } from './world/check.js'
export type { DefaultKey, DefaultPlaybook } from './world/default.js'
export type * from './world/types.js'
export type { SandboxWorkspace } from './world/workspaces.js'

/**
 * Creates a sandbox: a stateful, deterministic, in-memory implementation of the contract, including its assumptions. It
 * needs only web standards.
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
export function createSandbox(options?: SandboxOptions): Sandbox
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return sandboxOf(createEngine(options))
}
