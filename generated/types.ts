// Generated from openapi/ by `npm run build`. Edit that, not this.

export interface paths {
    "/workspaces/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the workspace of the key
         * @description Returns the workspace that the key belongs to. Use it to check whether a key works.
         *
         *     Basis: S03 stated, S16 stated, D04 derived.
         */
        get: operations["getCurrentWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/playbooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the playbooks of the workspace
         * @description Returns one page of playbooks. They change rarely, so clients should cache the response instead of repeating the request.
         *
         *     Basis: S17 stated, S38 stated, D04 derived.
         *
         *     Assumed (A49): A list has the same order each time it is read.
         */
        get: operations["listPlaybooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/playbooks/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trigger a run of a playbook
         * @description Starts a run of the playbook with the given inputs. Poll the run to follow it. A trigger counts against the plan's
         *     run quota, not its request rate. Retrying after a 500 is safe.
         *
         *     Basis: S18 stated, S28 stated, S36 stated.
         *
         *     Assumed (A34): Every trigger that succeeds starts a new run.
         *
         *     Assumed (A44): The rate limit can also refuse a trigger with a 429.
         *
         *     Assumed (A54): Any names and values of inputs may be sent.
         *
         *     Assumed (A56): There is no idempotency key.
         *
         *     Assumed (A57): A trigger beyond the run quota fails with an error.
         */
        post: operations["triggerRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description Returns the current state of the run. Poll it to follow progress; no webhook is known.
         *
         *     Basis: S19 stated, S21 stated, D04 derived.
         *
         *     Assumed (A43): A run can be read as soon as the response to its trigger has arrived.
         *
         *     Assumed (A48): A run stays readable.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the connected providers
         * @description Returns one page of providers. They change rarely, so clients should cache the response instead of repeating the request.
         *
         *     Basis: S20 stated, S38 stated, D04 derived.
         *
         *     Assumed (A49): A list has the same order each time it is read.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Workspace: Workspace;
        ErrorCode: ErrorCode;
        ErrorBody: ErrorBody;
        RateLimitBody: RateLimitBody;
        Playbook: Playbook;
        ListMeta: ListMeta;
        PlaybookList: PlaybookList;
        RunInputs: RunInputs;
        TriggerRunRequest: TriggerRunRequest;
        RunStatus: RunStatus;
        StepStatus: StepStatus;
        Step: Step;
        TriggeredRun: TriggeredRun;
        Run: Run;
        Provider: Provider;
        ProviderList: ProviderList;
    };
    responses: {
        /**
         * @description The workspace of the key.
         *
         *     Assumed (A12): A successful GET has the status 200.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Workspace200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": Workspace;
            };
        };
        /**
         * @description A parameter is malformed. Correct the request before retrying.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A20): A Service-Version that is not a date fails with 400.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         *
         *     Assumed (A52): A page or per_page that is not an integer fails with 400.
         */
        BadParameter: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description The key is missing or invalid.
         *
         *     Basis: S24 stated.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description The key is valid but lacks permission for this action.
         *
         *     Basis: S25 stated.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A18): A workspace on the Hobby plan receives 403.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description The workspace has exceeded the rate limit of its plan. Wait at least `Retry-After` seconds before retrying.
         *
         *     Basis: S27 stated, S33 stated, D08 derived.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": RateLimitBody;
            };
        };
        /**
         * @description The service failed. The error is transient, and retrying the same request is safe.
         *
         *     Basis: S28 stated.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description The workspace of the key.
         *
         *     Basis: S16 stated, D03 derived.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Workspace: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": Workspace;
            };
        };
        /**
         * @description One page of playbooks.
         *
         *     Assumed (A12): A successful GET has the status 200.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        PlaybookList200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": PlaybookList;
            };
        };
        /**
         * @description One page of playbooks.
         *
         *     Basis: S17 stated, D03 derived.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        PlaybookList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": PlaybookList;
            };
        };
        /**
         * @description The run that was started.
         *
         *     Assumed (A13): A successful trigger has the status 201.
         *
         *     Assumed (A14): The response to a trigger is the new run.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        TriggeredRun201: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": TriggeredRun;
            };
        };
        /**
         * @description The body is invalid, or a parameter is malformed (assumed, A20). Correct the request before retrying.
         *
         *     Basis: S26 stated.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A20): A Service-Version that is not a date fails with 400.
         *
         *     Assumed (A22): A trigger with inputs that the playbook does not accept fails with 400.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description No resource has this id. An id of another workspace is assumed to get the same response (A25).
         *
         *     Basis: S22 stated, D05 derived.
         *
         *     Assumed (A17): An error other than 429 has a body with error and message.
         *
         *     Assumed (A25): A request for another workspace's resource fails with 404.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorBody;
            };
        };
        /**
         * @description A run was started. The body is assumed to be that run (A14).
         *
         *     Basis: S18 stated, D03 derived.
         *
         *     Assumed (A14): The response to a trigger is the new run.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        TriggeredRun: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": TriggeredRun;
            };
        };
        /**
         * @description The current state of the run.
         *
         *     Assumed (A12): A successful GET has the status 200.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Run200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": Run;
            };
        };
        /**
         * @description The current state of the run.
         *
         *     Basis: S19 stated, D03 derived.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        Run: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": Run;
            };
        };
        /**
         * @description One page of providers.
         *
         *     Assumed (A12): A successful GET has the status 200.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        ProviderList200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ProviderList;
            };
        };
        /**
         * @description One page of providers.
         *
         *     Basis: S20 stated, D03 derived.
         *
         *     Assumed (A29): A response with a body has the media type application/json.
         */
        ProviderList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": ProviderList;
            };
        };
    };
    parameters: {
        /**
         * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
         *     releases. It is not known which release applies without the header; the latest is assumed (A26).
         *
         *     Basis: S40 stated.
         *
         *     Assumed (A20): A Service-Version that is not a date fails with 400.
         *
         *     Assumed (A26): A request without Service-Version uses the latest release.
         *
         *     Assumed (A42): No list of releases is available to clients.
         *
         *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
         * @example 2026-01-15
         */
        ServiceVersion: string;
        /**
         * @description The page number. If omitted, the service returns the first page.
         *
         *     Assumed (A15): A list has the query parameters page and per_page.
         *
         *     Assumed (A16): Pages are numbered from 1.
         *
         *     Assumed (A52): A page or per_page that is not an integer fails with 400.
         * @example 2
         */
        Page: number;
        /**
         * @description The maximum number of items per page. If omitted, the service chooses.
         *
         *     Assumed (A15): A list has the query parameters page and per_page.
         *
         *     Assumed (A37): A page has 20 items unless per_page asks for another number.
         *
         *     Assumed (A52): A page or per_page that is not an integer fails with 400.
         * @example 50
         */
        PerPage: number;
        /**
         * @description The id of the playbook to run.
         *
         *     Basis: S18 stated.
         *
         *     Assumed (A35): Ids and statuses are not empty.
         * @example pb_3kX9wq
         */
        PlaybookId: string;
        /**
         * @description The id of the run.
         *
         *     Basis: S05 stated, S19 stated.
         *
         *     Assumed (A35): Ids and statuses are not empty.
         * @example run_8Zt4Lm2c
         */
        RunId: string;
    };
    requestBodies: {
        /**
         * @description The inputs of the run.
         *
         *     Basis: S18 stated.
         */
        TriggerRunRequest: {
            content: {
                "application/json": TriggerRunRequest;
            };
        };
    };
    headers: {
        /**
         * @description Seconds to wait before retrying, equal to `retry_after` in the body. Never retry earlier.
         *
         *     Basis: S32 stated, S33 stated.
         *
         *     Assumed (A36): Counts, page numbers and waits are not negative.
         * @example 17
         */
        RetryAfter: number;
    };
    pathItems: never;
}
/**
 * @description The workspace that a key belongs to. Requests act on its behalf, and limits are counted per workspace.
 *
 *     Basis: S03 stated, S16 stated.
 */
