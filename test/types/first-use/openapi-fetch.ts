// Bare openapi-fetch with the exported `paths`: what people write around the values, in every version of openapi-fetch.
import type {
  components,
  ErrorBody,
  ErrorCode,
  KnownErrorCode,
  ListQuery,
  operations,
  Playbook,
  paths,
  RateLimitBody,
  Run,
  RunInputs,
  RunStatus,
  Step,
  StepStatus,
  TriggeredRun,
} from '@workflow-automation/contract/types'
import createClient, { type Middleware } from 'openapi-fetch'

const logging: Middleware = { onResponse: ({ response }) => void response.status }

/** A client in a class, whose methods return and take named types. */
export class Runs {
  private readonly client = createClient<paths>({ baseUrl: 'http://127.0.0.1/v1' })
  private readonly known = new Map<string, Run>()
  last: Run | undefined
  onChange: (run: Run) => void = () => {}

  constructor() {
    this.client.use(logging)
  }

  async get(id: string): Promise<Run> {
    const { data, error, response } = await this.client.GET('/runs/{id}', { params: { path: { id } } })
    if (!data) throw new Error(`${response.status} ${describe(error)}`)
    this.known.set(data.id, data)
    this.last = data
    this.onChange(data)
    return { ...data, steps: [...data.steps].sort((one, other) => one.id.localeCompare(other.id)) }
  }

  async start(playbook: Playbook, inputs: RunInputs): Promise<TriggeredRun> {
    const params = { path: { id: playbook.id ?? '' }, header: { 'Service-Version': '2026-11-21' } }
    const { data, error } = await this.client.POST('/playbooks/{id}/runs', { params, body: { inputs } })
    if (error) throw new Error(describe(error))
    return data
  }

  async isActive(id: string): Promise<boolean> {
    const { data } = await this.client.GET('/runs/{id}', { params: { path: { id } } })
    const active: RunStatus[] = ['running', 'paused_by_operator']
    return data !== undefined && active.includes(data.status)
  }

  async labels(id: string): Promise<Record<string, string>> {
    const run = await this.get(id)
    const words: Partial<Record<string, string>> = { running: 'in progress', waiting_approval: 'waits for you' }
    return Object.fromEntries(run.steps.map(({ id, status }) => [id, words[status] ?? status.replaceAll('_', ' ')]))
  }

  // What may be left out may be undefined, under exactOptionalPropertyTypes too.
  async names(page: number | undefined, perPage?: number | undefined): Promise<string[]> {
    const query: ListQuery = { page, per_page: perPage }
    const { data, error } = await this.client.GET('/playbooks', { params: { query } })
    await this.client.GET('/providers', { params: { query: { page } } })
    if (error) return []
    const all: Playbook[] = data.data
    return all.flatMap(({ name }) => name ?? []).concat(`${data.meta.total}`)
  }
}

// An error has the fields that every error has; the wait is that of a 429.
function describe(error: ErrorBody | RateLimitBody): string {
  if ('retry_after' in error) return `wait ${error.retry_after * 1_000} ms`
  const code: ErrorCode | undefined = error.error
  return code === 'not_found' || code === 'quota_exceeded' ? 'gone' : (error.message?.trim() ?? 'no message')
}

export const known: KnownErrorCode = 'rate_limit_exceeded'

export async function wait(): Promise<number | undefined> {
  const { error } = await createClient<paths>().GET('/playbooks')
  if (!error) return undefined
  const code: string | undefined = error.error
  if (error.error === 'rate_limit_exceeded' && 'retry_after' in error) return error.retry_after * 1_000
  return code?.length
}

// The types that people derive from `paths` are those with a name, and the other way round.
type Body = paths['/runs/{id}']['get']['responses'][200]['content']['application/json']
type Returned = operations['getRun']['responses'][200]['content']['application/json']
declare const body: Body
export const named: Run = body
export const again: Body = named
export const returned: Returned = named
export const component: components['schemas']['Run'] = named
export const steps: Step[] = component.steps
export const statuses: StepStatus[] = body.steps.map(({ status }) => status)
export const plainStatus: components['schemas']['RunStatus'] = named.status
export const plainStep: components['schemas']['Step'] = { id: 'step_1', status: 'on_fire' }
// @ts-expect-error a status is a string
export const wrong: components['schemas']['Run']['status'] = 3
