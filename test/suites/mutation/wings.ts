/** What is changed, and the tests that have to notice. Sizes, Prism and other processes say nothing about a single change. */
export interface Wing {
  mutate: string[]
  tests: string[]
  without?: string[]
}

export const WINGS: Readonly<Record<string, Wing>> = {
  client: {
    mutate: [
      'src/client/**/*.ts',
      'src/internal/{maps,contract/{run,status},http/{json,retry-after,url},limits/*,time/*}.ts',
    ],
    tests: ['test/{client,internal}/**/*.test.ts'],
    without: ['test/client/{size,type-names,fetch/other-clients}.test.ts'],
  },
  service: {
    mutate: [
      'src/tools/service/**/*.ts',
      'src/internal/{notify,options,contract/operations,http/{json,read-bytes}}.ts',
      'src/validators/index.ts',
      'src/runtime/{mismatch,problems,standard-schema,validate}.ts',
    ],
    tests: ['test/{internal,service,validators}/**/*.test.ts', 'test/sandbox/{faults,limits,worlds/snapshots}.test.ts'],
    // The guide's imports are other copies of the modules.
    without: ['test/service/{connections,guide,mounts,postgres}.test.ts'],
  },
  sandbox: {
    mutate: ['src/tools/{sandbox,client-rules}/**/*.ts', 'src/internal/random.ts'],
    tests: ['test/{sandbox,testing}/**/*.test.ts'],
    without: ['test/sandbox/**/{adapters,prism,recipes,simulation,workflows}.test.ts'],
  },
  conformance: {
    mutate: ['src/tools/conformance/judge/*.ts', 'src/internal/mask.ts', 'src/runtime/json-pointer.ts'],
    tests: [
      'test/internal/*.test.ts',
      'test/conformance/judge/{bodies,response-results,timestamps}.test.ts',
      'test/conformance/report/{baseline,masks,secrets}.test.ts',
      'test/conformance/traffic/traffic.test.ts',
    ],
  },
  redis: {
    mutate: ['src/tools/redis/**/*.ts'],
    tests: ['test/suites/redis/**/*.test.ts'],
    without: ['test/suites/redis/clients.test.ts'],
  },
}

/** The wing that Stryker's process works on. */
export const WING = 'MUTATED_WING'
