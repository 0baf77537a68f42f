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
         * Get the workspace of the key.
         *
         * Returns the workspace that the key belongs to. Use it to check whether a key works.
         *
         * Stated, sections 1 and 4.
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
         * List the playbooks of the workspace.
         *
         * Returns one page of playbooks. They change rarely, so clients should cache the response instead of repeating the request.
         *
         * Stated, sections 4 and 8. Assumed: a list has the same order each time it is read.
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
         * Trigger a run of a playbook.
         *
         * Starts a run of the playbook with the given inputs. Poll the run to follow it. A trigger counts against the plan's
         * run quota, not its request rate. Retrying after a 500 is safe.
         *
         * Stated, sections 4, 7 and 8. Assumed: every trigger that succeeds starts a new run; the rate limit can also refuse a trigger with a 429; and 3 more (docs/guides/operations.md).
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
         * Get a run.
         *
         * Returns the current state of the run. Poll it to follow progress; no webhook is known.
         *
         * Stated, section 4. Assumed: a run can be read as soon as the response to its trigger has arrived; a run stays readable.
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
         * List the connected providers.
         *
         * Returns one page of providers. They change rarely, so clients should cache the response instead of repeating the request.
         *
         * Stated, sections 4 and 8. Assumed: a list has the same order each time it is read.
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
        /**
         * A machine-readable name of the error. The list is open; expect other values.
         *
         * - `bad_request` (assumed): The request is invalid.
         * - `unauthorized` (assumed): The key is missing or invalid.
         * - `forbidden` (assumed): The key lacks permission for the action.
         * - `not_found` (assumed): The resource does not exist.
         * - `internal_error` (assumed): The service failed.
         * - `rate_limit_exceeded` (stated): The error of each RateLimitBody.
         *
         * Assumed: an error other than 429 has a body with error and message; the error of a body is a short name in snake_case, one for each status.
         */
        ErrorCode: string;
        /**
         * The body of an error. The source shows only the body of a 429, so expect other shapes.
         *
         * Assumed: an error other than 429 has a body with error and message.
         */
        ErrorBody: {
            /**
             * A machine-readable name of the error. The list is open; expect other values.
             *
             * - `bad_request` (assumed): The request is invalid.
             * - `unauthorized` (assumed): The key is missing or invalid.
             * - `forbidden` (assumed): The key lacks permission for the action.
             * - `not_found` (assumed): The resource does not exist.
             * - `internal_error` (assumed): The service failed.
             * - `rate_limit_exceeded` (stated): The error of each RateLimitBody.
             *
             * Assumed: an error other than 429 has a body with error and message.
             */
            error?: components["schemas"]["ErrorCode"];
            /**
             * A human-readable reason for the error.
             *
             * Assumed: an error other than 429 has a body with error and message.
             */
            message?: string;
        };
        RateLimitBody: RateLimitBody;
        Playbook: Playbook;
        ListMeta: ListMeta;
        PlaybookList: PlaybookList;
        RunInputs: RunInputs;
        TriggerRunRequest: TriggerRunRequest;
        /**
         * The status of a run. The list is open; expect other values, and treat them as non-terminal.
         *
         * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
         * - `succeeded` (assumed): The run succeeded.
         * - `failed` (assumed): The run failed.
         *
         * Stated, section 2. Assumed: ids and statuses are not empty; the first status of a run is running.
         */
        RunStatus: string;
        /**
         * The status of a step. The list is open; expect other values.
         *
         * - `running` (assumed): The step is in progress.
         * - `waiting_approval` (observed): The step waits for approval.
         * - `succeeded` (observed): The step succeeded.
         * - `failed` (assumed): The step failed.
         *
         * Stated, section 2. Assumed: ids and statuses are not empty.
         */
        StepStatus: string;
        /**
         * One step of a run.
         *
         * Stated, section 2.
         */
        Step: {
            /**
             * Identifies the step within its run.
             *
             * Stated, section 2. Assumed: ids and statuses are not empty.
             */
            id: string;
            /**
             * The status of a step. The list is open; expect other values.
             *
             * - `running` (assumed): The step is in progress.
             * - `waiting_approval` (observed): The step waits for approval.
             * - `succeeded` (observed): The step succeeded.
             * - `failed` (assumed): The step failed.
             *
             * Stated, section 2. Assumed: ids and statuses are not empty.
             */
            status: components["schemas"]["StepStatus"];
            /**
             * The provider action that the step performs, as `<provider>.<action>`. The step observed as `waiting_approval` had
             * no capability.
             *
             * Stated, section 2. Assumed: the first part of a capability is the id of a provider; the capability of a step does not change; and 1 more (docs/guides/operations.md).
             */
            capability?: string;
        };
        /**
         * The new run, as returned by the trigger. The source does not show this response, so every field is optional.
         *
         * Assumed: the response to a trigger is the new run.
         */
        TriggeredRun: {
            /**
             * Identifies the run. Use it to poll the run.
             *
             * Assumed: the id of a new run is the property id of the response to its trigger.
             */
            id?: string;
            /**
             * The status of a run. The list is open; expect other values, and treat them as non-terminal.
             *
             * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
             * - `succeeded` (assumed): The run succeeded.
             * - `failed` (assumed): The run failed.
             *
             * Assumed: the response to a trigger is the new run.
             */
            status?: components["schemas"]["RunStatus"];
            /**
             * The id of the run's playbook.
             *
             * Assumed: the response to a trigger is the new run.
             */
            playbook_id?: string;
            /**
             * When the run started, as an ISO 8601 timestamp in UTC.
             *
             * Assumed: the response to a trigger is the new run; started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.
             * @example 2026-11-21T09:30:00Z
             */
            started_at?: string;
            /**
             * The steps of the run so far.
             *
             * Assumed: steps that have not started are not in steps; the response to a trigger is the new run.
             */
            steps?: components["schemas"]["Step"][];
        };
        /**
         * One execution of a playbook, as of the time of the request.
         *
         * Stated, section 4.
         */
        Run: {
            /**
             * Identifies the run. It has a prefix and an opaque part; do not parse it.
             *
             * Stated, section 2. Assumed: ids and statuses are not empty.
             */
            id: string;
            /**
             * The status of a run. The list is open; expect other values, and treat them as non-terminal.
             *
             * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
             * - `succeeded` (assumed): The run succeeded.
             * - `failed` (assumed): The run failed.
             *
             * Stated, section 2. Assumed: ids and statuses are not empty; the first status of a run is running.
             */
            status: components["schemas"]["RunStatus"];
            /**
             * The id of the run's playbook.
             *
             * Stated, section 2. Assumed: ids and statuses are not empty.
             */
            playbook_id: string;
            /**
             * When the run started, as an ISO 8601 timestamp in UTC.
             *
             * Stated, section 2. Assumed: started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z; started_at of a run does not change.
             * @example 2026-11-21T09:30:00Z
             */
            started_at: string;
            /**
             * The steps of the run, in order.
             *
             * Stated, section 2. Assumed: steps that have not started are not in steps; a step that has started stays in steps, with its id.
             */
            steps: components["schemas"]["Step"][];
        };
        Provider: Provider;
        ProviderList: ProviderList;
    };
    responses: {
        /**
         * The workspace of the key.
         *
         * Assumed: a successful GET has the status 200; a response with a body has the media type application/json.
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
         * A parameter is malformed. Correct the request before retrying.
         *
         * Assumed: an error other than 429 has a body with error and message; a Service-Version that is not a date fails with 400; and 2 more (docs/guides/operations.md).
         */
        BadParameter: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * The key is missing or invalid.
         *
         * Stated, section 5. Assumed: an error other than 429 has a body with error and message; a response with a body has the media type application/json.
         */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * The key is valid but lacks permission for this action.
         *
         * Stated, section 5. Assumed: an error other than 429 has a body with error and message; a workspace on the Hobby plan receives 403; and 1 more (docs/guides/operations.md).
         */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * The workspace has exceeded the rate limit of its plan. Wait at least `Retry-After` seconds before retrying.
         *
         * Stated, section 7. Assumed: a response with a body has the media type application/json.
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
         * The service failed. The error is transient, and retrying the same request is safe.
         *
         * Stated, section 7. Assumed: an error other than 429 has a body with error and message; a response with a body has the media type application/json.
         */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * The workspace of the key.
         *
         * Stated, section 4. Assumed: a response with a body has the media type application/json.
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
         * One page of playbooks.
         *
         * Assumed: a successful GET has the status 200; a response with a body has the media type application/json.
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
         * One page of playbooks.
         *
         * Stated, section 4. Assumed: a response with a body has the media type application/json.
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
         * The run that was started.
         *
         * Assumed: a successful trigger has the status 201; the response to a trigger is the new run; and 1 more (docs/guides/operations.md).
         */
        TriggeredRun201: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TriggeredRun"];
            };
        };
        /**
         * The body is invalid, or a parameter is malformed (assumed). Correct the request before retrying.
         *
         * Stated, section 7. Assumed: an error other than 429 has a body with error and message; a trigger with inputs that the playbook does not accept fails with 400; and 1 more (docs/guides/operations.md).
         */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * No resource has this id. An id of another workspace is assumed to get the same response.
         *
         * Stated, section 4. Assumed: an error other than 429 has a body with error and message; a response with a body has the media type application/json.
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * A run was started. The body is assumed to be that run.
         *
         * Stated, section 4. Assumed: a response with a body has the media type application/json.
         */
        TriggeredRun: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TriggeredRun"];
            };
        };
        /**
         * The current state of the run.
         *
         * Assumed: a successful GET has the status 200; a response with a body has the media type application/json.
         */
        Run200: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Run"];
            };
        };
        /**
         * The current state of the run.
         *
         * Stated, section 4. Assumed: a response with a body has the media type application/json.
         */
        Run: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Run"];
            };
        };
        /**
         * One page of providers.
         *
         * Assumed: a successful GET has the status 200; a response with a body has the media type application/json.
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
         * One page of providers.
         *
         * Stated, section 4. Assumed: a response with a body has the media type application/json.
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
         * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
         * releases. It is not known which release applies without the header; the latest is assumed.
         *
         * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
         * @example 2026-01-15
         */
        ServiceVersion: string;
        /**
         * The page number. If omitted, the service returns the first page.
         *
         * Assumed: a list has the query parameters page and per_page; pages are numbered from 1; and 2 more (docs/guides/operations.md).
         * @example 2
         */
        Page: number;
        /**
         * The maximum number of items per page. If omitted, the service chooses.
         *
         * Assumed: a list has the query parameters page and per_page; a page has 20 items unless per_page asks for another number; and 1 more (docs/guides/operations.md).
         * @example 50
         */
        PerPage: number;
        /**
         * The id of the playbook to run.
         *
         * Stated, section 4. Assumed: ids and statuses are not empty.
         * @example pb_3kX9wq
         */
        PlaybookId: string;
        /**
         * The id of the run.
         *
         * Stated, sections 2 and 4. Assumed: ids and statuses are not empty.
         * @example run_8Zt4Lm2c
         */
        RunId: string;
    };
    requestBodies: {
        /**
         * The inputs of the run.
         *
         * Stated, section 4.
         */
        TriggerRunRequest: {
            content: {
                "application/json": TriggerRunRequest;
            };
        };
    };
    headers: {
        /**
         * Seconds to wait before retrying, equal to `retry_after` in the body. Never retry earlier.
         *
         * Stated, section 7. Assumed: counts, page numbers and waits are not negative.
         * @example 17
         */
        RetryAfter: number;
    };
    pathItems: never;
}
/**
 * The workspace that a key belongs to. Requests act on its behalf, and limits are counted per workspace.
 *
 * Stated, sections 1 and 4.
 */
