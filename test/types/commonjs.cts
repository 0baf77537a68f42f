import contract = require('@workflow-automation/contract/sandbox')

import type { Run } from '@workflow-automation/contract/types'
import { isRun } from '@workflow-automation/contract/validators'

const sandbox = contract.createSandbox()
export const key: string = sandbox.keys.valid
export const runOf = (value: unknown): Run | undefined => (isRun(value) ? value : undefined)
// @ts-expect-error the types are there, not `any`
sandbox.keys.admin
