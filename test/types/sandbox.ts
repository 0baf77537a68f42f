import { createSandbox } from '@workflow-automation/contract/sandbox'
import { assertTrue, type Same } from './expect.js'

const sandbox = createSandbox({ seed: 1, plan: 'pro', progress: 'clock', clock: { now: () => 0 } })
assertTrue<Same<typeof sandbox.keys.valid, string>>()
assertTrue<Same<typeof sandbox.playbooks.needsApproval, string>>()
export const send: typeof fetch = sandbox.fetch
// @ts-expect-error the default world has no such key
sandbox.keys.admin
// @ts-expect-error the contract has no such operation
sandbox.inject({ operation: 'deleteRun', status: 500 })
// @ts-expect-error the contract has no such plan
createSandbox({ plan: 'enterprise' })
