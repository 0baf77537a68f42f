import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUIDE_OUTPUT } from './guide-output.js'
import { compilePrograms, guidePrograms, programFolder, runProgram } from './guide-programs.js'

const all = await guidePrograms()
// Those that need more packages: test/stories/site/guide-programs.test.ts.
const programs = all.filter(({ needsMore }) => !needsMore)
// It reads a recording, which test/conformance/traffic/traffic.test.ts does with real ones.
const runnable = programs.filter(({ name }) => name !== 'recorded-traffic')
let folder: Awaited<ReturnType<typeof programFolder>>
beforeAll(async () => {
  folder = await programFolder()
})
afterAll(() => folder.remove())

test('the code of every guide compiles against the package', async () => {
  expect(await compilePrograms(folder.path, programs)).toEqual({ code: 0, printed: '' })
})

test('there is an expectation for every guide with code', () => {
  expect(
    all
      .filter(({ name }) => name !== 'recorded-traffic')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Object.keys(GUIDE_OUTPUT))
})

test.each(runnable)('the code of the guide $name runs against the sandbox', async (program) => {
  expect(await runProgram(folder.path, program)).toEqual(GUIDE_OUTPUT[program.name])
})

test('no guide reads a key that may be missing as an empty one', () => {
  for (const { name, source } of all) expect(source, name).not.toMatch(/KEY\w* \?\? ''/)
})
