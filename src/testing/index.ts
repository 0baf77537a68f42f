export type { RemoteWorld } from '../sandbox/control/connect.js'
export { type Fixture, serviceFixture, worldFixture } from './fixtures.js'
export { createTestService, type TestService, type TestServiceOptions } from './service.js'
