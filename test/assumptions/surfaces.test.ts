import { expect, it, onTestFinished, vi } from 'vitest'
import { schemaNodes } from '../../generated/contract.js'
import { run } from '../../generated/examples.js'
import openapi from '../../generated/openapi.json' with { type: 'json' }
import type { Json } from '../../scripts/contract/index.js'
import { type ContractMismatchError, createClient, createFetch, type OperationId } from '../../src/index.js'
import { checkTraffic } from '../../src/tools/conformance/index.js'
import { createSandbox, type World } from '../../src/tools/sandbox/index.js'
import { validateResponse } from '../../src/validators/index.js'
import { inputs, ok, ROWS, type Row, register, serviceOf } from './rows.js'
import { seenOf } from './wrong-service.js'

/** Assumptions of a response that no body can contradict alone. */
const NOT_IN_A_BODY: Record<string, string> = {
  A04: 'what a capability refers to, which only the user looks up',
}

/** What a world of a sandbox does not hold, by the operation or the assumption, and why. */
const NOT_IN_A_WORLD: Record<string, string> = {
  getRun:
    'a run goes on by the transitions of the sandbox, so that a world has its statuses and times as the contract has them',
  triggerRun: 'the sandbox makes the run that a trigger starts',
  authenticate: 'the sandbox knows a key, or responds with 401',
  A15: 'the sandbox makes the pages',
  A20: 'the sandbox chooses the status',
  A29: 'the sandbox chooses the media type',
  A30: 'a run names its playbook, so that a playbook of a world has an id',
  A32: 'the sandbox counts the items',
  A46: 'the sandbox chooses the status',
  A52: 'the sandbox chooses the status',
}

const ifWrong = new Map<string, string>(register.map((each) => [each.id, each.ifWrong]))

const options = (baseUrl: string) => ({ baseUrl, apiKey: 'wk_test', allowHttp: true, retry: false })

it.each(ROWS)('$wrong: the kit sends what a handler returns, and a client with validate passes it on', async (row) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const { baseUrl, onError } = await serviceOf(row)
  const onMismatch = vi.fn<(mismatch: ContractMismatchError) => void>()
  const reporting = createClient({
    ...options(baseUrl),
    validate: validateResponse,
    onMismatch,
    polling: { minInterval: 10, maxInterval: 20 },
  })
  expect(await row.use(reporting)).toEqual(row.seen)
  const problems = onMismatch.mock.calls.flatMap(([mismatch]) => mismatch.problems)
  expect(problems.map(({ pointer }) => pointer)).toEqual(row.reported ?? [])
  expect(problems.filter(({ assumed }) => !assumed)).toEqual([])
  expect(onError).not.toHaveBeenCalled()
})

it.each(ROWS)('$wrong: a client whose validate throws by default sees the same', async (row) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const { baseUrl } = await serviceOf(row)
  const throwing = createClient({
    ...options(baseUrl),
    validate: validateResponse,
    polling: { minInterval: 10, maxInterval: 20 },
  })
  expect(await row.use(throwing)).toEqual(row.seen)
})

it.each(ROWS.filter(({ wrong }) => /A1[478]/.test(wrong)))('$wrong: in production, too', async (row) => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { baseUrl, onError } = await serviceOf(row)
  expect(await row.use(createClient(options(baseUrl)))).toEqual(row.seen)
  expect(onError).not.toHaveBeenCalled()
})