export type Workspace = {
    /**
     * Identifies the workspace.
     *
     * Assumed: a workspace has an id and a name.
     */
    id?: string;
    /**
     * The display name of the workspace.
     *
     * Assumed: a workspace has an id and a name.
     */
    name?: string;
};
/**
 * A machine-readable name of the error. The list is open; expect other values.
 *
 * - `bad_request` (assumed): The request is invalid.
 * - `unauthorized` (assumed): The key is missing or invalid.
 * - `forbidden` (assumed): The key lacks permission for the action.
 * - `not_found` (assumed): The resource does not exist.
 * - `internal_error` (assumed): The service failed.
 * - `rate_limit_exceeded` (stated): The error of each RateLimitBody.
 *
 * Assumed: an error other than 429 has a body with error and message; the error of a body is a short name in snake_case, one for each status.
 */
export type ErrorCode = "bad_request" | "unauthorized" | "forbidden" | "not_found" | "internal_error" | "rate_limit_exceeded" | (string & {});
/**
 * The body of an error. The source shows only the body of a 429, so expect other shapes.
 *
 * Assumed: an error other than 429 has a body with error and message.
 */
export type ErrorBody = {
    /**
     * A machine-readable name of the error. The list is open; expect other values.
     *
     * - `bad_request` (assumed): The request is invalid.
     * - `unauthorized` (assumed): The key is missing or invalid.
     * - `forbidden` (assumed): The key lacks permission for the action.
     * - `not_found` (assumed): The resource does not exist.
     * - `internal_error` (assumed): The service failed.
     * - `rate_limit_exceeded` (stated): The error of each RateLimitBody.
     *
     * Assumed: an error other than 429 has a body with error and message.
     */
    error?: ErrorCode;
    /**
     * A human-readable reason for the error.
     *
     * Assumed: an error other than 429 has a body with error and message.
     */
    message?: string;
};
/**
 * The body of a 429.
 *
 * Stated, section 7.
 */
