import { afterEach, describe, expect, it } from 'vitest'
import { examples, workspace } from '../../generated/examples.js'
import { errorStatuses, operations, plans, protocol } from '../../generated/operations.js'
import {
  createSandbox,
  type Fault,
  type RequestFilter,
  type SandboxOptions,
  type World,
  type WorldRun,
} from '../../src/sandbox/index.js'
import { type ListenOptions, listen } from '../../src/sandbox/node.js'
import { VERSION } from '../support/fixtures.js'
import { caller } from './calls.js'
import { endAll, serve } from './ports.js'

afterEach(endAll)

const messageOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
  return 'nothing was thrown'
}

const FAULT_OPTIONS = ['status', 'retryAfter', 'body', 'headers', 'delay', 'drop', 'malformed', 'cutOff', 'after']
const CHOICES = ['operation', 'key', 'run', 'playbook', 'skip', 'probability', 'times', 'untilCleared', 'sequence']
const DELAY = '0 to 2147483647 ms, or [min, max] of these'
const NEEDS = 'it needs status, body, headers, delay, drop, malformed, cutOff or sequence'
const HEADERS = 'headers must be an object of headers, whose names and values are valid in HTTP'

it.each<[fault: object, problem: string]>([
  [{}, NEEDS],
  [{ after: 'effect', retryAfter: 3 }, NEEDS],
  [{ drop: false }, NEEDS],
  [{ status: 199 }, 'status must be an integer from 200 to 599'],
  [{ status: 600 }, 'status must be an integer from 200 to 599'],
  [{ status: 500, retryAfter: -1 }, 'retryAfter must be an integer >= 0, or false for none'],
  [{ body: 10n }, 'body must be a string or a JSON value'],
  [{ body: () => 1 }, 'body must be a string or a JSON value'],
  [{ headers: ['a'] }, HEADERS],
  [{ headers: { 'a b': '1' } }, HEADERS],
  [{ headers: { a: 1 } }, HEADERS],
  [{ headers: { a: 'b\nc' } }, HEADERS],
  [{ delay: -1 }, `delay must be ${DELAY}`],
  [{ delay: 2 ** 31 }, `delay must be ${DELAY}`],
  [{ delay: [2, 1] }, `delay must be ${DELAY}`],
  [{ delay: [1] }, `delay must be ${DELAY}`],
  [{ delay: [1, '2'] }, `delay must be ${DELAY}`],
  [{ delay: [1, 2, 3] }, `delay must be ${DELAY}`],
  [{ drop: 1 }, 'drop must be true or false'],
  [{ malformed: 1 }, 'malformed must be true or false'],
  [{ cutOff: 1 }, 'cutOff must be true or false'],
  [{ status: 500, after: 'cause' }, "after must be 'effect'"],
  [{ status: 500, operation: 'fly' }, `operation must be one of ${Object.keys(operations).join(', ')}`],
  [{ status: 500, time: 3 }, `unknown option "time"; expected one of: ${[...FAULT_OPTIONS, ...CHOICES].join(', ')}`],
  [{ status: 500, operation: 5 }, `operation must be one of ${Object.keys(operations).join(', ')}`],
  [{ status: 500, key: 5 }, 'key must be a string'],
  [{ status: 500, key: 'lost' }, `the world has no key "lost", only ${Object.keys(createSandbox().keys).join(', ')}`],
  [{ status: 500, run: 5 }, 'run must be a string'],
  [{ status: 500, playbook: 5 }, 'playbook must be a string'],
  [{ status: 500, skip: -1 }, 'skip must be an integer >= 0'],
  [{ status: 500, probability: 2 }, 'probability must be a number from 0 to 1'],
  [{ status: 500, probability: -1 }, 'probability must be a number from 0 to 1'],
  [{ status: 500, probability: '0.5' }, 'probability must be a number from 0 to 1'],
  [{ status: 500, times: 0 }, 'times must be an integer >= 1'],
  [{ status: 500, untilCleared: 1 }, 'untilCleared must be true or false'],
  [{ status: 500, untilCleared: true, times: 2 }, 'times and untilCleared cannot be combined'],
  [{ sequence: [] }, 'sequence must be a non-empty list of effects'],
  [{ sequence: { status: 500 } }, 'sequence must be a non-empty list of effects'],
  [{ sequence: [{}], status: 500 }, 'with a sequence, effects go inside it'],
  [
    { sequence: [{ status: 500 }, { status: 7, times: 3 }] },
    `sequence/1/status must be an integer from 200 to 599; unknown option "sequence/1/times"; expected one of: ${FAULT_OPTIONS.join(', ')}`,
  ],
])('the fault %o is refused', (fault, problem) => {
  const sandbox = createSandbox()
  expect(messageOf(() => sandbox.inject(fault as Fault))).toBe(`TypeError: This fault cannot be injected: ${problem}.`)
  expect(sandbox.faults).toEqual([])
})

