import { describe, expect, it } from 'vitest'
import { plans } from '../../generated/contract.js'
import {
  type Client,
  type ClientOptions,
  createClient,
  createRateLimiter,
  type WaitForRunOptions,
} from '../../src/index.js'
import { createTestClock } from '../../src/tools/testing/clock.js'
import { validateResponse } from '../../src/validators/index.js'
import { UNKNOWN_STATUS, VERSION } from '../support/fixtures.js'
import { RUN, rejection } from '../support/server.js'
import { inVirtualTime, withoutJitter } from '../support/virtual-time.js'

withoutJitter()

const PLANS = Object.entries(plans).flatMap(([id, { apiAccess }]) => (apiAccess ? [`'${id}'`] : []))
const OF_CALLS = 'signal, serviceVersion, headers, timeout, totalTimeout, retry, cache'
const OF_CLIENT =
  'serviceVersion, headers, timeout, totalTimeout, retry, cache, baseUrl, apiKey, plan, workspace, rateLimiter, fetch, maxResponseSize, clock, allowHttp, onRequest, onResponse, onRetry, onWait, onDeprecation, polling, validate, onMismatch, onUnknownStatus'

const make = (options: object) => createClient({ baseUrl: `http://localhost${VERSION}`, apiKey: 'wk_1', ...options })

it.each<[object, string]>([
  [{ apiKey: '' }, 'apiKey is missing: set it to the key of your workspace.'],
  [{ apiKey: 'wk 1' }, 'apiKey must be ASCII without whitespace, quotes or "Bearer".'],
  ...[undefined, VERSION, `api.example.com${VERSION}`].map((baseUrl): [object, string] => [
    { baseUrl },
    'baseUrl must be a complete address.',
  ]),
  ...[
    `https://me:secret@localhost${VERSION}`,
    `https://localhost${VERSION}#top`,
    `https://localhost${VERSION}?x=1`,
  ].map((baseUrl): [object, string] => [{ baseUrl }, 'baseUrl must have neither a user, a query nor a fragment.']),
  ...['example.com', 'evillocalhost', 'localhost.example', '128.0.0.1', '127.evil.com'].map(
    (host): [object, string] => [
      { baseUrl: `http://${host}${VERSION}` },
      'baseUrl must begin with https://, unless plain HTTP is allowed (allowHttp, or --allow-http in a terminal).',
    ],
  ),
  [
    { baseUrl: `ftp://localhost${VERSION}` },
    'baseUrl must begin with https://, unless plain HTTP is allowed (allowHttp, or --allow-http in a terminal).',
  ],
  [{ baseUrl: 'https://example.com' }, `baseUrl must end in ${VERSION}.`],
  [{ baseUrl: `https://example.com${VERSION}/runs` }, `baseUrl must end in ${VERSION}.`],
  ...[
    'hobby',
    { requestsPerMinute: '60', burst: 1 },
    { requestsPerMinute: 60, burst: '1' },
    { requestsPerMinute: 60, burst: 0.5 },
  ].map((plan): [object, string] => [
    { plan },
    `plan must be 'auto', false, ${PLANS.join(', ')} or { requestsPerMinute, burst }.`,
  ]),
  [{ headers: { 'x-a': 'a\nb' } }, 'headers must be an object or a list of headers that can be sent.'],
  [{ headers: 5 }, 'headers must be an object or a list of headers that can be sent.'],
  [{ timeout: 0 }, 'timeout must be a number >= 1.'],
  [{ timeout: Number.NaN }, 'timeout must be a number >= 1.'],
  [{ totalTimeout: '1' }, 'totalTimeout must be a number >= 1.'],
  [{ serviceVersion: 'soon' }, 'serviceVersion must be a date, YYYY-MM-DD.'],
  [{ serviceVersion: '2026-13-45' }, 'serviceVersion must be a date, YYYY-MM-DD.'],
  [{ retry: -1 }, 'retry must be an object or a number >= 0 or true or false.'],
  [{ retry: { maxRetries: -1 } }, 'retry.maxRetries must be a number >= 0.'],
  [{ retry: { maxRetryAfter: -1 } }, 'retry.maxRetryAfter must be a number >= 0.'],
  [{ retry: { resendPost: 1 } }, 'retry.resendPost must be true or false.'],
  [{ polling: [] }, 'polling must be an object.'],
  [{ polling: { minInterval: 0 } }, 'polling.minInterval must be a number >= 1.'],
  [{ polling: { maxInterval: 0 } }, 'polling.maxInterval must be a number >= 1.'],
  [{ polling: { rateShare: 0 } }, 'polling.rateShare must be a number above 0, at most 1.'],
  [{ polling: { rateShare: 1.1 } }, 'polling.rateShare must be a number above 0, at most 1.'],
  [{ polling: { rateShare: '1' } }, 'polling.rateShare must be a number above 0, at most 1.'],
  [{ allowHttp: 1, workspace: 5 }, 'allowHttp must be true or false; workspace must be a string.'],
  ...[{ get() {} }, { set() {} }, new Map()].map((cache): [object, string] => [
    { cache },
    'cache must be true or false or an object with get and set, no Map.',
  ]),
  [{ rateLimiter: { acquire() {} } }, 'rateLimiter must be an object with acquire and penalize.'],
  [{ fetch: 5 }, 'fetch must be a function.'],
  [{ clock: { now: () => 0, setTimeout() {} } }, 'clock must be an object with now and setTimeout and clearTimeout.'],
  [{ clock: { ...createTestClock(0), wallTime: 5 } }, 'clock.wallTime must be a function.'],
  [{ validate: 1 }, 'validate must be a function.'],
  [{ onMismatch: 1 }, "onMismatch must be 'throw' or a function."],
  [{ onRequest: 1 }, 'onRequest must be a function.'],
  [{ retries: 1 }, `unknown option "retries"; expected one of: ${OF_CLIENT}.`],
  [
    { retry: { maxRetry: 1 } },
    'unknown option "retry.maxRetry"; expected one of: maxRetries, maxRetryAfter, resendPost.',
  ],
  [{ polling: { share: 1 } }, 'unknown option "polling.share"; expected one of: minInterval, maxInterval, rateShare.'],
])('createClient refuses %j and says what is wrong', (options, message) => {
  expect(() => make(options)).toThrow(new TypeError(message))
})

