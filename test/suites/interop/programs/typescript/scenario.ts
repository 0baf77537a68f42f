import assert from 'node:assert/strict'

/** The calls of a generated client; the last two return the status of what is refused. */
interface Calls {
  list(): Promise<{ meta: { total: number }; data: { id?: string | undefined }[] }>
  trigger(playbook: string, body: { inputs: Record<string, string> }): Promise<{ id?: string | undefined }>
  get(run: string): Promise<{ status: string; steps: unknown[] }>
  unknown(run: string): Promise<number | undefined>
  limited(): Promise<number | undefined>
}

/** Lists, triggers a run and polls it to its end, and expects a 404 and a 429. Returns the id of the run. */
export async function tryClient(calls: Calls): Promise<string> {
  const playbooks = await calls.list()
  assert.equal(playbooks.meta.total, 4)
  const { id } = await calls.trigger(playbooks.data[0]?.id ?? '', { inputs: { order: '42' } })
  assert.ok(id)
  let run = await calls.get(id)
  for (let polls = 0; polls < 100 && run.status === 'running'; polls++) {
    await new Promise((later) => setTimeout(later, 50))
    run = await calls.get(id)
  }
  assert.equal(run.status, 'succeeded')
  assert.equal(run.steps.length, 2)
  assert.equal(await calls.unknown('run_unknown'), 404)
  assert.equal(await calls.limited(), 429)
  return id
}

/** The status of the error that a client throws. */
export const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 0,
    (error) => error.status ?? error.response?.status ?? error,
  )
