// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { OperationParts } from '../src/internal/validate.js'
import type { OperationId } from './operations.js'

/** The parts of each operation's requests and responses, with the names of their checks. */
export const operationParts: Record<OperationId, OperationParts> = {
  getCurrentWorkspace: {
    path: {},
    query: {},
    header: {
      "Service-Version": {
        required: false,
        type: "string",
        check: "getCurrentWorkspace header Service-Version",
      },
    },
    responses: {
      200: {
        header: {},
        body: {
          required: true,
          check: "Workspace",
        },
      },
      400: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      401: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      403: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      429: {
        header: {
          "Retry-After": {
            required: true,
            type: "integer",
            check: "getCurrentWorkspace 429 header Retry-After",
          },
        },
        body: {
          required: true,
          check: "RateLimitBody",
        },
      },
      500: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
    },
  },
  listPlaybooks: {
    path: {},
    query: {
      page: {
        required: false,
        type: "integer",
        default: 1,
        check: "listPlaybooks query page",
      },
      per_page: {
        required: false,
        type: "integer",
        default: 20,
        check: "listPlaybooks query per_page",
      },
    },
    header: {
      "Service-Version": {
        required: false,
        type: "string",
        check: "listPlaybooks header Service-Version",
      },
    },
    responses: {
      200: {
        header: {},
        body: {
          required: true,
          check: "PlaybookList",
        },
      },
      400: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      401: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      403: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      429: {
        header: {
          "Retry-After": {
            required: true,
            type: "integer",
            check: "listPlaybooks 429 header Retry-After",
          },
        },
        body: {
          required: true,
          check: "RateLimitBody",
        },
      },
      500: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
    },
  },
  triggerRun: {
    path: {
      id: {
        required: true,
        type: "string",
        check: "triggerRun path id",
      },
    },
    query: {},
    header: {
      "Service-Version": {
        required: false,
        type: "string",
        check: "triggerRun header Service-Version",
      },
    },
    body: {
      required: true,
      check: "TriggerRunRequest",
    },
    responses: {
      201: {
        header: {},
        body: {
          required: true,
          check: "TriggeredRun",
        },
      },
      400: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      401: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      403: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      404: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      429: {
        header: {
          "Retry-After": {
            required: true,
            type: "integer",
            check: "triggerRun 429 header Retry-After",
          },
        },
        body: {
          required: true,
          check: "RateLimitBody",
        },
      },
      500: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
    },
  },
  getRun: {
    path: {
      id: {
        required: true,
        type: "string",
        check: "getRun path id",
      },
    },
    query: {},
    header: {
      "Service-Version": {
        required: false,
        type: "string",
        check: "getRun header Service-Version",
      },
    },
    responses: {
      200: {
        header: {},
        body: {
          required: true,
          check: "Run",
        },
      },
      400: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      401: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      403: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      404: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      429: {
        header: {
          "Retry-After": {
            required: true,
            type: "integer",
            check: "getRun 429 header Retry-After",
          },
        },
        body: {
          required: true,
          check: "RateLimitBody",
        },
      },
      500: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
    },
  },
  listProviders: {
    path: {},
    query: {
      page: {
        required: false,
        type: "integer",
        default: 1,
        check: "listProviders query page",
      },
      per_page: {
        required: false,
        type: "integer",
        default: 20,
        check: "listProviders query per_page",
      },
    },
    header: {
      "Service-Version": {
        required: false,
        type: "string",
        check: "listProviders header Service-Version",
      },
    },
    responses: {
      200: {
        header: {},
        body: {
          required: true,
          check: "ProviderList",
        },
      },
      400: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      401: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      403: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
      429: {
        header: {
          "Retry-After": {
            required: true,
            type: "integer",
            check: "listProviders 429 header Retry-After",
          },
        },
        body: {
          required: true,
          check: "RateLimitBody",
        },
      },
      500: {
        header: {},
        body: {
          required: true,
          check: "ErrorBody",
        },
      },
    },
  },
}