it.each([undefined, null, 'options', []])('options that are no object are refused: %j', (options) => {
  for (const refuse of [createClient, make({}).withOptions])
    expect(() => refuse(options as never)).toThrow(new TypeError('the options must be an object.'))
})

it.each<[object, string]>([
  [{ signal: {} }, 'signal must be an AbortSignal.'],
  [{ cache: true }, "cache must be 'default' or 'reload' or 'no-store'."],
  ...['timout', 'plan', 'redirect', 'pathSerializer', 'next', 'priority'].map((name): [object, string] => [
    { [name]: 1 },
    `unknown option "${name}"; expected one of: ${OF_CALLS}; set options for all calls with createClient or your fetch.`,
  ]),
])('a call refuses the options %j and says what is wrong', async (options, message) => {
  const error = await rejection(make({}).getRun('run_1', options))
  expect(error).toEqual(new TypeError(message))
})

it.each<[object, string]>([
  [{ timeout: -1 }, 'timeout must be a number >= 1.'],
  [{ until: 'end' }, "until must be 'terminal' or 'approval' or a function."],
  [{ onUpdate: 1 }, 'onUpdate must be a function.'],
  [{ onStep: 1 }, 'onStep must be a function.'],
  [{ throwOnFailure: 1 }, 'throwOnFailure must be true or false.'],
  [{ serviceVersion: 'soon' }, 'serviceVersion must be a date, YYYY-MM-DD.'],
  [
    { throwOnFailed: true },
    'unknown option "throwOnFailed"; expected one of: signal, serviceVersion, headers, timeout, until, onUpdate, onStep, throwOnFailure.',
  ],
])('waitForRun refuses the options %j and says what is wrong', async (options, message) => {
  const error = await rejection(make({}).waitForRun('run_1', options as WaitForRunOptions))
  expect(error).toEqual(new TypeError(message))
})

it('watchRun refuses its options at once, and a call by path a wrong parseAs', async () => {
  expect(() => make({}).watchRun('run_1', { timeout: 0 })).toThrow('timeout must be a number >= 1.')
  const init = { params: { path: { id: 'run_1' } }, parseAs: 'xml' as never }
  expect(String(await rejection(make({}).GET('/runs/{id}', init)))).toMatch(/^TypeError: parseAs must be/)
})

it('a rate limiter says which costs it takes, and why a request may not wait', async () => {
  const limiter = createRateLimiter({ requestsPerMinute: 60, burst: 2 }, createTestClock(0))
  for (const cost of [-1, 3, Number.NaN])
    expect(await rejection(limiter.acquire(cost, {}))).toEqual(
      new RangeError('cost must be a number from 0 to the burst of the limit, 2.'),
    )
  await limiter.acquire(2, {})
  const error = await rejection(limiter.acquire(1, { timeout: 10 }))
  expect(error).toMatchObject({ name: 'TimeoutError', message: 'No token is expected within 10 ms (timeout).' })
})

