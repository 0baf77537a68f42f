import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { basis, clientRules, plans } from '../../../generated/contract.js'
import { run } from '../../../generated/examples.js'
import { createClient, type Run } from '../../../src/index.js'
import { isTerminalRunStatus } from '../../../src/shared/run-status.js'
import { renderHtml } from '../../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../../src/tools/conformance/report/table.js'
import { createSandbox, type Fault } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { createTestService, type TestService } from '../../../src/tools/testing/index.js'
import { VERSION } from '../../support/fixtures.js'
import { control } from '../ports.js'

type Sandboxed = ReturnType<typeof start>

/** A sandbox whose time is moved by the test, and a bare client of it. */
function start() {
  let time = Date.UTC(2030, 0)
  const sandbox = createSandbox({ clock: { now: () => time } })
  const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
  const send = (path: string, init: RequestInit = {}) =>
    sandbox.fetch(sandbox.baseUrl + path, { headers, ...init }).catch(() => undefined)
  const trigger = (order = '1', init: RequestInit = {}) =>
    send(`/playbooks/${sandbox.playbooks.succeeds}/runs`, {
      method: 'POST',
      body: JSON.stringify({ inputs: { order, note: 'n' } }),
      ...init,
    })
  const outcomes = () => Object.fromEntries(sandbox.clientRules().findings.map((each) => [each.basis, each.outcome]))
  return {
    sandbox,
    send,
    trigger,
    outcomes,
    wait: (ms: number) => {
      time += ms
    },
    inject: (fault: Fault) => sandbox.inject(fault),
  }
}

/** The same trigger as `trigger()`, whose body is sent by `upload`. */
function slowTrigger({ trigger }: Sandboxed) {
  let upload = () => {}
  const body = new ReadableStream({
    start(controller) {
      upload = () => {
        controller.enqueue(new TextEncoder().encode('{"inputs":{"order":"1","note":"n"}}'))
        controller.close()
      }
    },
  })
  return { response: trigger('1', { body, duplex: 'half' } as RequestInit), upload }
}

const S33 = clientRules.waitSuffices.basis
const D10 = clientRules.lostTrigger.basis

it('nothing is exercised before the first request, and each rule is an entry of the register', () => {
  const { sandbox } = start()
  const { findings, passed, requests, summary } = sandbox.clientRules()
  expect(new Set(findings.map(({ outcome }) => outcome))).toEqual(new Set(['not-exercised']))
  expect([passed, requests, summary.exercised]).toEqual([true, 0, 0])
  for (const finding of findings) expect(basis[finding.basis]).toBeDefined()
})

it('reports title a finding with the rule, and not with the fact behind it', async () => {
  const one = start()
  one.inject({ operation: 'triggerRun', drop: true })
  await one.trigger()
  await one.trigger()
  const report = one.sandbox.clientRules()
  const rule = 'A trigger whose response was lost is not sent again'
  for (const shown of [renderTable(report, { colour: false, width: 200 }), renderJunit(report), renderHtml(report)])
    expect([shown.includes(rule), shown.includes(basis[D10].text)]).toEqual([true, false])
})

it('a pin that contains a key is shown without it', async () => {
  const one = start()
  await one.send('/providers', { headers: { 'service-version': one.sandbox.keys.valid } })
  const { findings } = one.sandbox.clientRules()
  expect(findings.find(({ basis }) => basis === clientRules.pinning.basis)?.message).toContain('is not a date')
  expect(JSON.stringify(findings)).not.toContain(one.sandbox.keys.valid)
})

