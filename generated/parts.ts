// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { OperationParts } from '../src/runtime/validate.js'
import checks from './checks.js'
import type { OperationId } from './operations.js'

/** The parts of each operation's requests and responses, with their checks. */
export const operationParts: Record<OperationId, OperationParts> = {
  getCurrentWorkspace: {
    path: [],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        isValid: checks["getCurrentWorkspace header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["Workspace"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            isValid: checks["getCurrentWorkspace 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      "2XX": {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["Workspace"],
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
        isValid: checks["listPlaybooks query page"],
      },
      {
        name: "per_page",
        required: false,
        types: ["integer"],
        isValid: checks["listPlaybooks query per_page"],
      },
    ],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        isValid: checks["listPlaybooks header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["PlaybookList"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            isValid: checks["listPlaybooks 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      "2XX": {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["PlaybookList"],
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
        isValid: checks["triggerRun path id"],
      },
    ],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
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
          isTypeAssumed: true,
          isValid: checks["TriggeredRun"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      404: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            isValid: checks["triggerRun 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      "2XX": {
        header: [],
        body: {
          required: true,
          isValid: checks["TriggeredRun"],
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
        isValid: checks["getRun path id"],
      },
    ],
    query: [],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        isValid: checks["getRun header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["Run"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      404: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            isValid: checks["getRun 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      "2XX": {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["Run"],
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
        isValid: checks["listProviders query page"],
      },
      {
        name: "per_page",
        required: false,
        types: ["integer"],
        isValid: checks["listProviders query per_page"],
      },
    ],
    header: [
      {
        name: "Service-Version",
        required: false,
        types: ["string"],
        isValid: checks["listProviders header Service-Version"],
      },
    ],
    responses: {
      200: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ProviderList"],
        },
      },
      400: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      401: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      403: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      429: {
        header: [
          {
            name: "Retry-After",
            required: true,
            types: ["integer"],
            isValid: checks["listProviders 429 header Retry-After"],
          },
        ],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["RateLimitBody"],
        },
      },
      500: {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ErrorBody"],
        },
      },
      "2XX": {
        header: [],
        body: {
          required: true,
          isTypeAssumed: true,
          isValid: checks["ProviderList"],
        },
      },
    },
  },
}
