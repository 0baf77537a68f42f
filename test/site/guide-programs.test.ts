import { afterAll, beforeAll, expect, test } from 'vitest'
import { compilePrograms, guidePrograms, guideSandbox, programFolder, runProgram } from './guide-programs.js'

/** What a reader sees who runs the code of a guide. */
const PRINTED: Record<string, unknown[]> = {
  authentication: ["{ id: 'ws_1', name: 'Examples' }"],
  caching: [],
  'coming-from-openapi-fetch': ['running', 'running', '200', '200', '200', '200'],
  'errors-and-retries': ['There is no such run.', 'No longer wanted.'],
  'getting-started': [
    'Examples',
    'succeeded',
    '3',
    '3',
    'pb_3kX9wq Refund an order',
    'pb_2 Refund an order after an approval',
    'pb_3 Close stale tickets',
  ],
  'limits-and-many-runs': ['60 120', '3'],
  'logging-and-opentelemetry': [
    expect.stringMatching(
      /^\{"message":"response","operation":"getCurrentWorkspace","path":"\/workspaces\/me","method":"GET","attempt":1,"status":200,"duration":\d+,"fromCache":false\}$/,
    ),
  ],
  'pinning-a-release': ['running', 'running'],
  'triggering-and-watching': [
    expect.stringMatching(/^run_/),
    'running 1',
    'running 2',
    'succeeded 2',
    'succeeded',
    "Failed: [ { id: 'step_1', status: 'failed', capability: 'tickets.close' } ]",
    'step_2',
    '2',
    "running [ 'step_1: running' ]",
    "running [ 'step_1: succeeded', 'step_2: running' ]",
    "succeeded [ 'step_1: succeeded', 'step_2: succeeded' ]",
    'false',
  ],
  validators: [
    'running',
    'run_1',
    '/inputs/order type the body property "inputs.order" must be a string',
    '{ page: 2, per_page: 20 }',
    "{ inputs: { order: '42' } }",
  ],
  verifying: [expect.stringMatching(/^true \{[\s\S]*fail: 0,/)],
}

const programs = await guidePrograms()
// It reads a recording, which test/conformance/traffic.test.ts does with real ones.
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
  expect(runnable.map(({ name }) => name).sort()).toEqual(Object.keys(PRINTED))
})

test.each(runnable)('the code of the guide $name runs against the sandbox', async (program) => {
  expect(await runProgram(folder.path, program)).toEqual(PRINTED[program.name])
})

test('no guide reads a key that may be missing as an empty one', () => {
  for (const { name, source } of programs) expect(source, name).not.toMatch(/KEY\w* \?\? ''/)
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
  expect(printed).toEqual(PRINTED[program.name])
  const statuses = (path: string) =>
    sandbox.requests.flatMap(({ request, response }) => (request.path.endsWith(path) ? [response?.status] : []))
  expect(statuses('/providers')).toEqual([429, 200, 429, 200])
  expect(statuses('/workspaces/me')).toEqual([401, 200, 401, 200, 200])
})