describe('the wait of a 429', () => {
  it.each<[string, number, string]>([
    ['waits as long', 2_000, 'pass'],
    ['waits a little less, as a timer may', 1_970, 'pass'],
    ['waits half as long', 1_000, 'fail'],
    ['tries again at once', 0, 'fail'],
  ])('a client that %s after a 429, %i ms, gets "%s"', async (_, ms, outcome) => {
    const one = start()
    one.inject({ status: 429, retryAfter: 2 })
    await one.send('/runs/run_8Zt4Lm2c')
    one.wait(ms)
    await one.send('/runs/run_8Zt4Lm2c')
    expect(one.outcomes()[S33]).toBe(outcome)
  })

  it('a slow upload after a 429 is no wait', async () => {
    const one = start()
    one.inject({ status: 429, retryAfter: 2 })
    await one.trigger()
    const slow = slowTrigger(one)
    one.wait(2_000)
    slow.upload()
    expect((await slow.response)?.status).toBe(201)
    expect(one.outcomes()[S33]).toBe('fail')
  })

  it('a request that began before an equal one got a 429 does not follow it', async () => {
    const one = start()
    const slow = slowTrigger(one)
    one.wait(100)
    one.inject({ status: 429, retryAfter: 2 })
    expect((await one.trigger())?.status).toBe(429)
    slow.upload()
    expect((await slow.response)?.status).toBe(201)
    expect(one.outcomes()[S33]).toBe('not-exercised')
  })

  it('a client that repeats nothing after a 429 leaves the rule not exercised', async () => {
    const one = start()
    one.inject({ status: 429, retryAfter: 2 })
    await one.send('/providers')
    await one.send('/workspaces/me')
    expect(one.outcomes()[S33]).toBe('not-exercised')
  })

  it("a 429 of one key leaves the client's other keys alone", async () => {
    const one = start()
    one.inject({ status: 429, retryAfter: 2 })
    await one.send('/providers')
    await one.send('/providers', { headers: { authorization: `Bearer ${one.sandbox.keys.readOnly}` } })
    expect(one.outcomes()[S33]).toBe('not-exercised')
  })

  it('a 429 without a wait leaves the wait to the client, which gets advice if it does not wait', async () => {
    const one = start()
    one.inject({ status: 429, retryAfter: false })
    const response = await one.send('/providers')
    expect([response?.headers.get('retry-after'), await response?.json()]).toEqual([
      null,
      expect.not.objectContaining({ retry_after: expect.anything() }),
    ])
    await one.send('/providers')
    expect([one.outcomes()[S33], one.sandbox.clientRules().passed]).toEqual(['warning', true])
  })

  it('several workers that send the same request at once are advised, not failed', async () => {
    const one = start()
    await Promise.all([one.send('/runs/run_8Zt4Lm2c'), one.send('/runs/run_8Zt4Lm2c')])
    one.inject({ status: 429, retryAfter: 2 })
    await one.send('/runs/run_8Zt4Lm2c')
    await one.send('/runs/run_8Zt4Lm2c')
    expect(one.outcomes()[S33]).toBe('warning')
  })
})

describe('a trigger whose response is lost', () => {
  const lost: [string, Fault][] = [
    ['before it was handled', { operation: 'triggerRun', drop: true }],
    ['after it was handled', { operation: 'triggerRun', drop: true, after: 'effect' }],
    ['in the middle of its body', { operation: 'triggerRun', cutOff: true }],
    ['behind a gateway that responds with 502', { operation: 'triggerRun', status: 502 }],
    ['behind a gateway that responds with 504', { operation: 'triggerRun', status: 504 }],
  ]
  it.each(lost)('a trigger that is lost %s must not be sent again', async (_, fault) => {
    const one = start()
    one.inject(fault)
    await one.trigger()
    expect(one.outcomes()[D10]).toBe('pass')
    one.wait(30_000)
    // The order of names is the client's own.
    await one.trigger('1', { body: JSON.stringify({ inputs: { note: 'n', order: '1' } }) })
    expect(one.outcomes()[D10]).toBe('fail')
    const found = one.sandbox.clientRules().findings.find((each) => each.basis === D10)
    expect(found?.message).toMatch(
      /^It sent the same trigger again 30 s after one that .*If two runs are meant, give each an input that differs/,
    )
    expect(found?.request?.headers.authorization).not.toContain(one.sandbox.keys.valid)
  })

  it.each<[string, (one: Sandboxed) => unknown]>([
    ['other inputs', (one) => one.trigger('2')],
    [
      'the same inputs more than a minute later',
      (one) => {
        one.wait(61_000)
        return one.trigger()
      },
    ],
  ])('a trigger with %s is not a repetition', async (_, again) => {
    const one = start()
    one.inject({ operation: 'triggerRun', drop: true })
    await one.trigger()
    await again(one)
    expect(one.outcomes()[D10]).toBe('pass')
  })

  it.each([500, 429])('a trigger may be sent again after a %i', async (status) => {
    const one = start()
    one.inject({ operation: 'triggerRun', status, retryAfter: 1 })
    await one.trigger()
    one.wait(1_000)
    await one.trigger()
    expect(one.outcomes()[D10]).toBe('not-exercised')
  })

  it('a client that gave up waiting must not send its trigger again', async () => {
    const one = start()
    one.inject({ operation: 'triggerRun', delay: 60_000 })
    const gaveUp = new AbortController()
    const first = one.trigger('1', { signal: gaveUp.signal })
    await new Promise((resolve) => setTimeout(resolve, 5))
    gaveUp.abort()
    await first
    await one.trigger()
    expect(one.outcomes()[D10]).toBe('fail')
  })

  it('a client that sends its trigger again before its leaving is noticed is found too', async () => {
    const one = start()
    one.inject({ operation: 'triggerRun', delay: 60_000 })
    const gaveUp = new AbortController()
    const first = one.trigger('1', { signal: gaveUp.signal })
    await one.trigger()
    gaveUp.abort()
    await first
    expect(one.outcomes()[D10]).toBe('fail')
  })

  it('two triggers that were meant, one of which is lost, are not a repetition', async () => {
    const one = start()
    one.inject({ operation: 'triggerRun', drop: true })
    await Promise.all([one.trigger(), one.trigger()])
    expect(one.outcomes()[D10]).not.toBe('fail')
  })
})

