import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'
import {
  createTestService,
  type Fixture,
  serviceFixture,
  type TestService,
} from '@workflow-automation/contract/testing'

export const serve = async (): Promise<number> => {
  const server = await listen(createSandbox(), { port: 0 })
  await server.close()
  return server.port
}

// A service of a test is typed by its world, and its fixtures fit runners that take them by structure.
const service = createTestService({ client: { plan: 'pro' } })
export const testKey: string = service.sandbox.keys.readOnly
// @ts-expect-error the clock is that of the service
createTestService({ client: { clock: undefined } })
declare const extend: <T extends object>(fixtures: { [Name in keyof T]: Fixture<T[Name]> }) => T
export const { service: own } = extend<{ service: TestService }>(serviceFixture())
