// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ValidateFunction } from '../src/runtime/problems.js'

declare const checks: {
  "Workspace": ValidateFunction
  "ErrorCode": ValidateFunction
  "ErrorBody": ValidateFunction
  "RateLimitBody": ValidateFunction
  "Playbook": ValidateFunction
  "ListMeta": ValidateFunction
  "PlaybookList": ValidateFunction
  "RunInputs": ValidateFunction
  "TriggerRunRequest": ValidateFunction
  "RunStatus": ValidateFunction
  "StepStatus": ValidateFunction
  "Step": ValidateFunction
  "TriggeredRun": ValidateFunction
  "Run": ValidateFunction
  "Provider": ValidateFunction
  "ProviderList": ValidateFunction
  "getCurrentWorkspace header Service-Version": ValidateFunction
  "getCurrentWorkspace 429 header Retry-After": ValidateFunction
  "listPlaybooks header Service-Version": ValidateFunction
  "listPlaybooks query page": ValidateFunction
  "listPlaybooks query per_page": ValidateFunction
  "listPlaybooks 429 header Retry-After": ValidateFunction
  "triggerRun path id": ValidateFunction
  "triggerRun header Service-Version": ValidateFunction
  "triggerRun 429 header Retry-After": ValidateFunction
  "getRun path id": ValidateFunction
  "getRun header Service-Version": ValidateFunction
  "getRun 429 header Retry-After": ValidateFunction
  "listProviders header Service-Version": ValidateFunction
  "listProviders query page": ValidateFunction
  "listProviders query per_page": ValidateFunction
  "listProviders 429 header Retry-After": ValidateFunction
}
export default checks