export type Workspace = {
    /**
     * @description Identifies the workspace.
     *
     *     Assumed (A01): A workspace has an id and a name.
     */
    id?: string;
    /**
     * @description The display name of the workspace.
     *
     *     Assumed (A01): A workspace has an id and a name.
     */
    name?: string;
};
/**
 * @description A machine-readable name of the error. The list is open; expect other values.
 *
 *     - `bad_request`: The request is invalid. (A24 assumed)
 *     - `unauthorized`: The key is missing or invalid. (A24 assumed)
 *     - `forbidden`: The key lacks permission for the action. (A24 assumed)
 *     - `not_found`: The resource does not exist. (A24 assumed)
 *     - `internal_error`: The service failed. (A24 assumed)
 *
 *     Assumed (A17): An error other than 429 has a body with error and message.
 *
 *     Assumed (A24): The error of a body is a short name in snake_case, one for each status.
 */
export type ErrorCode = "bad_request" | "unauthorized" | "forbidden" | "not_found" | "internal_error" | (string & {});
/**
 * @description The body of an error. The source shows only the body of a 429, so expect other shapes.
 *
 *     Assumed (A17): An error other than 429 has a body with error and message.
 */
export type ErrorBody = {
    error?: ErrorCode;
    /**
     * @description A human-readable reason for the error.
     *
     *     Assumed (A17): An error other than 429 has a body with error and message.
     */
    message?: string;
};
/**
 * @description The body of a 429.
 *
 *     Basis: S27 stated, S29 stated, S30 stated, S31 stated.
 */
