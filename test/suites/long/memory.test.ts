import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { trigger } from '../../sandbox/calls.js'

it('250 requests of the largest size take less than 20 MB, also when they were read', async () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const used = () => {
    gc()
    return process.memoryUsage().heapUsed / 1e6
  }
  const sandbox = createSandbox({ plan: false })
  const before = used()
  for (let count = 0; count < 260; count++)
    await trigger(sandbox, sandbox.playbooks.succeeds, { inputs: { text: 'ж'.repeat(400_000) } })
  expect(sandbox.requests()).toHaveLength(250)
  expect(used() - before).toBeLessThan(20)
})
