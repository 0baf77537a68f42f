import { describe, expect, it } from 'vitest'
import { operationNodes, operations } from '../../generated/contract.js'
import {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  createFetch,
  triggerOutcome,
} from '../../src/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { VERSION } from '../support/fixtures.js'
import { clientOf, type Reply, rejection, serve } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

const options = { retry: false, validate: () => [] } as const
const trigger = (client: Client) => client.triggerRun('pb_1', { inputs: {} })
const location = (address: string) => ({ headers: { location: address } })
const page = { body: '<p>Soon</p>', headers: { 'content-type': 'text/html' } }

const { refused, retryable } = operations.triggerRun
const refusals = [...refused, ...retryable]

/** What a service responds to a trigger, and what is known of the run then. */
const REPLIES: [Reply, 'safe' | 'started' | 'unknown'][] = [
  ...refusals.map((status): [Reply, 'safe'] => [{ status }, 'safe']),
  [{ status: 201, body: {} }, 'started'],
  [{ status: 200, body: { run_id: 'run_1' } }, 'started'],
  [{ status: 202 }, 'started'],
  [{ status: 204 }, 'started'],
  [{ status: 200, ...page }, 'unknown'],
  [{ status: 303, ...location(`${VERSION}/runs/run_1`) }, 'started'],
  [{ status: 303, ...location('/login') }, 'unknown'],
  [{ status: 307, ...location(`${VERSION}/runs/run_1`) }, 'unknown'],
  ...[402, 405, 408, 409, 413, 422, 423, 425, 499, 501, 502, 503, 504, 520].map((status): [Reply, 'unknown'] => [
    { status },
    'unknown',
  ]),
]