export type RateLimitBody = {
    /**
     * Always `rate_limit_exceeded`.
     *
     * Stated, section 7.
     */
    error: "rate_limit_exceeded";
    /**
     * A human-readable message that names the exceeded limit in requests per minute.
     *
     * Stated, section 7. Assumed: the message of a 429 has the number of requests per minute in digits.
     */
    message: string;
    /**
     * Seconds to wait before retrying, equal to the header `Retry-After`.
     *
     * Stated, section 7. Assumed: counts, page numbers and waits are not negative.
     */
    retry_after: number;
};
/**
 * A playbook of the workspace. Each run executes one playbook.
 *
 * Stated, section 4.
 */
export type Playbook = {
    /**
     * Identifies the playbook. Pass it to trigger a run.
     *
     * Assumed: the id of a playbook is the property id of its entry in the list.
     */
    id?: string;
    /**
     * The display name of the playbook.
     *
     * Assumed: a playbook has a name and a description.
     */
    name?: string;
    /**
     * A description of what the playbook does.
     *
     * Assumed: a playbook has a name and a description.
     */
    description?: string;
};
/**
 * The position of a page in its list.
 *
 * Stated, section 2. Assumed: total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page; counts, page numbers and waits are not negative.
 */
export type ListMeta = {
    /**
     * The number of items in the whole list (assumed).
     *
     * Stated, section 2. Assumed: counts, page numbers and waits are not negative.
     */
    total: number;
    /**
     * The number of this page (assumed).
     *
     * Stated, section 2. Assumed: counts, page numbers and waits are not negative.
     */
    page: number;
    /**
     * The maximum number of items on a page (assumed).
     *
     * Stated, section 2. Assumed: counts, page numbers and waits are not negative.
     */
    per_page: number;
};
/**
 * One page of playbooks of the workspace.
 *
 * Stated, sections 2 and 4.
 */