export type RateLimitBody = {
    /**
     * @description Always `rate_limit_exceeded`.
     *
     *     Basis: S29 stated.
     * @constant
     */
    error: "rate_limit_exceeded";
    /**
     * @description A human-readable message that names the exceeded limit in requests per minute.
     *
     *     Basis: S30 stated.
     *
     *     Assumed (A33): The message of a 429 has the number of requests per minute in digits.
     */
    message: string;
    /**
     * @description Seconds to wait before retrying, equal to the header `Retry-After`.
     *
     *     Basis: S31 stated, S32 stated.
     *
     *     Assumed (A36): Counts, page numbers and waits are not negative.
     */
    retry_after: number;
};
/**
 * @description A playbook of the workspace. Each run executes one playbook.
 *
 *     Basis: S17 stated.
 */
export type Playbook = {
    /**
     * @description Identifies the playbook. Pass it to trigger a run.
     *
     *     Assumed (A30): The id of a playbook is the property id of its entry in the list.
     */
    id?: string;
    /**
     * @description The display name of the playbook.
     *
     *     Assumed (A02): A playbook has a name and a description.
     */
    name?: string;
    /**
     * @description A description of what the playbook does.
     *
     *     Assumed (A02): A playbook has a name and a description.
     */
    description?: string;
};
/**
 * @description The position of a page in its list.
 *
 *     Basis: S15 stated.
 *
 *     Assumed (A32): total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.
 *
 *     Assumed (A36): Counts, page numbers and waits are not negative.
 */
export type ListMeta = {
    /**
     * @description Assumed (A32) to be the number of items in the whole list.
     *
     *     Basis: S15 stated.
     *
     *     Assumed (A32): total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.
     *
     *     Assumed (A36): Counts, page numbers and waits are not negative.
     */
    total: number;
    /**
     * @description Assumed (A32) to be the number of this page.
     *
     *     Basis: S15 stated.
     *
     *     Assumed (A32): total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.
     *
     *     Assumed (A36): Counts, page numbers and waits are not negative.
     */
    page: number;
    /**
     * @description Assumed (A32) to be the maximum number of items on a page.
     *
     *     Basis: S15 stated.
     *
     *     Assumed (A32): total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page.
     *
     *     Assumed (A36): Counts, page numbers and waits are not negative.
     */
    per_page: number;
};
/**
 * @description One page of playbooks of the workspace.
 *
 *     Basis: S14 stated, S17 stated.
 */
