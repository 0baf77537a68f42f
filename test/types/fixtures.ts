// The fixtures, used and changed as tests do.
import {
  errorNotFound,
  errorRateLimited,
  examples,
  playbookList,
  playbookListEmpty,
  run,
  runFailed,
  triggeredRun,
  triggerRunRequest,
  workspace,
} from '@workflow-automation/contract/examples'
import type {
  ErrorBody,
  KnownErrorCode,
  Playbook,
  PlaybookList,
  Run,
  TriggeredRun,
  TriggerRunRequest,
} from '@workflow-automation/contract/types'

// They are of their named types, mutable, and stand for each other.
let current = run
current = runFailed
current = examples.getRun[200].waitingApproval
let list = playbookList
list = playbookListEmpty
let error = errorNotFound
error = errorRateLimited
const copy = structuredClone(run)
copy.status = 'succeeded'
copy.steps.push({ id: 'step_9', status: 'waiting_approval' })
const empty = structuredClone(playbookListEmpty)
empty.data.push({ id: 'pb_9', name: 'Refund' })
const request = structuredClone(triggerRunRequest)
request.inputs.colour = 'red'
export const values: [Run, PlaybookList, ErrorBody, Run, Playbook[], TriggerRunRequest] = [
  ...([current, list, error, copy] as const),
  ...([empty.data, request] as const),
]

// What a fixture has is there.
export const startedId: string = triggeredRun.id
export const started: TriggeredRun = triggeredRun
export const name: string = workspace.name
export const ids: string[] = playbookList.data.map(({ id }) => id)
export const order: string = triggerRunRequest.inputs.order
export const wait: number = errorRateLimited.retry_after
export const code: KnownErrorCode = errorRateLimited.error
