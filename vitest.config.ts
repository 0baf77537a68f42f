import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * Too long for every `npm test`: what a maintainer does over an afternoon, what looks at the whole product, and, by their
 * names, simulations, broken services and whatever starts Prism.
 */
const STORIES = [
  'test/{console,examples,start}/**/*.test.ts',
  'test/**/{prism,simulation}.test.ts',
  'test/build/{bad-input,build,features,statuses}.test.ts',
  'test/cli/{around,mock,sandbox,terminal,verify,verify-files}.test.ts',
  'test/client/**/{latency,other-clients,properties,rate-timing,type-names}.test.ts',
  'test/site/{below-a-path,looks,page,recipes,reference,run,samples,try}.test.ts',
  'test/package/{load,migration,reproducible,types}.test.ts',
  'test/conformance/{announced-time,broken,critical,harm,honest,hostile,odd-values,plainest}.test.ts',
  'test/conformance/{report/render,traffic/many-runs}.test.ts',
  'test/conformance/services/services.test.ts',
  'test/redis/{guide,mixes}.test.ts',
  'test/sandbox/**/{adapters,recipes,workflows}.test.ts',
  'test/service/{connections,mounts,postgres,postgres-faults}.test.ts',
]

/** Needs a Redis or Valkey server, and takes a minute with one. */
const REDIS = ['test/redis/{cache,clients,failover,faults,limiter,processes,service-limit}.test.ts']

/** Makes whole releases in copies of the project; for those who change how a release is made, and each week. */
const RELEASE = 'test/release/**/*.test.ts'

/** Checks every honest and every broken service at several depths, which takes hours. */
const DETECTION = 'test/conformance/detection.test.ts'

/** Programs of users with each version of openapi-fetch and the libraries on it; installs them, each week. */
const LIBRARIES = 'test/package/libraries.test.ts'

/** With the libraries, runtimes and browsers that users have; built first. */
const SURROUNDINGS = 'test/surroundings/**/*.test.ts'

/** What holds today's document to the specification or to a text: in a rehearsal, where the contract changes, a person would decide what it says. */
const DECIDED = process.env.REHEARSAL ? ['test/document/specification.test.ts', 'test/package/hovers.test.ts'] : []

/** What hangs is stopped; how slow a machine is decides nothing. In ms. */
const within = (timeout: number) => ({ testTimeout: timeout, hookTimeout: timeout })

export default defineConfig({
  test: {
    // Three files at once also on two cores: many tests wait for browsers, servers and processes.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...STORIES, ...REDIS, RELEASE, DETECTION, LIBRARIES, SURROUNDINGS, ...DECIDED],
          // A worker keeps its modules from file to file: to load them anew takes longer than most of the tests.
          isolate: false,
          globalSetup: 'test/support/browser.ts',
          ...within(120_000),
        },
      },
      { test: { name: 'redis', include: [...REDIS, 'test/redis/script.test.ts'], ...within(120_000) } },
      { test: { name: 'stories', include: STORIES, ...within(300_000) } },
      { test: { name: 'release', include: [RELEASE], ...within(300_000) } },
      { test: { name: 'libraries', include: [LIBRARIES], ...within(300_000) } },
      {
        test: {
          name: 'surroundings',
          include: [SURROUNDINGS],
          globalSetup: 'test/support/browser.ts',
          ...within(120_000),
        },
      },
      { test: { name: 'detection', include: [DETECTION] } },
    ],
  },
})
