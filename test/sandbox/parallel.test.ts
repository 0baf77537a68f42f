import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { repository as root } from '../support/project.js'
import { trigger } from './calls.js'
import { endAll, serve } from './ports.js'

afterEach(endAll)

const WORKERS = 4
const TESTS = 40

/** A file of tests that would disturb each other in one world: each resets, injects, counts requests and uses up a limit. */
const file = (url: string, number: number, tests: number) => `
import { connectSandbox } from ${JSON.stringify(join(root, 'src/sandbox/node.ts'))}
import { expect, it } from 'vitest'

const sandbox = connectSandbox(${JSON.stringify(url)})
it.each(Array.from({ length: ${tests} }, (_, index) => index))('a world for test %i', async (index) => {
  const plan = { requestsPerMinute: 1, burst: 3 }
  await using world = await sandbox.world(\`file-${number}-test-\${index}\`, { plan })
  const headers = { authorization: \`Bearer \${world.keys.valid}\`, 'content-type': 'application/json' }
  const call = (path, init = {}) => fetch(world.baseUrl + path, { headers, ...init })
  const made = await call(\`/playbooks/\${world.playbooks.succeeds}/runs\`, { method: 'POST', body: '{"inputs":{}}' })
  const { id } = await made.json()
  await world.inject({ operation: 'getRun', status: 500 })
  expect((await call(\`/runs/\${id}\`)).status).toBe(500)
  for (let count = 0; count < 3; count++) expect((await call(\`/runs/\${id}\`)).status).toBe(200)
  expect((await call(\`/runs/\${id}\`)).status).toBe(429)
  expect(await world.requests()).toHaveLength(6)
  await world.reset()
  const again = await call(\`/playbooks/\${world.playbooks.succeeds}/runs\`, { method: 'POST', body: '{"inputs":{}}' })
  expect((await again.json()).id).toBe(id)
})
`

it(`one port serves ${TESTS} tests of ${WORKERS} workers without a failure`, async () => {
  await mkdir(join(root, '.build'), { recursive: true })
  const folder = await mkdtemp(join(root, '.build/parallel-'))
  const server = await serve()
  try {
    for (let number = 0; number < WORKERS; number++) {
      const tests = Math.ceil((TESTS - number) / WORKERS)
      await writeFile(join(folder, `file${number}.test.ts`), file(server.url, number, tests))
    }
    await writeFile(join(folder, 'vitest.config.js'), `export default { root: ${JSON.stringify(folder)} }`)
    const workers = [`--maxWorkers=${WORKERS}`, '--pool=threads', '--testTimeout=100000']
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter', 'json', ...workers]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
      maxBuffer: 2 ** 26,
    }).catch((error: { stdout: string }) => error)
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(stdout)
    const messages = testResults.flatMap((each: { assertionResults: { failureMessages: string[] }[] }) =>
      each.assertionResults.flatMap(({ failureMessages }) => failureMessages),
    )
    expect([numPassedTests, numFailedTests, messages]).toEqual([TESTS, 0, []])
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('a world has all its requests and runs, also more than one page of them', async () => {
  const server = await serve()
  const world = await server.world('many', { plan: false })
  const send = () => trigger(world, world.playbooks.succeeds)
  for (let count = 0; count < 1_010; count += 10) await Promise.all(Array.from({ length: 10 }, send))
  const { workspaces } = await world.state()
  expect(workspaces[0]?.runs).toHaveLength(1_011)
  expect((await world.requests()).at(-1)?.number).toBe(1_010)
  expect(await world.requests({ limit: 3 })).toHaveLength(3)
})