export type PlaybookList = {
    /**
     * The playbooks on this page.
     *
     * Stated, sections 2 and 4.
     */
    data: Playbook[];
    /**
     * The position of a page in its list.
     *
     * Stated, section 2. Assumed: total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page; counts, page numbers and waits are not negative.
     */
    meta: ListMeta;
};
/**
 * The playbook's inputs by name. Names and values are strings. The source does not show which names a playbook
 * accepts, so a service may refuse some.
 *
 * Stated, section 2. Assumed: a trigger with inputs that the playbook does not accept fails with 400; any names and values of inputs may be sent.
 */
export type RunInputs = {
    [key: string]: string;
};
/**
 * The body of a trigger.
 *
 * Stated, section 4. Assumed: the body of a trigger has no property besides inputs; what happens to others is not known.
 */
export type TriggerRunRequest = {
    /**
     * The playbook's inputs by name. Names and values are strings. The source does not show which names a playbook
     * accepts, so a service may refuse some.
     *
     * Stated, section 2. Assumed: a trigger with inputs that the playbook does not accept fails with 400; any names and values of inputs may be sent.
     */
    inputs: RunInputs;
};
/**
 * The status of a run. The list is open; expect other values, and treat them as non-terminal.
 *
 * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
 * - `succeeded` (assumed): The run succeeded.
 * - `failed` (assumed): The run failed.
 *
 * Stated, section 2. Assumed: ids and statuses are not empty; the first status of a run is running.
 */
