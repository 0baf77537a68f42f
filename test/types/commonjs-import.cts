import type { Run } from '@workflow-automation/contract/types' with { 'resolution-mode': 'import' }

export async function start(value: unknown): Promise<Run | undefined> {
  const { createSandbox } = await import('@workflow-automation/contract/sandbox')
  const { isRun } = await import('@workflow-automation/contract/validators')
  // @ts-expect-error the types are there, not `any`
  createSandbox().keys.admin
  return isRun(value) ? value : undefined
}