describe.each<[string, (client: Client) => Promise<unknown>, Record<string, string>]>([
  [
    'getRun',
    (client) => client.getRun('run_1'),
    {
      html: 'getRun responded 200 with a body that is not JSON (text/html; GET /runs/{id} at localhost).',
      untyped: 'getRun responded 200 with a body that is not JSON (no content type; GET /runs/{id} at localhost).',
      odd: 'getRun responded 200 against the contract: the body property "status" must be a string.',
      moved: 'getRun was redirected (GET /runs/{id} at localhost). Give the final address as baseUrl.',
      cut: 'getRun got no complete response (GET /runs/{id} at localhost): TRUNCATED.',
      none: 'getRun got no complete response (GET /runs/{id} at localhost): NO_RESPONSE.',
      offline: 'getRun got no complete response (GET /runs/{id} at localhost): Failed to fetch.',
      missing: 'getRun failed with 404 (GET /runs/{id}).',
      told: 'getRun failed with 404 Not Found (GET /runs/{id}): No such run.',
      nothing: 'fetch must resolve to a Response.',
    },
  ],
  [
    'triggerRun',
    (client) => client.triggerRun('pb_1', { inputs: {} }),
    {
      html: 'The run may have been started: triggerRun responded 200 with a body that is not JSON (text/html; POST /playbooks/{id}/runs at localhost).',
      created:
        'The run was started, but no id of it was found in the response. triggerRun responded 201 (POST /playbooks/{id}/runs at localhost).',
    },
  ],
  [
    'waitForRun',
    (client) => client.waitForRun('run_1', { throwOnFailure: true, timeout: 5_000 }),
    {
      created: 'getRun responded 201 with a body that is not a run (application/json; GET /runs/{id} at localhost).',
      failed: 'Run run_1 ended as failed.',
      running: 'Run run_1 did not finish within 5000 ms (last status: running; seen 0.25 s ago).',
      paused: `Run run_1 did not finish within 5000 ms (last status: ${UNKNOWN_STATUS}, which the contract does not know; seen 0.25 s ago).`,
      waiting:
        'Run run_1 did not finish within 5000 ms (last status: running, and a step waits for approval; seen 0.25 s ago).',
      offline:
        'Run run_1 did not finish within 5000 ms (no poll succeeded: getRun got no complete response (GET /runs/{id} at localhost): Failed to fetch).',
    },
  ],
  [
    'an unknown path',
    (client) => client.GET('/unknown' as '/playbooks'),
    {
      moved: 'GET /unknown was redirected (GET /unknown at localhost). Give the final address as baseUrl.',
      html: 'GET /unknown responded 200 with a body that is not JSON (text/html; GET /unknown at localhost).',
    },
  ],
  [
    'a path without a slash',
    (client) => client.GET('playbooks' as '/playbooks'),
    { html: 'GET playbooks is outside baseUrl, where no key is sent. A path begins with "/".' },
  ],
  [
    'an id that is no id',
    (client) => client.getRun('..'),
    { html: 'id must be a non-empty string other than "." and ".."; it is "..".' },
  ],
  [
    'paginate of a list without pages',
    (client) => client.paginate('getRun' as 'listPlaybooks').next(),
    { html: 'paginate expects an operation with pages, not getRun.' },
  ],
])('the message of an error of %s', (_, call, messages) => {
  it.each(Object.entries(messages))('the message says what failed when the response is: %s', async (name, message) => {
    const options: Partial<ClientOptions> = { retry: false, ...(name === 'odd' && { validate: validateResponse }) }
    const { client } = inVirtualTime(RESPONSES[name]!, options)
    expect(await rejection(call(client))).toMatchObject({ message })
  })
})

const RESPONSES: Record<string, () => Response> = {
  html: () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  untyped: () => new Response(new Uint8Array([60])),
  odd: () => Response.json({ ...RUN, status: 7 }),
  moved: () => new Response('', { status: 302 }),
  cut: () => new Response('{"id', { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
  none: () => Response.error(),
  offline: () => {
    throw new TypeError('Failed to fetch')
  },
  missing: () => new Response('', { status: 404 }),
  told: () => Response.json({ message: 'No such run.' }, { status: 404, statusText: 'Not Found' }),
  nothing: () => ({}) as Response,
  created: () => Response.json({}, { status: 201 }),
  failed: () => Response.json({ ...RUN, status: 'failed' }),
  running: () => Response.json(RUN),
  paused: () => Response.json({ ...RUN, status: UNKNOWN_STATUS }),
  waiting: () => Response.json({ ...RUN, steps: [{ id: 'step_1', status: 'waiting_approval' }] }),
}