it.each<object>([
  { status: 200 },
  { status: 599, retryAfter: 0 },
  { body: null },
  { body: '' },
  { headers: {} },
  { delay: 0 },
  { delay: 2 ** 31 - 1 },
  { delay: [0, 0] },
  { cutOff: true, times: Infinity },
  { sequence: [{}], probability: 0 },
  { drop: true, probability: 1, skip: 0, times: 1, untilCleared: false },
])('the fault %o waits', (fault) => {
  const sandbox = createSandbox()
  sandbox.inject(fault)
  expect(sandbox.faults).toHaveLength(1)
})

it('as many faults wait as there is space for, and one that does not wait cannot be removed', () => {
  const sandbox = createSandbox()
  for (let count = 0; count < 1_000; count++) sandbox.inject({ drop: true })
  const refused = 'Error: The faults are too many or too large: clear some of the 1000.'
  expect(messageOf(() => sandbox.inject({ drop: true }))).toBe(refused)
  sandbox.clearFaults()
  expect(messageOf(() => sandbox.inject({ body: 'x'.repeat(2 ** 22) }))).toBe(refused.replace('1000', '0'))
})

const RESTORE = 'restore expects a snapshot from this version of the sandbox'
const FILTER = 'This filter of requests is not valid:'

it.each<[act: (sandbox: ReturnType<typeof createSandbox>) => unknown, message: string]>([
  [(s) => s.restore({} as never), RESTORE],
  ...[
    { version: 2 },
    { time: 5 },
    { runs: [] },
    { faults: null },
    { limits: {} },
    { runs: { count: 0, runs: {} } },
    { faults: { count: 0, waiting: {} } },
    { time: { limits: 0, runs: '0', paused: false } },
    { time: { limits: -1, runs: 0, paused: false } },
  ].map((change): [(sandbox: ReturnType<typeof createSandbox>) => unknown, string] => [
    (s) => s.restore({ ...s.snapshot(), ...change } as never),
    RESTORE,
  ]),
  [(s) => s.onWaiting('call' as never), 'onWaiting expects a function'],
  [(s) => s.requests({ status: 99 }), `${FILTER} status must be an integer from 100 to 599`],
  [
    (s) => s.requests({ key: 5 as never, after: -1 }),
    `${FILTER} key must be the name of a key; after must be an integer >= 0`,
  ],
])('%s is refused with a sentence', (act, message) => {
  expect(messageOf(() => act(createSandbox()))).toBe(`TypeError: ${message}.`)
})

it.each<[change: object, message: string]>([
  [{ playbook_id: 'pb_lost' }, 'The snapshot has a run of the playbook "pb_lost", which the world does not have.'],
  [{ workspace: 'lost' }, 'The snapshot has a run of the playbook "pb_3kX9wq", which the world does not have.'],
  [{ startedSteps: 30 }, 'The snapshot has a run with 30 steps, more than its playbook has.'],
])('a snapshot with a run of another world is refused, and nothing changes: %j', (change, message) => {
  const sandbox = createSandbox()
  const before = sandbox.snapshot()
  const snapshot = structuredClone(before)
  Object.assign(snapshot.runs.runs[0]!, change)
  expect(messageOf(() => sandbox.restore(snapshot))).toBe(`TypeError: ${message}`)
  expect(sandbox.snapshot().runs).toEqual(before.runs)
})

