// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { RunStatus, StepStatus } from '../types.js'

/** A body or an item of which nothing is stated: none, or any JSON value. */
type AnyValue = undefined | null | string | number | boolean | readonly unknown[]

type SentWorkspace = {
  id?: unknown
  name?: unknown
  [name: string]: any
}

type SentErrorBody = {
  error?: unknown
  message?: unknown
  [name: string]: any
} | AnyValue

type SentRateLimitBody = {
  error: "rate_limit_exceeded"
  message: string
  retry_after: number
  [name: string]: any
}

type SentPlaybookList = {
  data: ReadonlyArray<SentPlaybook | AnyValue>
  meta: SentListMeta
  [name: string]: any
}

type SentPlaybook = {
  id?: unknown
  name?: unknown
  description?: unknown
  [name: string]: any
}

type SentListMeta = {
  total: number
  page: number
  per_page: number
  [name: string]: any
}

type SentTriggeredRun = {
  id?: unknown
  status?: unknown
  playbook_id?: unknown
  started_at?: unknown
  steps?: unknown
  [name: string]: any
} | AnyValue

type SentRun = {
  id: string
  status: RunStatus
  playbook_id: string
  started_at: string
  steps: ReadonlyArray<SentStep>
  [name: string]: any
}

type SentStep = {
  id: string
  status: StepStatus
  capability?: string
  [name: string]: any
}

type SentProviderList = {
  data: ReadonlyArray<SentProvider | AnyValue>
  meta: SentListMeta
  [name: string]: any
}

type SentProvider = {
  id?: unknown
  name?: unknown
  [name: string]: any
}

/** What the responses of handlers may have as their bodies, by operation and status. */
export interface HandlerBodies {
  getCurrentWorkspace: {
    200: SentWorkspace
    400: SentErrorBody
    401: SentErrorBody
    403: SentErrorBody
    429: SentRateLimitBody
    500: SentErrorBody
    "2XX": SentWorkspace
  }
  listPlaybooks: {
    200: SentPlaybookList
    400: SentErrorBody
    401: SentErrorBody
    403: SentErrorBody
    429: SentRateLimitBody
    500: SentErrorBody
    "2XX": SentPlaybookList
  }
  triggerRun: {
    201: SentTriggeredRun
    400: SentErrorBody
    401: SentErrorBody
    403: SentErrorBody
    404: SentErrorBody
    429: SentRateLimitBody
    500: SentErrorBody
    "2XX": SentTriggeredRun
  }
  getRun: {
    200: SentRun
    400: SentErrorBody
    401: SentErrorBody
    403: SentErrorBody
    404: SentErrorBody
    429: SentRateLimitBody
    500: SentErrorBody
    "2XX": SentRun
  }
  listProviders: {
    200: SentProviderList
    400: SentErrorBody
    401: SentErrorBody
    403: SentErrorBody
    429: SentRateLimitBody
    500: SentErrorBody
    "2XX": SentProviderList
  }
}
