import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'
import { connectSandbox } from '@workflow-automation/contract/sandbox/remote'
import {
  createTestService,
  type Fixture,
  type RemoteWorld,
  serviceFixture,
  type TestService,
  worldFixture,
} from '@workflow-automation/contract/testing'
import type { components, RunStatus } from '@workflow-automation/contract/types'

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

// A world of a sandbox on a port has its keys and playbooks by name, as a sandbox has, also in a fixture.
export const { world } = extend<{ world: RemoteWorld }>(worldFixture('http://127.0.0.1:4010'))
export const worldKey: string = world.keys.valid
export const worldPlaybook: string = world.playbooks.needsApproval
// @ts-expect-error the default world has no such key
world.keys.admin

// What it returns goes to what takes values of `paths`.
declare const show: (run: components['schemas']['Run']) => void
export async function decided(): Promise<RunStatus> {
  const orders = await connectSandbox('http://127.0.0.1:4010').world('orders')
  await orders.onWaiting((run) => show(run))
  const run = await orders.approve('run_1')
  show(run)
  show(service.sandbox.reject(run.id))
  return (await service.client.getRun(run.id)).status
}
