import { ApiError } from '@workflow-automation/contract'

/** Refunds an order and asks a person when a step waits for an approval. */
export async function refund(client, playbook, order, ask) {
  try {
    const { id } = await client.triggerRun(playbook, { inputs: { order } })
    const run = await client.waitForRun(id, { until: 'approval' })
    if (run.steps.some(({ status }) => status === 'waiting_approval')) await ask(id)
    const { status } = await client.waitForRun(id)
    return status
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return 'not allowed'
    throw error
  }
}