it.each<[string, keyof typeof clientRules, (one: Sandboxed) => Promise<unknown>, string]>([
  ['a request without a key', 'bearer', (one) => one.send('/providers', { headers: {} }), 'fail'],
  [
    'a key with another scheme',
    'bearer',
    (one) => one.send('/providers', { headers: { authorization: `Token ${one.sandbox.keys.valid}` } }),
    'fail',
  ],
  [
    'a key without a scheme',
    'bearer',
    (one) => one.send('/providers', { headers: { authorization: one.sandbox.keys.valid } }),
    'fail',
  ],
  [
    'a scheme in small letters',
    'bearer',
    (one) => one.send('/providers', { headers: { authorization: `bearer ${one.sandbox.keys.valid}` } }),
    'pass',
  ],
  [
    'a pin that is no date',
    'pinning',
    (one) => one.send('/providers', { headers: { 'service-version': '2026-1' } }),
    'fail',
  ],
  [
    'a trigger whose inputs are no strings',
    'runInputs',
    (one) => one.trigger('1', { body: '{"inputs":{"n":5}}' }),
    'fail',
  ],
  ['a trigger whose body is not JSON', 'runInputs', (one) => one.trigger('1', { body: 'inputs' }), 'fail'],
  ['a trigger with strings as inputs', 'runInputs', (one) => one.trigger(), 'pass'],
  [
    'a list that is read twice',
    'caching',
    async (one) => {
      await one.send('/providers')
      await one.send('/providers')
    },
    'warning',
  ],
  [
    'a list that is kept',
    'caching',
    async (one) => {
      await one.send('/providers')
      one.wait(60_000)
      await one.send('/providers')
    },
    'pass',
  ],
  [
    'a list that came as the page of a proxy, and was asked for again',
    'caching',
    async (one) => {
      one.sandbox.inject({ operation: 'listProviders', body: '<p>Soon</p>' })
      await one.send('/providers')
      await one.send('/providers')
    },
    'not-exercised',
  ],
  [
    'more requests than the rate allows',
    'planLimits',
    async (one) => {
      for (let count = 0; count < plans.pro.burst + 10; count++) await one.send('/workspaces/me')
    },
    'warning',
  ],
])('%s', async (_, rule, act, outcome) => {
  const one = start()
  await act(one)
  expect(one.outcomes()[clientRules[rule].basis]).toBe(outcome)
  one.sandbox.reset()
  expect(one.outcomes()[clientRules[rule].basis]).toBe('not-exercised')
})

it('the oldest of thousands of lost triggers are forgotten, so that memory stays bounded', async () => {
  const one = start()
  one.inject({ operation: 'triggerRun', drop: true, times: 3_000 })
  for (let count = 0; count < 3_000; count++) await one.trigger(String(count))
  await one.trigger('0')
  expect(one.outcomes()[D10]).toBe('pass')
  await one.trigger('2999')
  expect(one.outcomes()[D10]).toBe('fail')
})