describe('triggerOutcome', () => {
  it.each(REPLIES)('after %j is %s, from the error of a method and from a Response', async (reply, outcome) => {
    const server = await serve(() => reply)
    const client = clientOf(server, options)
    // A success whose response has no id rejects; one with an id needs no question.
    const error = await trigger(client).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (error !== undefined) expect(triggerOutcome(error)).toBe(outcome)
    const bare = await fetch(`${server.baseUrl}/playbooks/pb_1/runs`, { method: 'POST', redirect: 'manual' })
    expect(triggerOutcome(bare)).toBe(outcome)
    const ours = createFetch({ baseUrl: `${server.baseUrl}`, apiKey: 'key', allowHttp: true, retry: false })
    const received = await ours(`${server.baseUrl}/playbooks/pb_1/runs`, { method: 'POST' }).catch((e) => e)
    expect(triggerOutcome(received)).toBe(outcome)
  })

  it('is safe for what was not sent, and unknown for what may have arrived', async () => {
    const sandbox = createSandbox()
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const lost = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
    for (const [error, outcome] of [
      [refused, 'safe'],
      [lost, 'unknown'],
    ] as const) {
      const fetch = () => Promise.reject(error)
      const client = createClient({ baseUrl: sandbox.baseUrl, apiKey: 'key', fetch, ...options })
      expect(triggerOutcome(await rejection(trigger(client)))).toBe(outcome)
    }
  })

  it.each<[string, () => Response | Promise<Response>, 'safe' | 'unknown']>([
    ['the error of a gateway', () => new Response(null, { status: 502 }), 'unknown'],
    ['a lost response', () => Promise.reject(Object.assign(new TypeError('No.'), { code: 'ECONNRESET' })), 'unknown'],
    [
      'a refused connection',
      () => Promise.reject(Object.assign(new TypeError('No.'), { code: 'ECONNREFUSED' })),
      'safe',
    ],
    ['a 500', () => new Response(null, { status: 500 }), 'safe'],
  ])(
    'is that of both attempts when a refusal follows %s, after which resendPost sends again',
    async (_, first, outcome) => {
      for (const status of refusals) {
        const respond = (index: number) => (index === 0 ? first() : new Response(null, { status }))
        const { client } = inVirtualTime(respond, { retry: { maxRetries: 1, resendPost: true } })
        const error = await rejection(trigger(client))
        expect(error).toMatchObject({ status, attempts: 2, mayHaveArrived: outcome === 'unknown' })
        expect(triggerOutcome(error)).toBe(outcome)
      }
    },
  )

  it.each<[string, Partial<ClientOptions>, CallOptions, outcome: 'safe' | 'unknown', playbook?: string]>([
    ['its key cannot be read', { apiKey: () => Promise.reject(new Error('The vault is away.')) }, {}, 'safe'],
    ['it was aborted before', {}, { signal: AbortSignal.abort(new Error('Too late.')) }, 'safe'],
    ['an argument is wrong', {}, {}, 'safe', ''],
    ['an option is unknown', {}, { retries: 1 } as never, 'safe'],
    ['a fetch of the caller fails', { fetch: () => Promise.reject(new Error('Lost.')) }, {}, 'unknown'],
  ])('of what is not an error of this package where %s', async (_, more, callOptions, outcome, playbook = 'pb_1') => {
    const { baseUrl } = await serve(() => ({ status: 201, body: { id: 'run_1' } }))
    const all = { baseUrl, apiKey: 'key', allowHttp: true, ...options, ...more }
    const client = createClient(all)
    const byPath = { params: { path: { id: playbook } }, body: { inputs: {} }, ...callOptions }
    for (const call of [
      client.triggerRun(playbook, { inputs: {} }, callOptions),
      client.withResponse.triggerRun(playbook, { inputs: {} }, callOptions),
      client.POST('/playbooks/{id}/runs', byPath),
    ]) {
      const error = (await rejection(call)) as Error
      expect(error.name).not.toMatch(/Connection|Timeout/)
      expect(triggerOutcome(error)).toBe(outcome)
    }
  })

  it('of the reason of one signal is unknown when it ended a trigger that was sent, too', async () => {
    const abort = new AbortController()
    const { baseUrl } = await serve((_, index) => (index === 0 ? void abort.abort(new Error('Enough.')) : undefined))
    const client = createClient({ baseUrl, apiKey: 'key', allowHttp: true, ...options })
    const call = { signal: abort.signal }
    const sent = await rejection(client.triggerRun('pb_1', { inputs: {} }, call))
    expect(triggerOutcome(sent)).toBe('unknown')
    const unsent = await rejection(client.triggerRun('pb_1', { inputs: {} }, call))
    expect(unsent).toBe(sent)
    expect(triggerOutcome(unsent)).toBe('unknown')
  })

  it('is safe where a trigger was aborted while it waited after a refusal', async () => {
    const abort = new AbortController()
    const { baseUrl } = await serve(() => ({ status: 429, headers: { 'retry-after': '60' } }))
    const waiting = { ...options, retry: true, onRetry: () => abort.abort(new Error('Enough.')) }
    const client = createClient({ baseUrl, apiKey: 'key', allowHttp: true, ...waiting })
    const error = (await rejection(client.triggerRun('pb_1', { inputs: {} }, { signal: abort.signal }))) as Error
    expect([error.message, triggerOutcome(error)]).toEqual(['Enough.', 'safe'])
  })

  it('is unknown for every error that is not of this package, and for what is no response', () => {
    // Its headers are none that a `Headers` takes.
    const foreign = Object.assign(new Error('Request failed'), { status: 400, headers: { 'not a name': '1' } })
    for (const each of [
      new TypeError('no'),
      new DOMException('no', 'AbortError'),
      foreign,
      undefined,
      null,
      'no',
      {},
      404,
    ])
      expect(triggerOutcome(each)).toBe('unknown')
    expect(triggerOutcome({ status: 201 })).toBe('unknown')
  })

  it('calls safe what the contract lists: each status that was refused or may be repeated', () => {
    const listed = Object.keys(operationNodes.triggerRun.responses).map(Number)
    expect(refusals.sort()).toEqual(listed.filter((status) => status >= 400).sort())
  })
})
