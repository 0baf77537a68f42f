import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type ClientOptions, isContractError } from '../../../src/index.js'
import { aMoment } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'
import { clientOf, KEY, LOCAL, RUN, rateLimited, rejection, serve } from '../../support/server.js'
import { inVirtualTime } from '../../support/virtual-time.js'

it('the key is in no error, hook, JSON, inspection or stack, even when the service repeats it', async () => {
  const echo = { 'x-echo': `Bearer ${KEY}`, 'content-type': `text/plain; was=${KEY}` }
  const replies = [
    () => ({ status: 401, headers: echo, body: { error: 'unauthorized', message: `${KEY} is not known.` } }),
    () => ({ status: 404, headers: echo, body: `No ${KEY}` }),
    () => ({ status: 500, headers: echo, body: KEY }),
    () => ({ ...rateLimited(1), headers: { ...echo, 'retry-after': '0' } }),
    () => ({ status: 302, headers: { location: `https://${KEY}.example/` } }),
    () => ({ headers: echo, body: `<html>${KEY}</html>` }),
  ]
  const held: unknown[] = []
  const collect = async (reply: (typeof replies)[number]) => {
    const server = await serve(reply)
    const hook = (event: unknown) => {
      held.push(event)
    }
    const client = clientOf(server, { onRetry: hook, onWait: hook, retry: { maxRetries: 1 } })
    held.push(await rejection(client.getRun('run_1')), client)
    held.push(await rejection(client.waitForRun('run_1', { timeout: 20 })))
    held.push(await rejection(client.getRun('..')))
  }
  await Promise.all(replies.map(collect))
  const cut = await serve((_, __, { request }) => {
    request.socket.destroy()
    return undefined
  })
  held.push(await rejection(clientOf(cut).triggerRun('pb_1', { inputs: {} })))
  held.push(await rejection(clientOf(cut, { timeout: 1, retry: false }).getRun('run_1')))
  const fetch = async (_: string, init: RequestInit) => {
    const cause = Object.assign(new Error(`Sent ${JSON.stringify(init.headers)}`), { code: KEY, init })
    throw Object.assign(new TypeError(`Failed with ${KEY}`, { cause }), { init })
  }
  held.push(
    await rejection(clientOf({ baseUrl: `http://localhost${VERSION}` }, { fetch, retry: false }).getRun('run_1')),
  )
  expect(held.length).toBeGreaterThan(25)
  for (const each of held) {
    const shown = [
      inspect(each, { depth: 20, showHidden: true, getters: true }),
      JSON.stringify(each),
      String(each),
      ...Object.getOwnPropertyNames(each).map((name) =>
        inspect((each as Record<string, unknown>)[name], { depth: 20 }),
      ),
      each instanceof Error ? `${each.stack} ${each.message} ${inspect(each.cause, { depth: 20 })}` : '',
    ].join('\n')
    expect(shown).not.toContain(KEY)
  }
})

describe('a key that is repeated', () => {
  const shown = (error: unknown) => `${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${(error as Error).stack}`

  /** What waitForRun rejects with, on a clock of its own. */
  const watchError = (options: Partial<ClientOptions>, id = 'run_1') =>
    rejection(inVirtualTime(() => Response.json(RUN), options).client.waitForRun(id, { throwOnFailure: true }))

  it('a key that a run repeats is not in the error about it', async () => {
    const step = { id: 's', status: 'failed', message: `The provider refused Bearer ${KEY}.` }
    for (const [run, id] of [
      [{ ...RUN, status: 'failed', steps: [step] }, 'run_1'],
      [{ ...RUN, status: KEY }, 'run_1'],
      [{ ...RUN, id: KEY }, 'run_1'],
      [RUN, KEY],
    ] as const) {
      const error = await watchError({ fetch: async () => Response.json(run) }, id)
      expect(shown(error)).not.toContain(KEY)
      expect(shown(error)).toContain('[key]')
    }
  })

  it.each([401, 500])('a key that was replaced within the call, following a %i, is in no error', async (status) => {
    const keys = ['wk_first_000111222', 'wk_second_333444555']
    let asked = 0
    let sent = 0
    const client = clientOf(LOCAL, {
      apiKey: () => keys[Math.min(asked++, 1)]!,
      fetch: async () =>
        Response.json({ message: `${keys.join(' and ')} were revoked.` }, { status: sent++ === 0 ? status : 401 }),
    })
    const error = await rejection(client.getRun('run_1'))
    expect(sent).toBe(2)
    expect(error).toMatchObject({ status: 401, body: { message: '[key] and [key] were revoked.' } })
    for (const key of keys) expect(shown(error)).not.toContain(key)
  })

  it('a key that was replaced between two polls, and that a run repeats, is in no error', async () => {
    let asked = 0
    const apiKey = () => (asked++ < 2 ? 'wk_old_key_1' : 'wk_new_key_2')
    const respond = (status: number) => Response.json({ ...RUN, steps: [{ message: 'wk_old_key_1' }] }, { status })
    expect(shown(await watchError({ apiKey, fetch: async () => respond(200) }))).not.toContain('wk_old')
    expect(asked).toBeGreaterThan(2)
    asked = 0
    const fetch = async () => respond(asked < 4 ? 200 : 404)
    expect(shown(await watchError({ apiKey, fetch }))).not.toContain('wk_old')
    const down = { apiKey: 'wk_old_key_1', fetch: async () => respond(500) }
    expect(shown(await watchError(down, 'wk_old_key_1'))).not.toContain('wk_old')
  })

  it('a key that was replaced is in no error of a call that shared the request', async () => {
    const keys = ['wk_first_000111222', 'wk_first_000111222', 'wk_second_333444555']
    let asked = 0
    const client = clientOf(LOCAL, {
      apiKey: () => keys[Math.min(asked++, 2)]!,
      fetch: async () => {
        await aMoment()
        return Response.json({ message: `${keys.join(' and ')} were revoked.` }, { status: 401 })
      },
    })
    const errors = await Promise.all([1, 2].map(() => rejection(client.listPlaybooks())))
    for (const error of errors) for (const key of keys) expect(shown(error)).not.toContain(key)
  })
})