/** Uses every operation that an exercise has situations for, so often. */
async function useAll({ sandbox, client }: TestService, times: number): Promise<void> {
  for (let order = 0; order < times; order++) {
    const inputs = { order: String(order) }
    const run = await client.triggerRun(sandbox.playbooks.succeeds, { inputs }).catch(() => {})
    if (run) await client.waitForRun(run.id)
    await client.listPlaybooks()
    await client.listProviders()
  }
}

describe('exercise', () => {
  it.each([1, 2, 3])('our own client keeps every rule in every situation, at seed %i', async (seed) => {
    const service = createTestService({ seed })
    const { sandbox } = service
    sandbox.exercise()
    await useAll(service, 8)
    const { findings, remarks, passed } = sandbox.clientRules()
    expect([passed, findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'warning')]).toEqual([true, []])
    expect(remarks.join('\n')).not.toContain('Not tried')
  })

  it('a request that gets a situation is logged as part of the exercise, and not as a fault', async () => {
    const sandbox = createSandbox()
    sandbox.exercise()
    await sandbox.fetch(`${sandbox.baseUrl}/providers`).catch(() => undefined)
    expect(sandbox.requests()[0]?.reason).toEqual({ type: 'exercise' })
  })

  it('a step that waits is approved a second later, also when every situation has happened before', async () => {
    const service = createTestService()
    const { sandbox, client } = service
    sandbox.exercise()
    await useAll(service, 12)
    expect(sandbox.clientRules().remarks.join('\n')).not.toContain('Not tried')
    const { id } = await client.triggerRun(sandbox.playbooks.needsApproval, { inputs: {} })
    expect((await client.waitForRun(id)).status).toBe('succeeded')
  })

  it.each(['poll', 'clock'] as const)(
    'with progress %s a situation of a run happens when a response shows it, and no run seems to continue after its end',
    async (progress) => {
      for (let seed = 0; seed < 10; seed++) {
        let time = Date.UTC(2030, 0)
        const clock = { now: () => time, setTimeout: (run: () => void) => setTimeout(run), clearTimeout() {} }
        const sandbox = createSandbox({ seed, progress, clock, plan: false })
        const { baseUrl, keys, playbooks } = sandbox
        const headers = { authorization: `Bearer ${keys.valid}`, 'content-type': 'application/json' }
        const send = (path: string, init?: RequestInit) =>
          sandbox.fetch(baseUrl + path, { headers, ...init }).catch(() => undefined)
        sandbox.exercise()
        const seen: Run[] = []
        for (let order = 0; order < 4; order++) {
          const sent = await send(`/playbooks/${playbooks.succeeds}/runs`, { method: 'POST', body: '{"inputs":{}}' })
          const { id } = sent?.status === 201 ? await sent.json() : {}
          for (let poll = 0; id && poll < 12; poll++) {
            const response = await send(`/runs/${id}`)
            if (response?.status === 200) seen.push(await response.json())
            time += 300
          }
        }
        const statuses = (run: Run) => run.steps.map(({ status }) => status)
        const { remarks = [] } = sandbox.clientRules()
        for (const [name, shows] of [
          ['an unknown status of a run', (run: Run) => run.status === 'sandbox_unknown'],
          ['an unknown status of a step', (run: Run) => statuses(run).includes('sandbox_unknown')],
          ['a step that waits for approval', (run: Run) => statuses(run).includes('waiting_approval')],
        ] as const) {
          expect([name, seed, remarks.some((each) => each.startsWith(`Exercised ${name}`))]).toEqual([
            name,
            seed,
            seen.filter(shows).length === 1,
          ])
        }
        for (const run of seen.filter(({ status }) => isTerminalRunStatus(status)))
          expect(new Set(statuses(run))).toEqual(new Set(['succeeded']))
      }
    },
  )

  it('an exercise leaves a body of a handler that is no JSON as it is', async () => {
    for (const text of ['', 'Soon.', '[]', 'null']) {
      const clock = { now: () => 0, setTimeout: (run: () => void) => setTimeout(run), clearTimeout() {} }
      const sandbox = createSandbox({ plan: false, clock, handlers: { getRun: () => new Response(text) } })
      sandbox.exercise()
      const headers = { authorization: `Bearer ${sandbox.keys.valid}` }
      for (let count = 0; count < 20; count++) {
        const sent = sandbox.fetch(`${sandbox.baseUrl}/runs/run_1`, { headers })
        const got = await sent.then(
          (response) => (response.status === 200 ? response.text() : text),
          ({ message }) => (message === 'fetch failed' ? text : message),
        )
        expect(got).toBe(text)
      }
      expect(sandbox.clientRules().remarks?.join('\n')).toMatch(/Not tried.*unknown fields/)
    }
  })

  it('each situation happens once, in an order that the seed chooses', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    vi.setTimerTickMode('nextTimerAsync')
    onTestFinished(() => void vi.useRealTimers())
    const orderAt = async (seed: number) => {
      const sandbox = createSandbox({ seed, plan: false })
      sandbox.exercise()
      const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
      const trigger = () =>
        sandbox
          .fetch(`${sandbox.baseUrl}/playbooks/${sandbox.playbooks.slow}/runs`, {
            method: 'POST',
            headers,
            body: '{"inputs":{}}',
          })
          .catch(() => undefined)
      for (let count = 0; count < 4; count++) await trigger()
      const run = (await (await trigger())?.json())?.id
      for (let count = 0; count < 30; count++)
        await sandbox.fetch(`${sandbox.baseUrl}/runs/${run}`, { headers }).catch(() => undefined)
      return sandbox.clientRules().remarks.map((remark) => remark.split(' (')[0])
    }
    const [one, again, other] = [await orderAt(1), await orderAt(1), await orderAt(5)]
    expect(one).toEqual(again)
    expect(other).not.toEqual(one)
    expect(new Set(one).size).toBe(one.length)
  })
})