it.each<[filter: RequestFilter, options: object, message: RegExp]>([
  [
    { operation: 'getRun' },
    { timeout: 0 },
    /^No request with \{ operation: "getRun" \} arrived within 0 ms\. No request/,
  ],
  [
    { status: 200, body: undefined },
    { timeout: 1 },
    /^No request with \{ status: 200, body: undefined \} arrived within 1/,
  ],
  [{ opertion: 'getRun' } as never, {}, /unknown option "opertion"/],
  [{}, { timeout: -1 }, /^waitForRequest: timeout must be a number of ms, 0 or more\.$/],
  [{}, { signal: {} }, /^waitForRequest: signal must be an AbortSignal\.$/],
])('a wait for %o with %o ends with a sentence', async (filter, options, message) => {
  await expect(createSandbox().waitForRequest(filter, options)).rejects.toThrow(message)
})

it('a wait lists the last ten requests that came instead', async () => {
  const sandbox = createSandbox()
  for (let count = 0; count < 12; count++) await caller(sandbox)('/providers')
  await caller(sandbox, 'my-own-secret')('/runs/run_0')
  const waiting = sandbox.waitForRequest({ operation: 'triggerRun' }, { timeout: 1 })
  const line = `- GET ${VERSION}/providers (listProviders, key valid): 200`
  await expect(waiting).rejects.toThrow(
    [
      'No request with { operation: "triggerRun" } arrived within 1 ms. The last 10 of 13 that arrived:',
      ...Array(9).fill(line),
      `- GET ${VERSION}/runs/run_0 (getRun, key unknown): 401`,
    ].join('\n'),
  )
})

const statuses = [operations.getRun.success[0], ...errorStatuses.getRun].join(', ')
it.each<[prefer: string, status: number, message?: string]>([
  ['wait=5', 404],
  ['code=404', 404],
  [' Code = "404" ; a, code=500', 404],
  ['code=401, example=missingKey', 401],
  ['code=418', 400, `The header "Prefer" asks for the status 418, but getRun has ${statuses}.`],
  ['code=toString', 400, `The header "Prefer" asks for the status toString, but getRun has ${statuses}.`],
])('with Prefer: %s a run that is unknown gets %i', async (prefer, status, message) => {
  const { body, ...response } = await caller(createSandbox())('/runs/run_0', { prefer })
  expect(response.status).toBe(status)
  if (message) expect(body.message).toBe(message)
})

it('with Prefer an unknown example is refused with those that there are', async () => {
  const { body } = await caller(createSandbox())('/providers', { prefer: 'example=none' })
  const names = Object.keys(examples.listProviders[200]).join(', ')
  expect(body.message).toBe(
    `The header "Prefer" asks for the example "none", but the 200 of listProviders has ${names}.`,
  )
})

/** A playbook that asks for an approval, and one whose second step fails. */
const worldWith = (run: Partial<WorldRun>): World => ({
  shop: {
    workspace,
    keys: { own: { value: 'key_own' } },
    playbooks: {
      asks: { playbook: { id: 'pb_asks' }, steps: [{}, { approval: true }, {}] },
      fails: { playbook: { id: 'pb_fails' }, steps: [{}, { fails: true }, {}] },
    },
    providers: [],
    runs: [{ id: 'run_a', playbook_id: 'pb_asks', started_at: '2026-01-01T00:00:00Z', ...run }],
  },
})
const DECISION = 'decisions/0/step: is not a step that waited for approval and has ended.'
const NO_STEP = 'status: the playbook has no such undecided step.'
const steps = (...statuses: string[]) => statuses.map((status) => ({ status }))
const [approved, rejected] = [true, false].map((approved) => ({ step: 'step_2', approved }))

