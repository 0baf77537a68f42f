import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPrograms } from '../../../scripts/emit/docs/programs.js'
import { repository } from '../../support/project.js'
import { GUIDE_OUTPUT } from './guide-output.js'
import { compilePrograms, guidePrograms, programFolder, runProgram } from './guide-programs.js'

const programs = guidePrograms()
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
  expect(runnable.map(({ name }) => name).sort()).toEqual(Object.keys(GUIDE_OUTPUT))
})

test.each(runnable)('the code of the guide $name runs against the sandbox', async (program) => {
  expect(await runProgram(folder.path, program)).toEqual(GUIDE_OUTPUT[program.name])
})

test('no guide reads a key that may be missing as an empty one', () => {
  for (const { name, source } of programs) expect(source, name).not.toMatch(/KEY\w* \?\? ''/)
})

const samples = readPrograms(repository).flatMap(({ name }) => {
  const text = readFileSync(join(repository, name === 'home' ? 'site/home.md' : `docs/guides/${name}.md`), 'utf8')
  return [...text.matchAll(/^```tsx? ?.*\n([\s\S]*?)^```$/gm)].map(([, source = ''], index, all) => ({
    name: `${name}-${index}`,
    source: `${source}\nexport {}\n`,
    says: /continues? (?:this|the)/.test(text.slice(0, all[index]?.index)),
  }))
})

test('no sample reads a body without its type, which is unknown where only the types of Node are', async () => {
  const node = await mkdtemp(join(folder.path, 'node-'))
  const { printed } = await compilePrograms(node, samples, { lib: ['ES2023'] })
  // Object is of type unknown.
  expect(printed.match(/^[\w-]+\.ts.*TS(?:2571|18046):.*/gm)).toBe(null)
})

test('a sample that does not run alone has the sentence above it that says what it continues', async () => {
  const alone = await mkdtemp(join(folder.path, 'alone-'))
  const { printed } = await compilePrograms(alone, samples)
  // Cannot find a name.
  const incomplete = new Set(
    [...printed.matchAll(/^([\w-]+)\.ts.*TS(?:2304|2552|2582|18004):/gm)].map(([, name]) => name),
  )
  expect(samples.filter(({ name, says }) => incomplete.has(name) && !says).map(({ name }) => name)).toEqual([])
})