it('a client that reads again after restore has set the time back has broken no rule, and what it broke before stays', async () => {
  const { sandbox, send, trigger, outcomes } = start()
  await trigger('1')
  await send('/playbooks')
  const before = sandbox.snapshot()
  sandbox.advance(3_600_000)
  await send('/playbooks')
  sandbox.restore(before)
  await send('/playbooks')
  expect(Object.values(outcomes())).not.toContain('fail')
  sandbox.inject({ drop: true, after: 'effect' })
  await trigger('2')
  await trigger('2')
  sandbox.restore(before)
  expect(outcomes()[D10]).toBe('fail')
})

it('a client that waits while the time is paused breaks no rule, and one that does not wait afterwards does', async () => {
  const { sandbox, send, outcomes } = start()
  sandbox.pause()
  sandbox.inject({ operation: 'listProviders', status: 429, retryAfter: 2, times: 3 })
  await send('/providers')
  await send('/providers')
  expect(outcomes()[S33]).toBe('not-exercised')
  sandbox.resume()
  await send('/providers')
  await send('/providers')
  expect(outcomes()[S33]).toBe('fail')
})

it('a trigger whose response was lost is recognised under another User-Agent', async () => {
  const { sandbox, trigger, outcomes } = start()
  sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
  await trigger('1')
  const headers = {
    authorization: `Bearer ${sandbox.keys.valid}`,
    'content-type': 'application/json',
    'user-agent': 'try 2',
  }
  await trigger('1', { headers })
  expect(outcomes()[D10]).toBe('fail')
})

it('workers on connections of their own are advised, and one that repeats on its connection is found', async () => {
  const server = await listen(createSandbox())
  const worker = (userAgent: string) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = { authorization: 'Bearer key_valid', 'user-agent': userAgent }
    const get = () =>
      new Promise<number>((resolve, reject) => {
        const sent = request(`${server.baseUrl}/runs/run_8Zt4Lm2c`, { agent, headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0))
        })
        sent.once('error', reject).end()
      })
    return { get, end: () => agent.destroy() }
  }
  const [one, other, third] = [worker('job'), worker('job'), worker('other')]
  const outcome = () => server.clientRules().findings.find((each) => each.basis === S33)?.outcome
  try {
    await control(server, 'inject', { delay: 300, times: 2 })
    await Promise.all([one.get(), other.get()])
    await control(server, 'inject', { status: 429, retryAfter: 60 })
    expect(await one.get()).toBe(429)
    expect(await third.get()).toBe(200)
    expect(outcome()).toBe('not-exercised')
    expect(await other.get()).toBe(200)
    expect(outcome()).toBe('warning')
    await control(server, 'inject', { status: 429, retryAfter: 60 })
    expect([await one.get(), await one.get()]).toEqual([429, 200])
    expect(outcome()).toBe('fail')
  } finally {
    for (const each of [one, other, third]) each.end()
    await server.close()
  }
})

