import { expect, it } from 'vitest'
import openapi from '../../generated/openapi.json' with { type: 'json' }
import type { Json } from '../../scripts/contract/index.js'
import type { Playbook, Run } from '../../src/index.js'
import { validateResponse } from '../../src/validators/index.js'
import { listOf, OTHER_UNKNOWN_STATUS, UNKNOWN_STATUS } from '../support/fixtures.js'
import { type Outgoing, seenOf, wrongService } from './wrong-service.js'

const entries: Json[] = (openapi as Json)['x-basis-register']

/** Assumptions that are stated by now; nothing is said of them. */
const retired = new Set<string>(entries.filter(({ replacedBy }) => replacedBy).map(({ id }) => id))

/** What the register says that a user sees when an assumption is wrong. */
const sentences = new Map<string, string>(
  entries
    .filter(({ kind, replacedBy }: Json) => kind === 'assumed' && !replacedBy)
    .map(({ id, ifWrong }: Json) => [id, ifWrong]),
)

type Trial = () => Promise<unknown>

/** A service that differs in one way, and what a user of the client does. */
const trial =
  (
    change: (response: Outgoing, number: number) => void,
    use: (service: Awaited<ReturnType<typeof wrongService>>) => Promise<unknown>,
    options: Parameters<typeof wrongService>[1] = {},
  ): Trial =>
  async () =>
    use(await wrongService(change, { retry: false, ...options }))

const isTrigger = ({ method }: Outgoing) => method === 'POST'
const onTrigger = (change: (body: Json, response: Outgoing) => void) => (response: Outgoing) => {
  if (isTrigger(response)) change(response.body, response)
}
const onRun = (change: (run: Json, response: Outgoing) => void) => (response: Outgoing) => {
  if (response.path.startsWith('/runs/') && response.status === 200) change(response.body, response)
}
const onList = (change: (list: Json, response: Outgoing) => void) => (response: Outgoing) => {
  if (response.path === '/playbooks') change(response.body, response)
}
const refuse = (response: Outgoing, status: number, body: Json = { error: 'no', message: 'No.' }) =>
  Object.assign(response, { status, body })

const collect = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
  const all: unknown[] = []
  try {
    for await (const item of items) all.push((item as Playbook).id)
  } catch (error) {
    all.push((error as Error).name)
  }
  return all
}
const run = async ({ client, playbooks }: Awaited<ReturnType<typeof wrongService>>): Promise<Run> => {
  const { id } = await client.triggerRun(playbooks.succeeds, { inputs: {} })
  return client.waitForRun(id, { timeout: 2_000 })
}
const ALL = ['pb_7hQ2vn', 'pb_3kX9wq', 'pb_9dL5sa', 'pb_1fT8ye']

