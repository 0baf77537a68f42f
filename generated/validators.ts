// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { OperationParameters } from '../src/internal/parameters.js'
import { assertNone, createValidators, MismatchError, type Problem, type RequestParameters, type StandardSchema, standardSchema, type Values } from '../src/internal/validate.js'
import checks from './checks.js'
import type { OperationId } from './operations.js'
import type { ErrorBody, ErrorCode, ListMeta, Playbook, PlaybookList, Provider, ProviderList, RateLimitBody, Run, RunInputs, RunStatus, Step, StepStatus, TriggerRunRequest, TriggeredRun, Workspace, operations } from './types.js'

export { queryDefaults } from './operations.js'
export type { OperationParameters, Problem, StandardSchema, Values }
export { MismatchError }

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined

/** The part of a valid request that has a type of its own: parameters may be text. */
export type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body } ? { body: Json<Body> } : unknown

/** A valid response, whose status tells the type of its body. */
export type ResponseBody<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: { status: Status; body: Json<operations[Id]['responses'][Status]> }
}[keyof operations[Id]['responses']]

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

const validators = createValidators<OperationId, keyof Schemas>(checks, {
  getCurrentWorkspace: {
    path: [],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        itemTypes: [],
        isValid: checks["getCurrentWorkspace header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isValid: checks["Workspace"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            itemTypes: [],
            isValid: checks["getCurrentWorkspace 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
    },
  },
  listPlaybooks: {
    path: [],
    query: [
      {
        name: "page",
        required: false,
        types: ["integer"],
        itemTypes: [],
        default: 1,
        isValid: checks["listPlaybooks query page"],
      },
      {
        name: "per_page",
        required: false,
        types: ["integer"],
        itemTypes: [],
        default: 20,
        isValid: checks["listPlaybooks query per_page"],
      },
    ],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        itemTypes: [],
        isValid: checks["listPlaybooks header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isValid: checks["PlaybookList"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            itemTypes: [],
            isValid: checks["listPlaybooks 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
    },
  },
  triggerRun: {
    path: [
      {
        name: "id",
        required: true,
        types: ["string"],
        itemTypes: [],
        isValid: checks["triggerRun path id"],
      },
    ],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        itemTypes: [],
        isValid: checks["triggerRun header Service-Version"],
      },
    ],
    body: {
      required: true,
      isValid: checks["TriggerRunRequest"],
    },
    responses: {
      201: {
        header: [],
        body: {
          required: true,
          isValid: checks["TriggeredRun"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      404: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            itemTypes: [],
            isValid: checks["triggerRun 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
    },
  },
  getRun: {
    path: [
      {
        name: "id",
        required: true,
        types: ["string"],
        itemTypes: [],
        isValid: checks["getRun path id"],
      },
    ],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        itemTypes: [],
        isValid: checks["getRun header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isValid: checks["Run"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      404: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            itemTypes: [],
            isValid: checks["getRun 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
    },
  },
  listProviders: {
    path: [],
    query: [
      {
        name: "page",
        required: false,
        types: ["integer"],
        itemTypes: [],
        default: 1,
        isValid: checks["listProviders query page"],
      },
      {
        name: "per_page",
        required: false,
        types: ["integer"],
        itemTypes: [],
        default: 20,
        isValid: checks["listProviders query per_page"],
      },
    ],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        itemTypes: [],
        isValid: checks["listProviders header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isValid: checks["ProviderList"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            itemTypes: [],
            isValid: checks["listProviders 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isValid: checks["ErrorBody"],
        },
      },
    },
  },
})

/**
 * The problems of a value of a named schema; empty when it matches.
 *
 * @throws TypeError when the contract has no such schema
 */
export const validate = validators.validate

/**
 * The problems of a request; empty when it matches the contract. Parameters may be text, as they are in a URL.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateRequest = validators.validateRequest

/**
 * The problems of a response: of its status, its headers and its body (parsed); empty when it matches the contract.
 *
 * @throws TypeError when the contract has no such operation
 */
export const validateResponse = validators.validateResponse

/**
 * Narrows a request to the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertRequest<Id extends OperationId, Request extends Parameters<typeof validateRequest>[1]>(
  operation: Id,
  request: Request,
): asserts request is Request & RequestBody<Id> {
  assertNone(`The request of ${operation}`, validateRequest(operation, request))
}

/**
 * Narrows a response to the statuses that the contract has, each with the type of its body.
 *
 * @throws MismatchError with every problem
 */
export function assertResponse<Id extends OperationId, Response extends Parameters<typeof validateResponse>[1]>(
  operation: Id,
  response: Response,
): asserts response is Response & ResponseBody<Id> {
  assertNone(`The response of ${operation}`, validateResponse(operation, response))
}

/**
 * The parameters of a valid request as the contract types them: text becomes the number or boolean that it stands for,
 * and defaults are filled in.
 *
 * @throws TypeError when the contract has no such operation
 */
export const parametersOf = validators.parametersOf as <Id extends OperationId>(
  operation: Id,
  request: RequestParameters,
) => OperationParameters<Id>

/** Whether a value is a Workspace as the contract has it. */
export const isWorkspace = (value: unknown): value is Workspace => checks.Workspace(value)

/** Whether a value is a ErrorCode as the contract has it. */
export const isErrorCode = (value: unknown): value is ErrorCode => checks.ErrorCode(value)

/** Whether a value is a ErrorBody as the contract has it. */
export const isErrorBody = (value: unknown): value is ErrorBody => checks.ErrorBody(value)

/** Whether a value is a RateLimitBody as the contract has it. */
export const isRateLimitBody = (value: unknown): value is RateLimitBody => checks.RateLimitBody(value)

/** Whether a value is a Playbook as the contract has it. */
export const isPlaybook = (value: unknown): value is Playbook => checks.Playbook(value)

/** Whether a value is a ListMeta as the contract has it. */
export const isListMeta = (value: unknown): value is ListMeta => checks.ListMeta(value)

/** Whether a value is a PlaybookList as the contract has it. */
export const isPlaybookList = (value: unknown): value is PlaybookList => checks.PlaybookList(value)

/** Whether a value is a RunInputs as the contract has it. */
export const isRunInputs = (value: unknown): value is RunInputs => checks.RunInputs(value)

/** Whether a value is a TriggerRunRequest as the contract has it. */
export const isTriggerRunRequest = (value: unknown): value is TriggerRunRequest => checks.TriggerRunRequest(value)

/** Whether a value is a RunStatus as the contract has it. */
export const isRunStatus = (value: unknown): value is RunStatus => checks.RunStatus(value)

/** Whether a value is a StepStatus as the contract has it. */
export const isStepStatus = (value: unknown): value is StepStatus => checks.StepStatus(value)

/** Whether a value is a Step as the contract has it. */
export const isStep = (value: unknown): value is Step => checks.Step(value)

/** Whether a value is a TriggeredRun as the contract has it. */
export const isTriggeredRun = (value: unknown): value is TriggeredRun => checks.TriggeredRun(value)

/** Whether a value is a Run as the contract has it. */
export const isRun = (value: unknown): value is Run => checks.Run(value)

/** Whether a value is a Provider as the contract has it. */
export const isProvider = (value: unknown): value is Provider => checks.Provider(value)

/** Whether a value is a ProviderList as the contract has it. */
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
