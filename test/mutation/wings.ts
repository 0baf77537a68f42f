/** What is changed, and the tests that have to notice. Sizes, Prism and other processes say nothing about a single change. */
export interface Wing {
  mutate: string[]
  tests: string[]
  without?: string[]
}

export const WINGS: Readonly<Record<string, Wing>> = {
  client: {
    mutate: ['src/client/**/*.ts'],
    tests: ['test/client/**/*.test.ts'],
    without: ['test/client/{other-clients,size,type-names}.test.ts'],
  },
  internal: {
    mutate: ['src/internal/**/*.ts'],
    tests: ['test/{client,recorded,service,validators}/**/*.test.ts', 'test/conformance/{formats,secrets}.test.ts'],
    without: [
      'test/client/{latency,other-clients,properties,size,type-names}.test.ts',
      'test/recorded/{guide,odd-values}.test.ts',
      'test/service/{connections,guide,mounts,postgres}.test.ts',
    ],
  },
  service: {
    mutate: ['src/service/**/*.ts'],
    tests: ['test/service/**/*.test.ts', 'test/sandbox/{effects,faults,limits,snapshots}.test.ts'],
    // The guide's imports are other copies of the modules.
    without: ['test/service/{connections,guide,mounts,postgres}.test.ts'],
  },
  sandbox: {
    mutate: ['src/sandbox/**/*.ts'],
    tests: ['test/{sandbox,testing}/**/*.test.ts'],
    without: ['test/sandbox/**/{parallel,prism,recipes,workflows}.test.ts'],
  },
  conformance: {
    mutate: ['src/conformance/judge/{body,runs,semantics,exchange}.ts'],
    tests: ['test/conformance/{baseline,classes,formats,sandbox,secrets,traffic}.test.ts', 'test/recorded/*.test.ts'],
    without: ['test/recorded/guide.test.ts'],
  },
  redis: {
    mutate: ['src/redis/**/*.ts'],
    tests: ['test/redis/**/*.test.ts'],
    without: ['test/redis/{clients,guide}.test.ts'],
  },
}

/** The wing that Stryker's process works on. */
export const WING = 'MUTATED_WING'
