// Generated from openapi/ by `npm run build`. Edit that, not this.

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

/** The statuses of the errors of an operation. */
export const errorStatuses = {
  getCurrentWorkspace: [400, 401, 403, 429, 500],
  listPlaybooks: [400, 401, 403, 429, 500],
  triggerRun: [400, 401, 403, 404, 429, 500],
  getRun: [400, 401, 403, 404, 429, 500],
  listProviders: [400, 401, 403, 429, 500],
} as const

/** Numbers that are only assumed, and statuses in their order, by the rule of their entry. The sandbox has them, and `verify` compares. */
export const assumedValues = {
  firstPage: 1,
  pageSize: 20,
  readableAtOnce: 10,
  checkOrder: [401, 403, 429, 400, 404],
  pageAfterLast: [400, 404],
} as const

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
  userAgent: "workflow-automation-contract/4.0.0",
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

export type BasisId = 'S01' | 'S03' | 'S04' | 'S05' | 'S06' | 'S07' | 'S08' | 'S09' | 'S10' | 'S11' | 'S12' | 'S13' | 'S14' | 'S15' | 'S16' | 'S17' | 'S18' | 'S19' | 'S20' | 'S21' | 'S22' | 'S23' | 'S24' | 'S25' | 'S26' | 'S27' | 'S28' | 'S29' | 'S30' | 'S31' | 'S32' | 'S33' | 'S34' | 'S35' | 'S36' | 'S37' | 'S38' | 'S40' | 'O01' | 'O02' | 'O03' | 'D03' | 'D04' | 'D05' | 'D08' | 'D09' | 'D10' | 'A01' | 'A02' | 'A03' | 'A04' | 'A05' | 'A06' | 'A07' | 'A08' | 'A09' | 'A10' | 'A11' | 'A12' | 'A13' | 'A14' | 'A15' | 'A16' | 'A17' | 'A18' | 'A19' | 'A20' | 'A21' | 'A22' | 'A24' | 'A25' | 'A26' | 'A27' | 'A28' | 'A29' | 'A30' | 'A31' | 'A32' | 'A33' | 'A34' | 'A35' | 'A36' | 'A37' | 'A38' | 'A39' | 'A40' | 'A41' | 'A42' | 'A43' | 'A44' | 'A45' | 'A46' | 'A47' | 'A48' | 'A49' | 'A50' | 'A51' | 'A52' | 'A53' | 'A54' | 'A55' | 'A56' | 'A57' | 'A58' | 'A59' | 'A60' | 'A61' | 'A62' | 'A63' | 'A64'

/** What the contract rests on: an entry of its register. */
export interface BasisEntry {
  readonly kind: 'stated' | 'observed' | 'derived' | 'assumed'
  /** The section of the source specification that it was read from. */
  readonly section: number
  readonly text: string
}

