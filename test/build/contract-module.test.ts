import { expect, it } from 'vitest'
import { loadContract } from '../../scripts/contract/load.js'
import { emitContract } from '../../scripts/emit/modules/contract.js'
import { repository } from '../support/project.js'

it('the generated operations name the version header correctly when another header with a pattern comes first', async () => {
  const contract = await loadContract(repository)
  const named = () => emitContract(contract).match(/^export const (protocol|versionPattern) [\s\S]*?as const$/gm)
  const before = named()
  expect(before?.join()).toContain('versionHeader: "Service-Version"')
  for (const { parameters } of contract.operations)
    parameters.unshift({ name: 'X-Trace', in: 'header', schema: { type: 'string', pattern: '^[0-9a-f]{32}$' } })
  expect(named()).toEqual(before)
})
