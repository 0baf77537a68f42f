import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Too long for every `npm test`: what a maintainer does over an afternoon, and what looks at the whole product. */
const STORIES = [
  'test/build/{build,features,stopped}.test.ts',
  'test/start/*.test.ts',
  'test/site/{looks,page,run,try}.test.ts',
  'test/package/{releases,reproducible,types}.test.ts',
  'test/release/*.test.ts',
  'test/contributing/*.test.ts',
  'test/conformance/{combined,honest,odd-values}.test.ts',
  'test/sandbox/{parallel,recipes,workflows}.test.ts',
  'test/service/mounts.test.ts',
  'test/console/*.test.ts',
]

/** Needs a Redis or Valkey server, and takes a minute with one. */
const REDIS = ['test/redis/{cache,clients,faults,limiter}.test.ts']

/** What hangs is stopped; how slow a machine is decides nothing. In ms. */
const within = (timeout: number) => ({ testTimeout: timeout, hookTimeout: timeout })

export default defineConfig({
  test: {
    // Two files at once also on two cores: many tests wait for processes of their own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...STORIES, ...REDIS],
          // A worker keeps its modules from file to file: to load them anew takes longer than most of the tests.
          isolate: false,
          globalSetup: 'test/support/browser.ts',
          ...within(120_000),
        },
      },
      { test: { name: 'redis', include: ['test/redis/*.test.ts'], ...within(120_000) } },
      { test: { name: 'stories', include: STORIES, ...within(300_000) } },
    ],
  },
})
