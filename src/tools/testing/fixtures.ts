import { connectSandbox, type RemoteWorld } from '../sandbox/remote/index.js'
import type { WorldOptions } from '../sandbox/settings.js'
import type { DefaultKey, DefaultPlaybook } from '../sandbox/world/default.js'
import { createTestService, type TestService, type TestServiceOptions } from './service.js'

// Both runners read the names of other fixtures from the destructuring pattern of the first parameter, so it must be there.

/** A fixture for `test.extend` of vitest and Playwright. */
export type Fixture<T> = (context: Record<never, never>, use: (value: T) => Promise<void>) => Promise<void>

/** A service for each test: `test.extend<{ service: TestService }>(serviceFixture())`. */
export const serviceFixture = (options?: Omit<TestServiceOptions, 'world'>): { service: Fixture<TestService> } => ({
  // biome-ignore lint/correctness/noEmptyPattern: the runners read it
  async service({}, use) {
    const service = createTestService(options)
    await use(service).finally(service[Symbol.dispose])
  },
})

/** A world for each test, of a sandbox on a port: `test.extend<{ world: RemoteWorld }>(worldFixture(url))`. */
export const worldFixture = (
  url: string | URL,
  { token, ...options }: Omit<WorldOptions, 'world'> & { token?: string | (() => string | null | undefined) } = {},
): { world: Fixture<RemoteWorld<DefaultKey, DefaultPlaybook>> } => ({
  // biome-ignore lint/correctness/noEmptyPattern: the runners read it
  async world({}, use) {
    const world = await connectSandbox(url, { token }).world(crypto.randomUUID(), options)
    await use(world).finally(world[Symbol.asyncDispose])
  },
})
