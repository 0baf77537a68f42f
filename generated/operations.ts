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
  userAgent: "workflow-automation-contract/1.0.0",
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

export type BasisId = 'S01' | 'S02' | 'S03' | 'S04' | 'S05' | 'S06' | 'S07' | 'S08' | 'S09' | 'S10' | 'S11' | 'S12' | 'S13' | 'S14' | 'S15' | 'S16' | 'S17' | 'S18' | 'S19' | 'S20' | 'S21' | 'S22' | 'S23' | 'S24' | 'S25' | 'S26' | 'S27' | 'S28' | 'S29' | 'S30' | 'S31' | 'S32' | 'S33' | 'S34' | 'S35' | 'S36' | 'S37' | 'S38' | 'S39' | 'S40' | 'S41' | 'O01' | 'O02' | 'O03' | 'D01' | 'D02' | 'D03' | 'D04' | 'D05' | 'D06' | 'D07' | 'A01' | 'A02' | 'A03' | 'A04' | 'A05' | 'A06' | 'A07' | 'A08' | 'A09' | 'A10' | 'A11' | 'A12' | 'A13' | 'A14' | 'A15' | 'A16' | 'A17' | 'A18' | 'A19' | 'A20' | 'A21' | 'A22' | 'A23' | 'A24' | 'A25' | 'A26' | 'A27'

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
    text: "The service automates operational workflows and offers four kinds of resource - workspaces, playbooks, runs of playbooks, and providers.",
  },
  S02: {
    kind: "stated",
    section: 1,
    text: "A provider is an external system that is connected to the workspace.",
  },
  S03: {
    kind: "stated",
    section: 1,
    text: "A key belongs to exactly one workspace, and every request acts for the workspace of its key.",
  },
  S04: {
    kind: "stated",
    section: 1,
    text: "Every path is relative to a base URL whose last segment is the version, /v1.",
  },
  S05: {
    kind: "stated",
    section: 2,
    text: "A run has a string id made of a prefix and an opaque part.",
  },
  S06: {
    kind: "stated",
    section: 2,
    text: "A run has a status, a string that says how far it is now.",
  },
  S07: {
    kind: "stated",
    section: 2,
    text: "A run names the playbook it runs in playbook_id, a string.",
  },
  S08: {
    kind: "stated",
    section: 2,
    text: "A run has started_at, a timestamp in ISO 8601 form in UTC.",
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
    text: "A step that performs an action of a provider has a capability, a dotted string of the form <provider>.<action>.",
  },
  S13: {
    kind: "stated",
    section: 2,
    text: "The inputs of a run are a JSON object with string keys and string values, sent when the run is triggered.",
  },
  S14: {
    kind: "stated",
    section: 2,
    text: "A list endpoint answers an object whose data is an array with the items of the page.",
  },
  S15: {
    kind: "stated",
    section: 2,
    text: "The same object has meta, which holds the integers total, page and per_page.",
  },
  S16: {
    kind: "stated",
    section: 4,
    text: "GET /workspaces/me answers the workspace of the key, as a single object.",
  },
  S17: {
    kind: "stated",
    section: 4,
    text: "GET /playbooks answers the list envelope with the playbooks of the workspace.",
  },
  S18: {
    kind: "stated",
    section: 4,
    text: "POST /playbooks/{id}/runs triggers a run of the playbook; its body is JSON with an object inputs.",
  },
  S19: {
    kind: "stated",
    section: 4,
    text: "GET /runs/{id} answers a Run.",
  },
  S20: {
    kind: "stated",
    section: 4,
    text: "GET /providers answers the list envelope with the connected providers.",
  },
  S21: {
    kind: "stated",
    section: 4,
    text: "To follow a run, a client repeats GET /runs/{id} and reads status and steps.",
  },
  S22: {
    kind: "stated",
    section: 4,
    text: "A request for an id that does not exist is answered 404, resource not found.",
  },
  S23: {
    kind: "stated",
    section: 5,
    text: "Every request carries the workspace's API key in the header Authorization, as Bearer <API_KEY>.",
  },
  S24: {
    kind: "stated",
    section: 5,
    text: "A missing or invalid key is answered 401.",
  },
  S25: {
    kind: "stated",
    section: 5,
    text: "A valid key that lacks the permission for an action is answered 403.",
  },
  S26: {
    kind: "stated",
    section: 7,
    text: "A request whose body is wrong is answered 400.",
  },
  S27: {
    kind: "stated",
    section: 7,
    text: "A request over the rate limit is answered 429.",
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
    text: "The body of a 429 has retry_after, an integer, the seconds to wait before the next attempt.",
  },
  S32: {
    kind: "stated",
    section: 7,
    text: "A 429 carries the header Retry-After, in seconds, with the same value as retry_after.",
  },
  S33: {
    kind: "stated",
    section: 7,
    text: "After a 429 a client waits at least as long as Retry-After says. Without the header it waits for a default of its own.",
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
    text: "Playbooks and providers change rarely; a client should keep their lists for 60 seconds.",
  },
  S39: {
    kind: "stated",
    section: 9,
    text: "The first path segment of the base URL is the version of all endpoints. v1 is the current stable one.",
  },
  S40: {
    kind: "stated",
    section: 9,
    text: "The header Service-Version with a date, YYYY-MM-DD, pins a request to a release and so protects it from later breaking changes.",
  },
  S41: {
    kind: "stated",
    section: 6,
    text: "Polling a run is the only way to follow it that is given; no webhook or other notification is shown.",
  },
  O01: {
    kind: "observed",
    section: 2,
    text: "A run was seen with the status running.",
  },
  O02: {
    kind: "observed",
    section: 2,
    text: "Steps were seen with the statuses succeeded and waiting_approval.",
  },
  O03: {
    kind: "observed",
    section: 2,
    text: "A step that was seen waiting for approval had no capability.",
  },
  D01: {
    kind: "derived",
    section: 4,
    text: "A playbook has an id, because triggering a run needs one and the list of playbooks is the only place to get it.",
  },
  D02: {
    kind: "derived",
    section: 4,
    text: "The answer to a trigger carries the id of the new run, because without it the run could not be polled.",
  },
  D03: {
    kind: "derived",
    section: 4,
    text: "A success is answered with some 2xx status, because every other status that is listed is an error.",
  },
  D04: {
    kind: "derived",
    section: 8,
    text: "Every request except triggering a run counts against the request rate.",
  },
  D05: {
    kind: "derived",
    section: 1,
    text: "A key never reaches what belongs to another workspace, because a request acts for one workspace only.",
  },
  D06: {
    kind: "derived",
    section: 2,
    text: "An id and a status are not empty, because an empty one would neither identify nor tell anything.",
  },
  D07: {
    kind: "derived",
    section: 2,
    text: "A count, the number of a page and a wait are not negative.",
  },
  A01: {
    kind: "assumed",
    section: 2,
    text: "A workspace has an id and a name.",
    question: "Which fields does a workspace have?",
    choice: "id and name, both strings, both optional.",
    because: "The source shows none; these two are what nearly every resource has.",
    ifWrong: "The fields are missing. Code that was compiled against the types already handles that.",
  },
  A02: {
    kind: "assumed",
    section: 2,
    text: "A playbook has a name and a description besides its id.",
    question: "Which fields does a playbook have?",
    choice: "name and description, both strings, both optional.",
    because: "A person who chooses a playbook needs something to read.",
    ifWrong: "The fields are missing, or others are there that the types do not name.",
  },
  A03: {
    kind: "assumed",
    section: 2,
    text: "A provider has an id and a name.",
    question: "Which fields does a provider have?",
    choice: "id and name, both strings, both optional.",
    because: "The source shows none; a capability has to name its provider somehow.",
    ifWrong: "The fields are missing, or others are there that the types do not name.",
  },
  A04: {
    kind: "assumed",
    section: 2,
    text: "The first part of a capability is the id of a provider.",
    question: "What does <provider> in a capability refer to?",
    choice: "The id of an entry of GET /providers.",
    because: "It is the only thing in the interface that it can point to.",
    ifWrong: "Looking a capability's provider up by id finds nothing.",
  },
  A05: {
    kind: "assumed",
    section: 3,
    text: "A run ends as succeeded or as failed.",
    question: "Which statuses does a run have besides running?",
    choice: "succeeded and failed, as an open list.",
    because: "succeeded is a status of steps, and a run that can end well can end badly.",
    ifWrong: "A run ends with a status that the client does not know as an end, and is polled until the caller's deadline.",
  },
  A06: {
    kind: "assumed",
    section: 3,
    text: "A step can be running or failed.",
    question: "Which statuses does a step have besides succeeded and waiting_approval?",
    choice: "running and failed, as an open list.",
    because: "A step takes time, and it can go wrong.",
    ifWrong: "A step has a status that the types do not complete; it is passed through as it is.",
  },
  A07: {
    kind: "assumed",
    section: 3,
    text: "A run goes from running to succeeded or failed, and then changes no more.",
    question: "How does the status of a run change?",
    choice: "running, then succeeded or failed, which are terminal.",
    because: "It is the smallest machine that the statuses allow.",
    ifWrong: "A client stops watching a run that goes on, or watches one that has ended.",
  },
  A08: {
    kind: "assumed",
    section: 3,
    text: "A step goes from running to succeeded, failed or waiting_approval, and from there to succeeded or failed.",
    question: "How does the status of a step change?",
    choice: "As said; succeeded and failed are terminal.",
    because: "It is the smallest machine that the statuses allow.",
    ifWrong: "An animation of a run shows a change that was thought impossible; nothing else depends on it.",
  },
  A09: {
    kind: "assumed",
    section: 3,
    text: "A run stays running while one of its steps waits for approval.",
    question: "Does a run have a status of its own while it waits for approval?",
    choice: "No, it is running; the step tells.",
    because: "running is the only run status seen, waiting_approval was seen on steps only.",
    ifWrong: "Waiting for an approval still works, because it looks at the steps; the status of the run is an unknown one.",
  },
  A10: {
    kind: "assumed",
    section: 3,
    text: "A rejected approval fails its step and the run.",
    question: "What becomes of a run whose approval is rejected?",
    choice: "The step and the run are failed.",
    because: "No status for a rejection was seen, and no action of the interface rejects.",
    ifWrong: "A rejected run ends with another status than in the sandbox.",
    enforcedBy: "The sandbox rejects approvals in this way.",
  },
  A11: {
    kind: "assumed",
    section: 2,
    text: "Steps that have not begun are not in steps yet.",
    question: "Does a run list the steps that are still to come?",
    choice: "No, a step appears when it begins.",
    because: "Otherwise there would be a status for steps that have not begun, and none was seen.",
    ifWrong: "steps holds more entries, with a status that the types do not complete.",
  },
  A12: {
    kind: "assumed",
    section: 4,
    text: "A GET that succeeds is answered 200.",
    question: "Which success status does each GET have?",
    choice: "200",
    because: "It is what HTTP says of a GET that answers a representation (RFC 9110, section 15.3.1).",
    ifWrong: "Nothing in the client, which takes every 2xx as success.",
  },
  A13: {
    kind: "assumed",
    section: 4,
    text: "A trigger that succeeds is answered 201.",
    question: "Which success status does triggering a run have?",
    choice: "201",
    because: "A new resource exists afterwards (RFC 9110, section 15.3.2); 202 would be as good.",
    ifWrong: "Nothing in the client, which takes every 2xx as success.",
  },
  A14: {
    kind: "assumed",
    section: 4,
    text: "The answer to a trigger is the new run.",
    question: "What does the body of the answer to a trigger hold?",
    choice: "A Run of which only the id is certain.",
    because: "The id has to be there, and a Run is the shape that has it.",
    ifWrong: "Only the id can be relied on; the other fields are missing.",
  },
  A15: {
    kind: "assumed",
    section: 4,
    text: "A list takes the query parameters page and per_page.",
    question: "How is a page of a list chosen, and its size?",
    choice: "page and per_page, named as in meta, both integers from 1.",
    because: "meta answers these two names.",
    ifWrong: "The parameters are ignored and the first page comes again. The client notices and reports it.",
  },
  A16: {
    kind: "assumed",
    section: 4,
    text: "Pages are counted from 1, and a page holds 20 items unless asked otherwise.",
    question: "What are the number of the first page and the usual page size?",
    choice: "1 and 20.",
    because: "Both are usual; neither is needed to read a list to its end.",
    ifWrong: "Page 1 is the second one. The client reads on from what meta says and reports what does not fit.",
  },
  A17: {
    kind: "assumed",
    section: 7,
    text: "An error other than 429 has a body with error and message.",
    question: "Which body do errors other than 429 have?",
    choice: "error and message as in a 429, both optional.",
    because: "One service usually answers all its errors in one shape.",
    ifWrong: "The typed errors have no code and a message made from the status alone.",
  },
  A18: {
    kind: "assumed",
    section: 8,
    text: "A workspace on the Hobby plan is answered 403.",
    question: "What does a workspace without API access see?",
    choice: "403, as for a missing permission.",
    because: "The key is valid and the plan does not permit the action.",
    ifWrong: "Another error is thrown, most likely for 401 or 402.",
  },
  A19: {
    kind: "assumed",
    section: 8,
    text: "The burst is the capacity of a token bucket that refills evenly at the rate of the plan.",
    question: "Over which window is the burst measured, and how does it refill?",
    choice: "A token bucket, full at first, with the burst as its capacity and the rate as its refill.",
    because: "It is the usual meaning of a rate with a burst, and twice the rate fits no fixed window of a minute.",
    ifWrong: "The client meets a 429 although it kept to the plan, waits as told and goes on.",
  },
  A20: {
    kind: "assumed",
    section: 9,
    text: "A Service-Version that is not a date, or a page that is not a positive integer, is answered 400.",
    question: "What happens to a malformed header or query parameter?",
    choice: "400, with a body that names the parameter.",
    because: "Ignoring a malformed pin would silently give another release than was asked for.",
    ifWrong: "The request succeeds although its parameter is wrong.",
  },
  A21: {
    kind: "assumed",
    section: 4,
    text: "The body of a trigger has no property besides inputs.",
    question: "May the body of a trigger hold more than inputs?",
    choice: "No, and a server may answer 400 to it.",
    because: "A misspelt name would otherwise start a run without its inputs.",
    ifWrong: "The types forbid a property that the service would take.",
  },
  A22: {
    kind: "assumed",
    section: 4,
    text: "A server may answer 400 to inputs that the playbook does not take; how it checks them is unknown.",
    question: "Which inputs does a playbook allow or require, and how are they checked?",
    choice: "Any string values are sent; a refusal is a 400.",
    because: "The source names neither the keys nor the checks.",
    ifWrong: "A wrong input is refused elsewhere, or the run fails later.",
  },
  A23: {
    kind: "assumed",
    section: 8,
    text: "What a workspace sees whose run quota is used up is not part of the contract.",
    question: "How large are the run quotas, and what answer does an exhausted one get?",
    choice: "Neither is modelled.",
    because: "The source gives no value and no answer.",
    ifWrong: "Triggering fails with an error that the contract does not list; it is thrown with its status.",
  },
  A24: {
    kind: "assumed",
    section: 7,
    text: "The error of a body is a short name in snake_case, one for each status.",
    question: "Which values does error have outside 429?",
    choice: "bad_request, unauthorized, forbidden, not_found and internal_error, as an open list.",
    because: "rate_limit_exceeded is of that form.",
    ifWrong: "The code of a typed error has another value.",
  },
  A25: {
    kind: "assumed",
    section: 7,
    text: "What belongs to another workspace is answered 404.",
    question: "Which answer does an id of another workspace get?",
    choice: "404, as if it did not exist.",
    because: "403 would tell that it exists.",
    ifWrong: "Another error is thrown, most likely for 403.",
  },
  A26: {
    kind: "assumed",
    section: 9,
    text: "A request without Service-Version gets the latest release, and any well-formed date is taken.",
    question: "What happens without the header, and with a date that is no release?",
    choice: "The latest release; a date is accepted as it is.",
    because: "The header is optional, and no list of releases is given.",
    ifWrong: "An unknown date is answered with an error.",
  },
  A27: {
    kind: "assumed",
    section: 4,
    text: "Answers may hold fields that the contract does not name.",
    question: "Can an answer have more fields than the source shows?",
    choice: "Yes; unknown fields are allowed everywhere in answers and passed through.",
    because: "Four of the resources are shown in part or not at all.",
    ifWrong: "Nothing; a closed answer is valid too.",
    enforcedBy: "No schema of an answer is closed, which the lint rule open-answers holds.",
  },
}
