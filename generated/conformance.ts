// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { OperationNode, SchemaNode } from '../src/internal/contract-nodes.js'
import type { OperationId } from './operations.js'

export const schemaNodes: Record<string, SchemaNode> = {
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
    basis: ["S27"],
    required: ["error", "message", "retry_after"],
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
        basis: ["S31", "S32", "D07"],
      },
    },
  },
  Playbook: {
    location: "openapi.yaml#/components/schemas/Playbook",
    basis: ["S17"],
    required: ["id"],
    properties: {
      id: {
        basis: ["D01", "D06", "A30"],
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
    basis: ["S15", "D07", "A32"],
    required: ["total", "page", "per_page"],
    properties: {
      total: {},
      page: {},
      per_page: {},
    },
  },
  PlaybookList: {
    location: "openapi.yaml#/components/schemas/PlaybookList",
    basis: ["S14", "S17"],
    required: ["data", "meta"],
    properties: {
      data: {
        items: "Playbook",
      },
      meta: {
        schema: "ListMeta",
      },
    },
  },
  RunInputs: {
    location: "openapi.yaml#/components/schemas/RunInputs",
    basis: ["S13", "A22"],
    valueType: "string",
  },
  TriggerRunRequest: {
    location: "openapi.yaml#/components/schemas/TriggerRunRequest",
    basis: ["S18", "A21"],
    required: ["inputs"],
    properties: {
      inputs: {
        schema: "RunInputs",
      },
    },
  },
  RunStatus: {
    location: "openapi.yaml#/components/schemas/RunStatus",
    basis: ["S06", "D06"],
    values: {
      running: ["O01", "A09"],
      succeeded: ["A05"],
      failed: ["A05"],
    },
  },
  StepStatus: {
    location: "openapi.yaml#/components/schemas/StepStatus",
    basis: ["S11", "D06"],
    values: {
      running: ["A06"],
      waiting_approval: ["O02"],
      succeeded: ["O02"],
      failed: ["A06"],
    },
  },
  Step: {
    location: "openapi.yaml#/components/schemas/Step",
    basis: ["S09"],
    required: ["id", "status"],
    properties: {
      id: {
        basis: ["S10", "D06"],
      },
      status: {
        schema: "StepStatus",
      },
      capability: {
        basis: ["S12", "O03", "A04"],
      },
    },
    transitions: ["A08"],
  },
  TriggeredRun: {
    location: "openapi.yaml#/components/schemas/TriggeredRun",
    basis: ["S18"],
    required: ["id"],
    properties: {
      id: {
        basis: ["S05", "D02", "D06", "A31"],
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
        items: "Step",
      },
    },
  },
  Run: {
    location: "openapi.yaml#/components/schemas/Run",
    basis: ["S19"],
    required: ["id", "status", "playbook_id", "started_at", "steps"],
    properties: {
      id: {
        basis: ["S05", "D06"],
      },
      status: {
        schema: "RunStatus",
      },
      playbook_id: {
        basis: ["S07", "D06"],
      },
      started_at: {
        basis: ["S08", "A28"],
        assumedPatterns: {
          A28: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]00:00)$",
        },
      },
      steps: {
        basis: ["S09", "A11"],
        items: "Step",
      },
    },
    transitions: ["A07", "A09"],
  },
  Provider: {
    location: "openapi.yaml#/components/schemas/Provider",
    basis: ["S02", "S20"],
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
    basis: ["S14", "S20"],
    required: ["data", "meta"],
    properties: {
      data: {
        items: "Provider",
      },
      meta: {
        schema: "ListMeta",
      },
    },
  },
}

export const operationNodes: Record<OperationId, OperationNode> = {
  getCurrentWorkspace: {
    location: "openapi.yaml#/paths/~1workspaces~1me/get",
    basis: ["S03", "S16", "D04"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-11-22",
        basis: ["S40", "A20", "A26"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Workspace",
        basis: ["D03", "A12"],
        schema: "Workspace",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "A17", "A18"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "D07"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
    },
  },
  listPlaybooks: {
    location: "openapi.yaml#/paths/~1playbooks/get",
    basis: ["S17", "S38", "D04"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-11-22",
        basis: ["S40", "A20", "A26"],
      },
      {
        name: "page",
        in: "query",
        type: "integer",
        example: 1,
        basis: ["A15", "A16", "A20"],
      },
      {
        name: "per_page",
        in: "query",
        type: "integer",
        example: 20,
        basis: ["A15", "A16", "A20"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/PlaybookList",
        basis: ["D03", "A12"],
        schema: "PlaybookList",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "A17", "A18"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "D07"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
    },
  },
  triggerRun: {
    location: "openapi.yaml#/paths/~1playbooks~1{id}~1runs/post",
    basis: ["S18", "S28", "S36", "A23", "A34"],
    parameters: [
      {
        name: "id",
        in: "path",
        type: "string",
        example: "pb_3kX9wq",
        basis: ["S18"],
      },
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-11-22",
        basis: ["S40", "A20", "A26"],
      },
    ],
    request: "TriggerRunRequest",
    responses: {
      201: {
        location: "openapi.yaml#/components/responses/TriggeredRun",
        basis: ["D02", "D03", "A13", "A14"],
        schema: "TriggeredRun",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadRequest",
        basis: ["S26", "A17", "A20", "A21", "A22"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "A17", "A18"],
        schema: "ErrorBody",
        headers: {},
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "A17", "A25"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "D07"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
    },
  },
  getRun: {
    location: "openapi.yaml#/paths/~1runs~1{id}/get",
    basis: ["S19", "S21", "S41", "D04"],
    parameters: [
      {
        name: "id",
        in: "path",
        type: "string",
        example: "run_8Zt4Lm2c",
        basis: ["S05", "S19"],
      },
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-11-22",
        basis: ["S40", "A20", "A26"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Run",
        basis: ["D03", "A12"],
        schema: "Run",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "A17", "A18"],
        schema: "ErrorBody",
        headers: {},
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "A17", "A25"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "D07"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
    },
  },
  listProviders: {
    location: "openapi.yaml#/paths/~1providers/get",
    basis: ["S20", "S38", "D04"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-11-22",
        basis: ["S40", "A20", "A26"],
      },
      {
        name: "page",
        in: "query",
        type: "integer",
        example: 1,
        basis: ["A15", "A16", "A20"],
      },
      {
        name: "per_page",
        in: "query",
        type: "integer",
        example: 20,
        basis: ["A15", "A16", "A20"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/ProviderList",
        basis: ["D03", "A12"],
        schema: "ProviderList",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "A17", "A18"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "D07"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17"],
        schema: "ErrorBody",
        headers: {},
      },
    },
  },
}
