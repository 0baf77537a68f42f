// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { OperationId } from './operations.js'
import type { ErrorBody, ErrorCode, ListMeta, Playbook, PlaybookList, Provider, ProviderList, RateLimitBody, Run, RunInputs, RunStatus, Step, StepStatus, TriggerRunRequest, TriggeredRun, Workspace } from './types.js'

/** Something that does not match the contract. */
export interface Problem {
  in: 'status' | 'path' | 'query' | 'header' | 'body'
  /** The name of the parameter or header, or the path of the property, its parts joined by dots. */
  name: string
  /** The location in the body or in the parameter value, also of a property that is missing. RFC 6901. */
  pointer: string
  /** The JSON Schema keyword that fails, for example `required`. */
  keyword: string
  /** The values of the keyword, as Ajv names them, for example `{ missingProperty: "inputs" }`. */
  params: Record<string, unknown>
  /** A clause that says what is wrong, for example `the body must have the property "inputs"`. */
  message: string
}

/** Values by name. Header names are compared without regard to case. */
export type Values = Record<string, unknown> | Headers

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
 * The problems of a value of a named schema; empty when it matches.
 *
 * @throws TypeError when the contract has no such schema
 */
export declare function validate(schema: keyof Schemas, value: unknown): Problem[]
/**
 * The problems of a request; empty when it matches the contract. Parameters may be text, as they are in a URL.
 *
 * @throws TypeError when the contract has no such operation
 */
export declare function validateRequest(
  operation: OperationId,
  request: { path?: Values; query?: Values; headers?: Values; body?: unknown },
): Problem[]
/**
 * The parameters of a valid request as the contract types them: text becomes the number or boolean that it stands for, and defaults are filled in.
 *
 * @throws TypeError when the contract has no such operation
 */
export declare function parametersOf(
  operation: OperationId,
  request: { path?: Values; query?: Values; headers?: Values },
): Record<'path' | 'query' | 'headers', Record<string, unknown>>
/**
 * The problems of a response: of its status, its headers and its body (parsed); empty when it matches the contract.
 *
 * @throws TypeError when the contract has no such operation
 */
export declare function validateResponse(
  operation: OperationId,
  response: { status: number; headers?: Values; body?: unknown },
): Problem[]
/** Whether a value is a Workspace as the contract has it. */
export declare function isWorkspace(value: unknown): value is Workspace
/** Whether a value is a ErrorCode as the contract has it. */
export declare function isErrorCode(value: unknown): value is ErrorCode
/** Whether a value is a ErrorBody as the contract has it. */
export declare function isErrorBody(value: unknown): value is ErrorBody
/** Whether a value is a RateLimitBody as the contract has it. */
export declare function isRateLimitBody(value: unknown): value is RateLimitBody
/** Whether a value is a Playbook as the contract has it. */
export declare function isPlaybook(value: unknown): value is Playbook
/** Whether a value is a ListMeta as the contract has it. */
export declare function isListMeta(value: unknown): value is ListMeta
/** Whether a value is a PlaybookList as the contract has it. */
export declare function isPlaybookList(value: unknown): value is PlaybookList
/** Whether a value is a RunInputs as the contract has it. */
export declare function isRunInputs(value: unknown): value is RunInputs
/** Whether a value is a TriggerRunRequest as the contract has it. */
export declare function isTriggerRunRequest(value: unknown): value is TriggerRunRequest
/** Whether a value is a RunStatus as the contract has it. */
export declare function isRunStatus(value: unknown): value is RunStatus
/** Whether a value is a StepStatus as the contract has it. */
export declare function isStepStatus(value: unknown): value is StepStatus
/** Whether a value is a Step as the contract has it. */
export declare function isStep(value: unknown): value is Step
/** Whether a value is a TriggeredRun as the contract has it. */
export declare function isTriggeredRun(value: unknown): value is TriggeredRun
/** Whether a value is a Run as the contract has it. */
export declare function isRun(value: unknown): value is Run
/** Whether a value is a Provider as the contract has it. */
export declare function isProvider(value: unknown): value is Provider
/** Whether a value is a ProviderList as the contract has it. */
export declare function isProviderList(value: unknown): value is ProviderList
/** A schema as version 1 of Standard Schema has it, https://standardschema.dev. The value is not changed. */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: T; readonly output: T } | undefined
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<string | number> }> }
  }
}
/** The named schemas for libraries that take a Standard Schema, such as `schemas.Run`. */
export declare const schemas: { readonly [Name in keyof Schemas]: StandardSchema<Schemas[Name]> }
/** The request bodies by operation, as Standard Schemas. */
export declare const requestBodies: {
  readonly triggerRun: StandardSchema<TriggerRunRequest>
}