describe('a run of a world', () => {
  it.each<[run: object, problem: string]>([
    [{ steps: steps('succeeded', 'succeeded', 'succeeded', 'running') }, 'steps/3: the playbook has only 3 steps.'],
    [{ steps: steps('running', 'running') }, 'steps/0/status: must be succeeded there.'],
    [{ steps: steps('succeeded', 'running') }, 'steps/1/status: must be waiting_approval there.'],
    [
      { steps: steps('succeeded', 'waiting_approval'), status: 'succeeded' },
      'status: must be running or waiting_approval, as its steps are.',
    ],
    [{ steps: steps('running'), status: 'succeeded' }, 'status: must be running, as its steps are.'],
    [{ steps: steps('succeeded', 'failed'), status: 'running' }, 'status: must be failed, as its steps are.'],
    [
      { steps: steps('succeeded', 'succeeded', 'succeeded'), status: 'running' },
      'status: must be succeeded, as its steps are.',
    ],
    [{ steps: steps('running'), decisions: [approved] }, DECISION],
    [{ steps: steps('succeeded', 'succeeded'), decisions: [{ step: 'step_1', approved: true }] }, DECISION],
    [
      { steps: steps('succeeded', 'succeeded'), decisions: [rejected] },
      'decisions/0/approved: must be true, as its steps are.',
    ],
    [
      { steps: steps('succeeded', 'failed'), decisions: [approved] },
      'decisions/0/approved: must be false, as its steps are.',
    ],
    [{ status: 'waiting_approval', decisions: [approved] }, NO_STEP],
    [{ status: 'waiting_approval', playbook_id: 'pb_fails' }, NO_STEP],
    [{ status: 'succeeded', playbook_id: 'pb_fails' }, 'status: the step step_2 of the playbook fails.'],
    [
      { steps: steps('succeeded', 'failed', 'running'), playbook_id: 'pb_fails' },
      'status: the step step_2 of the playbook fails.',
    ],
  ])('that says %j is refused', (run, problem) => {
    const create = () => createSandbox({ world: worldWith(run) })
    expect(messageOf(create)).toBe(`InvalidWorldError: The world is not valid:\n- /shop/runs/0/${problem}`)
  })

  it('that has failed is refused where no step fails or asks', () => {
    const world = worldWith({ status: 'failed' })
    Object.assign(world.shop!.playbooks.asks!, { steps: [{}] })
    expect(messageOf(() => createSandbox({ world }))).toContain(
      'status: no step of the playbook fails, or can be rejected.',
    )
  })

  it.each<[run: object, status: string, steps: string[]]>([
    [{ status: 'succeeded' }, 'succeeded', ['succeeded', 'succeeded', 'succeeded']],
    [{ status: 'waiting_approval' }, 'running', ['succeeded', 'waiting_approval']],
    [{ status: 'failed' }, 'failed', ['succeeded', 'failed']],
    [{ status: 'failed', decisions: [rejected] }, 'failed', ['succeeded', 'failed']],
    [{ decisions: [rejected] }, 'failed', ['succeeded', 'failed']],
    [{ decisions: [approved] }, 'running', ['succeeded', 'succeeded', 'running']],
    [{ status: 'failed', playbook_id: 'pb_fails' }, 'failed', ['succeeded', 'failed']],
    [{ steps: steps('succeeded', 'waiting_approval') }, 'running', ['succeeded', 'waiting_approval']],
    [
      { steps: steps('succeeded', 'waiting_approval'), status: 'waiting_approval' },
      'running',
      ['succeeded', 'waiting_approval'],
    ],
    [
      { steps: steps('succeeded', 'succeeded', 'succeeded'), status: 'succeeded', decisions: [approved] },
      'succeeded',
      ['succeeded', 'succeeded', 'succeeded'],
    ],
    [
      { steps: steps('succeeded', 'failed'), status: 'failed', decisions: [rejected] },
      'failed',
      ['succeeded', 'failed'],
    ],
  ])('that says %j stands there', async (run, status, expected) => {
    const sandbox = createSandbox({
      world: worldWith(run),
      progress: 'clock',
      clock: { now: () => Date.parse('2026-01-01T00:00:10Z') },
    })
    sandbox.pause()
    const { body } = await caller(sandbox, 'key_own')('/runs/run_a')
    expect([body.status, body.steps.map((each: { status: string }) => each.status)]).toEqual([status, expected])
  })
})