describe('a key that is repeated in another form', () => {
  const apiKey = 'wk/live/4f~>?9a+Zk=='
  const body = JSON.stringify({ error: 'unauthorized', message: `Unknown key ${apiKey}` })

  it.each([
    ['slashes escaped, as PHP writes JSON', body.replaceAll('/', '\\/')],
    ['a character escaped', body.replaceAll('+', '\\u002b')],
    ['a character escaped twice', JSON.stringify({ error: 'unauthorized', message: body.replaceAll('/', '\\/') })],
    [
      'percent-encoding and quotes',
      JSON.stringify({ error: 'unauthorized', message: `%22${encodeURIComponent(apiKey)}%22` }),
    ],
  ])('no error contains the key when the service repeats it with %s', async (_, text) => {
    const server = await serve(() => ({ status: 401, headers: { 'content-type': 'application/json' }, body: text }))
    const client = clientOf(server, { apiKey, retry: false })
    const error = (await rejection(client.getRun('run_1'))) as Error & { body: unknown; code: unknown }
    const { error: result } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    const shown = [error.message, JSON.stringify(error.body), inspect(error), error.stack, JSON.stringify(result)]
    for (const each of shown) expect(each?.replaceAll('\\', '')).not.toContain(apiKey)
    expect(error.code).toBe('unauthorized')
  })

  it.each([
    ['the base64 of the header', btoa(`Bearer ${apiKey}`)],
    ['the base64 of a user and the key', btoa(`api:${apiKey}`)],
    ['the base64 of the key after one character', btoa(`:${apiKey}`)],
    ['base64 for URLs', btoa(`:${apiKey}`).replaceAll('+', '-').replaceAll('/', '_')],
    [
      'references of HTML with zeros and without semicolons',
      apiKey.replace(/[^a-z]/gi, (part) => `&#0${part.charCodeAt(0)}`),
    ],
    ['named references of HTML', apiKey.replaceAll('>', '&gt;')],
    ['decimal references of HTML', apiKey.replace(/[^a-z]/gi, (part) => `&#${part.charCodeAt(0)};`)],
    ['hexadecimal references of HTML', apiKey.replace(/[^a-z]/gi, (part) => `&#x${part.charCodeAt(0).toString(16)};`)],
  ])('no error contains the key when the service repeats it as %s', async (_, form) => {
    const server = await serve(() => ({ status: 403, body: { error: 'forbidden', message: `No: ${form}.` } }))
    const error = await rejection(clientOf(server, { apiKey }).getRun('run_1'))
    expect(inspect(error)).not.toContain(form.slice(12, 22))
  })

  it('the error about a triggered run without an id does not contain the key', async () => {
    const server = await serve(() => ({ status: 202, headers: { 'x-debug': apiKey }, body: { key: apiKey } }))
    const error = await rejection(clientOf(server, { apiKey }).triggerRun('pb_1', { inputs: {} }))
    expect(isContractError(error)).toBe(true)
    expect(inspect(error, { depth: 9 })).not.toContain(apiKey)
  })
})

