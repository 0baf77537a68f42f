// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ErrorBody, ListMeta, Playbook, Provider, RateLimitBody, Run, RunInputs, TriggeredRun, Workspace } from './types.js'

/**
 * The workspace of the key.
 */
export const workspace: Required<Workspace> = {
  id: "ws_5RkP0d",
  name: "Acme Operations",
}

/**
 * An invalid request.
 */
export const errorBadRequest: Required<ErrorBody> = {
  error: "bad_request",
  message: "The request is invalid.",
}

/**
 * A malformed parameter.
 */
export const errorMalformedParameter: Required<ErrorBody> = {
  error: "bad_request",
  message: "A query parameter or header is malformed.",
}

/**
 * A request without a valid key.
 */
export const errorUnauthorized: Required<ErrorBody> = {
  error: "unauthorized",
  message: "The API key is missing or invalid.",
}

/**
 * A request without a key.
 */
export const errorMissingKey: Required<ErrorBody> = {
  error: "unauthorized",
  message: "The request has no API key.",
}

/**
 * A request with an invalid key.
 */
export const errorInvalidKey: Required<ErrorBody> = {
  error: "unauthorized",
  message: "The API key is invalid.",
}

/**
 * A key without permission for the action.
 */
export const errorForbidden: Required<ErrorBody> = {
  error: "forbidden",
  message: "The API key lacks permission for this action.",
}

/**
 * A plan without API access.
 */
export const errorHobbyPlan: Required<ErrorBody> = {
  error: "forbidden",
  message: "The plan of this workspace has no API access.",
}

/**
 * More requests than the plan allows.
 */
export const errorRateLimited: RateLimitBody = {
  error: "rate_limit_exceeded",
  message: "The limit of 60 requests per minute is exceeded.",
  retry_after: 17,
}

/**
 * An internal error of the service.
 */
export const errorInternal: Required<ErrorBody> = {
  error: "internal_error",
  message: "The service failed. Try again.",
}

/**
 * The first page of the playbooks.
 */
export const playbookList: { data: (Playbook & { id: string })[]; meta: ListMeta } = {
  data: [
    {
      id: "pb_7hQ2vn",
      name: "Welcome a customer",
      description: "Opens an account and sends a greeting.",
    },
    {
      id: "pb_3kX9wq",
      name: "Refund an order",
      description: "Looks up an order and refunds it after an approval.",
    },
    {
      id: "pb_9dL5sa",
      name: "Close stale tickets",
      description: "Closes tickets without activity for a month.",
    },
  ],
  meta: {
    total: 4,
    page: 1,
    per_page: 3,
  },
}

/**
 * A workspace without playbooks.
 */
export const playbookListEmpty: { data: (Playbook & { id: string })[]; meta: ListMeta } = {
  data: [],
  meta: {
    total: 0,
    page: 1,
    per_page: 20,
  },
}

/**
 * The last page of the playbooks.
 */
export const playbookListLastPage: { data: (Playbook & { id: string })[]; meta: ListMeta } = {
  data: [
    {
      id: "pb_1fT8ye",
      name: "Rebuild the yearly report",
      description: "Collects the figures of a year, which takes several minutes.",
    },
  ],
  meta: {
    total: 4,
    page: 2,
    per_page: 3,
  },
}

/**
 * Refund order 42.
 */
export const triggerRunRequest: { inputs: RunInputs & {
  order: string,
  reason: string,
} } = {
  inputs: {
    order: "42",
    reason: "Arrived broken",
  },
}

/**
 * The run has started.
 */
export const triggeredRun: Required<TriggeredRun> = {
  id: "run_8Zt4Lm2c",
  status: "running",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [],
}

/**
 * A trigger without inputs.
 */
export const errorMissingInputs: Required<ErrorBody> = {
  error: "bad_request",
  message: "The body must have the property inputs.",
}

/**
 * A trigger with an input that is not a string.
 */
export const errorInputNotString: Required<ErrorBody> = {
  error: "bad_request",
  message: "The body property inputs.order must be a string.",
}

/**
 * An id that does not exist.
 */
export const errorNotFound: Required<ErrorBody> = {
  error: "not_found",
  message: "The resource does not exist.",
}

/**
 * The first step is in progress.
 */
export const run: Run = {
  id: "run_8Zt4Lm2c",
  status: "running",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [
    {
      id: "step_1",
      status: "running",
      capability: "tickets.find_order",
    },
  ],
}

/**
 * The refund waits for approval.
 */
export const runWaitingApproval: Run = {
  id: "run_8Zt4Lm2c",
  status: "running",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [
    {
      id: "step_1",
      status: "succeeded",
      capability: "tickets.find_order",
    },
    {
      id: "step_2",
      status: "waiting_approval",
    },
  ],
}

/**
 * The order is refunded.
 */
