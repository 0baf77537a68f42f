import { afterAll, beforeAll, expect, test } from 'vitest'
import { GUIDE_OUTPUT } from './guide-output.js'
import { compilePrograms, guidePrograms, guideSandbox, programFolder, runProgram } from './guide-programs.js'

const all = await guidePrograms()
// Those that need more packages: test/stories/site/guide-programs.test.ts.
const programs = all.filter(({ needsMore }) => !needsMore)
// It reads a recording, which test/conformance/traffic/traffic.test.ts does with real ones.
const runnable = programs.filter(({ name }) => name !== 'recorded-traffic')
const programOf = (name: string) => programs.find((program) => program.name === name)!
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

test('the code for openapi-fetch and for the client survive a 429 and a key that was replaced alike', async () => {
  const sandbox = guideSandbox()
  let lists = 0
  const fetch: typeof sandbox.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    if (url.endsWith('/providers') && lists++ % 2 === 0) sandbox.inject({ operation: 'listProviders', status: 429 })
    return sandbox.fetch(input, init)
  }
  const program = programOf('coming-from-openapi-fetch')
  const printed = await runProgram(folder.path, { ...program, name: 'twice' }, { ...sandbox, fetch })
  expect(printed).toEqual(GUIDE_OUTPUT[program.name])
  const statuses = (path: string) =>
    sandbox.requests().flatMap(({ request, response }) => (request.path.endsWith(path) ? [response?.status] : []))
  expect(statuses('/providers')).toEqual([429, 200, 429, 200])
  // What comes after the two keys is from the other samples of the page.
  expect(statuses('/workspaces/me').slice(0, 4)).toEqual([401, 200, 401, 200])
})