it.each<[options: object, message: string]>([
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535'],
  [{ host: '' }, 'host must be an address or a name'],
  [{ host: 5 }, 'host must be an address or a name'],
  [{ control: 1 }, 'control must be true or false'],
  [{ controlToken: ' a' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: '' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: 'a\n' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: 5 }, 'controlToken must be visible ASCII text'],
  ...[
    'dev.box',
    ['http://dev.box'],
    ['dev.box:8080'],
    ['*.dev.box'],
    [''],
    ['a/b'],
    ['dev.box', 'a/b'],
    [['dev.box']],
  ].map((allowedHosts): [object, string] => [
    { allowedHosts },
    'allowedHosts must be a list of names or addresses, without scheme, port and wildcard, such as dev.example',
  ]),
  [{ requireWorld: 1 }, 'requireWorld must be true or false'],
  [{ maxWorlds: 0 }, 'maxWorlds must be an integer >= 1'],
  [{ onRequest: 1 }, 'onRequest must be a function'],
  [null as never, 'the options must be an object'],
])('listen refuses %j', async (options, message) => {
  await expect(listen(createSandbox(), options as ListenOptions)).rejects.toThrow(new TypeError(`listen: ${message}.`))
})

it('what is no sandbox cannot be listened to', async () => {
  await expect(listen({} as never)).rejects.toThrow('This is not a sandbox. Create one with createSandbox.')
})

describe('the control interface', () => {
  const ERRORS: Record<number, string> = {
    400: 'bad_request',
    404: 'not_found',
    405: 'method_not_allowed',
    408: 'timeout',
  }
  const NO_RUN = 'There is no run with the id "run_0" in the sandbox.'
  const NAME = `A world's name must have 1 to 64 letters, digits, ".", "_" or "-", must not be "." or "..", and cannot be "a%20b".`
  const OPTIONS =
    'A world has no option sed, fly; expected one of: seed, plan, progress, speed, startTime, chaos, world.'

  it.each<[request: string, body: string | undefined, status: number, message: string]>([
    ['POST inject', '[]', 400, 'The body must be a JSON object.'],
    ['POST inject', 'null', 400, 'The body must be a JSON object.'],
    ['POST inject', '5', 400, 'The body must be a JSON object.'],
    ['POST advance', '{"ms":1,"s":2}', 400, 'The body: unknown option "s"; expected one of: ms.'],
    ['POST time', '{"at":1}', 400, 'The body: unknown option "at"; expected one of: time.'],
    ['GET runs/run_0', undefined, 404, NO_RUN],
    ['DELETE faults/7', undefined, 400, 'There is no fault 7.'],
    ['POST runs/%/approve', '', 400, NO_RUN.replace('run_0', '%')],
    ['POST runs/run_0/approve', '', 400, NO_RUN],
    ['GET requests?limit=x', undefined, 400, 'The query parameter "limit" must be an integer, but is "x".'],
    ['GET requests?status=-1', undefined, 400, 'The query parameter "status" must be an integer, but is "-1".'],
    [
      'GET requests/next?timeout=1',
      undefined,
      408,
      'No request with { after: 0 } arrived within 1 ms. No request arrived.',
    ],
    ['PUT ../w/a b', '{}', 400, NAME],
    ['PUT ../w/one', '{"sed":1,"fly":2}', 400, OPTIONS],
    ['POST ../w/default', '{}', 405, 'A world supports PUT, GET and DELETE.'],
  ])('the control interface responds to %s %s with a %i', async (request, body, status, message) => {
    const server = await serve()
    await server.world('default')
    const [method, path] = request.split(/ (.*)/)
    const response = await fetch(new URL(`/__sandbox/${path}`, server.url), { method: method!, body: body ?? null })
    expect([response.status, await response.json()]).toEqual([status, { error: ERRORS[status], message }])
  })

  it('the control interface lists its commands to whom asks for another', async () => {
    const server = await serve()
    const get = async (path: string) => (await fetch(`${server.url}/__sandbox/${path}`)).json()
    const { message, commands } = await get('')
    expect(message).toBe('The control interface of the sandbox.')
    expect(commands.slice(0, 3)).toEqual(['GET events', 'GET health', 'GET keys'])
    const known = `Unknown command; expected one of: ${commands.join(', ')}.`
    expect(await get('fly')).toEqual({ error: 'not_found', message: known })
  })

  const { versionSegment } = protocol
  it.each<[path: string, options: ListenOptions, error: string, message: string]>([
    ['/__sandbox/state', { control: false }, 'not_found', 'The control interface is off.'],
    [
      '/__sandbox/state',
      { controlToken: 'secret' },
      'unauthorized',
      'The control token is missing or wrong. Send the token that the sandbox printed when it started as Authorization: Bearer.',
    ],
    [
      `${versionSegment}/providers`,
      { requireWorld: true },
      'world_required',
      `Each test needs its own world: send requests to /w/<name>${versionSegment}, or a key such as key_valid.<name>.`,
    ],
    ['/w/one', {}, 'world_not_found', 'There is no world "one". Create it with PUT /w/one.'],
  ])('a GET of %s from a server with %j is refused with a sentence', async (path, options, error, message) => {
    const { url } = await serve(options)
    expect(await (await fetch(url + path)).json()).toEqual({ error, message })
  })

  it('the control interface says to a page of another origin how to get to the console', async () => {
    const { url } = await serve()
    const response = await fetch(`${url}/__sandbox/state`, { headers: { origin: 'https://a.example' } })
    expect(await response.json()).toEqual({
      error: 'forbidden',
      message:
        'A page of another origin may not control the sandbox. If you followed a link to the console, paste its address into the address bar of the browser instead.',
    })
  })

  it('a world that is gone says why', async () => {
    const server = await serve({ maxWorlds: 1 })
    const get = async (name: string) => (await fetch(`${server.url}/w/${name}`)).json()
    await server.world('one')
    await server.world('two')
    expect(await get('one')).toEqual({
      error: 'world_gone',
      message:
        'The world "one" was evicted, because it was the least recently used of more than 1 worlds (--max-worlds). Raise the limit, or delete worlds with DELETE.',
    })
    await fetch(`${server.url}/w/two`, { method: 'DELETE' })
    const message = 'The world "two" was deleted. Make it again with PUT.'
    expect(await get('two')).toEqual({ error: 'world_gone', message })
  })
})