/** Each assumption made wrong: what its sentence has to say, the trial, and what a user sees. */
const TRIALS: Record<string, [says: RegExp, seen: unknown, trial: Trial]> = {
  A01: [
    /fields are missing, or of another type/,
    { plan: 'pro' },
    trial(
      (it) => {
        it.body = { plan: 'pro' }
      },
      ({ client }) => client.getCurrentWorkspace(),
      { validate: validateResponse },
    ),
  ],
  A02: [
    /fields are missing, or of another type.* or the playbook has fields/,
    { id: 'pb_7hQ2vn', title: 'Welcome' },
    trial(
      onList(({ data }) => (data[0] = { id: data[0].id, title: 'Welcome' })),
      async ({ client }) => (await client.listPlaybooks()).data[0],
      { validate: validateResponse },
    ),
  ],
  A03: [
    /fields are missing, or of another type, or the provider has fields/,
    { key: 'crm' },
    trial(
      (it) => {
        if (it.path === '/providers') it.body.data[0] = { key: 'crm' }
      },
      async ({ client }) => (await client.listProviders()).data[0],
      { validate: validateResponse },
    ),
  ],
  A05: [
    /polled until the caller's timeout/,
    expect.stringMatching(/^RunTimeoutError: .*"?completed"?.*not know/is),
    trial(
      onRun((it) => {
        it.status = 'completed'
      }),
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.succeeds, { inputs: {} })
        return seenOf(client.waitForRun(id, { timeout: 1_000 }))
      },
    ),
  ],
  A06: [
    /passed through unchanged/,
    UNKNOWN_STATUS,
    trial(
      onRun((it) => {
        it.steps[0].status = UNKNOWN_STATUS
      }),
      async ({ client }) => (await client.getRun('run_8Zt4Lm2c')).steps[0]?.status,
    ),
  ],
  A07: [
    /stops watching a run that continues/,
    'failed',
    trial(
      onRun((it) => {
        it.status = 'failed'
      }),
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.succeeds, { inputs: {} })
        return (await client.waitForRun(id)).status
      },
    ),
  ],
  A09: [
    /still works, because it reads the steps; the run has an unknown status/,
    OTHER_UNKNOWN_STATUS,
    trial(
      onRun((it) => {
        if (it.steps.some(({ status }: Json) => status === 'waiting_approval')) it.status = OTHER_UNKNOWN_STATUS
      }),
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.needsApproval, { inputs: {} })
        return (await client.waitForRun(id, { until: 'approval' })).status
      },
    ),
  ],
  A11: [
    /steps has more entries/,
    'planned',
    trial(
      onRun((it) => it.steps.push({ id: 'later', status: 'planned' })),
      async ({ client }) => (await client.getRun('run_8Zt4Lm2c')).steps.at(-1)?.status,
    ),
  ],
  A12: [
    /has another 2xx\. The client, the validators, the cache and the service kit take every 2xx alike/,
    [203, 203, [], 1],
    trial(
      (it) => {
        it.status = 203
      },
      async ({ client, server }) => {
        const { response, data } = await client.withResponse.listPlaybooks()
        const again = await client.withResponse.listPlaybooks()
        const problems = validateResponse('listPlaybooks', { status: 203, body: data })
        return [response.status, again.response.status, problems, server.seen.length]
      },
      { validate: validateResponse },
    ),
  ],
  A13: [
    /has another 2xx\. The client, the validators and the service kit/,
    ['succeeded', []],
    trial(
      onTrigger((_, it) => (it.status = 202)),
      async (service) => [(await run(service)).status, validateResponse('triggerRun', { status: 202, body: {} })],
      { validate: validateResponse },
    ),
  ],
  A14: [
    /run has started, and fields are missing or of another type, or the response has no body/,
    'succeeded',
    trial(
      onTrigger((body, it) => (it.body = { id: body.id })),
      async (service) => (await run(service)).status,
      { validate: validateResponse },
    ),
  ],
  A15: [
    /sends the first page again.*or refuses them.*yields no item twice.*without parameters works as before/s,
    [[...ALL.slice(0, 3), 'PaginationError'], 3],
    trial(
      onList((list) => {
        list.data = list.data.slice(0, 3)
        list.meta = { total: 4, page: 1, per_page: 3 }
      }),
      async ({ client }) => [
        await collect(client.paginate('listPlaybooks')),
        (await client.listPlaybooks()).data.length,
      ],
    ),
  ],
  A16: [
    /paginate follows the number in meta/,
    ALL,
    trial(
      onList((list, { query }) => {
        const page = Number(query.get('page') ?? 0)
        list.data = ALL.slice(page * 2, page * 2 + 2).map((id) => ({ id }))
        list.meta = { total: 4, page, per_page: 2 }
      }),
      ({ client }) => collect(client.paginate('listPlaybooks')),
    ),
  ],
  A17: [
    /no code unless error is a string.*the reason where another usual shape shows one, and otherwise the status alone/s,
    [undefined, expect.stringContaining('The key may not read.'), expect.stringMatching(/403/)],
    trial(
      (it, number) => refuse(it, 403, number === 0 ? { error: { message: 'The key may not read.' } } : 7),
      async ({ client }) => {
        const error = await client.getRun('run_1').catch((reason) => reason)
        return [error.code, error.message, String(await seenOf(client.getRun('run_1')))]
      },
    ),
  ],
  A18: [
    /throws another error, most likely for 401 or 402/,
    expect.stringMatching(/402/),
    trial(
      (it) => refuse(it, 402),
      ({ client }) => seenOf(client.getCurrentWorkspace()),
    ),
  ],
  A19: [
    /receives a 429 although it stays within the plan, waits as the 429 asks and continues/s,
    'Acme Operations',
    trial(
      (it, number) => {
        if (number > 0) return
        refuse(it, 429, { error: 'rate_limit_exceeded', message: '60 requests per minute.', retry_after: 0 })
        it.headers['retry-after'] = '0'
      },
      async ({ client }) => (await client.getCurrentWorkspace()).name,
      { plan: 'pro', retry: {} },
    ),
  ],
  A20: [
    /succeeds although its header is wrong, or fails with another status/,
    expect.stringMatching(/406/),
    trial(
      (it) => refuse(it, 406),
      ({ client }) => seenOf(client.getCurrentWorkspace({ serviceVersion: '2020-01-01' })),
    ),
  ],
  A21: [
    /takes a property that the types do not name/,
    'succeeded',
    trial(
      () => {},
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.succeeds, { inputs: {}, priority: 'high' } as never)
        return (await client.waitForRun(id)).status
      },
    ),
  ],
  A22: [
    /refused with another status, or the run starts and fails later/,
    [expect.stringMatching(/422/), 1],
    trial(
      onTrigger((_, it) => refuse(it, 422)),
      async ({ client, playbooks, server }) => [
        await seenOf(client.triggerRun(playbooks.succeeds, { inputs: { order: '' } })),
        server.seen.length,
      ],
      { retry: {} },
    ),
  ],
  A24: [
    /code of a typed error has another value/,
    'NOT_FOUND',
    trial(
      (it) => refuse(it, 404, { error: 'NOT_FOUND' }),
      async ({ client }) => (await client.getRun('run_1').catch((error) => error)).code,
    ),
  ],
  A25: [
    /throws another error, most likely for 403/,
    expect.stringMatching(/^PermissionError/),
    trial(
      (it) => refuse(it, 403),
      ({ client }) => seenOf(client.getRun('run_of_another')),
    ),
  ],
  A27: [
    /Nothing changes/,
    [],
    trial(
      () => {},
      async ({ client }) => validateResponse('getRun', { status: 200, body: await client.getRun('run_8Zt4Lm2c') }),
    ),
  ],
  A28: [
    /value is valid, and code that parses it with a date library may fail/,
    [[], true],
    trial(
      onRun((it) => {
        it.started_at = '20261121T093000Z'
      }),
      async ({ client }) => {
        const body = await client.getRun('run_8Zt4Lm2c')
        return [validateResponse('getRun', { status: 200, body }), Number.isNaN(Date.parse(body.started_at))]
      },
      { validate: validateResponse },
    ),
  ],
  A29: [
    /JSON under another media type.*read every media type that ends with \+json alike/s,
    ['succeeded', 1, 'Acme Operations'],
    trial(
      (it) => {
        it.headers['content-type'] = 'application/vnd.example+json'
      },
      async (service) => [
        (await run(service)).status,
        service.started.length,
        (await service.client.GET('/workspaces/me')).data?.name,
      ],
      { validate: validateResponse },
    ),
  ],
  A30: [
    /client passes the entry on unchanged, and triggers with any id that it is given/,
    ['pb_7hQ2vn', 'succeeded'],
    trial(
      onList((list) => {
        list.data = list.data.map(({ id, ...rest }: Json) => ({ playbook_id: id, ...rest }))
      }),
      async (service) => {
        const [first] = (await service.client.listPlaybooks()).data as Json[]
        return [first.playbook_id, (await run(service)).status]
      },
      { validate: validateResponse },
    ),
  ],
  A31: [
    /run has started\. triggerRun takes its id from run_id/,
    [expect.any(String), expect.stringMatching(/^MissingRunIdError: The run was started, but/), 2],
    trial(
      (it, number) => {
        if (isTrigger(it)) it.body = number === 0 ? { run: { id: it.body.id } } : {}
      },
      async ({ client, playbooks, started }) => [
        (await client.triggerRun(playbooks.succeeds, { inputs: {} })).id,
        await seenOf(client.triggerRun(playbooks.succeeds, { inputs: {} })),
        started.length,
      ],
      { retry: {} },
    ),
  ],
  A32: [
    /yields what it receives, and then throws an error that says what did not fit/,
    [...ALL, 'PaginationError'],
    trial(
      onList((list) => (list.meta.total = 2)),
      ({ client }) => collect(client.paginate('listPlaybooks')),
    ),
  ],
  A33: [
    /cannot read the limit from the message, and waits as long as Retry-After says/,
    'Acme Operations',
    trial(
      (it, number) => {
        if (number > 0) return
        refuse(it, 429, { error: 'rate_limit_exceeded', message: 'Sixty requests per minute.', retry_after: 0 })
        it.headers['retry-after'] = '0'
      },
      async ({ client }) => (await client.getCurrentWorkspace()).name,
      { retry: {} },
    ),
  ],
  A34: [
    /repeats no trigger after a lost connection, so nothing is lost/,
    [expect.stringMatching(/^ConnectionError/), 1],
    async () => {
      let sent = 0
      const { client, playbooks } = await wrongService(() => {}, {
        fetch: async (url, init) => {
          sent++
          await globalThis.fetch(url as string, init as RequestInit)
          throw new TypeError('fetch failed', { cause: Object.assign(new Error('lost'), { code: 'ECONNRESET' }) })
        },
      })
      return [await seenOf(client.triggerRun(playbooks.succeeds, { inputs: {} })), sent]
    },
  ],
  A35: [
    /passes it on, and refuses an empty id in a path before it sends anything/,
    ['', expect.stringContaining('id'), 1],
    trial(
      onRun((it) => {
        it.status = ''
      }),
      async ({ client, server }) => [
        (await client.getRun('run_8Zt4Lm2c')).status,
        await seenOf(client.getRun('')),
        server.seen.length,
      ],
      { validate: validateResponse },
    ),
  ],
  A36: [
    /throws an error for a list with a negative total.*negative wait/s,
    [[...ALL, 'PaginationError'], 'Acme Operations'],
    trial(
      (it, number) => {
        if (it.path === '/playbooks') it.body.meta.total = -1
        if (it.path !== '/workspaces/me' || number > 1) return
        refuse(it, 429, { error: 'rate_limit_exceeded', message: '60 requests per minute.', retry_after: -1 })
        it.headers['retry-after'] = '-1'
      },
      async ({ client }) => [
        await collect(client.paginate('listPlaybooks')),
        (await client.getCurrentWorkspace()).name,
      ],
      { retry: {} },
    ),
  ],
  A37: [
    /have another size\. Nothing depends on it/,
    ALL,
    trial(
      onList((list, { query }) => {
        const page = Number(query.get('page') ?? 1)
        list.data = ALL.slice(page - 1, page).map((id) => ({ id }))
        list.meta = { total: 4, page, per_page: 1 }
      }),
      ({ client }) => collect(client.paginate('listPlaybooks')),
    ),
  ],
  A43: [
    /not found for a moment\. waitForRun, watchRun and the command wait repeat a 404 .* for ten seconds/,
    'succeeded',
    trial(
      (it, number) => {
        if (it.path.startsWith('/runs/') && number < 3) refuse(it, 404)
      },
      async (service) => (await run(service)).status,
    ),
  ],
  A44: [
    /Nothing changes for the client/,
    ['succeeded', 1],
    trial(
      () => {},
      async (service) => [(await run(service)).status, service.started.length],
    ),
  ],
  A46: [
    /gets another of its errors/,
    expect.stringMatching(/^NotFoundError/),
    trial(
      (it) => refuse(it, 404),
      ({ client }) => seenOf(client.getRun('run_unknown')),
      { apiKey: 'key_that_is_wrong' },
    ),
  ],
  A48: [
    /fails with 404/,
    expect.stringMatching(/^NotFoundError/),
    trial(
      (it) => refuse(it, 404),
      ({ client }) => seenOf(client.getRun('run_old')),
    ),
  ],
  A49: [
    /yields no item twice/,
    [...ALL.slice(0, 3), 'PaginationError'],
    trial(
      onList((list, { query }) => {
        const page = Number(query.get('page') ?? 1)
        list.data = (page === 1 ? ALL.slice(0, 2) : ALL.slice(1, 3)).map((id) => ({ id }))
        list.meta = { total: 4, page, per_page: 2 }
      }),
      ({ client }) => collect(client.paginate('listPlaybooks')),
    ),
  ],
  A50: [
    /passes on the latest value/,
    ['a.1', 'a.2'],
    trial(
      (it, number) => {
        it.body.steps = [{ id: 's', status: 'running', capability: `a.${number + 1}` }]
      },
      async ({ client }) => [
        (await client.getRun('run_8Zt4Lm2c')).steps[0]?.capability,
        (await client.getRun('run_8Zt4Lm2c')).steps[0]?.capability,
      ],
    ),
  ],
  A51: [
    /passes on the latest value/,
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:01Z'],
    trial(
      (it, number) => {
        it.body.started_at = `2026-11-21T09:30:0${number}Z`
      },
      async ({ client }) => [
        (await client.getRun('run_8Zt4Lm2c')).started_at,
        (await client.getRun('run_8Zt4Lm2c')).started_at,
      ],
    ),
  ],
  A52: [
    /succeeds, with a page of the service's choice, or fails with another status/,
    4,
    trial(
      (it) =>
        it.status === 400 &&
        Object.assign(it, {
          status: 200,
          body: listOf(
            ALL.map((id) => ({ id })),
            { total: 4, page: 1, per_page: 20 },
          ),
        }),
      async ({ client }) => (await client.listPlaybooks({ page: 'x' as never })).data.length,
    ),
  ],
  A53: [
    /a waiting step has a capability\. Waiting for an approval works as before/i,
    'running',
    trial(
      onRun((it) => {
        for (const step of it.steps) if (step.status === 'waiting_approval') step.capability = 'mail.ask'
      }),
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.needsApproval, { inputs: {} })
        return (await client.waitForRun(id, { until: 'approval' })).status
      },
      { validate: validateResponse },
    ),
  ],
  A54: [
    /throws the error of the response/,
    expect.stringMatching(/^BadRequestError.*order is required/s),
    trial(
      onTrigger((_, it) => refuse(it, 400, { error: 'bad_request', message: 'order is required' })),
      ({ client, playbooks }) => seenOf(client.triggerRun(playbooks.succeeds, { inputs: {} })),
    ),
  ],
  A55: [
    /fails with an error, which the client throws/,
    expect.stringMatching(/^BadRequestError/),
    trial(
      (it) => refuse(it, 400),
      ({ client }) => seenOf(client.getCurrentWorkspace({ serviceVersion: '2020-01-01' })),
    ),
  ],
  A56: [
    /sends no trigger twice unless the contract calls that safe/,
    [expect.stringMatching(/503/), 1],
    trial(
      onTrigger((_, it) => refuse(it, 503)),
      async ({ client, playbooks, server }) => [
        await seenOf(client.triggerRun(playbooks.succeeds, { inputs: {} })),
        server.seen.length,
      ],
      { retry: {} },
    ),
  ],
  A57: [
    /trigger is accepted and the run waits, or fails later/,
    expect.stringMatching(/^RunTimeoutError/),
    trial(
      onRun((it) => Object.assign(it, { status: UNKNOWN_STATUS, steps: [] })),
      async ({ client, playbooks }) => {
        const { id } = await client.triggerRun(playbooks.succeeds, { inputs: {} })
        return seenOf(client.waitForRun(id, { timeout: 1_000 }))
      },
    ),
  ],
  A59: [
    /lacks a step, or has another one in its place.*the steps of the latest response/s,
    [['s1'], ['s2']],
    trial(
      (it, number) => {
        it.body.steps = [{ id: `s${number + 1}`, status: 'running' }]
      },
      async ({ client }) => [
        (await client.getRun('run_8Zt4Lm2c')).steps.map(({ id }) => id),
        (await client.getRun('run_8Zt4Lm2c')).steps.map(({ id }) => id),
      ],
    ),
  ],
  A60: [
    /treats it as not terminal and waits on/,
    'succeeded',
    trial(
      (it, number) => {
        if (it.path.startsWith('/runs/') && number < 3) it.body.status = 'queued'
      },
      async (service) => (await run(service)).status,
    ),
  ],
  A62: [
    /refuses a key with other characters before it sends anything/,
    expect.stringMatching(/^TypeError: apiKey must be ASCII/),
    () => seenOf(wrongService(() => {}, { apiKey: 'schlüssel' })),
  ],
  A64: [
    /another page or another error\. paginate yields no item twice/,
    ALL,
    trial(
      onList((list) => {
        list.data = ALL.map((id) => ({ id }))
        list.meta = { total: 4, page: 1, per_page: 4 }
      }),
      async ({ client }) =>
        (await collect(client.paginate('listPlaybooks'))).filter((item) => ALL.includes(item as string)),
    ),
  ],
}