export type RunStatus = "running" | "succeeded" | "failed" | (string & {});
/**
 * The status of a step. The list is open; expect other values.
 *
 * - `running` (assumed): The step is in progress.
 * - `waiting_approval` (observed): The step waits for approval.
 * - `succeeded` (observed): The step succeeded.
 * - `failed` (assumed): The step failed.
 *
 * Stated, section 2. Assumed: ids and statuses are not empty.
 */
export type StepStatus = "running" | "waiting_approval" | "succeeded" | "failed" | (string & {});
/**
 * One step of a run.
 *
 * Stated, section 2.
 */
export type Step = {
    /**
     * Identifies the step within its run.
     *
     * Stated, section 2. Assumed: ids and statuses are not empty.
     */
    id: string;
    /**
     * The status of a step. The list is open; expect other values.
     *
     * - `running` (assumed): The step is in progress.
     * - `waiting_approval` (observed): The step waits for approval.
     * - `succeeded` (observed): The step succeeded.
     * - `failed` (assumed): The step failed.
     *
     * Stated, section 2. Assumed: ids and statuses are not empty.
     */
    status: StepStatus;
    /**
     * The provider action that the step performs, as `<provider>.<action>`. The step observed as `waiting_approval` had
     * no capability.
     *
     * Stated, section 2. Assumed: the first part of a capability is the id of a provider; the capability of a step does not change; and 1 more (docs/guides/operations.md).
     */
    capability?: string;
};
/**
 * The new run, as returned by the trigger. The source does not show this response, so every field is optional.
 *
 * Assumed: the response to a trigger is the new run.
 */
export type TriggeredRun = {
    /**
     * Identifies the run. Use it to poll the run.
     *
     * Assumed: the id of a new run is the property id of the response to its trigger.
     */
    id?: string;
    /**
     * The status of a run. The list is open; expect other values, and treat them as non-terminal.
     *
     * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
     * - `succeeded` (assumed): The run succeeded.
     * - `failed` (assumed): The run failed.
     *
     * Assumed: the response to a trigger is the new run.
     */
    status?: RunStatus;
    /**
     * The id of the run's playbook.
     *
     * Assumed: the response to a trigger is the new run.
     */
    playbook_id?: string;
    /**
     * When the run started, as an ISO 8601 timestamp in UTC.
     *
     * Assumed: the response to a trigger is the new run; started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z.
     * @example 2026-11-21T09:30:00Z
     */
    started_at?: string;
    /**
     * The steps of the run so far.
     *
     * Assumed: steps that have not started are not in steps; the response to a trigger is the new run.
     */
    steps?: Step[];
};
/**
 * One execution of a playbook, as of the time of the request.
 *
 * Stated, section 4.
 */
export type Run = {
    /**
     * Identifies the run. It has a prefix and an opaque part; do not parse it.
     *
     * Stated, section 2. Assumed: ids and statuses are not empty.
     */
    id: string;
    /**
     * The status of a run. The list is open; expect other values, and treat them as non-terminal.
     *
     * - `running` (observed): The run is in progress. One of its steps may be waiting for approval (assumed).
     * - `succeeded` (assumed): The run succeeded.
     * - `failed` (assumed): The run failed.
     *
     * Stated, section 2. Assumed: ids and statuses are not empty; the first status of a run is running.
     */
    status: RunStatus;
    /**
     * The id of the run's playbook.
     *
     * Stated, section 2. Assumed: ids and statuses are not empty.
     */
    playbook_id: string;
    /**
     * When the run started, as an ISO 8601 timestamp in UTC.
     *
     * Stated, section 2. Assumed: started_at is a date-time of RFC 3339, for example 2026-11-21T09:30:00Z; started_at of a run does not change.
     * @example 2026-11-21T09:30:00Z
     */
    started_at: string;
    /**
     * The steps of the run, in order.
     *
     * Stated, section 2. Assumed: steps that have not started are not in steps; a step that has started stays in steps, with its id.
     */
    steps: Step[];
};
/**
 * An external system connected to the workspace.
 *
 * Stated, sections 1 and 4.
 */
