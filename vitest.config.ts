import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** What holds today's document to the specification or to a text: in a rehearsal, where the contract changes, a person would decide what it says. */
const DECIDED = process.env.REHEARSAL ? ['test/document/specification.test.ts'] : []

/** A worker keeps its modules from file to file: to load them anew takes longer than most of the tests. */
const KEPT = { isolate: false }

/** Tests of a folder that `npm test` leaves out. What hangs is stopped after `seconds`; how slow a machine is decides nothing. */
const slow = (name: string, folder: string, seconds: number, globalSetup: string[] = [], more: object = {}) => ({
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    globalSetup,
    ...more,
    testTimeout: seconds * 1000,
    hookTimeout: seconds * 1000,
  },
})

const BROWSER = ['test/support/browser.ts']

export default defineConfig({
  test: {
    // Four files at once also on two cores: many tests wait for browsers, servers and processes.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{node_modules,stories,surroundings,suites}/**', ...DECIDED],
          ...KEPT,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      slow('stories', 'stories', 300, BROWSER, KEPT),
      slow('surroundings', 'surroundings', 120, BROWSER),
      slow('redis', 'suites/redis', 120),
      slow('examples', 'suites/examples', 300, BROWSER),
      slow('long', 'suites/long', 300, BROWSER),
      slow('release', 'suites/release', 300, BROWSER),
      slow('libraries', 'suites/libraries', 300),
      // One test checks every broken service at one depth, or several.
      slow('detection', 'suites/detection', 3 * 3600),
    ],
  },
})
