import { PermissionError } from '@workflow-automation/contract'

/** Refunds an order and asks a person when a step waits for an approval. */
export async function refund(client, playbook, order, ask) {
  let id
  try {
    ;({ id } = await client.triggerRun(playbook, { inputs: { order } }))
  } catch (error) {
    // Of the trigger alone: later the run has been started.
    if (error instanceof PermissionError) return 'not allowed'
    throw error
  }
  const run = await client.waitForRun(id, { until: 'approval' })
  if (run.steps.some(({ status }) => status === 'waiting_approval')) await ask(id)
  const { status } = await client.waitForRun(id)
  return status
}
