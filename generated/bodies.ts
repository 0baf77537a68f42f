// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ErrorBody, PlaybookList, ProviderList, RateLimitBody, Run, TriggerRunRequest, TriggeredRun, Workspace } from './types.js'

/** The JSON bodies of each operation: of its request, and of its responses by status; undefined where there is none. */
export interface Bodies {
  getCurrentWorkspace: {
    request: undefined
    responses: {
      200: Workspace
      400: ErrorBody
      401: ErrorBody
      403: ErrorBody
      429: RateLimitBody
      500: ErrorBody
      '2XX': Workspace
    }
  }
  listPlaybooks: {
    request: undefined
    responses: {
      200: PlaybookList
      400: ErrorBody
      401: ErrorBody
      403: ErrorBody
      429: RateLimitBody
      500: ErrorBody
      '2XX': PlaybookList
    }
  }
  triggerRun: {
    request: TriggerRunRequest
    responses: {
      201: TriggeredRun
      400: ErrorBody
      401: ErrorBody
      403: ErrorBody
      404: ErrorBody
      429: RateLimitBody
      500: ErrorBody
      '2XX': TriggeredRun
    }
  }
  getRun: {
    request: undefined
    responses: {
      200: Run
      400: ErrorBody
      401: ErrorBody
      403: ErrorBody
      404: ErrorBody
      429: RateLimitBody
      500: ErrorBody
      '2XX': Run
    }
  }
  listProviders: {
    request: undefined
    responses: {
      200: ProviderList
      400: ErrorBody
      401: ErrorBody
      403: ErrorBody
      429: RateLimitBody
      500: ErrorBody
      '2XX': ProviderList
    }
  }
}