export type PlaybookList = {
    /** @description The playbooks on this page. */
    data: Playbook[];
    meta: ListMeta;
};
/**
 * @description The playbook's inputs by name. Names and values are strings. The source does not show which names a playbook
 *     accepts, so a service may refuse some.
 *
 *     Basis: S13 stated.
 *
 *     Assumed (A22): A trigger with inputs that the playbook does not accept fails with 400.
 *
 *     Assumed (A54): Any names and values of inputs may be sent.
 */
export type RunInputs = {
    [key: string]: string;
};
/**
 * @description The body of a trigger.
 *
 *     Basis: S18 stated.
 *
 *     Assumed (A21): The body of a trigger has no property besides inputs; what happens to others is not known.
 */
export type TriggerRunRequest = {
    inputs: RunInputs;
};
/**
 * @description The status of a run. The list is open; expect other values, and treat them as non-terminal.
 *
 *     - `running`: The run is in progress. One of its steps may be waiting for approval (assumed, A09). (O01 observed)
 *     - `succeeded`: The run succeeded. (A05 assumed)
 *     - `failed`: The run failed. (A05 assumed)
 *
 *     Basis: S06 stated.
 *
 *     Assumed (A35): Ids and statuses are not empty.
 */
export type RunStatus = "running" | "succeeded" | "failed" | (string & {});
/**
 * @description The status of a step. The list is open; expect other values.
 *
 *     - `running`: The step is in progress. (A06 assumed)
 *     - `waiting_approval`: The step waits for approval. (O02 observed)
 *     - `succeeded`: The step succeeded. (O02 observed)
 *     - `failed`: The step failed. (A06 assumed)
 *
 *     Basis: S11 stated.
 *
 *     Assumed (A35): Ids and statuses are not empty.
 */
export type StepStatus = "running" | "waiting_approval" | "succeeded" | "failed" | (string & {});
/**
 * @description One step of a run.
 *
 *     Basis: S09 stated.
 */
export type Step = {
    /**
     * @description Identifies the step within its run.
     *
     *     Basis: S10 stated.
     *
     *     Assumed (A35): Ids and statuses are not empty.
     */
    id: string;
    status: StepStatus;
    /**
     * @description The provider action that the step performs, as `<provider>.<action>`. The step observed as `waiting_approval` had
     *     no capability.
     *
     *     Basis: S12 stated, O03 observed.
     *
     *     Assumed (A04): The first part of a capability is the id of a provider.
     *
     *     Assumed (A50): The capability of a step does not change.
     *
     *     Assumed (A53): A step that waits for approval has no capability.
     */
    capability?: string;
};
/**
 * @description The new run, as returned by the trigger. The source does not show this response, so every field is optional.
 *
 *     Assumed (A14): The response to a trigger is the new run.
 */
export type TriggeredRun = {
    /**
     * @description Identifies the run. Use it to poll the run.
     *
     *     Assumed (A31): The id of a new run is the property id of the response to its trigger.
     */
    id?: string;
    status?: RunStatus;
    /**
     * @description The id of the run's playbook.
     *
     *     Assumed (A14): The response to a trigger is the new run.
     */
    playbook_id?: string;
    /**
     * @description When the run started, as an ISO 8601 timestamp in UTC.
     *
     *     Assumed (A14): The response to a trigger is the new run.
     *
     *     Assumed (A28): started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.
     * @example 2026-11-21T09:30:00Z
     */
    started_at?: string;
    /**
     * @description The steps of the run so far.
     *
     *     Assumed (A11): Steps that have not started are not in steps.
     *
     *     Assumed (A14): The response to a trigger is the new run.
     */
    steps?: Step[];
};
/**
 * @description One execution of a playbook, as of the time of the request.
 *
 *     Basis: S19 stated.
 */