describe('a client that takes a new connection for each request', () => {
  /** Sends a request on a connection that was not used before, while the earlier ones stay open. */
  async function connections() {
    const server = await listen(createSandbox())
    onTestFinished(() => server.close())
    const headers = { authorization: 'Bearer key_valid', 'user-agent': 'job' }
    const get = () =>
      new Promise<number>((resolve, reject) => {
        const agent = new Agent({ keepAlive: true })
        onTestFinished(() => agent.destroy())
        const sent = request(`${server.baseUrl}/runs/run_8Zt4Lm2c`, { agent, headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0))
        })
        sent.once('error', reject).end()
      })
    const limit = (times: number) => control(server, 'inject', { status: 429, retryAfter: 60, times })
    const outcome = () => server.clientRules().findings.find((each) => each.basis === S33)?.outcome
    return { get, limit, outcome, server }
  }

  it('gets advice when it sends a request again at once after a 429, and has broken the rule after the next one', async () => {
    const { get, limit, outcome } = await connections()
    await limit(1)
    expect([await get(), await get()]).toEqual([429, 200])
    expect(outcome()).toBe('warning')
    await limit(1)
    expect([await get(), await get()]).toEqual([429, 200])
    expect(outcome()).toBe('fail')
  })

  it('has broken the rule when it sends a request again at once twice', async () => {
    const { get, limit, outcome } = await connections()
    await limit(2)
    expect([await get(), await get(), await get()]).toEqual([429, 429, 200])
    expect(outcome()).toBe('fail')
  })

  it('gets advice alone while another request of the client is open, because a worker may have sent it', async () => {
    const { get, limit, outcome, server } = await connections()
    for (let count = 0; count < 3; count++) {
      await control(server, 'inject', { operation: 'getRun', delay: 100, times: 1 })
      const other = get()
      await limit(1)
      expect([await get(), await get()]).toEqual([429, 200])
      await other
    }
    expect(outcome()).toBe('warning')
  })
})

