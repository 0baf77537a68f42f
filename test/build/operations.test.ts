import { expect, it } from 'vitest'
import { loadContract } from '../../scripts/contract/load.js'
import { emitOperations } from '../../scripts/emit/modules/operations.js'
import { repository } from '../support/project.js'

it('the generated operations name the version header correctly when another header with a pattern comes first', async () => {
  const contract = await loadContract(repository)
  const before = emitOperations(contract)
  expect(before).toContain('versionHeader: "Service-Version"')
  for (const { parameters } of contract.operations)
    parameters.unshift({ name: 'X-Trace', in: 'header', schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } })
  const after = emitOperations(contract)
  expect(after).toBe(before)
})
