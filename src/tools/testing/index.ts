export type { RemoteWorld } from '../sandbox/remote/index.js'
export type { TestClock } from './clock.js'
export { type Fixture, serviceFixture, worldFixture } from './fixtures.js'
export { createTestService, type TestService, type TestServiceOptions } from './service.js'