const PLANS = `plan must be ${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }, the rate above 0 and the burst at least 0`
const SEEDS = 'seed must be an integer from -9007199254740991 to 9007199254740991'

it.each<[options: unknown, problem: string]>([
  [null, 'the options must be an object'],
  [{ clock: {} }, 'clock must be an object with now()'],
  [{ clock: null }, 'clock must be an object with now()'],
  [{ handlers: null }, 'handlers must be an object'],
  [{ handlers: { fly: () => ({}) } }, 'handlers.fly: the contract has no such operation'],
  [{ handlers: { getRun: {} } }, 'handlers.getRun must be a function'],
  [{ seed: 1.5 }, SEEDS],
  [{ seed: 1e300 }, SEEDS],
  [{ plan: 'gold' }, PLANS],
  [{ plan: { requestsPerMinute: 0, burst: 1 } }, PLANS],
  [{ plan: { requestsPerMinute: Infinity, burst: 1 } }, PLANS],
  [{ progress: 'magic' }, "progress must be 'poll' or 'clock'"],
  [{ speed: 0 }, 'speed must be above 0'],
  ...[2, -1, '1'].map((chaos): [object, string] => [{ chaos }, 'chaos must be a number from 0 to 1']),
  [{ startTime: 'soon' }, 'startTime must be a time from 1970 to 9999, such as 2030-01-01T00:00:00Z'],
  [{ maxRuns: 0 }, 'maxRuns must be an integer >= 1'],
  [{ maxRequests: 0 }, 'maxRequests must be an integer >= 1'],
])('createSandbox refuses %j with a sentence', (options, problem) => {
  expect(messageOf(() => createSandbox(options as SandboxOptions))).toBe(`TypeError: createSandbox: ${problem}.`)
})

it('createSandbox names an option that there is not, and those that there are', () => {
  expect(() => createSandbox({ sed: 1 } as never)).toThrow('unknown option "sed"; expected one of: seed, plan, ')
})
