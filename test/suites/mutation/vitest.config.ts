import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { WING, WINGS } from './wings.js'

// Tests run in threads here, which cannot change the time zone; dates without one have to be read in any.
process.env.TZ = 'Asia/Tokyo'

/** A mutant is over with the first test that fails, so the files that were quick in the run before come first. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const duration = ({ project, moduleId }: TestSpecification) =>
      this.ctx.cache.getFileTestResults(`${project.name}:${relative(this.ctx.config.root, moduleId)}`)?.duration ?? 0
    return [...files].sort((one, other) => duration(one) - duration(other))
  }
}

const { tests, without = [] } = WINGS[process.env[WING] ?? 'client']!

/** The tests that have to notice a change of the wing. */
export default defineConfig({
  test: {
    include: tests,
    exclude: without,
    // One worker loads the modules of a mutant once for all files.
    isolate: false,
    setupFiles: 'test/suites/mutation/setup.ts',
    sequence: { sequencer: QuickFirst },
    // A call that a mutant never ends; on a machine with other work the slowest test takes more than five seconds.
    testTimeout: 15_000,
  },
})
