import { afterEach, expect, it, vi } from 'vitest'
import { LIST, RUN } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'
import { pageWith } from './page.js'

const PROGRAM = `
import { createClient } from '../../src/index.js'

const make = () => createClient({ baseUrl: location.origin + '/v1', apiKey: 'wk_1', polling: { minInterval: 1, maxInterval: 5 } })

/** The status that a run ends with, and the numbers of the lists that came. */
export async function run() {
  const client = make()
  const { status } = await client.waitForRun('run_1', { timeout: 5000 })
  const number = async (options) => (await client.listPlaybooks({}, options)).meta.total
  const lists = [await number(), await number(), await number({ cache: 'reload' }), await number({ cache: 'no-store' })]
  await client.cache.clear()
  lists.push(await number(), await make().listPlaybooks().then(({ meta }) => meta.total))
  return { status, lists }
}

if (typeof document === 'undefined') self.onmessage = async () => self.postMessage(await run())
`

const HEADERS = {
  'with max-age': { 'cache-control': 'max-age=600' },
  'with an old Last-Modified alone': { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
}

it.each(Object.entries(HEADERS))(
  'in a page and in a worker, polls, reload, no-store and calls after clear() get past responses %s in the cache of the browser',
  async (_, headers) => {
    let polls = 0
    let lists = 0
    const { page, script } = await pageWith(PROGRAM, ({ url }, response) => {
      const body = url?.includes('/runs/')
        ? { ...RUN, status: polls++ % 4 === 3 ? 'succeeded' : 'running' }
        : { ...LIST, meta: { ...LIST.meta, total: 100 + lists++ } }
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
    expect(await page.evaluate('program.run()')).toEqual({ status: 'succeeded', lists: [100, 100, 101, 102, 103, 104] })
    const inWorker = `new Promise((resolve) => {
      const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))
      worker.onmessage = ({ data }) => resolve(data)
      worker.postMessage('')
    })`
    const { status, lists: numbers } = (await page.evaluate(inWorker)) as { status: string; lists: number[] }
    expect(status).toBe('succeeded')
    expect(numbers).toEqual([105, 105, 106, 107, 108, 109])
  },
)

afterEach(() => void vi.unstubAllGlobals())

it.each<[string, Record<string, unknown>]>([
  ['Node, whose document may be that of jsdom', { document: {} }],
  ['Deno', { document: {}, process: undefined, Deno: {} }],
  ['Bun', { document: {}, process: undefined, Bun: {} }],
  ['Cloudflare Workers', { WorkerGlobalScope: {}, process: undefined, navigator: { userAgent: 'Cloudflare-Workers' } }],
])('in %s, fetch is not told about the cache', async (_, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  const { client, sent } = inVirtualTime(() => Response.json(RUN))
  await client.getRun('run_1')
  vi.unstubAllGlobals()
  expect(sent[0]?.init).not.toHaveProperty('cache')
})
