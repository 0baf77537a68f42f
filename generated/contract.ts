// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { BasisEntry, OperationNode, SchemaNode } from '../src/runtime/contract-nodes.js'

/**
 * Every operation by its id. `cacheSeconds` is how long a client may keep a 200; a status in `retryable` may be sent
 * again whatever the method; after one in `refused` a trigger has started no run.
 */
export const operations = {
  getCurrentWorkspace: {
    method: "GET",
    path: "/workspaces/me",
    quota: "requests",
    pathParameters: [],
    query: [],
    success: [200],
    retryable: [429, 500],
  },
  listPlaybooks: {
    method: "GET",
    path: "/playbooks",
    quota: "requests",
    cacheSeconds: 60,
    pathParameters: [],
    query: ["page", "per_page"],
    paged: true,
    success: [200],
    retryable: [429, 500],
  },
  triggerRun: {
    method: "POST",
    path: "/playbooks/{id}/runs",
    quota: "runs",
    pathParameters: ["id"],
    query: [],
    body: true,
    success: [201],
    retryable: [429, 500],
    refused: [400, 401, 403, 404],
  },
  getRun: {
    method: "GET",
    path: "/runs/{id}",
    quota: "requests",
    pathParameters: ["id"],
    query: [],
    success: [200],
    retryable: [429, 500],
  },
  listProviders: {
    method: "GET",
    path: "/providers",
    quota: "requests",
    cacheSeconds: 60,
    pathParameters: [],
    query: ["page", "per_page"],
    paged: true,
    success: [200],
    retryable: [429, 500],
  },
} as const

export type OperationId = keyof typeof operations

/** The plans of the service, the smallest first. `requestsPerMinute` and `burst` are per workspace. */
export const plans = {
  hobby: {
    name: "Hobby",
    apiAccess: false,
  },
  pro: {
    name: "Pro",
    apiAccess: true,
    requestsPerMinute: 60,
    burst: 120,
  },
  pro10x: {
    name: "Pro 10×",
    apiAccess: true,
    requestsPerMinute: 300,
    burst: 600,
  },
} as const

export type PlanId = keyof typeof plans

/** Plans by what they are: the largest with access to the API, one without, and the one to expect where none is named. */
export const planIds = {
  largest: "pro10x",
  withoutAccess: "hobby",
  default: "pro",
} as const

/**
 * The last segment of every base URL, the header that pins a request to a release, the header of a 429, and the default
 * user agent of the client.
 */
export const protocol = {
  versionSegment: "/v1",
  versionHeader: "Service-Version",
  rateLimit: {
    header: "Retry-After",
  },
  userAgent: "workflow-automation-contract/5.0.0",
} as const

/** The form of a release's name. */
export const versionPattern = "^([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)$" as const

/** The statuses that may follow a status. After a terminal one none does. */
export const transitions = {
  Step: {
    running: {
      next: ["waiting_approval", "succeeded", "failed"],
    },
    waiting_approval: {
      next: ["succeeded", "failed"],
    },
    succeeded: {
      terminal: true,
    },
    failed: {
      terminal: true,
    },
  },
  Run: {
    running: {
      next: ["succeeded", "failed"],
    },
    succeeded: {
      terminal: true,
    },
    failed: {
      terminal: true,
    },
  },
} as const

export const terminalStatusesOfStep = ["succeeded", "failed"] as const
export const terminalStatusesOfRun = ["succeeded", "failed"] as const

/** The statuses that none follows. */
export const terminalStatuses = {
  Step: terminalStatusesOfStep,
  Run: terminalStatusesOfRun,
} as const

export const knownValuesOfErrorCode = ["bad_request", "unauthorized", "forbidden", "not_found", "internal_error"] as const
export const knownValuesOfRunStatus = ["running", "succeeded", "failed"] as const
export const knownValuesOfStepStatus = ["running", "waiting_approval", "succeeded", "failed"] as const

/** The values of enumerations that the contract names. Where a list is open, others may come. */
export const knownValues = {
  ErrorCode: knownValuesOfErrorCode,
  RunStatus: knownValuesOfRunStatus,
  StepStatus: knownValuesOfStepStatus,
} as const

/** The known statuses by name. */
export const RUN_STATUS = {
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
} as const

/** The known statuses by name. */
export const STEP_STATUS = {
  running: "running",
  waitingApproval: "waiting_approval",
  succeeded: "succeeded",
  failed: "failed",
} as const