it.each(ROWS)('$wrong: createFetch returns what the service sends', async (row) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const { baseUrl, sent } = await serviceOf(row)
  const fetch = createFetch(options(baseUrl))
  const { paths } = openapi as Json
  for (const [path, item] of Object.entries<Json>(paths))
    for (const [method, { operationId }] of Object.entries<Json>(item)) {
      if (!row.handlers[operationId as OperationId]) continue
      const init = method === 'post' ? { method: 'POST', body: JSON.stringify(inputs) } : {}
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${baseUrl}${path.replace('{id}', 'run_9')}`, { ...init, headers })
      expect([response.status, await response.text()]).toEqual(sent.at(-1))
    }
})

it.each(ROWS)('$wrong: a recording of it fails nothing', async (row) => {
  const { baseUrl, har } = await serviceOf(row)
  await row.use(createClient({ ...options(baseUrl), polling: { minInterval: 10, maxInterval: 20 } }))
  const report = await checkTraffic({ har, baseUrl })
  expect(report.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})

it.each(ROWS)('$wrong: a sandbox is made to respond so, and a client sees what the service would show', async (row) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  const sandbox = createSandbox({ plan: false })
  const { authenticate, ...operations } = row.handlers
  // Else the sandbox says that the minute has to end first.
  const headers = { 'retry-after': '0' }
  const effect = (response: Json) => ({
    ...{ body: '', status: 200, ...response, after: 'effect' as const },
    ...(response.status === 429 && { headers }),
  })
  if (authenticate) sandbox.inject({ ...effect(authenticate('', 0)), untilCleared: true })
  for (const [operation, respond] of Object.entries(operations))
    sandbox.inject({
      operation: operation as OperationId,
      sequence: Array.from({ length: 20 }, (_, number) => effect(respond(run.id, number))),
    })
  const client = createClient({
    ...options(sandbox.baseUrl),
    apiKey: sandbox.keys.valid,
    fetch: sandbox.fetch,
    polling: { minInterval: 10, maxInterval: 20 },
  })
  expect(await row.use(client)).toEqual(row.seen)
})

const reasonOf = ({ wrong, handlers }: Row) =>
  [...wrong.split(' '), ...Object.keys(handlers)].find((each) => each in NOT_IN_A_WORLD)

it.each(ROWS.filter((row) => !reasonOf(row)))('$wrong: a world of a sandbox may have it so', async (row) => {
  const plain = { workspace: {}, keys: { mine: { value: 'wk_test' } }, playbooks: {}, providers: [] }
  expect(row.world, 'a row needs a world, or a reason in NOT_IN_A_WORLD').toBeDefined()
  const sandbox = createSandbox({ plan: false, world: { own: { ...plain, ...row.world } } })
  expect(await row.use(createClient({ ...options(sandbox.baseUrl), fetch: sandbox.fetch }))).toEqual(row.seen)
})

it('A04: a step of a world may name its provider by another property than its id, and no provider that is not there', () => {
  const worldOf = (capability: string): World => ({
    own: {
      workspace: {},
      keys: { mine: { value: 'wk_test' } },
      playbooks: { one: { playbook: { id: 'pb_1' }, steps: [{ capability }] } },
      providers: [{ id: 'prov_1', slug: 'crm' }],
    },
  })
  expect(() => createSandbox({ world: worldOf('crm.add') })).not.toThrow()
  expect(() => createSandbox({ world: worldOf('mail.send') })).toThrow('names the provider "mail"')
})

it('each assumption about a body has a row, and its sentence says what the row shows', async () => {
  const inSchemas = Object.values(schemaNodes).flatMap(({ basis, properties = {}, values = {}, transitions = [] }) => [
    ...basis,
    ...Object.values(properties).flatMap((property) => property.basis ?? []),
    ...Object.values(values).flat(),
    ...transitions,
  ])
  const shown = ROWS.flatMap(({ wrong }) => wrong.split(' '))
  // Of requests: the body of a trigger.
  const ofRequests = ['A21', 'A54']
  const missing = inSchemas.filter(
    (id) => id.startsWith('A') && ![...shown, ...ofRequests, ...Object.keys(NOT_IN_A_BODY)].includes(id),
  )
  expect([...new Set(missing)], 'an assumption about a body needs a row in ALL, or in NOT_IN_A_BODY').toEqual([])
  for (const { wrong, says } of ROWS)
    expect(
      wrong
        .split(' ')
        .map((id) => ifWrong.get(id))
        .join(' '),
    ).toMatch(says)
})

it('A21: more than inputs in the body of a trigger is not refused', async () => {
  const { baseUrl } = await serviceOf({ handlers: { triggerRun: ok({ id: 'run_9' }, 201) } })
  const client = createClient({ ...options(baseUrl), validate: validateResponse })
  expect(await seenOf(client.triggerRun('pb_1', { ...inputs, priority: 1 } as never))).toEqual({ id: 'run_9' })
})
