import {
  ApiError,
  type CallOptions,
  type Client,
  createClient,
  type KnownRunStatus,
  NotFoundError,
  type OperationId,
  plans,
  RateLimitError,
  type Run,
} from '@workflow-automation/contract'
import { isKnownRunStatus } from '@workflow-automation/contract/status'
import { assertTrue, type Same } from './expect.js'

const client: Client = createClient({
  baseUrl: 'https://api.example.com/v1',
  apiKey: async () => 'key',
  plan: 'pro',
  retry: { maxRetries: 3, maxRetryAfter: 120_000 },
  cache: true,
  fetch: undefined,
})

// A pin is any date, also one that is known at run time only.
createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', serviceVersion: '2026-11-21' })

// The options that have to be there, and values that cannot be.
// @ts-expect-error a key has to be given
createClient({ baseUrl: 'https://api.example.com/v1' })
// @ts-expect-error the contract has no such plan
createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', plan: 'enterprise' })
// @ts-expect-error a plan without access is no plan for a client
createClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'key', plan: 'hobby' })

export async function methods(): Promise<void> {
  const run = await client.getRun('run_1', { signal: AbortSignal.timeout(1_000) })
  assertTrue<Same<typeof run, Run>>()
  const { data, meta } = await client.listPlaybooks({ page: 2 })
  assertTrue<Same<(typeof data)[number]['id'], string | undefined>>()
  assertTrue<Same<typeof meta.total, number>>()
  assertTrue<Same<(typeof data)[number]['name'], string | undefined>>()

  const triggered = await client.triggerRun('pb_1', { inputs: { order: '42' } })
  assertTrue<Same<typeof triggered.id, string>>()
  // What may be left out may be undefined, also under exactOptionalPropertyTypes.
  const page: number | undefined = Math.random() > 0.5 ? 1 : undefined
  await client.listPlaybooks({ page })
  await client.GET('/playbooks', { params: { query: { page } } })
  // @ts-expect-error what the trigger returns beside the id is assumed
  const status: string = triggered.status
  // @ts-expect-error inputs have to be there
  await client.triggerRun('pb_1', {})
  // @ts-expect-error a number is no input
  await client.triggerRun('pb_1', { inputs: { order: 42 } })
  // @ts-expect-error the id has to be there
  await client.getRun()
  // @ts-expect-error a list has no such parameter
  await client.listPlaybooks({ sort: 'name' })
  // @ts-expect-error the contract has no such operation
  await client.deleteRun('run_1')
  void status
}

// The options of a call are among the parameters of every method.
assertTrue<Same<Parameters<Client['getRun']>, [id: string, options?: CallOptions | undefined]>>()
assertTrue<Same<Parameters<Client['triggerRun']>[2], CallOptions | undefined>>()

/** Measures any operation: a wrapper over operation ids. */
export async function timed<Id extends OperationId>(
  operation: Id,
  ...args: Parameters<Client[Id]>
): Promise<{ value: Awaited<ReturnType<Client[Id]>>; duration: number }> {
  const begun = performance.now()
  const call = client[operation] as unknown as (...args: Parameters<Client[Id]>) => ReturnType<Client[Id]>
  const value = await call(...args)
  return { value, duration: performance.now() - begun }
}
export const timedRun: Promise<{ value: Run }> = timed('getRun', 'run_1', { timeout: 1_000 })

export async function paths(): Promise<void> {
  const { data, error, response } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
  assertTrue<Same<typeof response.status, number>>()
  if (data) {
    assertTrue<Same<typeof data, Run>>()
    const nothing: undefined = error
    void nothing
  } else {
    const nothing: undefined = data
    const message: string | undefined = error.message
    void [nothing, message]
  }
  if (error === undefined) assertTrue<Same<typeof data, Run>>()
  // @ts-expect-error without a look at either, there may be no data
  void data.id

  await client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: { inputs: {} } })
  await client.GET('/playbooks')
  const asText = await client.GET('/playbooks', { parseAs: 'text' })
  assertTrue<Same<typeof asText.data, string | undefined>>()
  const asStream = await client.GET('/playbooks', { parseAs: 'stream' })
  assertTrue<Same<typeof asStream.data, Response['body'] | undefined>>()
  // @ts-expect-error the contract has nothing to delete
  await client.DELETE('/runs/{id}', { params: { path: { id: 'run_1' } } })
  // @ts-expect-error the contract has no such path
  await client.GET('/runs')
  // @ts-expect-error a run is not triggered by reading
  await client.GET('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } } })
  // @ts-expect-error the id has to be there
  await client.GET('/runs/{id}')
  // @ts-expect-error inputs have to be there
  await client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: {} })
  // @ts-expect-error a number is no input
  await client.POST('/playbooks/{id}/runs', { params: { path: { id: 'pb_1' } }, body: { inputs: { order: 42 } } })
}

export async function runs(): Promise<string | undefined> {
  const run = await client.waitForRun('run_1', {
    until: 'approval',
    timeout: 900_000,
    onUpdate: ({ steps }) => steps.length,
  })
  for await (const snapshot of client.watchRun(run.id)) assertTrue<Same<typeof snapshot, Run>>()
  for await (const playbook of client.paginate('listPlaybooks'))
    assertTrue<Same<typeof playbook.id, string | undefined>>()
  // @ts-expect-error a run is no list
  client.paginate('getRun')
  return run.steps[0]?.capability
}

/** Every known status has its word, and an unknown one too. */
export function word(run: Run): string {
  if (!isKnownRunStatus(run.status)) return `something new: ${run.status}`
  const known: KnownRunStatus = run.status
  return known
}

export function explain(error: unknown): string {
  if (error instanceof RateLimitError) return `wait ${error.retryAfter}`
  if (error instanceof NotFoundError) return `${error.operation} found nothing`
  return error instanceof ApiError ? `${error.status} ${error.message}` : 'no response'
}

export const limit: number = plans.pro.requestsPerMinute
