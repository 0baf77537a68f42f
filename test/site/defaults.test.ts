import { expect, test } from 'vitest'
import { defaultRows } from '../../scripts/emit/docs/parts/defaults.js'
import { CALL, WATCH_TIMEOUT } from '../../src/client/defaults.js'
import { createTestService } from '../../src/tools/testing/index.js'

const shown = (option: string) => defaultRows().find(([name]) => name?.includes(option))?.[1]

test('the table of defaults shows what a client does that was given no option', async () => {
  expect([shown('`timeout`'), shown('`totalTimeout`'), shown('maxRetries')]).toEqual(['30 s', '180 s', '3'])
  const { client, sandbox } = createTestService()
  sandbox.inject({ operation: 'getRun', status: 500, times: Number.POSITIVE_INFINITY })
  await expect(client.getRun('run_1')).rejects.toThrow()
  expect(sandbox.requests({ operation: 'getRun' })).toHaveLength(1 + CALL.maxRetries)
})

test('the table of defaults shows for how long a client watches a run', async () => {
  expect(shown('waitForRun')).toBe('15 min')
  const { client, sandbox } = createTestService()
  const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: {} })
  await expect(client.waitForRun(id)).rejects.toThrow(`did not finish within ${WATCH_TIMEOUT} ms`)
})