/** Assumptions whose sentence says that a client sees nothing, or something outside of the API. */
const NOTHING_TO_SEE: Record<string, string> = {
  A04: 'a look-up that the user makes',
  A08: 'an order of statuses that the client passes on',
  A10: 'a rejection outside of the API',
  A26: 'no response names its release',
  A38: 'events that are not described',
  A39: 'how keys are issued',
  A40: 'names of permissions',
  A41: 'an expired key gets another error, as A17 and A18 do',
  A42: 'a list of releases',
  A45: 'when a limit is met, as for A19',
  A47: 'an operation that is not described',
  A58: 'figures that nothing depends on',
  A61: 'a place for the key that the client does not use',
  A63: 'a method that the client does not send',
}

it.each(Object.entries(TRIALS).filter(([id]) => !retired.has(id)))(
  'when %s is wrong, a user sees what its entry describes',
  async (id, [says, seen, see]) => {
    expect(sentences.get(id)).toMatch(says)
    expect(await see()).toEqual(seen)
  },
)

it('every assumption is made wrong here, or its sentence describes nothing that a client sees', () => {
  const described = [...Object.keys(TRIALS), ...Object.keys(NOTHING_TO_SEE)]
  expect(
    described.filter((id) => !retired.has(id)).sort(),
    'an assumption needs a row in TRIALS, or in NOTHING_TO_SEE',
  ).toEqual([...sentences.keys()].sort())
})
