// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { EntryNode, OperationNode, SchemaNode } from '../../src/runtime/contract-nodes.js'
import type { BasisId, OperationId } from '../operations.js'

/** The entries of the register by the name of the rule that they state. */
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

/** The entries of the register, with the properties that checks need. */
export const entries: Record<BasisId, EntryNode> = {
  S01: {
    binding: true,
    needs: ["run"],
  },
  S03: {
    binding: true,
    presence: false,
  },
  S04: {
    binding: true,
  },
  S05: {
    binding: true,
    needs: ["run"],
  },
  S06: {
    binding: true,
    needs: ["run"],
  },
  S07: {
    binding: true,
    needs: ["run"],
  },
  S08: {
    binding: true,
    needs: ["run"],
  },
  S09: {
    binding: true,
    needs: ["run"],
  },
  S10: {
    binding: true,
    needs: ["run"],
  },
  S11: {
    binding: true,
    needs: ["run"],
  },
  S12: {
    binding: true,
    needs: ["run"],
  },
  S13: {
    binding: true,
  },
  S14: {
    binding: true,
  },
  S15: {
    binding: true,
  },
  S16: {
    binding: true,
  },
  S17: {
    binding: true,
  },
  S18: {
    binding: true,
    needs: ["trigger"],
  },
  S19: {
    binding: true,
    needs: ["run"],
  },
  S20: {
    binding: true,
  },
  S21: {
    binding: true,
    needs: ["trigger"],
  },
  S22: {
    binding: true,
  },
  S23: {
    binding: true,
  },
  S24: {
    binding: true,
  },
  S25: {
    binding: true,
    needs: ["readOnlyKey"],
  },
  S26: {
    binding: true,
  },
  S27: {
    binding: true,
    needs: ["rateLimit"],
  },
  S28: {
    binding: true,
    unobservable: "No response was a 500, and a client cannot provoke one.",
  },
  S29: {
    binding: true,
    needs: ["rateLimit"],
  },
  S30: {
    binding: true,
    needs: ["rateLimit"],
  },
  S31: {
    binding: true,
    needs: ["rateLimit"],
  },
  S32: {
    binding: true,
    needs: ["rateLimit"],
    presence: false,
  },
  S33: {
    binding: true,
    needs: ["rateLimit"],
  },
  S34: {
    binding: true,
    needs: ["rateLimit"],
  },
  S35: {
    binding: true,
    needs: ["rateLimit", "secondKey"],
  },
  S36: {
    binding: true,
    needs: ["rateLimit"],
  },
  S37: {
    binding: true,
    unobservable: "Not enforced: It is about support, which no request and no response shows.",
  },
  S38: {
    binding: true,
    unobservable: "Advice to clients, which no response can show.",
  },
  S40: {
    binding: true,
  },
  O01: {
    binding: false,
    needs: ["run"],
  },
  O02: {
    binding: false,
    needs: ["run"],
  },
  O03: {
    binding: false,
    unobservable: "It is one observation; A53 asks whether it holds for others.",
    presence: false,
  },
  D03: {
    binding: true,
  },
  D04: {
    binding: true,
    needs: ["rateLimit"],
  },
  D05: {
    binding: true,
    needs: ["otherWorkspaceKey", "run"],
  },
  D08: {
    binding: true,
    unobservable: "A response does not show what a refused request did.",
    presence: false,
  },
  D09: {
    binding: true,
    unobservable: "A response does not show what a refused request did.",
    presence: false,
  },
  D10: {
    binding: true,
    unobservable: "It binds clients, which no response can show.",
    presence: false,
  },
  A01: {
    binding: false,
  },
  A02: {
    binding: false,
    unobservable: "The list of playbooks was empty.",
  },
  A03: {
    binding: false,
    unobservable: "The list of providers was empty.",
  },
  A04: {
    binding: false,
    unobservable: "No step with a capability was seen, or not all providers.",
    presence: false,
  },
  A05: {
    binding: false,
    unobservable: "No run was seen to its end.",
  },
  A06: {
    binding: false,
    unobservable: "No step was seen running or failed.",
  },
  A07: {
    binding: false,
    needs: ["trigger"],
  },
  A08: {
    binding: false,
    needs: ["trigger"],
  },
  A09: {
    binding: false,
    unobservable: "No step was seen waiting for approval.",
  },
  A10: {
    binding: false,
    unobservable: "A client cannot reject an approval.",
  },
  A11: {
    binding: false,
    needs: ["trigger"],
    presence: false,
  },
  A12: {
    binding: false,
  },
  A13: {
    binding: false,
    needs: ["trigger"],
  },
  A14: {
    binding: false,
    needs: ["trigger"],
  },
  A15: {
    binding: false,
  },
  A16: {
    binding: false,
  },
  A17: {
    binding: false,
  },
  A18: {
    binding: false,
    needs: ["hobbyKey"],
  },
  A19: {
    binding: false,
    needs: ["rateLimit"],
  },
  A20: {
    binding: false,
  },
  A21: {
    binding: false,
    unobservable: "The check sends no other property beside the inputs, because a run may start.",
  },
  A22: {
    binding: false,
    unobservable: "No input was refused. Which inputs a playbook refuses is not known.",
  },
  A24: {
    binding: false,
    presence: false,
  },
  A25: {
    binding: false,
    needs: ["otherWorkspaceKey", "run"],
  },
  A26: {
    binding: false,
    unobservable: "No response names its release.",
    presence: false,
  },
  A27: {
    binding: false,
    unobservable: "No response had a field that the contract does not name.",
  },
  A28: {
    binding: false,
    needs: ["run"],
    presence: false,
  },
  A29: {
    binding: false,
  },
  A30: {
    binding: false,
    unobservable: "The list of playbooks was empty.",
  },
  A31: {
    binding: false,
    needs: ["trigger"],
  },
  A32: {
    binding: false,
    presence: false,
  },
  A33: {
    binding: false,
    needs: ["rateLimit"],
    presence: false,
  },
  A34: {
    binding: false,
    needs: ["trigger"],
  },
  A35: {
    binding: false,
    needs: ["run"],
  },
  A36: {
    binding: false,
  },
  A37: {
    binding: false,
    presence: false,
  },
  A38: {
    binding: false,
    unobservable: "That something is not there cannot be shown.",
  },
  A39: {
    binding: false,
    unobservable: "That something is not there cannot be shown.",
  },
  A40: {
    binding: false,
    unobservable: "No response names a permission.",
    presence: false,
  },
  A41: {
    binding: false,
    unobservable: "A check cannot make a key expire.",
    presence: false,
  },
  A42: {
    binding: false,
    unobservable: "That something is not there cannot be shown.",
  },
  A43: {
    binding: false,
    needs: ["trigger"],
  },
  A44: {
    binding: false,
    unobservable: "No trigger got a 429.",
    presence: false,
  },
  A45: {
    binding: false,
    unobservable: "The check does not measure what refused requests take.",
  },
  A46: {
    binding: false,
    unobservable: "No request that is wrong in several ways showed it.",
  },
  A47: {
    binding: false,
    unobservable: "That something is not there cannot be shown.",
  },
  A48: {
    binding: false,
    unobservable: "No run was read after its end.",
    presence: false,
  },
  A49: {
    binding: false,
    unobservable: "No list was read twice.",
  },
  A50: {
    binding: false,
    needs: ["trigger"],
    presence: false,
  },
  A51: {
    binding: false,
    needs: ["trigger"],
    presence: false,
  },
  A52: {
    binding: false,
  },
  A53: {
    binding: false,
    unobservable: "No step was seen waiting for approval.",
    presence: false,
  },
  A54: {
    binding: false,
    unobservable: "No response shows which inputs a playbook takes.",
    presence: false,
  },
  A55: {
    binding: false,
  },
  A56: {
    binding: false,
    unobservable: "That something is not there cannot be shown.",
  },
  A57: {
    binding: false,
    unobservable: "Using up the run quota would harm the workspace.",
  },
  A58: {
    binding: false,
    unobservable: "No response states a quota.",
  },
  A59: {
    binding: false,
    needs: ["trigger"],
    presence: false,
  },
  A60: {
    binding: false,
    needs: ["trigger"],
    presence: false,
  },
  A61: {
    binding: false,
    presence: false,
  },
  A62: {
    binding: false,
    unobservable: "No response shows the form of a key.",
    presence: false,
  },
  A63: {
    binding: false,
    unobservable: "A check sends no other method, which might change something.",
  },
  A64: {
    binding: false,
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
    basis: ["S27", "S29", "S30", "S31"],
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
    basis: ["S15", "A32", "A36"],
    required: ["total", "page", "per_page"],
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
    basis: ["S13", "A22", "A54"],
    valueTypes: ["string"],
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
    basis: ["S06", "A35", "A60"],
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
    basis: ["S09"],
    required: ["id", "status"],
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
        items: "Step",
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

export const operationNodes: Record<OperationId, OperationNode<BasisId>> = {
  getCurrentWorkspace: {
    location: "openapi.yaml#/paths/~1workspaces~1me/get",
    basis: ["S03", "S16", "D04"],
    parameters: [
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Workspace200",
        basis: ["A12", "A29"],
        schema: "Workspace",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "A36"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/Workspace",
        basis: ["S16", "D03", "A29"],
        schema: "Workspace",
        headers: {},
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
        type: "string",
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
      {
        name: "page",
        in: "query",
        type: "integer",
        example: 2,
        basis: ["A15", "A16", "A52", "A64"],
      },
      {
        name: "per_page",
        in: "query",
        type: "integer",
        example: 50,
        basis: ["A15", "A37", "A52"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/PlaybookList200",
        basis: ["A12", "A29"],
        schema: "PlaybookList",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "A36"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/PlaybookList",
        basis: ["S17", "D03", "A29"],
        schema: "PlaybookList",
        headers: {},
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
        type: "string",
        example: "pb_3kX9wq",
        basis: ["S18", "A35"],
      },
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    request: "TriggerRunRequest",
    responses: {
      201: {
        location: "openapi.yaml#/components/responses/TriggeredRun201",
        basis: ["A13", "A14", "A29"],
        schema: "TriggeredRun",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadRequest",
        basis: ["S26", "D09", "A17", "A20", "A22", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "D09", "A17", "A25", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "A36"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/TriggeredRun",
        basis: ["S18", "D03", "A14", "A29"],
        schema: "TriggeredRun",
        headers: {},
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
        type: "string",
        example: "run_8Zt4Lm2c",
        basis: ["S05", "S19", "A35"],
      },
      {
        name: "Service-Version",
        in: "header",
        type: "string",
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/Run200",
        basis: ["A12", "A29"],
        schema: "Run",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      404: {
        location: "openapi.yaml#/components/responses/NotFound",
        basis: ["S22", "D05", "D09", "A17", "A25", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "A36"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/Run",
        basis: ["S19", "D03", "A29"],
        schema: "Run",
        headers: {},
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
        type: "string",
        example: "2026-01-15",
        basis: ["S40", "A20", "A26", "A42", "A55"],
      },
      {
        name: "page",
        in: "query",
        type: "integer",
        example: 2,
        basis: ["A15", "A16", "A52", "A64"],
      },
      {
        name: "per_page",
        in: "query",
        type: "integer",
        example: 50,
        basis: ["A15", "A37", "A52"],
      },
    ],
    responses: {
      200: {
        location: "openapi.yaml#/components/responses/ProviderList200",
        basis: ["A12", "A29"],
        schema: "ProviderList",
        headers: {},
      },
      400: {
        location: "openapi.yaml#/components/responses/BadParameter",
        basis: ["A17", "A20", "A29", "A52"],
        schema: "ErrorBody",
        headers: {},
      },
      401: {
        location: "openapi.yaml#/components/responses/Unauthorized",
        basis: ["S24", "D09", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      403: {
        location: "openapi.yaml#/components/responses/Forbidden",
        basis: ["S25", "D09", "A17", "A18", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      429: {
        location: "openapi.yaml#/components/responses/RateLimited",
        basis: ["S27", "S33", "D08", "A29"],
        schema: "RateLimitBody",
        headers: {
          "Retry-After": ["S32", "S33", "A36"],
        },
      },
      500: {
        location: "openapi.yaml#/components/responses/InternalError",
        basis: ["S28", "A17", "A29"],
        schema: "ErrorBody",
        headers: {},
      },
      "2XX": {
        location: "openapi.yaml#/components/responses/ProviderList",
        basis: ["S20", "D03", "A29"],
        schema: "ProviderList",
        headers: {},
      },
    },
  },
}