export type Run = {
    /**
     * @description Identifies the run. It has a prefix and an opaque part; do not parse it.
     *
     *     Basis: S05 stated.
     *
     *     Assumed (A35): Ids and statuses are not empty.
     */
    id: string;
    status: RunStatus;
    /**
     * @description The id of the run's playbook.
     *
     *     Basis: S07 stated.
     *
     *     Assumed (A35): Ids and statuses are not empty.
     */
    playbook_id: string;
    /**
     * @description When the run started, as an ISO 8601 timestamp in UTC.
     *
     *     Basis: S08 stated.
     *
     *     Assumed (A28): started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.
     *
     *     Assumed (A51): started_at of a run does not change.
     * @example 2026-11-21T09:30:00Z
     */
    started_at: string;
    /**
     * @description The steps of the run, in order.
     *
     *     Basis: S09 stated.
     *
     *     Assumed (A11): Steps that have not started are not in steps.
     */
    steps: Step[];
};
/**
 * @description An external system connected to the workspace.
 *
 *     Basis: S20 stated, S01 stated.
 */
export type Provider = {
    /**
     * @description Identifies the provider. Capabilities that act on the provider start with this id.
     *
     *     Assumed (A03): A provider has an id and a name.
     *
     *     Assumed (A04): The first part of a capability is the id of a provider.
     */
    id?: string;
    /**
     * @description The display name of the provider.
     *
     *     Assumed (A03): A provider has an id and a name.
     */
    name?: string;
};
/**
 * @description One page of providers of the workspace.
 *
 *     Basis: S14 stated, S20 stated.
 */