export const runSucceeded: Run = {
  id: "run_8Zt4Lm2c",
  status: "succeeded",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [
    {
      id: "step_1",
      status: "succeeded",
      capability: "tickets.find_order",
    },
    {
      id: "step_2",
      status: "succeeded",
    },
    {
      id: "step_3",
      status: "succeeded",
      capability: "billing.refund",
    },
    {
      id: "step_4",
      status: "succeeded",
      capability: "mail.send",
    },
  ],
}

/**
 * The approval was rejected.
 */
export const runFailed: Run = {
  id: "run_8Zt4Lm2c",
  status: "failed",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [
    {
      id: "step_1",
      status: "succeeded",
      capability: "tickets.find_order",
    },
    {
      id: "step_2",
      status: "failed",
    },
  ],
}

/**
 * The first page of the providers.
 */
export const providerList: { data: (Provider & { id: string })[]; meta: ListMeta } = {
  data: [
    {
      id: "billing",
      name: "Billing",
    },
    {
      id: "mail",
      name: "Mail",
    },
  ],
  meta: {
    total: 3,
    page: 1,
    per_page: 2,
  },
}

/**
 * A workspace without providers.
 */
export const providerListEmpty: { data: (Provider & { id: string })[]; meta: ListMeta } = {
  data: [],
  meta: {
    total: 0,
    page: 1,
    per_page: 20,
  },
}

/**
 * The last page of the providers.
 */
export const providerListLastPage: { data: (Provider & { id: string })[]; meta: ListMeta } = {
  data: [
    {
      id: "tickets",
      name: "Tickets",
    },
  ],
  meta: {
    total: 3,
    page: 2,
    per_page: 2,
  },
}

/** The fixtures by operation, then `request` or status, then scenario. */
export const examples = {
  getCurrentWorkspace: {
    200: {
      default: workspace,
    },
    400: {
      badRequest: errorBadRequest,
      malformedParameter: errorMalformedParameter,
    },
    401: {
      unauthorized: errorUnauthorized,
      missingKey: errorMissingKey,
      invalidKey: errorInvalidKey,
    },
    403: {
      forbidden: errorForbidden,
      hobbyPlan: errorHobbyPlan,
    },
    429: {
      rateLimited: errorRateLimited,
    },
    500: {
      internalError: errorInternal,
    },
  },
  listPlaybooks: {
    200: {
      default: playbookList,
      empty: playbookListEmpty,
      lastPage: playbookListLastPage,
    },
    400: {
      badRequest: errorBadRequest,
      malformedParameter: errorMalformedParameter,
    },
    401: {
      unauthorized: errorUnauthorized,
      missingKey: errorMissingKey,
      invalidKey: errorInvalidKey,
    },
    403: {
      forbidden: errorForbidden,
      hobbyPlan: errorHobbyPlan,
    },
    429: {
      rateLimited: errorRateLimited,
    },
    500: {
      internalError: errorInternal,
    },
  },
  triggerRun: {
    201: {
      default: triggeredRun,
    },
    400: {
      badRequest: errorBadRequest,
      missingInputs: errorMissingInputs,
      inputNotString: errorInputNotString,
      malformedParameter: errorMalformedParameter,
    },
    401: {
      unauthorized: errorUnauthorized,
      missingKey: errorMissingKey,
      invalidKey: errorInvalidKey,
    },
    403: {
      forbidden: errorForbidden,
      hobbyPlan: errorHobbyPlan,
    },
    404: {
      notFound: errorNotFound,
    },
    429: {
      rateLimited: errorRateLimited,
    },
    500: {
      internalError: errorInternal,
    },
    request: {
      default: triggerRunRequest,
    },
  },
  getRun: {
    200: {
      default: run,
      waitingApproval: runWaitingApproval,
      succeeded: runSucceeded,
      failed: runFailed,
    },
    400: {
      badRequest: errorBadRequest,
      malformedParameter: errorMalformedParameter,
    },
    401: {
      unauthorized: errorUnauthorized,
      missingKey: errorMissingKey,
      invalidKey: errorInvalidKey,
    },
    403: {
      forbidden: errorForbidden,
      hobbyPlan: errorHobbyPlan,
    },
    404: {
      notFound: errorNotFound,
    },
    429: {
      rateLimited: errorRateLimited,
    },
    500: {
      internalError: errorInternal,
    },
  },
  listProviders: {
    200: {
      default: providerList,
      empty: providerListEmpty,
      lastPage: providerListLastPage,
    },
    400: {
      badRequest: errorBadRequest,
      malformedParameter: errorMalformedParameter,
    },
    401: {
      unauthorized: errorUnauthorized,
      missingKey: errorMissingKey,
      invalidKey: errorInvalidKey,
    },
    403: {
      forbidden: errorForbidden,
      hobbyPlan: errorHobbyPlan,
    },
    429: {
      rateLimited: errorRateLimited,
    },
    500: {
      internalError: errorInternal,
    },
  },
}
