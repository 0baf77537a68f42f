// Generated from openapi/ by `npm run build`. Edit that, not this.

/** The properties that are kept: all with true, those of a named schema, of each item of a list, or these. */
export type Fields = true | string | readonly [Fields] | { readonly [name: string]: Fields }

/** The properties of each named schema. */
export const schemaFields: Record<string, Fields> = {
  Workspace: {
    id: true,
    name: true,
  },
  ErrorCode: true,
  ErrorBody: {
    error: "ErrorCode",
    message: true,
  },
  RateLimitBody: {
    error: true,
    message: true,
    retry_after: true,
  },
  Playbook: {
    id: true,
    name: true,
    description: true,
  },
  ListMeta: {
    total: true,
    page: true,
    per_page: true,
  },
  PlaybookList: {
    data: ["Playbook"],
    meta: "ListMeta",
  },
  RunInputs: true,
  TriggerRunRequest: {
    inputs: "RunInputs",
  },
  RunStatus: true,
  StepStatus: true,
  Step: {
    id: true,
    status: "StepStatus",
    capability: true,
  },
  TriggeredRun: {
    id: true,
    status: "RunStatus",
    playbook_id: true,
    started_at: true,
    steps: ["Step"],
  },
  Run: {
    id: true,
    status: "RunStatus",
    playbook_id: true,
    started_at: true,
    steps: ["Step"],
  },
  Provider: {
    id: true,
    name: true,
  },
  ProviderList: {
    data: ["Provider"],
    meta: "ListMeta",
  },
}

/** Those of each response, by operation and status, or range of statuses. */
export const responseFields: Record<string, Record<string, Fields>> = {
  getCurrentWorkspace: {
    200: "Workspace",
    400: "ErrorBody",
    401: "ErrorBody",
    403: "ErrorBody",
    429: "RateLimitBody",
    500: "ErrorBody",
    "2XX": "Workspace",
  },
  listPlaybooks: {
    200: "PlaybookList",
    400: "ErrorBody",
    401: "ErrorBody",
    403: "ErrorBody",
    429: "RateLimitBody",
    500: "ErrorBody",
    "2XX": "PlaybookList",
  },
  triggerRun: {
    201: "TriggeredRun",
    400: "ErrorBody",
    401: "ErrorBody",
    403: "ErrorBody",
    404: "ErrorBody",
    429: "RateLimitBody",
    500: "ErrorBody",
    "2XX": "TriggeredRun",
  },
  getRun: {
    200: "Run",
    400: "ErrorBody",
    401: "ErrorBody",
    403: "ErrorBody",
    404: "ErrorBody",
    429: "RateLimitBody",
    500: "ErrorBody",
    "2XX": "Run",
  },
  listProviders: {
    200: "ProviderList",
    400: "ErrorBody",
    401: "ErrorBody",
    403: "ErrorBody",
    429: "RateLimitBody",
    500: "ErrorBody",
    "2XX": "ProviderList",
  },
}
