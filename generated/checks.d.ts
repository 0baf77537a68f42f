// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { Check } from '../src/runtime/problems.js'

declare const checks: {
  "Workspace": Check
  "ErrorCode": Check
  "ErrorBody": Check
  "RateLimitBody": Check
  "Playbook": Check
  "ListMeta": Check
  "PlaybookList": Check
  "RunInputs": Check
  "TriggerRunRequest": Check
  "RunStatus": Check
  "StepStatus": Check
  "Step": Check
  "TriggeredRun": Check
  "Run": Check
  "Provider": Check
  "ProviderList": Check
  "getCurrentWorkspace header Service-Version": Check
  "getCurrentWorkspace 429 header Retry-After": Check
  "listPlaybooks header Service-Version": Check
  "listPlaybooks query page": Check
  "listPlaybooks query per_page": Check
  "listPlaybooks 429 header Retry-After": Check
  "triggerRun path id": Check
  "triggerRun header Service-Version": Check
  "triggerRun 429 header Retry-After": Check
  "getRun path id": Check
  "getRun header Service-Version": Check
  "getRun 429 header Retry-After": Check
  "listProviders header Service-Version": Check
  "listProviders query page": Check
  "listProviders query per_page": Check
  "listProviders 429 header Retry-After": Check
}
export default checks