export type Provider = {
    /**
     * Identifies the provider. Capabilities that act on the provider start with this id.
     *
     * Assumed: a provider has an id and a name; the first part of a capability is the id of a provider.
     */
    id?: string;
    /**
     * The display name of the provider.
     *
     * Assumed: a provider has an id and a name.
     */
    name?: string;
};
/**
 * One page of providers of the workspace.
 *
 * Stated, sections 2 and 4.
 */
export type ProviderList = {
    /**
     * The providers on this page.
     *
     * Stated, sections 2 and 4.
     */
    data: Provider[];
    /**
     * The position of a page in its list.
     *
     * Stated, section 2. Assumed: total counts the items of the whole list, page is the number of the page, and per_page is the maximum number of items on a page; counts, page numbers and waits are not negative.
     */
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
                 * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 * releases. It is not known which release applies without the header; the latest is assumed.
                 *
                 * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"] | undefined;
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
            query?: ListQuery;
            header?: {
                /**
                 * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 * releases. It is not known which release applies without the header; the latest is assumed.
                 *
                 * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"] | undefined;
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
                 * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 * releases. It is not known which release applies without the header; the latest is assumed.
                 *
                 * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"] | undefined;
            };
            path: {
                /**
                 * The id of the playbook to run.
                 *
                 * Stated, section 4. Assumed: ids and statuses are not empty.
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
                 * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 * releases. It is not known which release applies without the header; the latest is assumed.
                 *
                 * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"] | undefined;
            };
            path: {
                /**
                 * The id of the run.
                 *
                 * Stated, sections 2 and 4. Assumed: ids and statuses are not empty.
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
            query?: ListQuery;
            header?: {
                /**
                 * Pins the request to the release of this date (`YYYY-MM-DD`), which protects it from breaking changes in later
                 * releases. It is not known which release applies without the header; the latest is assumed.
                 *
                 * Stated, section 9. Assumed: a Service-Version that is not a date fails with 400; no list of releases is available to clients; and 1 more (docs/guides/operations.md).
                 * @example 2026-01-15
                 */
                "Service-Version"?: components["parameters"]["ServiceVersion"] | undefined;
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

/** The query of a list. */
export type ListQuery = {
    /**
     * The page number. If omitted, the service returns the first page.
     *
     * Assumed: a list has the query parameters page and per_page; pages are numbered from 1; and 2 more (docs/guides/operations.md).
     * @example 2
     */
    page?: components["parameters"]["Page"] | undefined;
    /**
     * The maximum number of items per page. If omitted, the service chooses.
     *
     * Assumed: a list has the query parameters page and per_page; a page has 20 items unless per_page asks for another number; and 1 more (docs/guides/operations.md).
     * @example 50
     */
    per_page?: components["parameters"]["PerPage"] | undefined;
};

/** A run that the client has started: {@link TriggeredRun}, whose id is there. */
export type StartedRun = TriggeredRun & {
    /** Identifies the run. Use it to poll the run. */
    id: string;
};

/** A value of {@link ErrorCode} that the contract names; others may come. */
export type KnownErrorCode = 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'internal_error' | 'rate_limit_exceeded';

/** A value of {@link RunStatus} that the contract names; others may come. */
export type KnownRunStatus = 'running' | 'succeeded' | 'failed';

/** A value of {@link StepStatus} that the contract names; others may come. */
export type KnownStepStatus = 'running' | 'waiting_approval' | 'succeeded' | 'failed';
