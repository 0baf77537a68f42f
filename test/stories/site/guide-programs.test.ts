import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUIDE_OUTPUT } from '../../site/guide-output.js'
import { compilePrograms, guidePrograms, programFolder, runProgram } from '../../site/guide-programs.js'

const programs = (await guidePrograms()).filter(({ needsMore }) => needsMore)
let folder: Awaited<ReturnType<typeof programFolder>>
beforeAll(async () => {
  folder = await programFolder('test')
})
afterAll(() => folder.remove())

test('the code of the guides that use the packages of others compiles', async () => {
  expect(programs).not.toEqual([])
  expect(await compilePrograms(folder.path, programs)).toEqual({ code: 0, printed: '' })
})

test.each(programs)('the code of the guide $name runs against the sandbox', async (program) => {
  expect(await runProgram(folder.path, program)).toEqual(GUIDE_OUTPUT[program.name])
})
