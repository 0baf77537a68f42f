// Values of `paths` and of named types go into each entry of the package, and out of it, as each other.
import { type Client, isContractError, RunFailedError, type WaitForRunOptions } from '@workflow-automation/contract'
import { checkConformance, type Report } from '@workflow-automation/contract/conformance'
import { createSandbox, type World } from '@workflow-automation/contract/sandbox'
import { createService } from '@workflow-automation/contract/service'
import {
  isKnownRunStatus,
  isTerminalRunStatus,
  isTerminalStepStatus,
  type KnownRunStatus,
} from '@workflow-automation/contract/status'
import type { components, ErrorCode, operations, Run, RunStatus, Step } from '@workflow-automation/contract/types'
import { isRun, isTriggeredRun, requestBodies, schemas, validate } from '@workflow-automation/contract/validators'

type Plain = components['schemas']
declare const plain: Plain['Run']
declare const show: (run: Plain['Run']) => void
declare const label: (status: RunStatus, step?: Step) => string

// The client: what it returns is shown by what takes plain types, and its callbacks get named ones.
export async function client(client: Client): Promise<string> {
  const run = await client.getRun(plain.id)
  show(run)
  const started = await client.triggerRun(plain.playbook_id, { inputs: { status: plain.status } })
  const options: WaitForRunOptions = {
    until: ({ status }) => status === 'paused' || status.startsWith('wait'),
    onUpdate: show,
    onStep: (step, run) => label(run.status, step),
  }
  const ended: Plain['Run'] = await client.waitForRun(started, options)
  for await (const changed of client.watchRun(started.id)) show(changed)
  for await (const { id, name } of client.paginate('listPlaybooks')) label(id ?? name ?? '')
  const { data, response } = await client.withResponse.getRun(ended.id)
  return `${response.status} ${label(data.status, data.steps[0])}`
}

export function failure(error: unknown): string | undefined {
  if (error instanceof RunFailedError) show(error.run)
  if (!isContractError(error) || !('code' in error)) return undefined
  const code: ErrorCode | undefined = error.code as ErrorCode | undefined
  return code === 'rate_limit_exceeded' || code === 'anything_else' ? code.toUpperCase() : code
}

// Statuses and validators take what any client returns.
export function statuses(): KnownRunStatus | undefined {
  const { status, steps } = plain
  if (isTerminalRunStatus(status) && status === 'failed') return status
  if (steps.some((step) => isTerminalStepStatus(step.status))) label(status)
  return isKnownRunStatus(status) ? status : undefined
}

export function guarded(value: unknown): string | undefined {
  if (isRun(value)) show(value)
  if (isTriggeredRun(value)) return value.status?.toLowerCase()
  const result = schemas.Run['~standard'].validate(value)
  if (!result.issues) show(result.value)
  const body: Plain['TriggerRunRequest'] | undefined = requestBodies.triggerRun['~standard'].types?.output
  return `${validate('Run', value).length} ${Object.keys(body?.inputs ?? {}).length}`
}

// A handler responds with what another client returned.
export const service = createService({
  authenticate: (key: string) => (key ? { context: { runs: [plain] } } : { status: 401 }),
  operations: {
    getRun({ path, context }) {
      const found: Run | undefined = context.runs.find(({ id }) => id === path.id)
      return found ? { status: 200, body: found } : { status: 404, body: { error: 'no_such_run' } }
    },
    triggerRun: ({ body, path }) => ({
      status: 201,
      body: { ...plain, playbook_id: path.id, status: body.inputs.as ?? 'queued' },
    }),
    listPlaybooks: ({ query }) => ({
      status: 200,
      body: { data: [], meta: { total: 0, page: query.page ?? 1, per_page: 20 } },
    }),
  },
  otherwise: 501,
})

// The sandbox.
const sandbox = createSandbox()
show(sandbox.approve('run_1'))
export const stop = sandbox.onWaiting((run) => label(run.status, run.steps.at(-1)))
export const runs: Plain['Run'][] = sandbox.state.workspaces.flatMap(({ runs }) => runs.map(({ run }) => run))
export const world: World = sandbox.export()

export const findings = ({ findings }: Report): string[] =>
  findings.map(({ message, status }) => `${status ?? ''} ${message}`)
export const report = (): Promise<Report> =>
  checkConformance({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'key', inputs: { order: '42' } })

// The types of the parameters too.
type Query = NonNullable<operations['listPlaybooks']['parameters']['query']>
declare const page: number | undefined
export const query: Query = { page }
