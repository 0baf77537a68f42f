import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'

export const serve = async (): Promise<number> => {
  const server = await listen(createSandbox(), { port: 0 })
  await server.close()
  return server.port
}
