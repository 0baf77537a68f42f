// Generated from openapi/ by `npm run build`. Edit that, not this.

/** Every operation by its id. `cacheSeconds` is how long a client may keep a 200; a status in `retryable` may be sent again whatever the method; `defaults` are the values of parameters that are left out. */
export const operations = {
  getCurrentWorkspace: {
    method: "GET",
    path: "/workspaces/me",
    quota: "requests",
    pathParameters: [],
    query: [],
    success: [200],
    errors: [400, 401, 403, 429, 500],
    retryable: [429, 500],
  },
  listPlaybooks: {
    method: "GET",
    path: "/playbooks",
    quota: "requests",
    cacheSeconds: 60,
    pathParameters: [],
    query: ["page", "per_page"],
    defaults: {
      page: 1,
      per_page: 20,
    },
    paged: true,
    success: [200],
    errors: [400, 401, 403, 429, 500],
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
    errors: [400, 401, 403, 404, 429, 500],
    retryable: [429, 500],
  },
  getRun: {
    method: "GET",
    path: "/runs/{id}",
    quota: "requests",
    pathParameters: ["id"],
    query: [],
    success: [200],
    errors: [400, 401, 403, 404, 429, 500],
    retryable: [429, 500],
  },
  listProviders: {
    method: "GET",
    path: "/providers",
    quota: "requests",
    cacheSeconds: 60,
    pathParameters: [],
    query: ["page", "per_page"],
    defaults: {
      page: 1,
      per_page: 20,
    },
    paged: true,
    success: [200],
    errors: [400, 401, 403, 429, 500],
    retryable: [429, 500],
  },
} as const

export type OperationId = keyof typeof operations

/** The plans of the service. `requestsPerMinute` and `burst` are per workspace. */
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

/** The last segment of every base URL, the header that pins a request to a release, how a limit is stated, and the default user agent of the client. */
export const protocol = {
  versionSegment: "/v1",
  versionHeader: "Service-Version",
  versionPattern: "^\\d{4}-\\d{2}-\\d{2}$",
  rateLimit: {
    status: 429,
    header: "Retry-After",
  },
  userAgent: "workflow-automation-contract/2.0.0",
} as const

/** The dates of the releases, oldest first, to pin a request with. */
export const releases = ["2026-11-21"] as const

export type ReleaseDate = (typeof releases)[number]

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

/** The values of open enumerations that are known. Others may come. */
export const knownValues = {
  ErrorCode: ["bad_request", "unauthorized", "forbidden", "not_found", "internal_error"],
  RunStatus: ["running", "succeeded", "failed"],
  StepStatus: ["running", "waiting_approval", "succeeded", "failed"],
} as const

export type BasisId = 'S01' | 'S02' | 'S03' | 'S04' | 'S05' | 'S06' | 'S07' | 'S08' | 'S09' | 'S10' | 'S11' | 'S12' | 'S13' | 'S14' | 'S15' | 'S16' | 'S17' | 'S18' | 'S19' | 'S20' | 'S21' | 'S22' | 'S23' | 'S24' | 'S25' | 'S26' | 'S27' | 'S28' | 'S29' | 'S30' | 'S31' | 'S32' | 'S33' | 'S34' | 'S35' | 'S36' | 'S37' | 'S38' | 'S39' | 'S40' | 'S41' | 'O01' | 'O02' | 'O03' | 'D01' | 'D02' | 'D03' | 'D04' | 'D05' | 'D06' | 'D07' | 'A01' | 'A02' | 'A03' | 'A04' | 'A05' | 'A06' | 'A07' | 'A08' | 'A09' | 'A10' | 'A11' | 'A12' | 'A13' | 'A14' | 'A15' | 'A16' | 'A17' | 'A18' | 'A19' | 'A20' | 'A21' | 'A22' | 'A23' | 'A24' | 'A25' | 'A26' | 'A27' | 'A28' | 'A29' | 'A30' | 'A31' | 'A32' | 'A33' | 'A34'