/** The operations as the document has them: OpenAPI, Operation Object. A response may be that of a range, such as 2XX. */
export const operationNodes: Record<OperationId, OperationNode<BasisId>> = {
  getCurrentWorkspace: {
    location: "openapi.yaml#/paths/~1workspaces~1me/get",
    basis: ["S03", "S16", "D04"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        types: ["string"],
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Workspace200",
        basis: ["A12", "A29"],
        body: {
          schema: "Workspace",
          required: true,
          isTypeAssumed: true,
        },
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        body: {
          schema: "RateLimitBody",
          required: true,
          isTypeAssumed: true,
        },
        headers: {
          "Retry-After": {
            types: ["integer"],
            required: true,
            example: 17,
            basis: ["S32", "S33", "A36"],
          },
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/Workspace",
        basis: ["S16", "D03", "A29"],
        body: {
          schema: "Workspace",
          required: true,
          isTypeAssumed: true,
        },
      },
    },
  },
  listPlaybooks: {
    location: "openapi.yaml#/paths/~1playbooks/get",
    basis: ["S17", "S38", "D04", "A49"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        types: ["string"],
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
      {
        name: "page",
        in: "query",
        types: ["integer"],
        example: 2,
        basis: ["A15", "A16", "A52", "A64"],
      },
      {
        name: "per_page",
        in: "query",
        types: ["integer"],
        example: 50,
        basis: ["A15", "A37", "A52"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/PlaybookList200",
        basis: ["A12", "A29"],
        body: {
          schema: "PlaybookList",
          required: true,
          isTypeAssumed: true,
        },
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        body: {
          schema: "RateLimitBody",
          required: true,
          isTypeAssumed: true,
        },
        headers: {
          "Retry-After": {
            types: ["integer"],
            required: true,
            example: 17,
            basis: ["S32", "S33", "A36"],
          },
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/PlaybookList",
        basis: ["S17", "D03", "A29"],
        body: {
          schema: "PlaybookList",
          required: true,
          isTypeAssumed: true,
        },
      },
    },
  },
  triggerRun: {
    location: "openapi.yaml#/paths/~1playbooks~1{id}~1runs/post",
    basis: ["S18", "S28", "S36", "D10", "A34", "A44", "A54", "A56", "A57"],
    parameters: [
      {
        name: "id",
        in: "path",
        types: ["string"],
        required: true,
        example: "pb_3kX9wq",
        basis: ["S18", "A35"],
      },
      {
        name: "Service-Version",
        in: "header",
        types: ["string"],
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    requestBody: {
      schema: "TriggerRunRequest",
      required: true,
    },
    responses: {
      201: {
        location: "openapi.yaml#/components/responses/TriggeredRun201",
        basis: ["A13", "A14", "A29"],
        body: {
          schema: "TriggeredRun",
          required: true,
          isTypeAssumed: true,
        },
      },
      400: {
        location: "openapi.yaml#/components/responses/BadRequest",
        basis: ["S26", "D09", "A17", "A20", "A22", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "D09", "A17", "A25", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        body: {
          schema: "RateLimitBody",
          required: true,
          isTypeAssumed: true,
        },
        headers: {
          "Retry-After": {
            types: ["integer"],
            required: true,
            example: 17,
            basis: ["S32", "S33", "A36"],
          },
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/TriggeredRun",
        basis: ["S18", "D03", "A14", "A29"],
        body: {
          schema: "TriggeredRun",
          required: true,
          isTypeAssumed: true,
        },
      },
    },
  },
  getRun: {
    location: "openapi.yaml#/paths/~1runs~1{id}/get",
    basis: ["S19", "S21", "D04", "A43", "A48"],
    parameters: [
      {
        name: "id",
        in: "path",
        types: ["string"],
        required: true,
        example: "run_8Zt4Lm2c",
        basis: ["S05", "S19", "A35"],
      },
      {
        name: "Service-Version",
        in: "header",
        types: ["string"],
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Run200",
        basis: ["A12", "A29"],
        body: {
          schema: "Run",
          required: true,
          isTypeAssumed: true,
        },
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "D09", "A17", "A25", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        body: {
          schema: "RateLimitBody",
          required: true,
          isTypeAssumed: true,
        },
        headers: {
          "Retry-After": {
            types: ["integer"],
            required: true,
            example: 17,
            basis: ["S32", "S33", "A36"],
          },
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/Run",
        basis: ["S19", "D03", "A29"],
        body: {
          schema: "Run",
          required: true,
          isTypeAssumed: true,
        },
      },
    },
  },
  listProviders: {
    location: "openapi.yaml#/paths/~1providers/get",
    basis: ["S20", "S38", "D04", "A49"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        types: ["string"],
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
      {
        name: "page",
        in: "query",
        types: ["integer"],
        example: 2,
        basis: ["A15", "A16", "A52", "A64"],
      },
      {
        name: "per_page",
        in: "query",
        types: ["integer"],
        example: 50,
        basis: ["A15", "A37", "A52"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/ProviderList200",
        basis: ["A12", "A29"],
        body: {
          schema: "ProviderList",
          required: true,
          isTypeAssumed: true,
        },
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        body: {
          schema: "RateLimitBody",
          required: true,
          isTypeAssumed: true,
        },
        headers: {
          "Retry-After": {
            types: ["integer"],
            required: true,
            example: 17,
            basis: ["S32", "S33", "A36"],
          },
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        body: {
          schema: "ErrorBody",
          required: true,
          isTypeAssumed: true,
        },
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/ProviderList",
        basis: ["S20", "D03", "A29"],
        body: {
          schema: "ProviderList",
          required: true,
          isTypeAssumed: true,
        },
      },
    },
  },
}

/** The named schemas: OpenAPI, Schema Object. */
export const schemaNodes: Record<string, SchemaNode<BasisId>> = {
  Workspace: {
    location: "openapi.yaml#/components/schemas/Workspace",
    basis: ["S03", "S16"],
    properties: {
      id: {
        basis: ["A01"],
      },
      name: {
        basis: ["A01"],
      },
    },
  },
  ErrorCode: {
    location: "openapi.yaml#/components/schemas/ErrorCode",
    basis: ["A17", "A24"],
    values: {
      bad_request: ["A24"],
      unauthorized: ["A24"],
      forbidden: ["A24"],
      not_found: ["A24"],
      internal_error: ["A24"],
    },
    enumeratedBy: "A24",
  },
  ErrorBody: {
    location: "openapi.yaml#/components/schemas/ErrorBody",
    basis: ["A17"],
    properties: {
      error: {
        schema: "ErrorCode",
      },
      message: {
        basis: ["A17"],
      },
    },
  },
  RateLimitBody: {
    location: "openapi.yaml#/components/schemas/RateLimitBody",
    required: ["error", "message", "retry_after"],
    basis: ["S27", "S29", "S30", "S31"],
    properties: {
      error: {
        basis: ["S29"],
      },
      message: {
        basis: ["S30", "A33"],
        assumedPatterns: {
          A33: "^[\\s\\S]*[0-9][\\s\\S]*$",
        },
      },
      retry_after: {
        basis: ["S31", "S32", "A36"],
      },
    },
  },
  Playbook: {
    location: "openapi.yaml#/components/schemas/Playbook",
    basis: ["S17"],
    properties: {
      id: {
        basis: ["A30"],
      },
      name: {
        basis: ["A02"],
      },
      description: {
        basis: ["A02"],
      },
    },
  },
  ListMeta: {
    location: "openapi.yaml#/components/schemas/ListMeta",
    required: ["total", "page", "per_page"],
    basis: ["S15", "A32", "A36"],
    properties: {
      total: {
        basis: ["S15", "A32", "A36"],
      },
      page: {
        basis: ["S15", "A32", "A36"],
      },
      per_page: {
        basis: ["S15", "A32", "A36"],
      },
    },
  },
  PlaybookList: {
    location: "openapi.yaml#/components/schemas/PlaybookList",
    required: ["data", "meta"],
    basis: ["S14", "S17"],
    properties: {
      data: {
        items: {
          schema: "Playbook",
        },
      },
      meta: {
        schema: "ListMeta",
      },
    },
  },
  RunInputs: {
    location: "openapi.yaml#/components/schemas/RunInputs",
    basis: ["S13", "A22", "A54"],
    valueTypes: ["string"],
  },
  TriggerRunRequest: {
    location: "openapi.yaml#/components/schemas/TriggerRunRequest",
    required: ["inputs"],
    basis: ["S18", "A21"],
    properties: {
      inputs: {
        schema: "RunInputs",
      },
    },
  },
  RunStatus: {
    location: "openapi.yaml#/components/schemas/RunStatus",
    basis: ["S06", "A35", "A60"],
    assumedPatterns: {
      A35: "^[\\s\\S]+$",
    },
    values: {
      running: ["O01", "A09"],
      succeeded: ["A05"],
      failed: ["A05"],
    },
    enumeratedBy: "A05",
  },
  StepStatus: {
    location: "openapi.yaml#/components/schemas/StepStatus",
    basis: ["S11", "A35"],
    assumedPatterns: {
      A35: "^[\\s\\S]+$",
    },
    values: {
      running: ["A06"],
      waiting_approval: ["O02"],
      succeeded: ["O02"],
      failed: ["A06"],
    },
    enumeratedBy: "A06",
  },
  Step: {
    location: "openapi.yaml#/components/schemas/Step",
    required: ["id", "status"],
    basis: ["S09"],
    properties: {
      id: {
        basis: ["S10", "A35"],
        assumedPatterns: {
          A35: "^[\\s\\S]+$",
        },
      },
      status: {
        schema: "StepStatus",
      },
      capability: {
        basis: ["S12", "O03", "A04", "A50", "A53"],
      },
    },
    transitions: ["A08"],
  },
  TriggeredRun: {
    location: "openapi.yaml#/components/schemas/TriggeredRun",
    basis: ["A14"],
    properties: {
      id: {
        basis: ["A31"],
      },
      status: {
        schema: "RunStatus",
      },
      playbook_id: {
        basis: ["A14"],
      },
      started_at: {
        basis: ["A14", "A28"],
        assumedPatterns: {
          A28: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]00:00)$",
        },
      },
      steps: {
        basis: ["A11", "A14"],
        items: {
          schema: "Step",
        },
      },
    },
  },
  Run: {
    location: "openapi.yaml#/components/schemas/Run",
    required: ["id", "status", "playbook_id", "started_at", "steps"],
    basis: ["S19"],
    properties: {
      id: {
        basis: ["S05", "A35"],
        assumedPatterns: {
          A35: "^[\\s\\S]+$",
        },
      },
      status: {
        schema: "RunStatus",
      },
      playbook_id: {
        basis: ["S07", "A35"],
        assumedPatterns: {
          A35: "^[\\s\\S]+$",
        },
      },
      started_at: {
        basis: ["S08", "A28", "A51"],
        assumedPatterns: {
          A28: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]00:00)$",
        },
      },
      steps: {
        basis: ["S09", "A11", "A59"],
        items: {
          schema: "Step",
        },
      },
    },
    transitions: ["A07", "A09"],
  },
  Provider: {
    location: "openapi.yaml#/components/schemas/Provider",
    basis: ["S20", "S01"],
    properties: {
      id: {
        basis: ["A03", "A04"],
      },
      name: {
        basis: ["A03"],
      },
    },
  },
  ProviderList: {
    location: "openapi.yaml#/components/schemas/ProviderList",
    required: ["data", "meta"],
    basis: ["S14", "S20"],
    properties: {
      data: {
        items: {
          schema: "Provider",
        },
      },
      meta: {
        schema: "ListMeta",
      },
    },
  },
}

export type BasisId = 'S01' | 'S03' | 'S04' | 'S05' | 'S06' | 'S07' | 'S08' | 'S09' | 'S10' | 'S11' | 'S12' | 'S13' | 'S14' | 'S15' | 'S16' | 'S17' | 'S18' | 'S19' | 'S20' | 'S21' | 'S22' | 'S23' | 'S24' | 'S25' | 'S26' | 'S27' | 'S28' | 'S29' | 'S30' | 'S31' | 'S32' | 'S33' | 'S34' | 'S35' | 'S36' | 'S37' | 'S38' | 'S40' | 'O01' | 'O02' | 'O03' | 'D03' | 'D04' | 'D05' | 'D08' | 'D09' | 'D10' | 'A01' | 'A02' | 'A03' | 'A04' | 'A05' | 'A06' | 'A07' | 'A08' | 'A09' | 'A10' | 'A11' | 'A12' | 'A13' | 'A14' | 'A15' | 'A16' | 'A17' | 'A18' | 'A19' | 'A20' | 'A21' | 'A22' | 'A24' | 'A25' | 'A26' | 'A27' | 'A28' | 'A29' | 'A30' | 'A31' | 'A32' | 'A33' | 'A34' | 'A35' | 'A36' | 'A37' | 'A38' | 'A39' | 'A40' | 'A41' | 'A42' | 'A43' | 'A44' | 'A45' | 'A46' | 'A47' | 'A48' | 'A49' | 'A50' | 'A51' | 'A52' | 'A53' | 'A54' | 'A55' | 'A56' | 'A57' | 'A58' | 'A59' | 'A60' | 'A61' | 'A62' | 'A63' | 'A64'

/** What each part of the contract rests on. Its type is written out, so that declarations do not repeat its texts. */
export const basis: Readonly<Record<BasisId, BasisEntry>> = {
  S01: {
    kind: "stated",
    section: 1,
    text: "The service automates operational workflows. It offers four kinds of resource - workspaces, playbooks, runs of playbooks, and providers, which are external systems connected to the workspace.",
    needs: ["run"],
  },
  S03: {
    kind: "stated",
    section: 1,
    text: "A key belongs to exactly one workspace, and every request acts for that workspace.",
    presence: false,
  },
  S04: {
    kind: "stated",
    section: 1,
    text: "Every path is relative to a base URL that ends with the version segment, /v1. The segment is the version of all endpoints, and v1 is the current stable one.",
  },
  S05: {
    kind: "stated",
    section: 2,
    text: "A run has a string id with a prefix and an opaque part.",
    needs: ["run"],
  },
  S06: {
    kind: "stated",
    section: 2,
    text: "A run has a status, a string with its current status.",
    needs: ["run"],
  },
  S07: {
    kind: "stated",
    section: 2,
    text: "A run has playbook_id, a string with the id of its playbook.",
    needs: ["run"],
  },
  S08: {
    kind: "stated",
    section: 2,
    text: "A run has started_at, a timestamp in a UTC form of ISO 8601.",
    needs: ["run"],
  },
  S09: {
    kind: "stated",
    section: 2,
    text: "A run has steps, an array of Step, in order.",
    needs: ["run"],
  },
  S10: {
    kind: "stated",
    section: 2,
    text: "A step has a string id that identifies it within its run.",
    needs: ["run"],
  },
  S11: {
    kind: "stated",
    section: 2,
    text: "A step has a status, a string.",
    needs: ["run"],
  },
  S12: {
    kind: "stated",
    section: 2,
    text: "A step that performs a provider's action has a capability, a dotted string of the form <provider>.<action>.",
    needs: ["run"],
  },
  S13: {
    kind: "stated",
    section: 2,
    text: "The inputs of a run are a JSON object with string keys and string values, sent when the run is triggered.",
  },
  S14: {
    kind: "stated",
    section: 2,
    text: "A list endpoint responds with an object whose data is an array, the items of the page.",
  },
  S15: {
    kind: "stated",
    section: 2,
    text: "The same object has meta, which contains the integers total, page and per_page.",
  },
  S16: {
    kind: "stated",
    section: 4,
    text: "GET /workspaces/me responds with the workspace of the key, as a single object.",
  },
  S17: {
    kind: "stated",
    section: 4,
    text: "GET /playbooks responds with the list envelope of the workspace's playbooks.",
  },
  S18: {
    kind: "stated",
    section: 4,
    text: "POST /playbooks/{id}/runs triggers a run of the playbook; its body is JSON (Content-Type application/json) with an object inputs.",
    needs: ["trigger"],
  },
  S19: {
    kind: "stated",
    section: 4,
    text: "GET /runs/{id} responds with a Run.",
    needs: ["run"],
  },
  S20: {
    kind: "stated",
    section: 4,
    text: "GET /providers responds with the list envelope of the connected providers.",
  },
  S21: {
    kind: "stated",
    section: 4,
    text: "To follow a run, a client repeats GET /runs/{id} and reads status and steps. No other way is given.",
    needs: ["trigger"],
  },
  S22: {
    kind: "stated",
    section: 4,
    text: "A request to an endpoint that does not exist for the id given fails with 404, resource not found.",
  },
  S23: {
    kind: "stated",
    section: 5,
    text: "Every request carries the workspace's API key in the header Authorization, as Bearer <API_KEY>.",
  },
  S24: {
    kind: "stated",
    section: 5,
    text: "A request with a missing or invalid key fails with 401.",
  },
  S25: {
    kind: "stated",
    section: 5,
    text: "A request whose key is valid but lacks permission for the action fails with 403.",
    needs: ["readOnlyKey"],
  },
  S26: {
    kind: "stated",
    section: 7,
    text: "A request with a wrong body fails with 400.",
  },
  S27: {
    kind: "stated",
    section: 7,
    text: "A request over the rate limit fails with 429.",
    needs: ["rateLimit"],
  },
  S28: {
    kind: "stated",
    section: 7,
    text: "500 is an internal error of the service. It is transient, and sending the same request again is safe.",
    unobservable: "No response was a 500, and a client cannot provoke one.",
  },
  S29: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has error, always rate_limit_exceeded.",
    needs: ["rateLimit"],
  },
  S30: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has message, a string for people that states the exceeded limit as a number of requests per minute.",
    needs: ["rateLimit"],
  },
  S31: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has retry_after, an integer, the seconds to wait before retrying.",
    needs: ["rateLimit"],
  },
  S32: {
    kind: "stated",
    section: 7,
    text: "A 429 has the header Retry-After, in seconds, with the same value as retry_after.",
    needs: ["rateLimit"],
    presence: false,
  },
  S33: {
    kind: "stated",
    section: 7,
    text: "After a 429 a client waits at least as many seconds as Retry-After says. Without the header it uses its own default.",
    needs: ["rateLimit"],
  },
  S34: {
    kind: "stated",
    section: 8,
    text: "The plans are Hobby without API access, Pro with 60 requests per minute and a burst of 120, and Pro 10× with 300 and 600.",
    needs: ["rateLimit"],
  },
  S35: {
    kind: "stated",
    section: 8,
    text: "Rate limits and run quotas are counted per workspace, not per key and not per client.",
    needs: ["rateLimit", "secondKey"],
  },
  S36: {
    kind: "stated",
    section: 8,
    text: "Triggering a run counts against the run quota of the plan, not against the request rate.",
    needs: ["rateLimit"],
  },
  S37: {
    kind: "stated",
    section: 8,
    text: "Limits above those of the plans are arranged through support.",
    unobservable: "Not enforced: It is about support, which no request and no response shows.",
  },
  S38: {
    kind: "stated",
    section: 8,
    text: "Playbooks and providers change rarely; a client should cache their lists for 60 seconds.",
    unobservable: "Advice to clients, which no response can show.",
  },
  S40: {
    kind: "stated",
    section: 9,
    text: "A client may pin a request to a release with the header Service-Version, a date in the form YYYY-MM-DD. Pinning protects it from breaking changes in later releases.",
  },
  O01: {
    kind: "observed",
    section: 2,
    text: "The run status running was observed.",
    needs: ["run"],
  },
  O02: {
    kind: "observed",
    section: 2,
    text: "The step statuses succeeded and waiting_approval were observed.",
    needs: ["run"],
  },
  O03: {
    kind: "observed",
    section: 2,
    text: "The step observed as waiting_approval had no capability.",
    unobservable: "It is one observation; A53 asks whether it holds for others.",
    presence: false,
  },
  D03: {
    kind: "derived",
    section: 4,
    text: "A success has a 2xx status, as HTTP defines it (RFC 9110, section 15.3), because every status that the source names is an error.",
  },
  D04: {
    kind: "derived",
    section: 8,
    text: "Every request except a trigger counts against the request rate, because only triggers are excepted. Which refused ones count is not known (A45).",
    needs: ["rateLimit"],
  },
  D05: {
    kind: "derived",
    section: 1,
    text: "A key never reaches another workspace's resources, because each request acts for one workspace.",
    needs: ["otherWorkspaceKey", "run"],
  },
  D08: {
    kind: "derived",
    section: 7,
    text: "A request that got a 429 had no effect, because it was refused and is to be sent again after the wait.",
    unobservable: "A response does not show what a refused request did.",
    presence: false,
  },
  D09: {
    kind: "derived",
    section: 7,
    text: "A request that got 400, 401, 403 or 404 had no effect, because it was refused.",
    unobservable: "A response does not show what a refused request did.",
    presence: false,
  },
  D10: {
    kind: "derived",
    section: 7,
    text: "A client sends the same trigger again only after a 429, once its wait is over, or a 500, because a repetition is allowed after these alone. After a lost response or any other failure the run may have started.",
    unobservable: "It binds clients, which no response can show.",
    presence: false,
  },
  A01: {
    kind: "assumed",
    section: 2,
    text: "A workspace has an id and a name.",
  },
  A02: {
    kind: "assumed",
    section: 2,
    text: "A playbook has a name and a description.",
    unobservable: "The list of playbooks was empty, or the playbooks that were seen have no such property.",
  },
  A03: {
    kind: "assumed",
    section: 2,
    text: "A provider has an id and a name.",
    unobservable: "The list of providers was empty, or the providers that were seen have no such property.",
  },
  A04: {
    kind: "assumed",
    section: 2,
    text: "The first part of a capability is the id of a provider.",
    unobservable: "No step with a capability was seen, or not all providers.",
    presence: false,
  },
  A05: {
    kind: "assumed",
    section: 2,
    text: "A run finishes as succeeded or failed.",
    unobservable: "No run was seen to its end.",
  },
  A06: {
    kind: "assumed",
    section: 2,
    text: "A step can be running or failed.",
    unobservable: "No step was seen running or failed.",
  },
  A07: {
    kind: "assumed",
    section: 3,
    text: "A run changes from running to succeeded or failed, and does not change after that.",
    needs: ["trigger"],
  },
  A08: {
    kind: "assumed",
    section: 3,
    text: "A step changes from running to succeeded, failed or waiting_approval, and from waiting_approval to succeeded or failed.",
    needs: ["trigger"],
  },
  A09: {
    kind: "assumed",
    section: 3,
    text: "A run stays running while one of its steps waits for approval.",
    unobservable: "No step was seen waiting for approval.",
  },
  A10: {
    kind: "assumed",
    section: 3,
    text: "A rejected approval fails its step and the run.",
    unobservable: "A client cannot reject an approval.",
  },
  A11: {
    kind: "assumed",
    section: 2,
    text: "Steps that have not started are not in steps.",
    needs: ["trigger"],
    presence: false,
  },
  A12: {
    kind: "assumed",
    section: 4,
    text: "A successful GET has the status 200.",
  },
  A13: {
    kind: "assumed",
    section: 4,
    text: "A successful trigger has the status 201.",
    needs: ["trigger"],
  },
  A14: {
    kind: "assumed",
    section: 4,
    text: "The response to a trigger is the new run.",
    needs: ["trigger"],
  },
  A15: {
    kind: "assumed",
    section: 4,
    text: "A list has the query parameters page and per_page.",
  },
  A16: {
    kind: "assumed",
    section: 4,
    text: "Pages are numbered from 1.",
  },
  A17: {
    kind: "assumed",
    section: 7,
    text: "An error other than 429 has a body with error and message.",
  },
  A18: {
    kind: "assumed",
    section: 8,
    text: "A workspace on the Hobby plan receives 403.",
    needs: ["hobbyKey"],
  },
  A19: {
    kind: "assumed",
    section: 8,
    text: "The burst is the capacity of a token bucket that refills evenly at the plan's rate.",
    needs: ["rateLimit"],
  },
  A20: {
    kind: "assumed",
    section: 9,
    text: "A Service-Version that is not a date fails with 400.",
  },
  A21: {
    kind: "assumed",
    section: 4,
    text: "The body of a trigger has no property besides inputs; what happens to others is not known.",
    unobservable: "The check sends no other property beside the inputs, because a run may start.",
  },
  A22: {
    kind: "assumed",
    section: 4,
    text: "A trigger with inputs that the playbook does not accept fails with 400.",
    unobservable: "No input was refused. Which inputs a playbook refuses is not known.",
  },
  A24: {
    kind: "assumed",
    section: 7,
    text: "The error of a body is a short name in snake_case, one for each status.",
    presence: false,
  },
  A25: {
    kind: "assumed",
    section: 7,
    text: "A request for another workspace's resource fails with 404.",
    needs: ["otherWorkspaceKey", "run"],
  },
  A26: {
    kind: "assumed",
    section: 9,
    text: "A request without Service-Version uses the latest release.",
    unobservable: "No response names its release.",
    presence: false,
  },
  A27: {
    kind: "assumed",
    section: 4,
    text: "Responses may have fields that the contract does not name.",
    unobservable: "No response had a field that the contract does not name.",
  },
  A28: {
    kind: "assumed",
    section: 2,
    text: "started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.",
    needs: ["run"],
    presence: false,
  },
  A29: {
    kind: "assumed",
    section: 4,
    text: "A response with a body has the media type application/json.",
  },
  A30: {
    kind: "assumed",
    section: 2,
    text: "The id of a playbook is the property id of its entry in the list.",
    unobservable: "The list of playbooks was empty, or the playbooks that were seen have no such property.",
  },
  A31: {
    kind: "assumed",
    section: 4,
    text: "The id of a new run is the property id of the response to its trigger.",
    needs: ["trigger"],
  },
  A32: {
    kind: "assumed",
    section: 2,
    text: "total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.",
    presence: false,
  },
  A33: {
    kind: "assumed",
    section: 7,
    text: "The message of a 429 has the number of requests per minute in digits.",
    needs: ["rateLimit"],
    presence: false,
  },
  A34: {
    kind: "assumed",
    section: 4,
    text: "Every trigger that succeeds starts a new run.",
    needs: ["trigger"],
  },
  A35: {
    kind: "assumed",
    section: 2,
    text: "Ids and statuses are not empty.",
    needs: ["run"],
  },
  A36: {
    kind: "assumed",
    section: 2,
    text: "Counts, page numbers and waits are not negative.",
  },
  A37: {
    kind: "assumed",
    section: 4,
    text: "A page has 20 items unless per_page asks for another number.",
    presence: false,
  },
  A38: {
    kind: "assumed",
    section: 6,
    text: "Nothing but polling shows how a run progresses.",
    unobservable: "That something is not there cannot be shown.",
  },
  A39: {
    kind: "assumed",
    section: 5,
    text: "Keys are issued outside the API.",
    unobservable: "That something is not there cannot be shown.",
  },
  A40: {
    kind: "assumed",
    section: 5,
    text: "A key may do everything that its workspace may, unless a response is 403.",
    unobservable: "No response names a permission.",
    presence: false,
  },
  A41: {
    kind: "assumed",
    section: 5,
    text: "A key that has expired is an invalid key.",
    unobservable: "A check cannot make a key expire.",
    presence: false,
  },
  A42: {
    kind: "assumed",
    section: 9,
    text: "No list of releases is available to clients.",
    unobservable: "That something is not there cannot be shown.",
  },
  A43: {
    kind: "assumed",
    section: 4,
    text: "A run can be read as soon as the response to its trigger has arrived.",
    needs: ["trigger"],
  },
  A44: {
    kind: "assumed",
    section: 7,
    text: "The rate limit can also refuse a trigger with a 429.",
    unobservable: "No trigger got a 429.",
    presence: false,
  },
  A45: {
    kind: "assumed",
    section: 8,
    text: "A refused request counts against the rate like any other, except one with an invalid key or over the limit.",
    unobservable: "The check does not measure what refused requests take.",
  },
  A46: {
    kind: "assumed",
    section: 7,
    text: "The key and its permission are checked first, then the rate, then the parameters and the body, then what the id names.",
    unobservable: "No request that is wrong in several ways showed it.",
  },
  A47: {
    kind: "assumed",
    section: 3,
    text: "An approval is given outside the API.",
    unobservable: "That something is not there cannot be shown.",
  },
  A48: {
    kind: "assumed",
    section: 4,
    text: "A run stays readable.",
    unobservable: "No run was read after its end.",
    presence: false,
  },
  A49: {
    kind: "assumed",
    section: 4,
    text: "A list has the same order each time it is read.",
    unobservable: "No list was read twice.",
  },
  A50: {
    kind: "assumed",
    section: 2,
    text: "The capability of a step does not change.",
    needs: ["trigger"],
    presence: false,
  },
  A51: {
    kind: "assumed",
    section: 2,
    text: "started_at of a run does not change.",
    needs: ["trigger"],
    presence: false,
  },
  A52: {
    kind: "assumed",
    section: 4,
    text: "A page or per_page that is not an integer fails with 400.",
  },
  A53: {
    kind: "assumed",
    section: 2,
    text: "A step that waits for approval has no capability.",
    unobservable: "No step was seen waiting for approval.",
    presence: false,
  },
  A54: {
    kind: "assumed",
    section: 4,
    text: "Any names and values of inputs may be sent.",
    unobservable: "No response shows which inputs a playbook takes.",
    presence: false,
  },
  A55: {
    kind: "assumed",
    section: 9,
    text: "Any date is accepted as Service-Version, also one that is no release.",
  },
  A56: {
    kind: "assumed",
    section: 4,
    text: "There is no idempotency key.",
    unobservable: "That something is not there cannot be shown.",
  },
  A57: {
    kind: "assumed",
    section: 8,
    text: "A trigger beyond the run quota fails with an error.",
    unobservable: "Using up the run quota would harm the workspace.",
  },
  A58: {
    kind: "assumed",
    section: 8,
    text: "The run quotas are not part of the contract.",
    unobservable: "No response states a quota.",
  },
  A59: {
    kind: "assumed",
    section: 3,
    text: "A step that has started stays in steps, with its id.",
    needs: ["trigger"],
    presence: false,
  },
  A60: {
    kind: "assumed",
    section: 3,
    text: "The first status of a run is running.",
    needs: ["trigger"],
    presence: false,
  },
  A61: {
    kind: "assumed",
    section: 5,
    text: "A key is accepted nowhere but in the header Authorization, as Bearer <API_KEY>.",
    presence: false,
  },
  A62: {
    kind: "assumed",
    section: 5,
    text: "A key consists of visible ASCII characters.",
    unobservable: "No response shows the form of a key.",
    presence: false,
  },
  A63: {
    kind: "assumed",
    section: 7,
    text: "A method that a path does not have fails with 405.",
    unobservable: "A check sends no other method, which might change something.",
  },
  A64: {
    kind: "assumed",
    section: 4,
    text: "A page after the last one is empty, or fails with 400 or 404.",
    unobservable: "No page after the last one was read.",
    presence: false,
  },
}

/** The entries that replace a retired one. */
export const retired: Readonly<Record<string, readonly BasisId[]>> = {
  S02: ["S01"],
  S39: ["S04"],
  S41: ["S21", "A38"],
  D01: ["A30"],
  D02: ["A31"],
  D06: ["A35"],
  D07: ["A36"],
  A23: ["A57", "A58"],
}

/** The entries by the name of the rule that they state; of several, the first. */
export const rules = {
  offersResources: "S01",
  keyOfWorkspace: "S03",
  baseUrl: "S04",
  runId: "S05",
  runPlaybook: "S07",
  startedAt: "S08",
  stepsInOrder: "S09",
  stepId: "S10",
  capability: "S12",
  runInputs: "S13",
  listEnvelope: "S14",
  listMeta: "S15",
  singleWorkspace: "S16",
  listsPlaybooks: "S17",
  triggers: "S18",
  readsRun: "S19",
  polling: "S21",
  unknownId: "S22",
  bearer: "S23",
  invalidKey: "S24",
  permission: "S25",
  wrongBody: "S26",
  overLimit: "S27",
  transientError: "S28",
  statesLimit: "S30",
  waitInSeconds: "S31",
  retryAfterHeader: "S32",
  waitSuffices: "S33",
  planLimits: "S34",
  limitOfWorkspace: "S35",
  triggersTakeNothing: "S36",
  caching: "S38",
  pinning: "S40",
  successStatus: "D03",
  everyRequestCounts: "D04",
  workspacesApart: "D05",
  limitedHasNoEffect: "D08",
  refusedHasNoEffect: "D09",
  lostTrigger: "D10",
  workspaceFields: "A01",
  providerFields: "A03",
  capabilityNamesProvider: "A04",
  runEnds: "A05",
  runTransitions: "A07",
  stepTransitions: "A08",
  runningWhileWaiting: "A09",
  futureSteps: "A11",
  triggerStatus: "A13",
  triggerBody: "A14",
  pageParameters: "A15",
  firstPage: "A16",
  planWithoutAccess: "A18",
  tokenBucket: "A19",
  inputValidation: "A22",
  otherWorkspaceIsNotFound: "A25",
  unknownFields: "A27",
  mediaType: "A29",
  playbookIdProperty: "A30",
  runIdProperty: "A31",
  metaMeaning: "A32",
  newRun: "A34",
  notEmpty: "A35",
  notNegative: "A36",
  pageSize: "A37",
  readableAtOnce: "A43",
  checkOrder: "A46",
  runStays: "A48",
  listOrder: "A49",
  capabilityConstant: "A50",
  startedAtConstant: "A51",
  waitingHasNoCapability: "A53",
  anyRelease: "A55",
  quotaUsedUp: "A57",
  stepsStay: "A59",
  firstStatus: "A60",
  keyPlace: "A61",
  pageAfterLast: "A64",
} as const

/** What is stated of a service, and what of that responses show: each area has a table of these. */
export type ServiceRule = 'offersResources' | 'keyOfWorkspace' | 'baseUrl' | 'runId' | 'runPlaybook' | 'startedAt' | 'stepsInOrder' | 'stepId' | 'capability' | 'runInputs' | 'listEnvelope' | 'listMeta' | 'singleWorkspace' | 'listsPlaybooks' | 'triggers' | 'readsRun' | 'polling' | 'unknownId' | 'bearer' | 'invalidKey' | 'permission' | 'wrongBody' | 'overLimit' | 'transientError' | 'statesLimit' | 'waitInSeconds' | 'retryAfterHeader' | 'waitSuffices' | 'planLimits' | 'limitOfWorkspace' | 'triggersTakeNothing' | 'pinning' | 'successStatus' | 'everyRequestCounts' | 'workspacesApart' | 'limitedHasNoEffect' | 'refusedHasNoEffect'
export type VerifyRule = 'offersResources' | 'keyOfWorkspace' | 'baseUrl' | 'runId' | 'runPlaybook' | 'startedAt' | 'stepsInOrder' | 'stepId' | 'capability' | 'runInputs' | 'listEnvelope' | 'listMeta' | 'singleWorkspace' | 'listsPlaybooks' | 'triggers' | 'readsRun' | 'polling' | 'unknownId' | 'bearer' | 'invalidKey' | 'permission' | 'wrongBody' | 'overLimit' | 'statesLimit' | 'waitInSeconds' | 'retryAfterHeader' | 'waitSuffices' | 'planLimits' | 'limitOfWorkspace' | 'triggersTakeNothing' | 'pinning' | 'successStatus' | 'everyRequestCounts' | 'workspacesApart'

/** The rules that bind a client: `must` fails, `should` is advice. `of` has the operations that another entry states it for. */
export const clientRules = {
  runInputs: {
    basis: "S13",
    client: "must",
  },
  bearer: {
    basis: "S23",
    client: "must",
  },
  waitSuffices: {
    basis: "S33",
    client: "must",
  },
  planLimits: {
    basis: "S34",
    client: "should",
  },
  caching: {
    basis: "S38",
    client: "should",
  },
  pinning: {
    basis: "S40",
    client: "must",
  },
  lostTrigger: {
    basis: "D10",
    client: "must",
  },
} as const

/** What each of these entries asks of a client, as reports name it. */
export const clientTitles = {
  S13: "The body of a trigger is JSON with inputs, whose names and values are strings",
  S23: "Each request has the key in the header Authorization",
  S33: "After a 429 the same request waits as long as Retry-After asks",
  S34: "The rate of the plan is kept",
  S38: "A list is kept for 60 seconds",
  S40: "A pin is a date YYYY-MM-DD",
  D10: "A trigger whose response was lost is not sent again",
} as const

/** Numbers that are only assumed, and statuses in their order, by the rule of their entry. The sandbox has them, and `verify` compares. */
export const assumedValues = {
  firstPage: 1,
  pageSize: 20,
  readableAtOnce: 10,
  checkOrder: [401, 403, 429, 400, 404],
  pageAfterLast: [400, 404],
} as const
