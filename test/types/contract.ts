import * as examples from '@workflow-automation/contract/examples'
import { isTerminalRunStatus, isTerminalStepStatus } from '@workflow-automation/contract/status'
import type {
  components,
  operations,
  Playbook,
  paths,
  Run,
  RunStatus,
  Step,
  StepStatus,
  TriggeredRun,
  TriggerRunRequest,
  Workspace,
} from '@workflow-automation/contract/types'
import {
  assertRequest,
  assertResponse,
  isRun,
  parametersOf,
  requestBodies,
  schemas,
  validate,
  validateRequest,
  validateResponse,
} from '@workflow-automation/contract/validators'
import { assertTrue, type Same } from './expect.js'

// A known status compiles, and so does one that nobody has seen.
export const known: RunStatus = 'running'
export const unknown: RunStatus = 'paused_by_operator'
export const step: StepStatus = 'waiting_approval'
export const unknownStep: StepStatus = 'on_fire'
// @ts-expect-error a status is text
export const wrong: RunStatus = 3
export const inText: string = unknown

// What is stated is there.
declare const run: Run
assertTrue<Same<typeof run.id, string>>()
assertTrue<Same<typeof run.steps, Step[]>>()
assertTrue<Same<undefined extends typeof run.status ? true : false, false>>()

// What is assumed may be missing.
declare const workspace: Workspace
assertTrue<Same<typeof workspace.name, string | undefined>>()
declare const triggered: TriggeredRun
assertTrue<Same<undefined extends typeof triggered.status ? true : false, true>>()
// @ts-expect-error a name that is only assumed cannot be taken for granted
export const name: string = workspace.name
declare const playbook: Playbook
assertTrue<Same<typeof playbook.id, string | undefined>>()
assertTrue<Same<typeof triggered.id, string | undefined>>()

// `capability` is absent on a step that waits.
assertTrue<Same<(typeof run.steps)[number]['capability'], string | undefined>>()

// Inputs are text by name.
export const request: TriggerRunRequest = { inputs: { order: '42' } }
// @ts-expect-error the request has nothing else
export const more: TriggerRunRequest = { inputs: {}, priority: 'high' }

// The names of openapi-typescript work with the tools that are made for it.
assertTrue<Same<keyof paths & '/runs/{id}', '/runs/{id}'>>()
assertTrue<Same<keyof operations & 'getRun', 'getRun'>>()
export const plain: components['schemas']['Run'] = run
export const named: Run = plain
assertTrue<Same<components['schemas']['Run']['status'], string>>()

// Fixtures are of the types, and validators tell the types apart.
export const list: { id: string }[] = examples.playbookList.data
export const check = (value: unknown): string => (isRun(value) ? value.playbook_id : 'no run')
export const problems: string[] = validate('Run', {}).map(({ message }) => message)
// What may be left out may be undefined, also under exactOptionalPropertyTypes.
export function withoutSome(headers: Headers | undefined, query: URLSearchParams | undefined) {
  assertResponse('getRun', { status: 200, headers, body: {} })
  assertRequest('listPlaybooks', { query, path: undefined })
  validateResponse('getRun', { status: 200, headers, body: {} })
  validateRequest('listPlaybooks', { query, headers })
  return parametersOf('listPlaybooks', { query, headers }).query.page
}
export const inHeaders: string[] = validateResponse('getRun', { status: 200, headers: new Headers() }).map(
  ({ in: where }) => where,
)
// @ts-expect-error the contract has no such operation
validateResponse('deleteRun', { status: 200 })

// The Standard Schemas are typed without the package of the specification.
const result = schemas.Run['~standard'].validate({})
export const path: readonly (string | number)[] = result.issues?.[0]?.path ?? []
if (!result.issues) assertTrue<Same<typeof result.value, Run>>()
export const body: TriggerRunRequest | undefined = requestBodies.triggerRun['~standard'].types?.input

// The asserting forms narrow: a request to the type of its body, a response by its status.
export function narrowed(request: { body?: unknown }, response: { status: number; body?: unknown }): string {
  assertRequest('triggerRun', request)
  assertTrue<Same<typeof request.body, TriggerRunRequest>>()
  assertResponse('getRun', response)
  if (response.status === 200) return response.body.playbook_id
  if (response.status === 204) return response.body.playbook_id
  return response.status === 429 ? `${response.body.retry_after}` : ''
}

// The guards narrow without the client.
export function end(run: Run): 'succeeded' | 'failed' | undefined {
  const { status } = run
  return isTerminalRunStatus(status) ? status : undefined
}
export const stepEnd = ({ status }: Step): 'succeeded' | 'failed' | undefined =>
  isTerminalStepStatus(status) ? status : undefined