describe('an error that a fetch of the caller throws', () => {
  class Custom {
    [inspect.custom] = () => KEY
  }
  class HttpError extends Error {
    #headers = KEY
    toJSON = () => this.#headers
  }
  const thrownAs = (error: unknown) =>
    rejection(clientOf(LOCAL, { fetch: () => Promise.reject(error), retry: 0 }).getRun('run_1'))
  const withMore = (more: object) => Object.assign(new Error('HTTPError: 502'), more)

  it.each<[string, () => Error]>([
    ['a Buffer', () => withMore({ response: { rawBody: Buffer.from(`x${KEY}`) } })],
    ['an ArrayBuffer', () => withMore({ response: { data: new TextEncoder().encode(KEY).buffer } })],
    ['a DataView', () => withMore({ data: new DataView(new TextEncoder().encode(KEY).buffer) })],
    ['a property of a symbol', () => withMore({ [Symbol('headers')]: KEY })],
    ['the name of a property', () => withMore({ [KEY]: 1 })],
    ['the description of a symbol', () => withMore({ [Symbol(KEY)]: 1 })],
    ['a Set', () => withMore({ sent: new Set([KEY]) })],
    ['a Map', () => withMore({ sent: new Map([['authorization', KEY]]) })],
    ['a URL', () => withMore({ url: new URL(`http://localhost/?key=${KEY}`) })],
    ['URLSearchParams', () => withMore({ query: new URLSearchParams({ key: KEY }) })],
    ['a Response', () => withMore({ response: new Response('', { headers: { was: KEY } }) })],
    ['an accessor', () => Object.defineProperty(new Error('No'), 'key', { enumerable: true, get: () => KEY })],
    ['a method toJSON', () => new HttpError('No')],
    ['an inspection', () => withMore({ options: new Custom() })],
    [
      'an object of a class',
      () =>
        withMore({
          options: new (class {
            toString = () => KEY
          })(),
        }),
    ],
    ['an error whose cause has it', () => new Error('No', { cause: withMore({ sent: new Set([KEY]) }) })],
  ])('with the key in %s becomes a copy without it', async (_, create) => {
    const error = create()
    const thrown = (await thrownAs(error)) as Error
    const shown = `${inspect(thrown, { depth: 9, getters: true, showHidden: true })} ${JSON.stringify(thrown)}`
    expect(shown).not.toContain(KEY)
    expect(shown).not.toContain(Buffer.from(KEY).toString('hex').match(/../g)!.slice(0, 8).join(' '))
    expect([thrown.name, thrown.message, thrown.constructor]).toEqual([error.name, error.message, error.constructor])
  })

  it.each<[string, () => unknown]>([
    ['no more', () => new RangeError('No')],
    ['plain data', () => withMore({ status: 502, data: { list: [1, null, 'two', { three: 3n }] }, at: new Date(0) })],
    ['bytes', () => withMore({ response: { rawBody: Buffer.from('<html>'), more: new Uint16Array(3) } })],
    ['collections', () => withMore({ map: new Map([[{}, new Set(['a'])]]), url: new URL('http://localhost/') })],
    ['a Response', () => withMore({ response: Response.json({}, { status: 502 }) })],
    ['causes', () => new Error('No', { cause: new AggregateError([new TypeError('one')]) })],
    ['a symbol and a function', () => withMore({ [Symbol('kind')]: true, retry() {} })],
  ])('with %s, none of which has the key, is passed on unchanged', async (_, create) => {
    const error = create()
    expect(await thrownAs(error)).toBe(error)
  })

  it('with many megabytes is searched without a step for each byte', async () => {
    const error = withMore({ response: { rawBody: Buffer.alloc(2 ** 25, 'a'), list: new Array(2 ** 22).fill(0) } })
    expect(await thrownAs(error)).toMatchObject({ message: 'HTTPError: 502' })
  })
})

it('a key of one to three characters is not replaced in texts', async () => {
  for (const apiKey of ['a', 'ab', 'run']) {
    const fetch = async () => Response.json({ message: 'No run a: ab.' }, { status: 404 })
    const error = await rejection(
      clientOf({ baseUrl: `http://localhost${VERSION}` }, { apiKey, fetch }).getRun('run_1'),
    )
    expect(String(error)).toBe('NotFoundError: getRun failed with 404 (GET /runs/{id}): No run a: ab.')
  }
})

// In quadratic time each of them would take minutes.
it.each<[string, string, number]>([
  ['backslashes', '\\', 400],
  ['escapes', '\\u002', 400],
  ['digits', '1', 429],
  ['digits and commas', '1,', 429],
])('a call ends soon when the message of an error is a million times %s', async (_, part, status) => {
  const fetch = async () => Response.json({ message: part.repeat(1_000_000) }, { status })
  expect(await rejection(clientOf(LOCAL, { fetch, retry: false }).getRun('run_1'))).toMatchObject({ status })
})
