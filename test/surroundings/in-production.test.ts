import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Fault } from '../../src/tools/sandbox/index.js'
import { createTestService, type TestService, type TestServiceOptions } from '../../src/tools/testing/index.js'
import { repository } from '../support/project.js'

interface Guide {
  jobs: Map<string, { playbook: string; state: string; run?: string }>
  resume(): Promise<void>
}

const text = await readFile(join(repository, 'docs/guides/in-production.md'), 'utf8')
/** The first table of the guide. */
const rows = [
  ...text
    .slice(0, text.indexOf('\n## ', text.indexOf('`MissingRunIdError`')))
    .matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm),
].map(([, what, , todo]) => ({ what, todo }))
const table = new Map(rows.slice(1).map(({ what, todo }) => [what!, todo!]))

let folder: string
beforeAll(async () => {
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(repository, 'test/.build/in-production-'))
})
afterAll(() => rm(folder, { recursive: true }))

let count = 0
/** The code of the guide as a module of its own, with the client of a test. Its pauses take no time. */
async function guideWith(client: TestService['client']): Promise<Guide> {
  vi.stubGlobal('clientOfTheTest', client)
  const code = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
  const program = code
    .replace(/createClient\(\{[\s\S]*?\n\}\)/, 'globalThis.clientOfTheTest')
    .replace(/^jobs\.set\('42'[\s\S]*/m, 'export { jobs, resume }\n')
    .replace('60_000', '1')
    .replace("'@workflow-automation/contract'", `'${join(repository, 'src/index.js')}'`)
  const file = join(folder, `jobs-${count++}.ts`)
  await writeFile(file, program)
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

const always = (fault: Fault): Fault => ({ operation: 'triggerRun', untilCleared: true, ...fault })
const refusedByTheSystem = async () => {
  throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
}

/** What happens in each row of the table: faults of the sandbox, one after the other, or a client of its own. */
const HAPPENS: Record<string, { faults?: Fault[]; client?: TestServiceOptions['client']; before?: string }> = {
  '`triggerRun` resolved': {},
  '`ConnectionError` with `sent: false`': { client: { fetch: refusedByTheSystem } },
  '`ConnectionError` or `TimeoutError` with `sent: true`': {
    faults: [
      { drop: true, after: 'effect' },
      { delay: 60_000, after: 'effect' },
    ],
  },
  '`MissingRunIdError`': { faults: [{ status: 201, body: {}, after: 'effect' }] },
  'a 500 after all retries': { faults: [always({ status: 500 })] },
  'a 429 after all retries': { faults: [always({ status: 429, retryAfter: 1 })] },
  '400, 401, 403 or 404': { faults: [400, 401, 403, 404].map((status) => ({ status })) },
  "any other status, such as 402, 409, or a gateway's 408, 502, 503 or 504": {
    faults: [402, 409, 408, 502, 503, 504].map((status) => always({ status })),
  },
  '`ResponseParseError`': { faults: [{ status: 200, body: '<p>Welcome</p>', after: 'effect' }] },
  'the process ended between the two writes': { before: 'triggering' },
}

/** What a restart makes of a row, by the last column: its state before and after it, and whether it triggers. */
function expected(todo: string): { state: string; again: boolean } {
  if (todo === 'store its id') return { state: 'succeeded', again: false }
  if (todo.startsWith('trigger again')) return { state: 'wanted', again: true }
  if (todo === 'correct the request first') return { state: 'refused', again: false }
  if (todo.startsWith('never trigger again') || todo === 'as with `sent: true`')
    return { state: 'unknown', again: false }
  throw new Error(`The test does not know what "${todo}" means.`)
}

it('the test knows each row of the table', () => {
  expect([...table.keys()]).toEqual(Object.keys(HAPPENS))
})

const cases = Object.entries(HAPPENS).flatMap(([what, { faults = [undefined], ...rest }]) =>
  faults.map((fault) => ({ what, fault, ...rest })),
)
it.each(cases)('after "$what" ($fault) the code does what the table says', async ({ what, fault, client, before }) => {
  const { state, again } = expected(table.get(what) ?? '')
  using service = createTestService(client ? { client } : {})
  const { sandbox } = service
  if (fault) sandbox.inject({ operation: 'triggerRun', ...fault })
  const { jobs, resume } = await guideWith(service.client)
  jobs.set('42', { playbook: sandbox.playbooks.succeeds, state: before ?? 'wanted' })
  await resume()
  expect(jobs.get('42')?.state).toBe(state)
  const triggers = () => sandbox.requests({ operation: 'triggerRun' }).length
  const sent = triggers()

  sandbox.clearFaults()
  const restarted = await guideWith(client ? service.createClient({ fetch: sandbox.fetch }) : service.client)
  restarted.jobs.set('42', jobs.get('42')!)
  await restarted.resume()
  expect(triggers() - sent).toBe(again ? 1 : 0)
  expect(restarted.jobs.get('42')?.state).toBe(again ? 'succeeded' : state)
})

it('500 rows are triggered once each', async () => {
  using service = createTestService({ maxRequests: 100_000 })
  const { sandbox } = service
  const { jobs, resume } = await guideWith(service.client)
  for (let order = 0; order < 500; order++)
    jobs.set(`${order}`, { playbook: sandbox.playbooks.succeeds, state: 'wanted' })
  await resume()
  expect(new Set([...jobs.values()].map(({ state }) => state))).toEqual(new Set(['succeeded']))
  expect(sandbox.requests({ operation: 'triggerRun' })).toHaveLength(500)
})

it('a run that is not approved in time, a key that is refused for a while and a run that is gone end the watch of no other row', async () => {
  using service = createTestService()
  const { sandbox, client } = service
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const ends: string[] = []
  const waitForRun: typeof client.waitForRun = async (run, options) => {
    // First nobody approves, then the key is refused, and then somebody approves.
    if (run === jobs.get('1')?.run && ends.length === 1) sandbox.inject({ run, status: 403, untilCleared: true })
    if (run === jobs.get('1')?.run && ends.length === 2) {
      sandbox.clearFaults()
      sandbox.approve(run as string)
    }
    return client.waitForRun(run, options).catch((error) => {
      if (run === jobs.get('1')?.run) ends.push(error.name)
      throw error
    })
  }
  const { jobs, resume } = await guideWith({ ...client, waitForRun })
  jobs.set('1', { playbook: sandbox.playbooks.needsApproval, state: 'wanted' })
  jobs.set('2', { playbook: sandbox.playbooks.succeeds, state: 'wanted' })
  jobs.set('3', { playbook: sandbox.playbooks.slow, state: 'running', run: 'run_gone' })
  await resume()
  expect([...jobs.values()].map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'unknown'])
  expect(ends).toEqual(['RunTimeoutError', 'PermissionError'])
  expect(logged).toHaveBeenCalledTimes(1)
  logged.mockRestore()
})