/** What each part of the contract rests on. */
export const basis: Readonly<Record<BasisId, BasisEntry>> = {
  S01: {
    kind: "stated",
    section: 1,
    text: "The service automates operational workflows. It offers four kinds of resource - workspaces, playbooks, runs of playbooks, and providers, which are external systems connected to the workspace.",
  },
  S03: {
    kind: "stated",
    section: 1,
    text: "A key belongs to exactly one workspace, and every request acts for that workspace.",
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
  },
  S06: {
    kind: "stated",
    section: 2,
    text: "A run has a status, a string with its current status.",
  },
  S07: {
    kind: "stated",
    section: 2,
    text: "A run has playbook_id, a string with the id of its playbook.",
  },
  S08: {
    kind: "stated",
    section: 2,
    text: "A run has started_at, a timestamp in a UTC form of ISO 8601.",
  },
  S09: {
    kind: "stated",
    section: 2,
    text: "A run has steps, an array of Step, in order.",
  },
  S10: {
    kind: "stated",
    section: 2,
    text: "A step has a string id that identifies it within its run.",
  },
  S11: {
    kind: "stated",
    section: 2,
    text: "A step has a status, a string.",
  },
  S12: {
    kind: "stated",
    section: 2,
    text: "A step that performs a provider's action has a capability, a dotted string of the form <provider>.<action>.",
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
  },
  S19: {
    kind: "stated",
    section: 4,
    text: "GET /runs/{id} responds with a Run.",
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
  },
  S28: {
    kind: "stated",
    section: 7,
    text: "500 is an internal error of the service. It is transient, and sending the same request again is safe.",
  },
  S29: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has error, always rate_limit_exceeded.",
  },
  S30: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has message, a string for people that states the exceeded limit as a number of requests per minute.",
  },
  S31: {
    kind: "stated",
    section: 7,
    text: "The body of a 429 has retry_after, an integer, the seconds to wait before retrying.",
  },
  S32: {
    kind: "stated",
    section: 7,
    text: "A 429 has the header Retry-After, in seconds, with the same value as retry_after.",
  },
  S33: {
    kind: "stated",
    section: 7,
    text: "After a 429 a client waits at least as many seconds as Retry-After says. Without the header it uses its own default.",
  },
  S34: {
    kind: "stated",
    section: 8,
    text: "The plans are Hobby without API access, Pro with 60 requests per minute and a burst of 120, and Pro 10× with 300 and 600.",
  },
  S35: {
    kind: "stated",
    section: 8,
    text: "Rate limits and run quotas are counted per workspace, not per key and not per client.",
  },
  S36: {
    kind: "stated",
    section: 8,
    text: "Triggering a run counts against the run quota of the plan, not against the request rate.",
  },
  S37: {
    kind: "stated",
    section: 8,
    text: "Limits above those of the plans are arranged through support.",
  },
  S38: {
    kind: "stated",
    section: 8,
    text: "Playbooks and providers change rarely; a client should cache their lists for 60 seconds.",
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
  },
  O02: {
    kind: "observed",
    section: 2,
    text: "The step statuses succeeded and waiting_approval were observed.",
  },
  O03: {
    kind: "observed",
    section: 2,
    text: "The step observed as waiting_approval had no capability.",
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
  },
  D05: {
    kind: "derived",
    section: 1,
    text: "A key never reaches another workspace's resources, because each request acts for one workspace.",
  },
  D08: {
    kind: "derived",
    section: 7,
    text: "A request that got a 429 had no effect, because it was refused and is to be sent again after the wait.",
  },
  D09: {
    kind: "derived",
    section: 7,
    text: "A request that got 400, 401, 403 or 404 had no effect, because it was refused.",
  },
  D10: {
    kind: "derived",
    section: 7,
    text: "A client sends the same trigger again only after a 429, once its wait is over, or a 500, because a repetition is allowed after these alone. After a lost response or any other failure the run may have started.",
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
  },
  A03: {
    kind: "assumed",
    section: 2,
    text: "A provider has an id and a name.",
  },
  A04: {
    kind: "assumed",
    section: 2,
    text: "The first part of a capability is the id of a provider.",
  },
  A05: {
    kind: "assumed",
    section: 2,
    text: "A run finishes as succeeded or failed.",
  },
  A06: {
    kind: "assumed",
    section: 2,
    text: "A step can be running or failed.",
  },
  A07: {
    kind: "assumed",
    section: 3,
    text: "A run changes from running to succeeded or failed, and does not change after that.",
  },
  A08: {
    kind: "assumed",
    section: 3,
    text: "A step changes from running to succeeded, failed or waiting_approval, and from waiting_approval to succeeded or failed.",
  },
  A09: {
    kind: "assumed",
    section: 3,
    text: "A run stays running while one of its steps waits for approval.",
  },
  A10: {
    kind: "assumed",
    section: 3,
    text: "A rejected approval fails its step and the run.",
  },
  A11: {
    kind: "assumed",
    section: 2,
    text: "Steps that have not started are not in steps.",
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
  },
  A14: {
    kind: "assumed",
    section: 4,
    text: "The response to a trigger is the new run.",
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
  },
  A19: {
    kind: "assumed",
    section: 8,
    text: "The burst is the capacity of a token bucket that refills evenly at the plan's rate.",
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
  },
  A22: {
    kind: "assumed",
    section: 4,
    text: "A trigger with inputs that the playbook does not accept fails with 400.",
  },
  A24: {
    kind: "assumed",
    section: 7,
    text: "The error of a body is a short name in snake_case, one for each status.",
  },
  A25: {
    kind: "assumed",
    section: 7,
    text: "A request for another workspace's resource fails with 404.",
  },
  A26: {
    kind: "assumed",
    section: 9,
    text: "A request without Service-Version uses the latest release.",
  },
  A27: {
    kind: "assumed",
    section: 4,
    text: "Responses may have fields that the contract does not name.",
  },
  A28: {
    kind: "assumed",
    section: 2,
    text: "started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.",
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
  },
  A31: {
    kind: "assumed",
    section: 4,
    text: "The id of a new run is the property id of the response to its trigger.",
  },
  A32: {
    kind: "assumed",
    section: 2,
    text: "total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.",
  },
  A33: {
    kind: "assumed",
    section: 7,
    text: "The message of a 429 has the number of requests per minute in digits.",
  },
  A34: {
    kind: "assumed",
    section: 4,
    text: "Every trigger that succeeds starts a new run.",
  },
  A35: {
    kind: "assumed",
    section: 2,
    text: "Ids and statuses are not empty.",
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
  },
  A38: {
    kind: "assumed",
    section: 6,
    text: "Nothing but polling shows how a run progresses.",
  },
  A39: {
    kind: "assumed",
    section: 5,
    text: "Keys are issued outside the API.",
  },
  A40: {
    kind: "assumed",
    section: 5,
    text: "A key may do everything that its workspace may, unless a response is 403.",
  },
  A41: {
    kind: "assumed",
    section: 5,
    text: "A key that has expired is an invalid key.",
  },
  A42: {
    kind: "assumed",
    section: 9,
    text: "No list of releases is available to clients.",
  },
  A43: {
    kind: "assumed",
    section: 4,
    text: "A run can be read as soon as the response to its trigger has arrived.",
  },
  A44: {
    kind: "assumed",
    section: 7,
    text: "The rate limit can also refuse a trigger with a 429.",
  },
  A45: {
    kind: "assumed",
    section: 8,
    text: "A refused request counts against the rate like any other, except one with an invalid key or over the limit.",
  },
  A46: {
    kind: "assumed",
    section: 7,
    text: "The key and its permission are checked first, then the rate, then the parameters and the body, then what the id names.",
  },
  A47: {
    kind: "assumed",
    section: 3,
    text: "An approval is given outside the API.",
  },
  A48: {
    kind: "assumed",
    section: 4,
    text: "A run stays readable.",
  },
  A49: {
    kind: "assumed",
    section: 4,
    text: "A list has the same order each time it is read.",
  },
  A50: {
    kind: "assumed",
    section: 2,
    text: "The capability of a step does not change.",
  },
  A51: {
    kind: "assumed",
    section: 2,
    text: "started_at of a run does not change.",
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
  },
  A54: {
    kind: "assumed",
    section: 4,
    text: "Any names and values of inputs may be sent.",
  },
  A55: {
    kind: "assumed",
    section: 9,
    text: "Any date is accepted as Service-Version, and selects the release that was current on that day.",
  },
  A56: {
    kind: "assumed",
    section: 4,
    text: "There is no idempotency key.",
  },
  A57: {
    kind: "assumed",
    section: 8,
    text: "A trigger beyond the run quota fails with an error.",
  },
  A58: {
    kind: "assumed",
    section: 8,
    text: "The run quotas are not part of the contract.",
  },
  A59: {
    kind: "assumed",
    section: 3,
    text: "A step that has started stays in steps, with its id.",
  },
  A60: {
    kind: "assumed",
    section: 3,
    text: "The first status of a run is running.",
  },
  A61: {
    kind: "assumed",
    section: 5,
    text: "A key is accepted nowhere but in the header Authorization, as Bearer <API_KEY>.",
  },
  A62: {
    kind: "assumed",
    section: 5,
    text: "A key consists of visible ASCII characters.",
  },
  A63: {
    kind: "assumed",
    section: 7,
    text: "A method that a path does not have fails with 405.",
  },
  A64: {
    kind: "assumed",
    section: 4,
    text: "A page after the last one is empty, or fails with 400 or 404.",
  },
}
