import { expect, it, onTestFinished, vi } from 'vitest'
import type { Run } from '../../generated/types.js'
import { watchRuns } from '../../src/sandbox/events.js'
import { createSandbox } from '../../src/sandbox/index.js'

it('runs that the sandbox has dropped are forgotten by those who watch its events', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const run = { id: 'run_1', status: 'running', playbook_id: 'pb', started_at: '', steps: [] } satisfies Run
  let runs: { workspace: string; run: Run }[] = [{ workspace: 'main', run }]
  const reported: string[] = []
  const stop = watchRuns(
    () => runs,
    ({ run }) => reported.push(run.id),
  )
  const look = () => vi.advanceTimersToNextTimer()
  look()
  expect(reported).toEqual([])
  runs = []
  look()
  runs = [{ workspace: 'main', run }]
  look()
  expect(reported).toEqual(['run_1'])
  stop()
})

it('a key that is an ordinary word is masked where it stands alone', async () => {
  const sandbox = createSandbox({
    world: {
      shop: {
        workspace: { id: 'ws_1', name: 'Shop' },
        keys: { one: { value: 'customer' } },
        playbooks: { sell: { playbook: { id: 'pb_1' }, steps: [{}] } },
        providers: [],
      },
    },
  })
  const inputs = { customer_id: 'customers', note: 'the customer', encoded: btoa('Bearer customer') }
  await sandbox.fetch(`${sandbox.baseUrl}/playbooks/pb_1/runs`, {
    method: 'POST',
    headers: { authorization: 'Bearer customer', 'content-type': 'application/json' },
    body: JSON.stringify({ inputs }),
  })
  expect(sandbox.requests()[0]?.request.body).toEqual({
    inputs: { customer_id: 'customers', note: 'the ••••', encoded: expect.stringContaining('••••') },
  })
})