it('calls at once through the client break no rule, although most were under way when the first got a 429', async () => {
  const server = await listen(createSandbox())
  try {
    const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key_valid', retry: { maxRetries: 5 } })
    await control(server, 'inject', { operation: 'getCurrentWorkspace', status: 429, retryAfter: 1, times: 1 })
    await Promise.all(Array.from({ length: 10 }, () => client.getCurrentWorkspace()))
    expect(server.clientRules().findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  } finally {
    await server.close()
  }
})

it('a client on a port that left before the response must not send its trigger again', async () => {
  const left = new AbortController()
  const sockets: Socket[] = []
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', note)
  onTestFinished(() => void unsubscribe('net.server.socket', note))
  let handled = 0
  const sandbox = createSandbox({
    handlers: {
      async triggerRun() {
        if (handled++ === 0) {
          const noticed = once(sockets[0]!, 'close')
          left.abort()
          await noticed
        }
        return { status: 201, body: run }
      },
    },
  })
  const server = await listen(sandbox, { port: 0 })
  onTestFinished(() => server.close())
  const trigger = (init: RequestInit = {}) =>
    fetch(`${server.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' },
      body: '{"inputs":{"order":"1"}}',
      ...init,
    })
  await expect(trigger({ signal: left.signal })).rejects.toThrow('aborted')
  expect((await trigger()).status).toBe(201)
  expect(sandbox.clientRules().findings.find((each) => each.basis === D10)).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining('gave up waiting'),
  })
})

it.each<[string, () => never]>([
  [
    'throws',
    () => {
      throw new Error('The disk is full.')
    },
  ],
  ['returns nothing', () => undefined as never],
])('a trigger may be sent again after the 500 of a port, whose handler %s', async (_, fails) => {
  let calls = 0
  const triggerRun = () => (calls++ % 2 === 0 ? fails() : { status: 201 as const, body: run })
  const sandbox = createSandbox({ handlers: { triggerRun } })
  const server = await listen(sandbox)
  onTestFinished(() => server.close())
  const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
  const url = `/playbooks/${sandbox.playbooks.succeeds}/runs`
  const sent = { method: 'POST', headers, body: '{"inputs":{"order":"1"}}' }
  for (const status of [500, 201]) expect((await fetch(server.baseUrl + url, sent)).status).toBe(status)
  const outcome = () => sandbox.clientRules().findings.find((each) => each.basis === D10)?.outcome
  expect(outcome()).toBe('not-exercised')
  // In process a client receives the error of the handler, and no response.
  await expect(sandbox.fetch(sandbox.baseUrl + url, sent)).rejects.toThrow()
  expect((await sandbox.fetch(sandbox.baseUrl + url, sent)).status).toBe(201)
  expect(outcome()).toBe('fail')
})

it('a port checks the clients of all its worlds, also of those that are gone', async () => {
  const server = await listen(createSandbox())
  try {
    {
      await using world = await server.world('a')
      await fetch(`${world.baseUrl}/providers`)
    }
    await fetch(`${server.url}/w/b${VERSION}/providers`, { headers: { authorization: 'Bearer key_valid.b' } })
    const { passed, requests, findings } = server.clientRules()
    expect([passed, requests]).toEqual([false, 2])
    expect(findings.find(({ outcome }) => outcome === 'fail')?.request?.url).toBe(`/w/a${VERSION}/providers`)
    const { baseUrl } = await (await control({ url: `${server.url}/w/b` }, 'rules')).json()
    expect(baseUrl).toBe(`${server.url}/w/b${VERSION}`)
  } finally {
    await server.close()
  }
})

it('a port still reports what was broken before a reset, which the sandbox and its worlds forget', async () => {
  const sandbox = createSandbox()
  const server = await listen(sandbox)
  onTestFinished(() => server.close())
  const world = await server.world('a')
  for (let round = 1; round < 3; round++) {
    for (const { baseUrl } of [server, world]) await fetch(`${baseUrl}/providers`)
    sandbox.exercise()
    sandbox.reset()
    await world.reset()
    expect([sandbox.clientRules().requests, (await world.clientRules()).requests]).toEqual([0, 0])
    const { passed, requests, findings, remarks } = server.clientRules()
    expect([passed, requests, remarks.length]).toEqual([false, 2 * round, round])
    const broken = findings.filter(({ outcome }) => outcome === 'fail')
    expect(broken.map(({ basis, times }) => [basis, times])).toEqual([[clientRules.bearer.basis, 2 * round]])
  }
})

it('the report of a port has the real time of its requests, although its worlds have times of their own', async () => {
  const before = Date.now()
  const server = await listen(createSandbox({ startTime: '2030-01-01' }))
  onTestFinished(() => server.close())
  for (const { baseUrl } of [server, await server.world('a', { startTime: '2040-01-01' })])
    await fetch(`${baseUrl}/providers`)
  const { startedAt, duration } = server.clientRules()
  expect(Date.parse(startedAt)).toBeGreaterThan(before - 3_600_000)
  expect(Date.parse(startedAt) + duration).toBeLessThan(Date.now() + 3_600_000)
})

it('the clients of a world on a port are checked on their own, also from another process', async () => {
  const server = await listen(createSandbox())
  try {
    const world = await server.world('shop')
    await world.exercise()
    await fetch(`${world.baseUrl}/providers`)
    const { findings, baseUrl } = await world.clientRules()
    const broken = findings.filter(({ outcome }) => outcome === 'fail').map(({ basis }) => basis)
    expect([broken, baseUrl]).toEqual([[clientRules.bearer.basis], world.baseUrl])
    const rules = await (await control(server, 'rules')).json()
    expect(rules.requests).toBe(0)
    expect((await (await control({ url: `${server.url}/w/shop` }, 'rules')).json()).requests).toBe(1)
  } finally {
    await server.close()
  }
})