/** What the contract rests on: an entry of its register. */
export interface BasisEntry {
  readonly kind: 'stated' | 'observed' | 'derived' | 'assumed'
  /** The section of the source specification that it was read from. */
  readonly section: number
  readonly text: string
  readonly question?: string
  readonly choice?: string
  readonly because?: string
  readonly ifWrong?: string
  readonly enforcedBy?: string
}

/** What each part of the contract rests on. */
export const basis: Readonly<Record<BasisId, BasisEntry>> = {
  S01: {
    kind: "stated",
    section: 1,
    text: "The service automates operational workflows. It offers four kinds of resource - workspaces, playbooks, runs of playbooks, and providers.",
  },
  S02: {
    kind: "stated",
    section: 1,
    text: "A provider is an external system connected to the workspace.",
  },
  S03: {
    kind: "stated",
    section: 1,
    text: "A key belongs to exactly one workspace, and every request acts for that workspace.",
  },
  S04: {
    kind: "stated",
    section: 1,
    text: "Every path is relative to a base URL that ends with the version segment, /v1.",
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
    text: "A run has steps, an array of Step in the order of the run.",
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
    text: "POST /playbooks/{id}/runs triggers a run of the playbook; its body is JSON with an object inputs.",
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
    text: "To follow a run, a client repeats GET /runs/{id} and reads status and steps.",
  },
  S22: {
    kind: "stated",
    section: 4,
    text: "A request for an id that does not exist fails with 404, resource not found.",
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
    text: "The body of a 429 has message, a text for people that states the exceeded limit as a number of requests per minute.",
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
    text: "After a 429 a client waits at least as many seconds as Retry-After says. Without the header it uses a default of its own.",
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
  S39: {
    kind: "stated",
    section: 9,
    text: "The first path segment of the base URL is the version of all endpoints. v1 is the current stable version.",
  },
  S40: {
    kind: "stated",
    section: 9,
    text: "The header Service-Version with a date, YYYY-MM-DD, pins a request to a release. It protects the client from breaking changes in later releases.",
  },
  S41: {
    kind: "stated",
    section: 6,
    text: "Polling is the only way shown to follow a run; no webhook or other notification is shown.",
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
  D01: {
    kind: "derived",
    section: 4,
    text: "The id of a playbook can be found in the list of playbooks, because a trigger needs it and nothing else provides it.",
  },
  D02: {
    kind: "derived",
    section: 4,
    text: "The id of the new run can be found in the response to its trigger, because polling the run needs it.",
  },
  D03: {
    kind: "derived",
    section: 4,
    text: "A success has a 2xx status, because every other status in the source is an error.",
  },
  D04: {
    kind: "derived",
    section: 8,
    text: "Every request except a trigger counts against the request rate.",
  },
  D05: {
    kind: "derived",
    section: 1,
    text: "A key never reaches another workspace's resources, because each request acts for one workspace.",
  },
  D06: {
    kind: "derived",
    section: 2,
    text: "Ids and statuses are not empty, because an empty one would identify or describe nothing.",
  },
  D07: {
    kind: "derived",
    section: 2,
    text: "Counts, page numbers and waits are not negative.",
  },
  A01: {
    kind: "assumed",
    section: 2,
    text: "A workspace has an id and a name.",
    question: "Which fields does a workspace have?",
    choice: "id and name, both strings, both optional.",
    because: "The source shows none; most resources have these two.",
    ifWrong: "The fields are missing. The types already make code handle that.",
  },
  A02: {
    kind: "assumed",
    section: 2,
    text: "A playbook has a name and a description besides its id.",
    question: "Which fields does a playbook have?",
    choice: "name and description, both strings, both optional.",
    because: "A person who chooses a playbook needs something to read.",
    ifWrong: "The fields are missing, or the playbook has fields that the types do not name.",
  },
  A03: {
    kind: "assumed",
    section: 2,
    text: "A provider has an id and a name.",
    question: "Which fields does a provider have?",
    choice: "id and name, both strings, both optional.",
    because: "The source shows none; a capability has to refer to its provider somehow.",
    ifWrong: "The fields are missing, or the provider has fields that the types do not name.",
  },
  A04: {
    kind: "assumed",
    section: 2,
    text: "The first part of a capability is the id of a provider.",
    question: "What does <provider> in a capability refer to?",
    choice: "The id of an entry of GET /providers.",
    because: "Nothing else in the API could be meant.",
    ifWrong: "Looking up a capability's provider by id finds nothing.",
  },
  A05: {
    kind: "assumed",
    section: 3,
    text: "A run finishes as succeeded or failed.",
    question: "Which statuses does a run have besides running?",
    choice: "succeeded and failed, as an open list.",
    because: "Steps have the status succeeded, and a run that can succeed can fail.",
    ifWrong: "A run finishes with a status that the client does not know as terminal, and is polled until the caller's timeout.",
  },
  A06: {
    kind: "assumed",
    section: 3,
    text: "A step can be running or failed.",
    question: "Which statuses does a step have besides succeeded and waiting_approval?",
    choice: "running and failed, as an open list.",
    because: "A step takes time, and it can fail.",
    ifWrong: "A step has a status that the types do not suggest; it is passed through unchanged.",
  },
  A07: {
    kind: "assumed",
    section: 3,
    text: "A run changes from running to succeeded or failed, and then no more.",
    question: "How does the status of a run change?",
    choice: "From running to succeeded or failed, which are terminal.",
    because: "It is the smallest state machine that fits the statuses.",
    ifWrong: "A client stops watching a run that continues, or watches one that has finished.",
  },
  A08: {
    kind: "assumed",
    section: 3,
    text: "A step changes from running to succeeded, failed or waiting_approval, and from waiting_approval to succeeded or failed.",
    question: "How does the status of a step change?",
    choice: "As stated in this entry; succeeded and failed are terminal.",
    because: "It is the smallest state machine that fits the statuses.",
    ifWrong: "The steps of a run change in an unexpected order; nothing else depends on it.",
  },
  A09: {
    kind: "assumed",
    section: 3,
    text: "A run stays running while one of its steps waits for approval.",
    question: "Does a run have a status of its own while it waits for approval?",
    choice: "No, it is running; only the step shows that it waits.",
    because: "running is the only run status observed, and waiting_approval was observed on a step only.",
    ifWrong: "Waiting for an approval still works, because it reads the steps; the run has an unknown status.",
  },
  A10: {
    kind: "assumed",
    section: 3,
    text: "A rejected approval fails its step and the run.",
    question: "What happens to a run whose approval is rejected?",
    choice: "The step and the run become failed.",
    because: "No status for a rejection was observed, and no operation of the API rejects.",
    ifWrong: "A rejected run finishes with another status than in the sandbox.",
    enforcedBy: "The sandbox rejects approvals this way.",
  },
  A11: {
    kind: "assumed",
    section: 2,
    text: "Steps that have not started are not in steps.",
    question: "Does a run list its future steps?",
    choice: "No, a step appears when it starts.",
    because: "A future step would need a status of its own, and none was observed.",
    ifWrong: "steps has more entries, with a status that the types do not suggest.",
  },
  A12: {
    kind: "assumed",
    section: 4,
    text: "A successful GET has the status 200.",
    question: "Which success status does each GET have?",
    choice: "200",
    because: "HTTP defines 200 for a GET that returns a representation (RFC 9110, section 15.3.1).",
    ifWrong: "Nothing changes for the client, which accepts every 2xx.",
  },
  A13: {
    kind: "assumed",
    section: 4,
    text: "A successful trigger has the status 201.",
    question: "Which success status does a trigger have?",
    choice: "201",
    because: "It creates a resource (RFC 9110, section 15.3.2); 202 would fit as well.",
    ifWrong: "Nothing changes for the client, which accepts every 2xx.",
  },
  A14: {
    kind: "assumed",
    section: 4,
    text: "The response to a trigger is the new run.",
    question: "What is in the body of the response to a trigger?",
    choice: "A Run of which only the id is certain.",
    because: "The response has to contain the id, and a Run has one.",
    ifWrong: "Only the id is reliable; the other fields are missing.",
  },
  A15: {
    kind: "assumed",
    section: 4,
    text: "A list has the query parameters page and per_page.",
    question: "How does a client select a page of a list, and its size?",
    choice: "page and per_page, named as in meta, both integers from 1.",
    because: "meta has these two names.",
    ifWrong: "The service ignores the parameters and sends the first page again. The client notices and reports it.",
  },
  A16: {
    kind: "assumed",
    section: 4,
    text: "Pages are numbered from 1, and a page has 20 items by default.",
    question: "What are the first page number and the default page size?",
    choice: "1 and 20.",
    because: "Both are common; reading a whole list needs neither.",
    ifWrong: "Page 1 is the second page. The client follows meta and reports what does not fit.",
  },
  A17: {
    kind: "assumed",
    section: 7,
    text: "An error other than 429 has a body with error and message.",
    question: "Which body do errors other than 429 have?",
    choice: "error and message as in a 429, both optional.",
    because: "Services usually use one shape for all errors.",
    ifWrong: "The typed errors have no code, and a message made from the status alone.",
  },
  A18: {
    kind: "assumed",
    section: 8,
    text: "A workspace on the Hobby plan receives 403.",
    question: "How does the service respond to a workspace without API access?",
    choice: "With 403, as for a missing permission.",
    because: "The key is valid and the plan does not permit the action.",
    ifWrong: "The client throws another error, most likely for 401 or 402.",
  },
  A19: {
    kind: "assumed",
    section: 8,
    text: "The burst is the capacity of a token bucket that refills evenly at the plan's rate.",
    question: "Over which window is the burst measured, and how does it refill?",
    choice: "A token bucket, full at first, with the burst as its capacity and the rate as its refill.",
    because: "It is the usual meaning of a rate with a burst, and twice the rate fits no fixed window of a minute.",
    ifWrong: "The client receives a 429 although it stays within the plan, waits as the 429 asks and continues.",
  },
  A20: {
    kind: "assumed",
    section: 9,
    text: "A Service-Version that is not a date, or a page that is not a positive integer, fails with 400.",
    question: "How does the service treat a malformed header or query parameter?",
    choice: "It responds with 400 and a message that names the parameter.",
    because: "Ignoring a malformed pin would silently select another release.",
    ifWrong: "The request succeeds although its parameter is wrong.",
  },
  A21: {
    kind: "assumed",
    section: 4,
    text: "The body of a trigger has no property besides inputs.",
    question: "May the body of a trigger have more than inputs?",
    choice: "No, and a service may respond with 400.",
    because: "A misspelt name would otherwise start a run without its inputs.",
    ifWrong: "The types forbid a property that the service accepts.",
  },
  A22: {
    kind: "assumed",
    section: 4,
    text: "A service may respond with 400 to inputs that the playbook does not accept; how it validates them is unknown.",
    question: "Which inputs does a playbook allow or require, and how are they validated?",
    choice: "Any string values are sent; a refusal is a 400.",
    because: "The source shows neither the keys nor the validation.",
    ifWrong: "A wrong input is refused in another way, or the run fails later.",
  },
  A23: {
    kind: "assumed",
    section: 8,
    text: "The response when the run quota is exhausted is not part of the contract.",
    question: "How large are the run quotas, and how does the service respond when one is exhausted?",
    choice: "Neither is modelled.",
    because: "The source gives neither a value nor a response.",
    ifWrong: "A trigger fails with an error that the contract does not list; the client throws it with its status.",
  },
  A24: {
    kind: "assumed",
    section: 7,
    text: "The error of a body is a short name in snake_case, one for each status.",
    question: "Which values does error have outside 429?",
    choice: "bad_request, unauthorized, forbidden, not_found and internal_error, as an open list.",
    because: "rate_limit_exceeded has this form.",
    ifWrong: "The code of a typed error has another value.",
  },
  A25: {
    kind: "assumed",
    section: 7,
    text: "A request for another workspace's resource fails with 404.",
    question: "How does the service respond to an id of another workspace?",
    choice: "With 404, as if the id did not exist.",
    because: "403 would reveal that it exists.",
    ifWrong: "The client throws another error, most likely for 403.",
  },
  A26: {
    kind: "assumed",
    section: 9,
    text: "A request without Service-Version uses the latest release, and any well-formed date is accepted.",
    question: "What happens without the header, and with a date that is not a release?",
    choice: "The latest release is used; any date is accepted.",
    because: "The header is optional, and the source lists no releases.",
    ifWrong: "An unknown date fails with an error.",
  },
  A27: {
    kind: "assumed",
    section: 4,
    text: "Responses may have fields that the contract does not name.",
    question: "Can a response have more fields than the source shows?",
    choice: "Yes; responses may have unknown fields everywhere, and the client passes them through.",
    because: "The source shows four of the resources in part or not at all.",
    ifWrong: "Nothing changes; a response without other fields is valid too.",
    enforcedBy: "Every schema of a response is open; a lint rule checks it.",
  },
  A28: {
    kind: "assumed",
    section: 2,
    text: "started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.",
    question: "Which of the many forms of ISO 8601 does started_at have?",
    choice: "That of RFC 3339, with seconds, in UTC.",
    because: "Nearly every JSON interface uses it, and every date library reads it.",
    ifWrong: "The value is valid, and code that parses it with a date library may fail.",
  },
  A29: {
    kind: "assumed",
    section: 4,
    text: "A response with a body has the media type application/json.",
    question: "Which media type do responses have?",
    choice: "application/json, as the request of a trigger has.",
    because: "The source shows JSON objects, and states a media type for one request only.",
    ifWrong: "The body is JSON under another media type, for example application/vnd.example+json.",
    enforcedBy: "Every response of the contract has this media type, and the conformance kit reports another one.",
  },
  A30: {
    kind: "assumed",
    section: 4,
    text: "The id of a playbook is the property id of its entry in the list.",
    question: "Where in the list is the id of a playbook?",
    choice: "In the property id of each entry.",
    because: "A run and a step have their id there.",
    ifWrong: "The playbook has its id elsewhere, for example in playbook_id. The client passes the entry through as it is.",
  },
  A31: {
    kind: "assumed",
    section: 4,
    text: "The id of a new run is the property id of the response to its trigger.",
    question: "Where in the response to a trigger is the id of the new run?",
    choice: "In the property id of the body.",
    because: "A run has its id there.",
    ifWrong: "The run has started, and the client does not find its id.",
  },
  A32: {
    kind: "assumed",
    section: 2,
    text: "total counts the items of the whole list, page is the number of the page, and per_page is the most items a page holds.",
    question: "What do total, page and per_page in meta mean?",
    choice: "The size of the whole list, the number of this page, and the most items of one page.",
    because: "This is what the names mean in other interfaces; the source gives their type only.",
    ifWrong: "Pages do not fit together. The client notices and reports it.",
  },
  A33: {
    kind: "assumed",
    section: 7,
    text: "The message of a 429 has the number of requests per minute in digits.",
    question: "How is the number in the message of a 429 written?",
    choice: "In digits, for example 60.",
    because: "A program that states a number formats it in digits.",
    ifWrong: "The client cannot read the limit from the message, and waits as long as Retry-After says.",
  },
  A34: {
    kind: "assumed",
    section: 4,
    text: "Every trigger that succeeds starts a run of its own; no idempotency key is known.",
    question: "Does the same trigger, sent twice, start two runs?",
    choice: "Yes, unless the first one failed with 429 or 500, after which sending it again is safe.",
    because: "The source calls only a retry after 500 safe, and shows neither an idempotency key nor a way to find a run that was started.",
    ifWrong: "The service recognises a repeated trigger, and the client could send one again after a lost connection too.",
  },
}
