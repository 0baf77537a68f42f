// Generated from openapi/ by `npm run build`. Edit that, not this.

import { standardSchema } from '../src/runtime/standard-schema.js'
import checks from './checks.js'
import type { ErrorBody, ErrorCode, ListMeta, Playbook, PlaybookList, Provider, ProviderList, RateLimitBody, Run, RunInputs, RunStatus, Step, StepStatus, TriggerRunRequest, TriggeredRun, Workspace, operations } from './types.js'

/** The named schemas of the contract. */
export interface Schemas {
  Workspace: Workspace
  ErrorCode: ErrorCode
  ErrorBody: ErrorBody
  RateLimitBody: RateLimitBody
  Playbook: Playbook
  ListMeta: ListMeta
  PlaybookList: PlaybookList
  RunInputs: RunInputs
  TriggerRunRequest: TriggerRunRequest
  RunStatus: RunStatus
  StepStatus: StepStatus
  Step: Step
  TriggeredRun: TriggeredRun
  Run: Run
  Provider: Provider
  ProviderList: ProviderList
}

/**
 * Whether a value is a Workspace as the contract has it.
 *
 * No property is required, so `{}` passes, and so does any other object unless a property has a wrong type.
 */
export const isWorkspace = (value: unknown): value is Workspace => checks.Workspace(value)

/**
 * Whether a value is an ErrorCode as the contract has it.
 *
 * The list of its values is open, so any string passes.
 */
export const isErrorCode = (value: unknown): value is ErrorCode => checks.ErrorCode(value)

/**
 * Whether a value is an ErrorBody as the contract has it.
 *
 * No property is required, so `{}` passes, and so does any other object unless a property has a wrong type. Ask {@link isRateLimitBody} first: what passes it passes here too.
 */
export const isErrorBody = (value: unknown): value is ErrorBody => checks.ErrorBody(value)

/**
 * Whether a value is a RateLimitBody as the contract has it.
 */
export const isRateLimitBody = (value: unknown): value is RateLimitBody => checks.RateLimitBody(value)

/**
 * Whether a value is a Playbook as the contract has it.
 *
 * No property is required, so `{}` passes, and so does any other object unless a property has a wrong type.
 */
export const isPlaybook = (value: unknown): value is Playbook => checks.Playbook(value)

/**
 * Whether a value is a ListMeta as the contract has it.
 */
export const isListMeta = (value: unknown): value is ListMeta => checks.ListMeta(value)

/**
 * Whether a value is a PlaybookList as the contract has it.
 */
export const isPlaybookList = (value: unknown): value is PlaybookList => checks.PlaybookList(value)

/**
 * Whether a value is a RunInputs as the contract has it.
 */
export const isRunInputs = (value: unknown): value is RunInputs => checks.RunInputs(value)

/**
 * Whether a value is a TriggerRunRequest as the contract has it.
 */
export const isTriggerRunRequest = (value: unknown): value is TriggerRunRequest => checks.TriggerRunRequest(value)

/**
 * Whether a value is a RunStatus as the contract has it.
 *
 * The list of its values is open, so any string passes.
 */
export const isRunStatus = (value: unknown): value is RunStatus => checks.RunStatus(value)

/**
 * Whether a value is a StepStatus as the contract has it.
 *
 * The list of its values is open, so any string passes.
 */
export const isStepStatus = (value: unknown): value is StepStatus => checks.StepStatus(value)

/**
 * Whether a value is a Step as the contract has it.
 */
export const isStep = (value: unknown): value is Step => checks.Step(value)

/**
 * Whether a value is a TriggeredRun as the contract has it.
 *
 * No property is required, so `{}` passes, and so does any other object unless a property has a wrong type. Ask {@link isRun} first: what passes it passes here too.
 */
export const isTriggeredRun = (value: unknown): value is TriggeredRun => checks.TriggeredRun(value)

/**
 * Whether a value is a Run as the contract has it.
 */
export const isRun = (value: unknown): value is Run => checks.Run(value)

/**
 * Whether a value is a Provider as the contract has it.
 *
 * No property is required, so `{}` passes, and so does any other object unless a property has a wrong type.
 */
export const isProvider = (value: unknown): value is Provider => checks.Provider(value)

/**
 * Whether a value is a ProviderList as the contract has it.
 */
export const isProviderList = (value: unknown): value is ProviderList => checks.ProviderList(value)

/** The named schemas for libraries that take a Standard Schema, such as `schemas.Run`. */
export const schemas = {
  Workspace: standardSchema<Workspace>(checks.Workspace),
  ErrorCode: standardSchema<ErrorCode>(checks.ErrorCode),
  ErrorBody: standardSchema<ErrorBody>(checks.ErrorBody),
  RateLimitBody: standardSchema<RateLimitBody>(checks.RateLimitBody),
  Playbook: standardSchema<Playbook>(checks.Playbook),
  ListMeta: standardSchema<ListMeta>(checks.ListMeta),
  PlaybookList: standardSchema<PlaybookList>(checks.PlaybookList),
  RunInputs: standardSchema<RunInputs>(checks.RunInputs),
  TriggerRunRequest: standardSchema<TriggerRunRequest>(checks.TriggerRunRequest),
  RunStatus: standardSchema<RunStatus>(checks.RunStatus),
  StepStatus: standardSchema<StepStatus>(checks.StepStatus),
  Step: standardSchema<Step>(checks.Step),
  TriggeredRun: standardSchema<TriggeredRun>(checks.TriggeredRun),
  Run: standardSchema<Run>(checks.Run),
  Provider: standardSchema<Provider>(checks.Provider),
  ProviderList: standardSchema<ProviderList>(checks.ProviderList),
}

/** The request bodies by operation, as Standard Schemas. */
export const requestBodies = {
  triggerRun: standardSchema<TriggerRunRequest>(checks["TriggerRunRequest"]),
}
