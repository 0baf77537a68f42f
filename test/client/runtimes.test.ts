import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient, createFetch } from '../../src/index.js'
import { listOf, VERSION } from '../support/fixtures.js'
import { RUN, rejection, runAt } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const root = fileURLToPath(new URL('../../', import.meta.url))

it('watchRun and errors work where the prototypes of the runtime are frozen', async () => {
  const program = `
    import { createClient } from './dist/src/index.js'
    let polls = 0
    const fetch = async (url, init) => {
      if (url.endsWith('/broken')) throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNRESET' }) })
      return Response.json({ ...${JSON.stringify(RUN)}, status: polls++ ? 'succeeded' : 'running' })
    }
    const client = createClient({ baseUrl: 'http://localhost${VERSION}', apiKey: 'wk_1', fetch, polling: { minInterval: 1 } })
    for await (const run of client.watchRun('run_1')) console.log(run.status)
    const { message } = await client.getRun('broken', { retry: false }).catch((error) => error)
    console.log(message)
  `
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--frozen-intrinsics', '--no-warnings', '--input-type=module', '--eval', program],
    { cwd: root },
  )
  expect(stdout.trim().split('\n')).toEqual([
    'running',
    'succeeded',
    'getRun got no complete response (GET /runs/{id} at localhost): ECONNRESET.',
  ])
})

it.each(['URL', 'Headers', 'TextDecoder', 'AbortController'])(
  'a client names the global %s if the runtime has none',
  (name) => {
    vi.stubGlobal(name, undefined)
    const options = { baseUrl: `http://localhost${VERSION}`, apiKey: 'wk_1', headers: { a: 'b' } }
    for (const create of [createClient, createFetch])
      expect(() => create(options)).toThrow(new TypeError(`There is no global ${name}, which every call needs.`))
  },
)

it('a client needs no URL.canParse, which the URL of older versions of jsdom lacks', async () => {
  vi.stubGlobal('URL', Object.assign(class extends URL {}, { canParse: undefined }))
  const { client } = inVirtualTime(() => Response.json(RUN))
  expect(await client.getRun('run_1')).toMatchObject({ id: 'run_1' })
})

it('a signal needs no throwIfAborted, as that of the package abort-controller', async () => {
  const missing = [
    { of: AbortSignal, name: 'any' },
    { of: AbortSignal.prototype, name: 'throwIfAborted' },
  ].map(({ of, name }) => ({ of, name, before: Object.getOwnPropertyDescriptor(of, name)! }))
  for (const { of, name } of missing) Object.defineProperty(of, name, { value: undefined, configurable: true })
  try {
    const respond = (index: number) => Response.json({ ...RUN, status: index < 2 ? 'running' : 'succeeded' })
    const { client } = inVirtualTime(respond, { plan: 'pro' })
    client.use({ onRequest: ({ request }) => new Request(request, { signal: new AbortController().signal }) })
    const { signal } = new AbortController()
    expect(await client.getRun('run_1', { signal })).toMatchObject({ status: 'running' })
    expect(await client.waitForRun('run_1', { signal })).toMatchObject({ status: 'succeeded' })
    expect(await rejection(client.getRun('run_1', { signal: AbortSignal.abort('Enough.') }))).toBe('Enough.')
  } finally {
    for (const { of, name, before } of missing) Object.defineProperty(of, name, before)
  }
})

describe('a signal that lives long', () => {
  it('calls with middleware leave nothing on a signal that lives long', async () => {
    const any = vi.spyOn(AbortSignal, 'any')
    const { client } = inVirtualTime(() => Response.json(RUN))
    const requests: Request[] = []
    client.use({ onRequest: ({ request }) => void requests.push(request) })
    const { signal } = new AbortController()
    for (let count = 0; count < 20; count++) await client.getRun('run_1', { signal })
    for (const each of [signal, ...requests.map(({ signal }) => signal)])
      expect(getEventListeners(each, 'abort')).toEqual([])
    expect(any).not.toHaveBeenCalled()
    any.mockRestore()
  })

  it('abandoned iterators of watchRun leave nothing on a signal that lives long', async () => {
    const { client } = inVirtualTime((_, { url }) => Response.json(runAt(url)))
    const { signal } = new AbortController()
    for (let index = 0; index < 5; index++)
      expect(await client.watchRun(`run_${index}`, { signal }).next()).toMatchObject({ value: { id: `run_${index}` } })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

it('calls share no promise in Workers, where each incoming request has a context of its own', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  const list = listOf([], { total: 0, page: 1, per_page: 20 })
  const { client, sent } = inVirtualTime((_, { url }) =>
    Response.json(url.includes('/runs/') ? { ...RUN, status: 'succeeded' } : list),
  )
  expect(await Promise.all([client.listPlaybooks(), client.listPlaybooks()])).toEqual([list, list])
  expect(await Promise.all([client.waitForRun('run_1'), client.waitForRun('run_1')])).toHaveLength(2)
  expect(sent).toHaveLength(4)
  expect(await client.listPlaybooks()).toEqual(list)
  expect(sent).toHaveLength(4)
})

it('a response that was requested before clear() is not cached in Workers', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  const list = listOf([], { total: 0, page: 1, per_page: 20 })
  const { client, sent, pass } = inVirtualTime(async () => {
    await pass(1_000)
    return Response.json(list)
  })
  const before = client.listPlaybooks()
  await pass(500)
  await client.cache.clear()
  await before
  for (let time = 0; time < 2; time++) await client.listPlaybooks()
  expect(sent).toHaveLength(2)
})

it.each([
  ['a page', 'document'],
  ['a worker of a page', 'importScripts'],
])('the client leaves the User-Agent to the browser in %s', async (_, name) => {
  vi.resetModules()
  vi.stubGlobal(name, {})
  const { createClient } = await import('../../src/client/index.js')
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(RUN))
  await createClient({ baseUrl: `http://localhost${VERSION}`, apiKey: 'wk_1', fetch }).getRun('run_1')
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({ accept: 'application/json', authorization: 'Bearer wk_1' })
})