export type ProviderList = {
    /** @description The providers on this page. */
    data: Provider[];
    meta: ListMeta;
};
export type ResponseWorkspace200 = components['responses']['Workspace200'];
export type ResponseBadParameter = components['responses']['BadParameter'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseInternalError = components['responses']['InternalError'];
export type ResponseWorkspace = components['responses']['Workspace'];
export type ResponsePlaybookList200 = components['responses']['PlaybookList200'];
export type ResponsePlaybookList = components['responses']['PlaybookList'];
export type ResponseTriggeredRun201 = components['responses']['TriggeredRun201'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseTriggeredRun = components['responses']['TriggeredRun'];
export type ResponseRun200 = components['responses']['Run200'];
export type ResponseRun = components['responses']['Run'];
export type ResponseProviderList200 = components['responses']['ProviderList200'];
export type ResponseProviderList = components['responses']['ProviderList'];
export type ParameterServiceVersion = components['parameters']['ServiceVersion'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterPerPage = components['parameters']['PerPage'];
export type ParameterPlaybookId = components['parameters']['PlaybookId'];
export type ParameterRunId = components['parameters']['RunId'];
export type RequestBodyTriggerRunRequest = components['requestBodies']['TriggerRunRequest'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
    getCurrentWorkspace: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 *     releases. It is not known which release applies without the header; the latest is assumed (A26).
                 *
                 *     Basis: S40 stated.
                 *
                 *     Assumed (A20): A Service-Version that is not a date fails with 400.
                 *
                 *     Assumed (A26): A request without Service-Version uses the latest release.
                 *
                 *     Assumed (A42): No list of releases is available to clients.
                 *
                 *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Workspace200"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            "2XX": components["responses"]["Workspace"];
        };
    };
    listPlaybooks: {
        parameters: {
            query?: {
                /**
                 * @description The page number. If omitted, the service returns the first page.
                 *
                 *     Assumed (A15): A list has the query parameters page and per_page.
                 *
                 *     Assumed (A16): Pages are numbered from 1.
                 *
                 *     Assumed (A52): A page or per_page that is not an integer fails with 400.
                 * @example 2
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of items per page. If omitted, the service chooses.
                 *
                 *     Assumed (A15): A list has the query parameters page and per_page.
                 *
                 *     Assumed (A37): A page has 20 items unless per_page asks for another number.
                 *
                 *     Assumed (A52): A page or per_page that is not an integer fails with 400.
                 * @example 50
                 */
                per_page?: components["parameters"]["PerPage"];
            };
            header?: {
                /**
                 * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 *     releases. It is not known which release applies without the header; the latest is assumed (A26).
                 *
                 *     Basis: S40 stated.
                 *
                 *     Assumed (A20): A Service-Version that is not a date fails with 400.
                 *
                 *     Assumed (A26): A request without Service-Version uses the latest release.
                 *
                 *     Assumed (A42): No list of releases is available to clients.
                 *
                 *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PlaybookList200"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            "2XX": components["responses"]["PlaybookList"];
        };
    };
    triggerRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 *     releases. It is not known which release applies without the header; the latest is assumed (A26).
                 *
                 *     Basis: S40 stated.
                 *
                 *     Assumed (A20): A Service-Version that is not a date fails with 400.
                 *
                 *     Assumed (A26): A request without Service-Version uses the latest release.
                 *
                 *     Assumed (A42): No list of releases is available to clients.
                 *
                 *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"];
            };
            path: {
                /**
                 * @description The id of the playbook to run.
                 *
                 *     Basis: S18 stated.
                 *
                 *     Assumed (A35): Ids and statuses are not empty.
                 * @example pb_3kX9wq
                 */
                id: components["parameters"]["PlaybookId"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["TriggerRunRequest"];
        responses: {
            201: components["responses"]["TriggeredRun201"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            "2XX": components["responses"]["TriggeredRun"];
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 *     releases. It is not known which release applies without the header; the latest is assumed (A26).
                 *
                 *     Basis: S40 stated.
                 *
                 *     Assumed (A20): A Service-Version that is not a date fails with 400.
                 *
                 *     Assumed (A26): A request without Service-Version uses the latest release.
                 *
                 *     Assumed (A42): No list of releases is available to clients.
                 *
                 *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"];
            };
            path: {
                /**
                 * @description The id of the run.
                 *
                 *     Basis: S05 stated, S19 stated.
                 *
                 *     Assumed (A35): Ids and statuses are not empty.
                 * @example run_8Zt4Lm2c
                 */
                id: components["parameters"]["RunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Run200"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            "2XX": components["responses"]["Run"];
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /**
                 * @description The page number. If omitted, the service returns the first page.
                 *
                 *     Assumed (A15): A list has the query parameters page and per_page.
                 *
                 *     Assumed (A16): Pages are numbered from 1.
                 *
                 *     Assumed (A52): A page or per_page that is not an integer fails with 400.
                 * @example 2
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of items per page. If omitted, the service chooses.
                 *
                 *     Assumed (A15): A list has the query parameters page and per_page.
                 *
                 *     Assumed (A37): A page has 20 items unless per_page asks for another number.
                 *
                 *     Assumed (A52): A page or per_page that is not an integer fails with 400.
                 * @example 50
                 */
                per_page?: components["parameters"]["PerPage"];
            };
            header?: {
                /**
                 * @description Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 *     releases. It is not known which release applies without the header; the latest is assumed (A26).
                 *
                 *     Basis: S40 stated.
                 *
                 *     Assumed (A20): A Service-Version that is not a date fails with 400.
                 *
                 *     Assumed (A26): A request without Service-Version uses the latest release.
                 *
                 *     Assumed (A42): No list of releases is available to clients.
                 *
                 *     Assumed (A55): Any date is accepted as Service-Version, and selects the release that was current on that day.
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ProviderList200"];
            400: components["responses"]["BadParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            "2XX": components["responses"]["ProviderList"];
        };
    };
}

/** A value of {@link ErrorCode} that the contract names; others may come. */
export type KnownErrorCode = 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'internal_error';

/** A value of {@link RunStatus} that the contract names; others may come. */
export type KnownRunStatus = 'running' | 'succeeded' | 'failed';

/** A value of {@link StepStatus} that the contract names; others may come. */
export type KnownStepStatus = 'running' | 'waiting_approval' | 'succeeded' | 'failed';
