// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ErrorBody, PlaybookList, ProviderList, RateLimitBody, Run, TriggerRunRequest, TriggeredRun, Workspace } from './types.js'

/**
 * The workspace of the key.
 */
export const workspace = {
  id: "ws_5RkP0d",
  name: "Acme Operations",
} satisfies Workspace

/**
 * An invalid request.
 */
export const errorBadRequest = {
  error: "bad_request",
  message: "The request is invalid.",
} satisfies ErrorBody

/**
 * A malformed parameter.
 */
export const errorMalformedParameter = {
  error: "bad_request",
  message: "A query parameter or header is malformed.",
} satisfies ErrorBody

/**
 * A request without a valid key.
 */
export const errorUnauthorized = {
  error: "unauthorized",
  message: "The API key is missing or invalid.",
} satisfies ErrorBody

/**
 * A request without a key.
 */
export const errorMissingKey = {
  error: "unauthorized",
  message: "The request has no API key.",
} satisfies ErrorBody

/**
 * A request with an invalid key.
 */
export const errorInvalidKey = {
  error: "unauthorized",
  message: "The API key is invalid.",
} satisfies ErrorBody

/**
 * A key without permission for the action.
 */
export const errorForbidden = {
  error: "forbidden",
  message: "The API key lacks permission for this action.",
} satisfies ErrorBody

/**
 * A plan without API access.
 */
export const errorHobbyPlan = {
  error: "forbidden",
  message: "The plan of this workspace has no API access.",
} satisfies ErrorBody

/**
 * More requests than the plan allows.
 */
export const errorRateLimited = {
  error: "rate_limit_exceeded",
  message: "The limit of 60 requests per minute is exceeded.",
  retry_after: 17,
} satisfies RateLimitBody

/**
 * An internal error of the service.
 */
export const errorInternal = {
  error: "internal_error",
  message: "The service failed. Try again.",
} satisfies ErrorBody

/**
 * The first page of the playbooks.
 */
export const playbookList = {
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
} satisfies PlaybookList

/**
 * A workspace without playbooks.
 */
export const playbookListEmpty = {
  data: [],
  meta: {
    total: 0,
    page: 1,
    per_page: 20,
  },
} satisfies PlaybookList

/**
 * The last page of the playbooks.
 */
export const playbookListLastPage = {
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
} satisfies PlaybookList

/**
 * Refund order 42.
 */
export const triggerRunRequest = {
  inputs: {
    order: "42",
    reason: "Arrived broken",
  },
} satisfies TriggerRunRequest

/**
 * The run has started.
 */
export const triggeredRun = {
  id: "run_8Zt4Lm2c",
  status: "running",
  playbook_id: "pb_3kX9wq",
  started_at: "2026-11-21T09:30:00Z",
  steps: [],
} satisfies TriggeredRun

/**
 * A trigger without inputs.
 */
export const errorMissingInputs = {
  error: "bad_request",
  message: "The body must have the property inputs.",
} satisfies ErrorBody

/**
 * A trigger with an input that is not a string.
 */
export const errorInputNotString = {
  error: "bad_request",
  message: "The body property inputs.order must be a string.",
} satisfies ErrorBody

/**
 * An id that does not exist.
 */
export const errorNotFound = {
  error: "not_found",
  message: "The resource does not exist.",
} satisfies ErrorBody

/**
 * The first step is in progress.
 */
export const run = {
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
} satisfies Run

/**
 * The refund waits for approval.
 */
export const runWaitingApproval = {
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
} satisfies Run

/**
 * The order is refunded.
 */
export const runSucceeded = {
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
} satisfies Run

/**
 * The approval was rejected.
 */
export const runFailed = {
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
} satisfies Run

/**
 * The first page of the providers.
 */
export const providerList = {
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
} satisfies ProviderList

/**
 * A workspace without providers.
 */
export const providerListEmpty = {
  data: [],
  meta: {
    total: 0,
    page: 1,
    per_page: 20,
  },
} satisfies ProviderList

/**
 * The last page of the providers.
 */
export const providerListLastPage = {
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
} satisfies ProviderList

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
